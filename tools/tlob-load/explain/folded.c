// SPDX-License-Identifier: GPL-2.0
/* Adding up stacks. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explain/folded.h"
#include "util/array.h"

int folded_add(struct folded *f, const char *text, unsigned int side, uint64_t n)
{
	struct stack *s;
	size_t i;

	for (i = 0; i < f->n; i++)
		if (!strcmp(f->stack[i].text, text)) {
			f->stack[i].n[side] += n;
			return 0;
		}
	s = array_add(f->stack, f->n, f->room);
	if (!s)
		return -ENOMEM;
	*s = (struct stack){ .text = strdup(text) };
	if (!s->text)
		return -ENOMEM;
	s->n[side] = n;
	f->n++;
	return 0;
}

/* A stack comes directly before those above it: ';' sorts before all letters. */
static int by_text(const void *pa, const void *pb)
{
	const unsigned char *a = (const unsigned char *)((const struct stack *)pa)->text;
	const unsigned char *b = (const unsigned char *)((const struct stack *)pb)->text;

	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (*a == ';' ? 1 : *a) - (*b == ';' ? 1 : *b);
}

void folded_sort(struct folded *f)
{
	if (f->n)
		qsort(f->stack, f->n, sizeof(*f->stack), by_text);
}

void folded_free(struct folded *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		free(f->stack[i].text);
	free(f->stack);
	*f = (struct folded){ 0 };
}

int folded_print(FILE *to, const struct folded *f, unsigned int side)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->stack[i].n[side])
			fprintf(to, "%s %" PRIu64 "\n", f->stack[i].text, f->stack[i].n[side]);
	return ferror(to) ? -EIO : 0;
}
