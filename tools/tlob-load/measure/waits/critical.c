// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "waits/critical.h"

#define MERGE_MIN	1024		/* rows */

#define COMPARE(a, b, field)	(((a)->field > (b)->field) - ((a)->field < (b)->field))

/* Rows of the same task, in which it did the same, are one. */
static int by_what(const void *pa, const void *pb)
{
	const struct chain_segment *a = pa, *b = pb;
	int order = COMPARE(a, b, tid);

	order = order ?: COMPARE(a, b, kind);
	order = order ?: COMPARE(a, b, by);
	order = order ?: COMPARE(a, b, blocked);
	order = order ?: COMPARE(a, b, other.id);
	order = order ?: memcmp(a->other.name, b->other.name, sizeof(a->other.name));
	return order ?: memcmp(a->comm, b->comm, sizeof(a->comm));
}

static int by_time(const void *pa, const void *pb)
{
	const struct chain_segment *a = pa, *b = pb;

	return a->ns == b->ns ? by_what(a, b) : a->ns < b->ns ? 1 : -1;
}

static void merge(struct critical *c)
{
	struct chain_segment *row = c->row;
	size_t i, n = 0;

	if (!c->nrow)
		return;
	qsort(row, c->nrow, sizeof(*row), by_what);
	for (i = 1; i < c->nrow; i++) {
		if (by_what(&row[i], &row[n]))
			row[++n] = row[i];
		else
			row[n].ns += row[i].ns;
	}
	c->nrow = n + 1;
	c->merged = n + 1;
}

static int add_row(struct critical *c, const struct chain_segment *s, uint64_t ns)
{
	struct chain_segment *to;

	if (!ns)
		return 0;
	if (c->nrow > MERGE_MIN + 2 * c->merged)
		merge(c);
	to = array_add(c->row, c->nrow, c->row_room);
	if (!to)
		return -ENOMEM;
	*to = *s;
	to->ns = ns;
	c->nrow++;
	return 0;
}

/* Until @ns the time was that of @s. What came before that is known already. */
static int charge(struct critical *c, const struct chain_segment *s, uint64_t ns)
{
	uint64_t from = c->at_ns;

	if (ns <= from)
		return 0;
	c->at_ns = ns;
	return add_row(c, s, ns - from);
}

static int charge_unknown(struct critical *c, uint64_t ns)
{
	return charge(c, &(struct chain_segment){ .kind = SEGMENT_UNKNOWN }, ns);
}

static int charge_chain(struct critical *c, const struct chain_node *node, const struct chain_ring *ring)
{
	const struct chain_ref ref = { .head = node->parent, .from = c->at_ns, .to = node->to };
	size_t n = chain_walk(ring, &ref, c->found, CRITICAL_SEGMENTS), i;
	int err = 0;

	if (!n)
		return charge_unknown(c, node->to);
	for (i = 0; i < n && !err; i++)
		err = charge(c, &c->found[i], c->at_ns + c->found[i].ns);
	return err;
}

static size_t find_on(const struct critical *c, uint32_t tid)
{
	size_t i = 0;

	while (i < c->non && c->on[i].tid != tid)
		i++;
	return i;
}

static struct chain_segment run_of(const struct chain_node *node)
{
	struct chain_segment s = { .kind = SEGMENT_RUN, .tid = node->pid };

	memcpy(s.comm, node->comm, sizeof(s.comm));
	chain_policy(s.policy, node->prio, node->policy);
	return s;
}

static int comes(struct critical *c, const struct chain_node *node, const struct chain_ring *ring)
{
	const struct chain_segment run = run_of(node);
	size_t at = find_on(c, node->pid);
	struct chain_segment *to;
	int err = 0;

	/* that it left was not seen */
	if (at < c->non)
		return at ? 0 : charge_unknown(c, node->to);
	if (!c->non && node->from <= c->at_ns && node->to <= c->at_ns + CHAIN_LEAST_NS)
		err = charge(c, &run, node->to);
	else if (!c->non)
		err = charge_chain(c, node, ring);
	to = err ? NULL : array_add(c->on, c->non, c->on_room);
	if (!to)
		return err ? err : -ENOMEM;
	*to = run;
	c->non++;
	return 0;
}

static int leaves(struct critical *c, const struct chain_node *node)
{
	const struct chain_segment run = run_of(node);
	size_t at = find_on(c, node->pid);
	int err = 0;

	if (at < c->non) {
		err = at ? 0 : charge(c, &run, node->to);
		c->non--;
		memmove(c->on + at, c->on + at + 1, (c->non - at) * sizeof(*c->on));
	} else if (!c->non) {
		/* the first one that is seen ran from the begin on */
		err = c->off.tid ? charge_unknown(c, node->to) : charge(c, &run, node->to);
	}
	c->off = run;
	c->off.kind = node->flags & CHAIN_READY ? SEGMENT_WAIT : SEGMENT_SLEEP;
	c->off.by = END_MEASURED;
	c->off.blocked = node->flags & CHAIN_BLOCKED;
	return err;
}

void critical_begin(struct critical *c, uint64_t ns)
{
	c->began_ns = ns;
	c->at_ns = ns;
}

int critical_move(struct critical *c, const struct chain_node *node, const struct chain_ring *ring)
{
	return node->type == CHAIN_CAME ? comes(c, node, ring) : leaves(c, node);
}

int critical_end(struct critical *c, struct critical_path *path, uint64_t ns, bool gone)
{
	int err = gone ? 0 : charge(c, c->non ? &c->on[0] : &c->off, ns);

	merge(c);
	if (c->nrow)
		qsort(c->row, c->nrow, sizeof(*c->row), by_time);
	path->ns = c->at_ns - c->began_ns;
	path->row = c->row;
	path->nrow = c->nrow;
	c->row = NULL;
	c->nrow = 0;
	return err;
}

void critical_free(struct critical *c)
{
	free(c->row);
	free(c->on);
	memset(c, 0, sizeof(*c));
}
