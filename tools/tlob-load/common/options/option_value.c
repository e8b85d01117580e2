// SPDX-License-Identifier: GPL-2.0
/* The values of options: durations, counts, texts, percentages, conditions. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/function_request.h"
#include "options/load_presets.h"
#include "options/option_value.h"
#include "options/run_config.h"
#include "result/tags.h"
#include "result/vary.h"
#include "util/action.h"
#include "util/text.h"
#include "util/units.h"

#define MISS_MIN	1e-7
#define MISS_MAX	0.5

int value_flag(const struct value *v, void *to)
{
	(void)v;
	*(bool *)to = true;
	return 0;
}

int value_duration_in(const struct value *v, uint64_t min, uint64_t max, uint64_t *ns)
{
	char reason[REASON_LEN], lo[DURATION_LEN], hi[DURATION_LEN];
	/* people think of the length of a run in seconds, or longer */
	uint64_t likely = max == NO_LIMIT ? NSEC_PER_SEC : min;
	uint64_t val;

	if (duration_parse_within(v->arg, likely, max, &val, reason, sizeof(reason)))
		return value_error(v, "--%s: %s", v->option->name, reason);
	if (val >= min && val <= max) {
		*ns = val;
		return 0;
	}
	if (max == NO_LIMIT)
		return value_error(v, "--%s %s is too short: give %s or more",
				   v->option->name, v->arg, duration_exact(lo, min));
	return value_error(v, "--%s %s is out of range: give %s to %s", v->option->name,
			   v->arg, duration_exact(lo, min),
			   duration_exact(hi, max));
}

int value_duration(const struct value *v, void *to)
{
	return value_duration_in(v, v->option->min, v->option->max, to);
}

int value_progress(const struct value *v, void *to)
{
	*(uint64_t *)to = 0;
	return strcmp(v->arg, "off") ?
	       value_duration_in(v, 100 * NSEC_PER_MSEC, NO_LIMIT, to) : 0;
}

int value_count_in(const struct value *v, uint64_t min, uint64_t max, uint64_t *n)
{
	uint64_t val = 0;
	int err = count_parse(v->arg, &val);

	if (err != -EINVAL && (err || val < min || val > max))
		return value_error(v, "--%s %s is out of range: give %" PRIu64 " to %" PRIu64,
				   v->option->name, v->arg, min, max);
	if (err)
		return value_error(v, "--%s: invalid number '%s': give a whole number from %" PRIu64 " to %" PRIu64,
				   v->option->name, v->arg, min, max);
	*n = val;
	return 0;
}

int value_count(const struct value *v, void *to)
{
	return value_count_in(v, v->option->min, v->option->max, to);
}

static int get_text(const struct value *v, const char *noun, const char **text)
{
	if (!*v->arg)
		return value_error(v, "--%s is empty: give %s", v->option->name, noun);
	*text = v->arg;
	return 0;
}

int value_text(const struct value *v, void *to)
{
	return get_text(v, v->option->noun, to);
}

int value_output(const struct value *v, void *to)
{
	return get_text(v, "the name of a file, or - for stdout", to);
}

int value_dir(const struct value *v, void *to)
{
	if (*v->arg == '-' || strlen(v->arg) > PATH_MAX - 100)
		return value_error(v, "--%s: the name is too long or begins with -: give ./%.20s",
				   v->option->name, v->arg);
	return get_text(v, "the name of a directory", to);
}

const char *option_words(char buf[WORDS_LEN], const struct manual_option *o, const char *last)
{
	const char *words = o->words;
	size_t n = 0, word;

	for (*buf = 0; *words && n < WORDS_LEN; words += word + (words[word] == ' ')) {
		word = strcspn(words, " ");
		n += (size_t)snprintf(buf + n, WORDS_LEN - n, "%s%.*s",
				      !n ? "" : words[word] ? ", " : last, (int)word, words);
	}
	return buf;
}

int value_choice(const struct value *v, void *to)
{
	const char *words = v->option->words, *noun = v->option->noun;
	unsigned int i;
	char prose[WORDS_LEN];
	size_t n;

	for (i = 0; *words; i++, words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (n == strlen(v->arg) && !memcmp(words, v->arg, n)) {
			*(unsigned int *)to = i;
			return 0;
		}
	}
	option_words(prose, v->option, " or ");
	return noun ? value_error(v, "--%s: unknown %s '%s': use %s", v->option->name, noun,
				  v->arg, prose) :
		      value_error(v, "--%s '%s': give %s", v->option->name, v->arg, prose);
}

int value_word(const struct value *v, void *to)
{
	unsigned int i;

	*(const char **)to = v->arg;
	return value_choice(v, &i);
}

int value_backend(const struct value *v, void *to)
{
	char prose[WORDS_LEN];

	*(const char **)to = v->arg;
	return has_word(v->option->words, v->arg) ? 0 :
	       value_error(v, "--%s '%s' %s: use %s", v->option->name, v->arg, v->option->noun,
			   option_words(prose, v->option, " or "));
}

int value_functions(const struct value *v, void *to)
{
	return function_request_add(to, v->arg, v->err, v->size);
}

int value_check_load(const struct value *v, unsigned int n)
{
	char names[WORDS_LEN];

	option_words(names, v->option, ", ");
	if (!*v->arg)
		return value_error(v, "--load is empty: give a command, or %s", names);
	if (*v->arg == '@' && !load_preset_find(v->arg + 1))
		return value_error(v, "--load: unknown preset '%s': use %s, or a command", v->arg, names);
	if (n == RUN_MAX_LOADS)
		return value_error(v, "--load is given more than %d times: leave some out, or put commands together, as in 'A & B & wait'",
				   RUN_MAX_LOADS);
	return 0;
}

int value_miss(const struct value *v, void *to)
{
	char *end;
	double x = strtod(v->arg, &end);

	if (end != v->arg && !strcmp(end, "%")) {
		x /= 100;
		end++;
	}
	if (end == v->arg || *end || !(x >= MISS_MIN && x <= MISS_MAX))
		return value_error(v, "--%s %s: give a share of 1e-7 to 0.5, as in 1e-4 or 0.01%%", v->option->name, v->arg);
	*(double *)to = x;
	return 0;
}

int value_help(const struct value *v, void *to)
{
	(void)to;
	if (v->arg && strcmp(v->arg, "all"))
		return value_error(v, "--help=%s: unknown part '%s': give --help or --help=all",
				   v->arg, v->arg);
	return v->arg ? HELP_ALL : HELP_SHORT;
}

int value_version(const struct value *v, void *to)
{
	(void)v;
	(void)to;
	return HELP_VERSION;
}

int value_vary(const struct value *v, void *to)
{
	char why[REASON_LEN];

	return vary_add(to, v->arg, why, sizeof(why)) ?
	       value_error(v, "--vary: %s", why) : 0;
}

static int add_action(const struct value *v, struct action *list, unsigned int *n)
{
	char reason[REASON_LEN];

	if (*n == ACTIONS_MAX)
		return value_error(v, "--%s is given more than %d times: put commands together, as in 'shell:A; B'",
				   v->option->name, ACTIONS_MAX);
	if (action_parse(&list[*n], v->arg, reason, sizeof(reason)))
		return value_error(v, "--%s '%s': %s", v->option->name, v->arg, reason);
	(*n)++;
	return 0;
}

int value_action(const struct value *v, void *to)
{
	struct action_config *c = to;

	return add_action(v, c->at, &c->n);
}

int value_end_action(const struct value *v, void *to)
{
	struct action_config *c = to;
	int err = add_action(v, c->end, &c->nend);

	if (!err && c->end[c->nend - 1].kind != ACTION_SHELL)
		return value_error(v, "--%s '%s': give shell:COMMAND", v->option->name, v->arg);
	return err;
}

int value_action_limit(const struct value *v, void *to)
{
	char reason[REASON_LEN];

	return action_limit_parse(to, v->arg, reason, sizeof(reason)) ?
	       value_error(v, "--%s %s: %s", v->option->name, v->arg, reason) : 0;
}

int value_tag(const struct value *v, void *to)
{
	char reason[REASON_LEN];

	return tag_list_add(to, v->arg, reason, sizeof(reason)) ?
	       value_error(v, "--%s '%s': %s", v->option->name, v->arg, reason) : 0;
}

int value_condition(const struct value *v, condition_parser parse, struct condition list[],
	       unsigned int *n)
{
	char reason[REASON_LEN];

	if (*n == CONDITIONS_MAX)
		return value_error(v, "--%s is given more than %d times: leave some out",
				   v->option->name, CONDITIONS_MAX);
	if (parse(&list[*n], v->arg, reason, sizeof(reason)))
		return value_error(v, "--%s '%s': %s", v->option->name, v->arg, reason);
	(*n)++;
	return 0;
}

/* strtod() also accepts nan, 0x1 and 1e1, so the characters are checked first. */
int value_percent(const struct value *v, void *to)
{
	double max = (double)v->option->max / 100;
	size_t n = strspn(v->arg, "0123456789.");
	char *end;
	double x;

	x = strtod(v->arg, &end);
	if (!n || n > 12 || end != v->arg + n || strcmp(end, "%"))
		return value_error(v, "--%s: invalid percentage '%s': give one as in 5%%",
				   v->option->name, v->arg);
	x /= 100;
	if (!(x >= 0.0001) || x > max)
		return value_error(v, "--%s %s is out of range: give 0.01%% to %g%%",
				   v->option->name, v->arg, 100 * max);
	*(double *)to = x;
	return 0;
}

int value_percent_text(const struct value *v, void *to)
{
	double share;

	*(const char **)to = v->arg;
	return value_percent(v, &share);
}
