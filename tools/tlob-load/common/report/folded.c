// SPDX-License-Identifier: GPL-2.0
/* Adding up stacks. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/folded.h"
#include "util/array.h"

int folded_append(struct folded *f, const char *text, unsigned int side, uint64_t n)
{
	struct stack *s = array_add(f->stack, f->n, f->room);

	if (!s)
		return -ENOMEM;
	*s = (struct stack){ .text = strdup(text) };
	if (!s->text)
		return -ENOMEM;
	s->n[side] = n;
	f->n++;
	return 0;
}

int folded_add(struct folded *f, const char *text, unsigned int side, uint64_t n)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (!strcmp(f->stack[i].text, text)) {
			f->stack[i].n[side] += n;
			return 0;
		}
	return folded_append(f, text, side, n);
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

/*
 * The rest of the stack says what was interrupted and who slept. A function there with another
 * name in the other kernel would make two stacks of each one.
 */
bool folded_is_root(const char *name, size_t length)
{
	static const char * const root[] = {
		"schedule", "schedule_idle", "schedule_rtlock", "preempt_schedule",
		"preempt_schedule_irq", "preempt_schedule_common",
	};
	size_t i;

	if (length > 4 && !memcmp(name, "asm_", 4))
		return true;
	/* arm64: el1h_64_irq, which calls el1h_64_irq_handler */
	if (length > 5 && (!memcmp(name, "el0t_", 5) || !memcmp(name, "el1h_", 5)))
		return length < 8 || memcmp(name + length - 8, "_handler", 8);
	for (i = 0; i < sizeof(root) / sizeof(root[0]); i++)
		if (strlen(root[i]) == length && !memcmp(name, root[i], length))
			return true;
	return false;
}

int folded_print(FILE *to, const struct folded *f, unsigned int side)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->stack[i].n[side])
			fprintf(to, "%s %" PRIu64 "\n", f->stack[i].text, f->stack[i].n[side]);
	return ferror(to) ? -EIO : 0;
}
