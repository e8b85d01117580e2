// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "options/function_presets.h"
#include "options/function_request.h"
#include "result/condition.h"
#include "util/usage.h"

#define SET_FIRST	"abcdefghijklmnopqrstuvwxyz"
#define SET_NEXT	SET_FIRST "0123456789_"
#define WORD_CHARS	SET_NEXT "ABCDEFGHIJKLMNOPQRSTUVWXYZ.$*?[]^!-"
#define PRESETS_LEN	80

#define PRESET_ROW(name, words, reason)	{ name, words, reason },
const struct function_preset function_presets[] = { FUNCTION_PRESETS(PRESET_ROW) { NULL, NULL, NULL } };

const struct function_preset *function_preset_find(const char *word, size_t n)
{
	const struct function_preset *p;

	for (p = function_presets; n && p->name; p++)
		if (strlen(p->name) == n - 1 && !strncmp(p->name, word + 1, n - 1))
			return p;
	return NULL;
}

size_t function_word(const char **words, const char **word)
{
	size_t n = strcspn(*words, ",");

	*word = *words;
	*words += n + ((*words)[n] == ',');
	return n;
}

static const char *preset_names(char buf[PRESETS_LEN])
{
	const struct function_preset *p;
	size_t n = 0;

	*buf = 0;
	for (p = function_presets; p->name && n < PRESETS_LEN; p++)
		n += (size_t)snprintf(buf + n, PRESETS_LEN - n, "%s@%s", n ? ", " : "", p->name);
	return buf;
}

static int check_words(const char *text, const char *words, char *err, unsigned int size)
{
	char presets[PRESETS_LEN];
	const char *word;
	size_t n;

	do {
		n = function_word(&words, &word);
		if (!n)
			return usage_error(err, size, "--functions '%s': a name is empty: give names or patterns, as in lock=*mutex_lock*,rt_spin_lock",
					   text);
		if (*word == '@' && !function_preset_find(word, n))
			return usage_error(err, size, "--functions: unknown preset '%.*s': use %s", (int)n,
					   word, preset_names(presets));
		if (*word != '@' && strspn(word, WORD_CHARS) < n)
			return usage_error(err, size, "--functions: '%.*s' is not a pattern of function names: use letters, digits, _ . * ? and [abc]",
					   (int)n, word);
	} while (*words || word[n] == ',');
	return 0;
}

int function_request_add(struct function_requests *r, const char *text, char *err,
			 unsigned int size)
{
	const char *words = strchr(text, '='), *name = *text == '@' ? text + 1 : text;
	size_t n = *text == '@' ? strlen(name) : words ? (size_t)(words - text) : 0;
	struct function_request *new = &r->at[r->n];
	unsigned int i;

	if (!strcmp(text, "list")) {
		r->list = true;
		return 0;
	}
	if (*text != '@' && !words)
		return usage_error(err, size, "--functions '%s': missing the name of the set: give NAME=%s, a preset, as in @locks, or list",
				   text, *text ? text : "PATTERN");
	words = *text == '@' ? text : words + 1;
	if (check_words(text, words, err, size))
		return -EINVAL;
	if (!n || n >= FUNCTION_SET_NAME || !strchr(SET_FIRST, *name) || strspn(name, SET_NEXT) < n)
		return usage_error(err, size, "--functions: invalid name of a set '%.*s': use a to z first, then also digits and _, at most %d",
				   (int)n, name, FUNCTION_SET_NAME - 1);
	for (i = 0; i < r->n; i++)
		if (strlen(r->at[i].name) == n && !strncmp(r->at[i].name, name, n))
			return usage_error(err, size, "--functions: the set %.*s is given twice: put its patterns together, as in %.*s=a,b",
					   (int)n, name, (int)n, name);
	if (r->n == FUNCTION_SETS)
		return usage_error(err, size, "--functions is given more than %d times: put sets together",
				   FUNCTION_SETS);
	memcpy(new->name, name, n);
	new->name[n] = 0;
	new->words = words;
	r->n++;
	return 0;
}

int function_requests_bind(const struct function_requests *r, struct condition *list,
			   unsigned int n, char *err, unsigned int size)
{
	unsigned int i, set;

	for (i = 0; i < n; i++) {
		if (!condition_is_function(&list[i]))
			continue;
		for (set = 0; set < r->n; set++)
			if (condition_bind(&list[i], r->at[set].name, set))
				break;
		if (set == r->n)
			return usage_error(err, size, "'%s': there is no set %s: give --functions %s=PATTERN",
					   list[i].text, list[i].function, list[i].function);
	}
	return 0;
}
