// SPDX-License-Identifier: GPL-2.0
/* Two sides next to each other. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "explain/difference.h"
#include "util/array.h"

static uint64_t of_span(const uint64_t n[NR_PHASES], enum span span)
{
	return span == SPAN_WORK ? n[PHASE_WORK] : n[PHASE_IRQ] + n[PHASE_WAKE];
}

static struct change *change_named(struct difference *d, size_t *room,
				   const struct ksym *f)
{
	struct change *c;
	size_t i;

	for (i = 0; i < d->n; i++)
		if (!strcmp(d->change[i].name, f->name) &&
		    !strcmp(d->change[i].module, f->module))
			return &d->change[i];
	c = array_add(d->change, d->n, *room);
	if (c) {
		*c = (struct change){ .name = f->name, .module = f->module };
		d->n++;
	}
	return c;
}

/* Two functions of one name, as static ones may be, are one change. */
static int add_tally(struct difference *d, size_t *room, const struct tally *t,
		     enum span span, int side)
{
	struct change *c;
	unsigned int k;
	size_t i;

	d->divided &= t->divided;
	for (i = 0; i < t->n; i++) {
		const struct row *r = &t->row[i];

		if (!of_span(r->inclusive, span))
			continue;
		c = change_named(d, room, r->function);
		if (!c)
			return -ENOMEM;
		c->net[side] += of_span(r->net, span);
		c->inclusive[side] += of_span(r->inclusive, span);
		d->net[side] += of_span(r->net, span);
		for (k = 0; k < WAKE_PARTS && span == SPAN_WAKE; k++) {
			c->part[side][k] += r->part[k];
			c->part_inclusive[side][k] += r->part_inclusive[k];
		}
		if (r->caller)
			c->caller[side] = r->caller->name;
	}
	return 0;
}

/* Counts a pair, whose net is what @before lacks. */
static void count_pair(struct difference *d, const struct change *before,
		       size_t nbefore)
{
	uint64_t net[2];
	size_t i;
	int side;

	for (i = 0; i < d->n; i++) {
		for (side = 0; side < 2; side++) {
			net[side] = d->change[i].net[side] -
				    (i < nbefore ? before[i].net[side] : 0);
			d->change[i].in[side] += net[side] != 0;
		}
		d->change[i].changed += net[0] != net[1];
	}
}

static int add_pair(struct difference *d, size_t *room, const struct tally *a,
		    const struct tally *b, enum span span)
{
	size_t n = d->n;
	struct change *before = malloc((n + 1) * sizeof(*before));
	int err;

	if (!before)
		return -ENOMEM;
	if (n)
		memcpy(before, d->change, n * sizeof(*before));
	err = add_tally(d, room, a, span, 0);
	if (!err && b)
		err = add_tally(d, room, b, span, 1);
	if (!err)
		count_pair(d, before, n);
	free(before);
	return err;
}

static uint64_t size_of(const struct change *c)
{
	int64_t d = change_of(c);

	return d < 0 ? -d : d;
}

unsigned int change_part(const struct change *c)
{
	unsigned int k, most = 0;
	int64_t d, largest = 0;

	for (k = 0; k < WAKE_PARTS; k++) {
		d = (int64_t)(c->part[1][k] - c->part[0][k]);
		d = d < 0 ? -d : d;
		if (d > largest) {
			largest = d;
			most = k;
		}
	}
	return most;
}

static int by_size(const void *pa, const void *pb)
{
	const struct change *a = pa, *b = pb;
	uint64_t sa = size_of(a), sb = size_of(b);

	if (sa != sb)
		return sa > sb ? -1 : 1;
	sa = a->inclusive[0] + a->inclusive[1];
	sb = b->inclusive[0] + b->inclusive[1];
	if (sa != sb)
		return sa > sb ? -1 : 1;
	return strcmp(a->name, b->name) ?: strcmp(a->module, b->module);
}

/* ---- likely pairs ---- */

/* Leaves out underscores in front and what compilers append: .isra.0, .constprop.0 */
static size_t stem(const char **name)
{
	*name += strspn(*name, "_");
	return strcspn(*name, ".");
}

/* Counts equal characters: of the first @most, or of the last @most before the ends. */
static size_t same_first(const char *a, const char *b, size_t most)
{
	size_t n = 0;

	while (n < most && a[n] == b[n])
		n++;
	return n;
}

static size_t same_last(const char *a_end, const char *b_end, size_t most)
{
	size_t n = 0;

	while (n < most && a_end[-1 - (ptrdiff_t)n] == b_end[-1 - (ptrdiff_t)n])
		n++;
	return n;
}

/* True if less than half of the name differs. */
static bool one_name(const char *a, const char *b)
{
	size_t na = stem(&a), nb = stem(&b), least = na < nb ? na : nb, same;

	same = same_first(a, b, least);
	same += same_last(a + na, b + nb, least - same);
	return 2 * same > (na > nb ? na : nb);
}

static bool one_size(uint64_t a, uint64_t b)
{
	uint64_t more = a > b ? a : b, less = a > b ? b : a;

	return more - less <= 8 || (more - less) * 4 <= more;
}

/* Returns whether only @side has executed it. */
static bool is_only(const struct change *c, int side)
{
	return c->net[side] && !c->net[!side];
}

static void join(struct difference *d, size_t a, size_t b, enum likely likely)
{
	d->change[a].likely = likely;
	d->change[a].with = b;
	if (likely == LIKELY_RENAMED) {
		d->change[b].likely = likely;
		d->change[b].with = a;
	}
}

static void find_rename(struct difference *d, size_t gone)
{
	struct change *g = &d->change[gone];
	size_t i;

	for (i = 0; i < d->n; i++) {
		struct change *c = &d->change[i];

		if (is_only(c, 1) && !c->likely && one_name(g->name, c->name) &&
		    one_size(g->inclusive[0], c->inclusive[1])) {
			join(d, gone, i, LIKELY_RENAMED);
			return;
		}
	}
}

/* A function of @side only, whose caller has its instructions on the other. */
static void find_inlining(struct difference *d, size_t only, int side)
{
	const struct change *g = &d->change[only];
	size_t i;

	for (i = 0; i < d->n && g->caller[side]; i++) {
		const struct change *c = &d->change[i];
		uint64_t grown = c->net[!side] - c->net[side];

		if (!strcmp(c->name, g->caller[side]) && c->net[0] &&
		    c->net[!side] > c->net[side] && 2 * grown >= g->net[side]) {
			join(d, only, i, LIKELY_INLINED);
			return;
		}
	}
}

static void find_likely(struct difference *d)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (is_only(&d->change[i], 0))
			find_rename(d, i);
	for (i = 0; i < d->n; i++) {
		if (!d->change[i].likely && is_only(&d->change[i], 0))
			find_inlining(d, i, 0);
		else if (!d->change[i].likely && is_only(&d->change[i], 1))
			find_inlining(d, i, 1);
	}
}

int difference_make(struct difference *d, const struct tally *const *a,
		    const struct tally *const *b, unsigned int pairs,
		    enum span span)
{
	size_t room = 0;
	unsigned int i;
	int err = 0;

	*d = (struct difference){ .pairs = pairs, .divided = span == SPAN_WAKE };
	for (i = 0; i < pairs && !err; i++)
		err = add_pair(d, &room, a[i], b ? b[i] : NULL, span);
	if (err) {
		difference_free(d);
		return err;
	}
	if (d->n)
		qsort(d->change, d->n, sizeof(*d->change), by_size);
	if (b)
		find_likely(d);
	return 0;
}

void difference_free(struct difference *d)
{
	free(d->change);
	*d = (struct difference){ 0 };
}
