// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/episodes.h"
#include "result/stats.h"

#define PENDING		4096U		/* pieces that wait for the other CPUs */
#define COVERED_SHARE	2		/* 1 / this of the time may be covered: by simulation */
#define HOUR_NS		3.6e12

struct episode_watch {
	size_t	 ncpus;
	uint64_t period_ns;
	struct episode_track all;
	struct episode_track *cpu;	/* [ncpus] */
	uint64_t *seen_ns;		/* [ncpus]: t0 of the last window */
	/* Pieces of all CPUs by from_ns, which another CPU may still precede. */
	size_t	 npending;
	struct episode_piece pending[PENDING];
};

void episodes_begin(struct episode_track *t, uint64_t first_gap_ns)
{
	size_t i;

	memset(t, 0, sizeof(*t));
	t->e.n = EPISODE_GAPS;
	for (i = 0; i < EPISODE_GAPS; i++)
		t->e.at[i].gap_ns = first_gap_ns << 2 * i;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t p;

	return __builtin_mul_overflow(a, b, &p) ? UINT64_MAX : p;
}

/*
 * An episode of @was expiries has @more, which @takes_ns longer: (was + more)^2 = was^2 +
 * (2 was + more) more.
 */
static void lengthen(struct episode_row *row, uint64_t was, uint64_t more, uint64_t takes_ns)
{
	row->n += !was;
	row->covered_ns = sum(row->covered_ns, was ? takes_ns : sum(takes_ns, row->gap_ns));
	row->squares = sum(row->squares, product(sum(sum(was, was), more), more));
	if (was + more > row->longest)
		row->longest = was + more;
}

void episodes_add(struct episode_track *t, const struct episode_piece *p)
{
	uint64_t takes = p->to_ns > t->last_ns ? p->to_ns - t->last_ns : 0;
	size_t i;

	t->e.over = sum(t->e.over, p->count);
	for (i = 0; i < t->e.n; i++) {
		if (t->length[i] && p->from_ns > t->last_ns && p->from_ns - t->last_ns > t->e.at[i].gap_ns)
			t->length[i] = 0;
		lengthen(&t->e.at[i], t->length[i], p->count,
			 t->length[i] ? takes : p->to_ns - p->from_ns);
		t->length[i] += p->count;
	}
	if (p->to_ns > t->last_ns)
		t->last_ns = p->to_ns;
}

struct episode_watch *episodes_watch(size_t ncpus, uint64_t period_ns)
{
	struct episode_watch *w = calloc(1, sizeof(*w));
	size_t i;

	if (!w)
		return NULL;
	w->ncpus = ncpus;
	w->period_ns = period_ns;
	w->cpu = calloc(ncpus, sizeof(*w->cpu));
	w->seen_ns = calloc(ncpus, sizeof(*w->seen_ns));
	if (!w->cpu || !w->seen_ns) {
		episodes_watch_free(w);
		return NULL;
	}
	episodes_begin(&w->all, EPISODE_PERIODS * period_ns);
	for (i = 0; i < ncpus; i++)
		episodes_begin(&w->cpu[i], EPISODE_PERIODS * period_ns);
	return w;
}

void episodes_watch_free(struct episode_watch *w)
{
	if (!w)
		return;
	free(w->cpu);
	free(w->seen_ns);
	free(w);
}

/* Passes on the first @n that wait. */
static void pass_on(struct episode_watch *w, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		episodes_add(&w->all, &w->pending[i]);
	w->npending -= n;
	memmove(w->pending, w->pending + n, w->npending * sizeof(w->pending[0]));
}

/* Those that no CPU can precede any more. */
static void pass_on_old(struct episode_watch *w)
{
	uint64_t seen = UINT64_MAX;
	size_t i, n = 0;

	for (i = 0; i < w->ncpus; i++)
		if (w->seen_ns[i] < seen)
			seen = w->seen_ns[i];
	while (n < w->npending && w->pending[n].from_ns <= seen)
		n++;
	pass_on(w, n);
}

static void wait_for_others(struct episode_watch *w, const struct episode_piece *p)
{
	size_t at;

	if (w->npending == PENDING) {
		pass_on_old(w);
		/* one CPU is far behind: its pieces will join what is there by then */
		if (w->npending == PENDING)
			pass_on(w, PENDING / 2);
	}
	for (at = w->npending; at && w->pending[at - 1].from_ns > p->from_ns; at--)
		;
	memmove(w->pending + at + 1, w->pending + at, (w->npending - at) * sizeof(*p));
	w->pending[at] = *p;
	w->npending++;
}

struct episode_piece episode_piece(uint64_t t0_ns, uint64_t missed, bool over, uint64_t period_ns)
{
	uint64_t before = missed * period_ns;

	return (struct episode_piece){
		.from_ns = t0_ns > before ? t0_ns - before : 0,
		.to_ns = over || t0_ns < period_ns ? t0_ns : t0_ns - period_ns,
		.count = missed + over,
	};
}

void episodes_pieces(struct episode_watch *w, size_t i, const struct episode_piece *p, size_t n,
		     uint64_t t0_ns)
{
	w->seen_ns[i] = t0_ns;
	for (; n; p++, n--) {
		episodes_add(&w->cpu[i], p);
		wait_for_others(w, p);
	}
}

void episodes_window(struct episode_watch *w, size_t i, uint64_t t0_ns, uint64_t missed, bool over)
{
	struct episode_piece p = episode_piece(t0_ns, missed, over, w->period_ns);

	episodes_pieces(w, i, &p, !!p.count, t0_ns);
}

uint64_t episodes_over(const struct episode_watch *w, size_t i)
{
	return w->cpu[i].e.over;
}

static void add_tail(struct episode_track *t, const struct episode_watch *w, size_t i, uint64_t tail)
{
	const struct episode_piece p = {
		.from_ns = w->seen_ns[i] + w->period_ns, .to_ns = w->seen_ns[i] + tail * w->period_ns,
		.count = tail,
	};

	if (tail)
		episodes_add(t, &p);
}

void episodes_of_cpu(const struct episode_watch *w, size_t i, uint64_t tail, struct episodes *e)
{
	struct episode_track t = w->cpu[i];

	add_tail(&t, w, i, tail);
	*e = t.e;
}

void episodes_of_all(struct episode_watch *w, const uint64_t tail[], struct episodes *e)
{
	struct episode_track t;
	size_t i;

	pass_on_old(w);
	t = w->all;
	for (i = 0; i < w->npending; i++)
		episodes_add(&t, &w->pending[i]);
	for (i = 0; i < w->ncpus; i++)
		add_tail(&t, w, i, tail[i]);
	*e = t.e;
}

void episodes_unseen(struct episodes *e, uint64_t count)
{
	size_t i;

	e->over = sum(e->over, count);
	for (i = 0; count && i < e->n; i++)
		lengthen(&e->at[i], 0, count, 0);
}

static bool same_gaps(const struct episodes *a, const struct episodes *b)
{
	size_t i;

	if (a->n != b->n)
		return false;
	for (i = 0; i < a->n; i++)
		if (a->at[i].gap_ns != b->at[i].gap_ns)
			return false;
	return true;
}

void episodes_merge(struct episodes *a, const struct episodes *b)
{
	size_t i;

	if (!same_gaps(a, b)) {
		*a = (struct episodes){ 0 };
		return;
	}
	a->time_ns = sum(a->time_ns, b->time_ns);
	a->over = sum(a->over, b->over);
	for (i = 0; i < a->n; i++) {
		a->at[i].n = sum(a->at[i].n, b->at[i].n);
		a->at[i].covered_ns = sum(a->at[i].covered_ns, b->at[i].covered_ns);
		a->at[i].squares = sum(a->at[i].squares, b->at[i].squares);
		if (b->at[i].longest > a->at[i].longest)
			a->at[i].longest = b->at[i].longest;
	}
}

/* The last row is for what is independent, and is never chosen itself. */
const struct episode_row *episodes_chosen(const struct episodes *e)
{
	size_t i = e->n ? e->n - 1 : 0;

	while (i-- > 1)
		if (e->at[i].covered_ns <= e->time_ns / COVERED_SHARE)
			return &e->at[i];
	return e->n ? &e->at[0] : NULL;
}

struct episode_rate episodes_per_hour(const struct episodes *e, double alpha)
{
	const struct episode_row *row = episodes_chosen(e);
	double hours = (double)e->time_ns / HOUR_NS, n, each;

	if (!row || !e->time_ns)
		return (struct episode_rate){ NAN, NAN, NAN };
	n = (double)row[1].n;
	each = n > 0 ? (double)row->n / n : 1;
	return (struct episode_rate){
		.found = (double)row->n / hours,
		.lower = each * stats_rate_lower(n, alpha) / hours,
		.upper = each * stats_rate_upper(n, alpha) / hours,
	};
}

double episodes_share_lower(const struct episodes *e, uint64_t of, double alpha)
{
	const struct episode_row *row = episodes_chosen(e);

	if (!row || !of || !e->over)
		return 0;
	return fmin(1, stats_weighted_lower((double)e->over, (double)row[1].squares, alpha) / (double)of);
}

double episodes_share_upper(const struct episodes *e, uint64_t of, uint64_t longest, double alpha)
{
	const struct episode_row *row = episodes_chosen(e);
	double most;

	if (!row || !of || e->over >= of)
		return 1;
	most = fmax((double)(row[1].longest > longest ? row[1].longest : longest), 1);
	return fmin(1, stats_weighted_upper((double)e->over, (double)row[1].squares, most, alpha) / (double)of);
}
