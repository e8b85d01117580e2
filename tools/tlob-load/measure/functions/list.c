// SPDX-License-Identifier: GPL-2.0
/* Prints --functions=list. */
#include <errno.h>
#include <inttypes.h>

#include "functions/expand.h"

#define WIDTH	78

/* The words of a preset, as many in a line as fit. */
static void print_words(FILE *f, const char *words)
{
	size_t col = 0, n;
	const char *word;

	while ((n = function_word(&words, &word))) {
		if (!col || col + 2 + n > WIDTH)
			col = (size_t)fprintf(f, "%s  %.*s", col ? "\n" : "", (int)n, word);
		else
			col += (size_t)fprintf(f, ", %.*s", (int)n, word);
	}
	fputc('\n', f);
}

int traced_list(FILE *f, const struct traced_sets *t)
{
	const struct function_preset *p;
	char **note;
	size_t i, k;

	for (i = 0; i < t->n; i++) {
		const struct traced_set *set = &t->at[i];

		fprintf(f, "%s%s: %zu function%s (%s)\n", i ? "\n" : "", set->of->name, set->n,
			set->n == 1 ? "" : "s", set->of->words);
		for (k = 0; k < set->n; k++)
			fprintf(f, "  0x%" PRIx64 "  %s\n", set->at[k].address, set->at[k].name);
	}
	if (t->total > FUNCTIONS_MAX)
		fprintf(f, "\n%zu functions in all sets: at most %d can be measured at a time\n", t->total,
			FUNCTIONS_MAX);
	for (p = function_presets; !t->n && p->name; p++) {
		fprintf(f, "%s@%s: %s\n", p == function_presets ? "" : "\n", p->name, p->reason);
		print_words(f, p->words);
	}
	if (t->notes)
		fputc('\n', f);
	for (note = t->notes; note && *note; note++)
		fprintf(f, "note  %s\n", *note);
	return ferror(f) ? -EIO : 0;
}

int functions_list(const struct function_requests *requests)
{
	struct traced_sets traced = { .n = 0 };
	int err = requests->n ? traced_expand(&traced, requests, "") : 0;

	if (!err)
		err = traced_list(stdout, &traced);
	traced_free(&traced);
	return err;
}
