// SPDX-License-Identifier: GPL-2.0
/* Adding up by function. */
#include <errno.h>
#include <stdlib.h>

#include "explain/tally.h"
#include "util/array.h"

#define LINE_BYTES	64

static struct row *row_of(struct tally *t, size_t *room, const struct ksym *f)
{
	struct row *r;
	size_t i;

	for (i = 0; i < t->n; i++)
		if (t->row[i].function == f)
			return &t->row[i];
	r = array_add(t->row, t->n, *room);
	if (r) {
		*r = (struct row){ .function = f };
		t->n++;
	}
	return r;
}

static uint64_t sum(const uint64_t n[NR_PHASES])
{
	return n[PHASE_IRQ] + n[PHASE_WAKE] + n[PHASE_WORK];
}

static int add_node(struct tally *t, size_t *room, const struct tree *tree,
		    const struct node *n)
{
	const struct node *up, *caller = tree_caller(tree, n);
	struct row *r = row_of(t, room, n->function);
	unsigned int k;
	enum phase p;

	if (!r)
		return -ENOMEM;
	for (p = 0; p < NR_PHASES; p++)
		r->net[p] += n->net[p];
	for (k = 0; k < WAKE_PARTS; k++)
		r->part[k] += n->part[k];
	if (caller && sum(n->net) > r->below_caller) {
		r->caller = caller->function;
		r->below_caller = sum(n->net);
	}
	for (up = n; up; up = tree_above(tree, up)) {
		r = row_of(t, room, up->function);
		if (!r)
			return -ENOMEM;
		/* a function that calls itself has this time only once */
		if (r->from == n)
			continue;
		r->from = n;
		for (p = 0; p < NR_PHASES; p++)
			r->inclusive[p] += n->net[p];
		for (k = 0; k < WAKE_PARTS; k++)
			r->part_inclusive[k] += n->part[k];
	}
	return 0;
}

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

static int count_lines(unsigned int *n, const struct profile *p,
		       const struct path *path, size_t from, size_t to)
{
	uint64_t *line = NULL, *at, end, l;
	size_t lines = 0, room = 0, i;

	*n = 0;
	for (i = from; i < to; i++) {
		const struct segment *s = &p->segment[path->step[i].segment];

		end = s->start + s->bytes - !!s->bytes;
		for (l = s->start / LINE_BYTES; l <= end / LINE_BYTES; l++) {
			at = array_add(line, lines, room);
			if (!at) {
				free(line);
				return -ENOMEM;
			}
			*at = l;
			lines++;
		}
	}
	if (lines)
		qsort(line, lines, sizeof(*line), by_value);
	for (i = 0; i < lines; i++)
		*n += !i || line[i] != line[i - 1];
	free(line);
	return 0;
}

static unsigned int count_branches(const struct profile *p,
				   const struct path *path, size_t from, size_t to)
{
	unsigned int n = 0;

	for (; from < to; from++)
		if (p->segment[path->step[from].segment].ending == 'b')
			n += path->step[from].times;
	return n;
}

int tally_make(struct tally *t, const struct tree *tree,
	       const struct profile *p, const struct path *path)
{
	size_t room = 0, i, from = 0, to;
	int err = 0, work;

	*t = (struct tally){ .divided = path->part != NULL };
	for (i = 0; i < tree->n && !err; i++)
		if (sum(tree->node[i].net) && tree->node[i].function)
			err = add_node(t, &room, tree, &tree->node[i]);
	for (work = 0; work < 2 && !err; work++) {
		to = path->end[work ? PHASE_WORK : PHASE_WAKE];
		err = count_lines(&t->lines[work], p, path, from, to);
		t->branches[work] = count_branches(p, path, from, to);
		from = to;
	}
	if (err)
		tally_free(t);
	return err;
}

void tally_free(struct tally *t)
{
	free(t->row);
	*t = (struct tally){ 0 };
}
