// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "functions/expand.h"
#include "functions/refused.h"
#include "result/result.h"
#include "util/array.h"
#include "util/error.h"
#include "util/near.h"

#define WORD_LEN	256
#define SUGGEST_LEN	320

/* The functions that one word met. */
struct met {
	size_t	 taken, doubled;	/* doubled: an address that a set has already */
	size_t	 refused, of_module, untraceable, unsure, no_kprobe;
	const char *because;		/* of a refused one */
	const char *module;
};

struct expansion {
	struct traced_sets *t;
	struct traced_set *set;
	const char *word;		/* one pattern */
	bool	 preset;		/* of a preset: need not match */
	size_t	 preset_total;
};

/* The name without what the compiler adds to a copy or a part of the function. */
static size_t base_length(const char *name)
{
	static const char * const suffixes[] = { ".constprop", ".isra", ".part", ".cold", ".llvm" };
	size_t n = strlen(name), i;
	const char *at;

	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		at = strstr(name, suffixes[i]);
		if (at && (size_t)(at - name) < n)
			n = (size_t)(at - name);
	}
	return n;
}

static bool matches(const char *pattern, const char *name)
{
	char base[WORD_LEN];
	size_t n;

	if (!fnmatch(pattern, name, 0))
		return true;
	n = base_length(name);
	if (!n || !name[n] || n >= sizeof(base))
		return false;
	memcpy(base, name, n);
	base[n] = 0;
	return !fnmatch(pattern, base, 0);
}

static bool is_pattern(const char *word)
{
	return strpbrk(word, "*?[");
}

/* The first of the names that @f's address has. */
static struct kernel_function *first_alias(const struct kernel_functions *k,
					   struct kernel_function *f)
{
	while (f > k->at && f[-1].address == f->address)
		f--;
	return f;
}

/* The refusal of any of the names that the address of @first has. */
static const char *refused_alias(const struct kernel_functions *k,
				 const struct kernel_function *first)
{
	const struct kernel_function *at;
	const char *because = NULL;

	for (at = first; !because && at < k->at + k->n && at->address == first->address; at++)
		because = function_refused(at->name);
	return because;
}

static int take(struct expansion *e, struct kernel_function *f, struct met *met)
{
	struct kernel_function *first = first_alias(&e->t->kernel, f);
	const char *because = refused_alias(&e->t->kernel, first);
	struct traced *new;

	if (*f->module) {
		met->of_module++;
		met->module = f->module;
	} else if (because) {
		met->refused++;
		met->because = because;
	} else if (f->traceable == TRACEABLE_NOT) {
		met->untraceable++;
	} else if (f->traceable == TRACEABLE_UNSURE) {
		met->unsure++;
	} else if (f->no_kprobe) {
		met->no_kprobe++;
	} else if (first->taken) {
		met->doubled++;
	} else {
		new = array_add(e->set->at, e->set->n, e->set->room);
		if (!new)
			return fail(-ENOMEM, "out of memory");
		*new = (struct traced){ .address = f->address, .name = f->name };
		first->taken = true;
		e->set->n++;
		e->t->total++;
		met->taken++;
	}
	return 0;
}

/*
 * "mutex_lock, mutex_unlock": functions that can be traced, whose name resembles the letters of the
 * pattern @word. Returns false if no name does.
 */
static bool suggest(char buf[SUGGEST_LEN], const struct kernel_functions *k, const char *word)
{
	struct near_names best = { .n = 0 };
	char name[WORD_LEN];
	size_t i, n = 0;

	for (; *word && n < WORD_LEN - 1; word++)
		if (!strchr("*?[]", *word))
			name[n++] = *word;
	name[n] = 0;
	for (i = 0; i < k->n; i++)
		if (k->at[i].traceable == TRACEABLE_YES && !*k->at[i].module)
			near_keep(&best, k->at[i].name, near_edits(name, k->at[i].name));
	return near_list(&best, buf, SUGGEST_LEN);
}

/* No function: why not, and what it may have been meant to be. */
static int explain_none(const struct expansion *e, const struct met *met)
{
	const char *set = e->set->of->name;
	char near[SUGGEST_LEN];

	if (met->refused)
		return fail(-EPERM, "--functions %s=%s: must not be probed: %s", set, e->word,
			    met->because);
	if (met->of_module)
		return fail(-EINVAL, "--functions %s=%s: a function of the module %s: only functions of the kernel itself can be measured",
			    set, e->word, met->module);
	if (met->unsure)
		return fail(-EINVAL, "--functions %s=%s: several functions have this name, and this kernel does not say which of them can be traced: name another one",
			    set, e->word);
	if (met->no_kprobe)
		return fail(-EPERM, "--functions %s=%s: this kernel measures by kprobes, and they refuse it (/sys/kernel/debug/kprobes/blacklist): name what calls it",
			    set, e->word);
	if (met->untraceable)
		return fail(-EINVAL, "--functions %s=%s: it exists, but this kernel cannot trace it (notrace): name what calls it",
			    set, e->word);
	if (suggest(near, &e->t->kernel, e->word))
		return fail(-ENOENT, "--functions %s=%s: this kernel has no such function: did you mean %s?",
			    set, e->word, near);
	return fail(-ENOENT, "--functions %s=%s: this kernel has no such function, or has it inlined",
		    set, e->word);
}

/* Notes what a reader would not expect of a word that did match. */
static int note(const struct expansion *e, const struct met *met)
{
	char ***notes = &e->t->notes;
	int err = 0;

	if (met->refused)
		err = notes_add(notes, "%s=%s: left out %zu that must not be probed: %s", e->set->of->name,
				e->word, met->refused, met->because);
	if (!err && met->unsure)
		err = notes_add(notes, "%s=%s: left out %zu whose name several functions have", e->set->of->name,
				e->word, met->unsure);
	if (!err && met->no_kprobe)
		err = notes_add(notes, "%s=%s: left out %zu that kprobes refuse (/sys/kernel/debug/kprobes/blacklist)",
				e->set->of->name, e->word, met->no_kprobe);
	if (!err && met->of_module && !e->preset)
		err = notes_add(notes, "%s=%s: left out %zu of modules", e->set->of->name, e->word,
				met->of_module);
	if (!err && met->taken > 1 && !is_pattern(e->word))
		err = notes_add(notes, "%s=%s: %zu functions have this name, or copies of it: all are taken",
				e->set->of->name, e->word, met->taken);
	if (!err && met->doubled && !met->taken)
		err = notes_add(notes, "%s=%s: adds nothing: an earlier set, or this one, already has it",
				e->set->of->name, e->word);
	return err ? fail(err, "out of memory") : 0;
}

static int expand_word(struct expansion *e)
{
	const struct kernel_functions *k = &e->t->kernel;
	struct met met = { 0 };
	size_t i;
	int err = 0;

	for (i = 0; i < k->n && !err; i++)
		if (matches(e->word, k->at[i].name))
			err = take(e, &k->at[i], &met);
	if (err)
		return err;
	e->preset_total += met.taken + met.doubled;
	if (!met.taken && !met.doubled)
		return e->preset ? 0 : explain_none(e, &met);
	/* a name that is refused was asked for; one of a pattern was not */
	if (met.refused && !is_pattern(e->word))
		return explain_none(e, &met);
	return note(e, &met);
}

static int expand_words(struct expansion *e, const char *words)
{
	const struct function_preset *p;
	char text[WORD_LEN];
	const char *word;
	size_t n;
	int err = 0;

	while (!err && (n = function_word(&words, &word))) {
		p = *word == '@' ? function_preset_find(word, n) : NULL;
		if (p) {
			e->preset = true;
			e->preset_total = 0;
			err = expand_words(e, p->words);
			e->preset = false;
			if (!err && !e->preset_total)
				err = fail(-ENOENT, "--functions @%s: this kernel can trace none of its functions",
					   p->name);
			continue;
		}
		if (n >= sizeof(text))
			return fail(-EINVAL, "--functions: no function has a name of %zu characters", n);
		memcpy(text, word, n);
		text[n] = 0;
		e->word = text;
		err = expand_word(e);
		e->word = NULL;
	}
	return err;
}

static int by_address(const void *pa, const void *pb)
{
	const struct traced *a = pa, *b = pb;

	return a->address < b->address ? -1 : a->address > b->address;
}

static int expand_set(struct traced_sets *t, const struct function_request *of, bool limited)
{
	struct traced_set *set = &t->at[t->n];
	struct expansion e = { .t = t, .set = set };
	int err;

	*set = (struct traced_set){ .of = of };
	t->n++;
	err = expand_words(&e, of->words);
	if (!err && !set->n)
		err = fail(-EINVAL, "--functions %s=%s: earlier sets have all of its functions",
			   of->name, of->words);
	if (!err && limited && t->total > FUNCTIONS_MAX)
		err = fail(-E2BIG, "--functions %s=%s: %zu functions in all sets, at most %d can be measured: name fewer",
			   of->name, of->words, t->total, FUNCTIONS_MAX);
	if (!err && set->at)
		qsort(set->at, set->n, sizeof(*set->at), by_address);
	return err;
}

int traced_expand(struct traced_sets *t, const struct function_requests *requests,
		  const char *root)
{
	unsigned int i;
	int err;

	*t = (struct traced_sets){ .n = 0 };
	err = kernel_functions_read(&t->kernel, root);
	for (i = 0; i < requests->n && !err; i++)
		err = expand_set(t, &requests->at[i], !requests->list);
	return err;
}

void traced_free(struct traced_sets *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		free(t->at[i].at);
	notes_free(t->notes);
	kernel_functions_free(&t->kernel);
	*t = (struct traced_sets){ .n = 0 };
}

const char *traced_name(const struct traced_sets *t, uint64_t address)
{
	const struct traced key = { .address = address };
	const struct traced *found;
	size_t i;

	for (i = 0; i < t->n; i++) {
		found = t->at[i].n ? bsearch(&key, t->at[i].at, t->at[i].n, sizeof(key), by_address) : NULL;
		if (found)
			return found->name;
	}
	return NULL;
}
