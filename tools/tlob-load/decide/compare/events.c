// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "compare/events.h"
#include "result/stats.h"

/* A run whose episodes were not counted has no gaps, and is added up with others all the same. */
void events_add(struct events *to, const struct events *more)
{
	const struct episode_row *row = more->e.at;
	size_t i;

	to->expiries += more->expiries;
	to->late += more->late;
	to->e.time_ns += more->e.time_ns;
	for (i = 0; i < EPISODE_GAPS; i++, row++) {
		to->e.at[i].n += row->n;
		to->e.at[i].squares += row->squares;
		to->e.at[i].covered_ns += row->covered_ns;
		if (row->longest > to->e.at[i].longest)
			to->e.at[i].longest = row->longest;
	}
}

bool events_any(const struct events a[], const struct events b[], size_t n)
{
	while (n--)
		if (a[n].late || b[n].late)
			return true;
	return false;
}

double events_unseen_share(uint64_t of, double alpha)
{
	return of ? -log(alpha) / (double)of : 1;
}

static double share_of(const struct events *e)
{
	return e->expiries ? (double)e->late / (double)e->expiries : 0;
}

/* The longer of the gaps that both sides choose; one more where there is one: what is independent. */
size_t events_gap(const struct events *a, const struct events *b)
{
	const struct episode_row *ra = episodes_chosen(&a->e), *rb = episodes_chosen(&b->e);
	size_t ka = ra ? (size_t)(ra - a->e.at) : 0, kb = rb ? (size_t)(rb - b->e.at) : 0;
	size_t k = (ka > kb ? ka : kb) + 1;

	return k < EPISODE_GAPS ? k : EPISODE_GAPS - 1;
}

static double bound_above(const struct events *e, size_t gap, double longest, double alpha)
{
	const struct episode_row *row = &e->e.at[gap];
	double most = fmax(longest, fmax((double)row->longest, 1));

	return fmin(1, stats_weighted_upper((double)e->late, (double)row->squares, most, alpha) /
			       (double)e->expiries);
}

static double bound_below(const struct events *e, size_t gap, double alpha)
{
	if (!e->late)
		return 0;
	return fmin(1, stats_weighted_lower((double)e->late, (double)e->e.at[gap].squares, alpha) /
			       (double)e->expiries);
}

/* As many of all episodes in B or more, if the rate of B is @times that of A. */
double events_p_of_totals(const struct events *a, const struct events *b, size_t gap, double times)
{
	uint64_t na = a->e.at[gap].n, nb = b->e.at[gap].n;
	double of_b = times * (double)b->expiries;

	return nb ? 1 - stats_binomial_cdf(nb - 1, na + nb, of_b / ((double)a->expiries + of_b)) : 1;
}

/* Where most expiries are late they are one long episode, and yet no accident: then runs are compared. */
static bool is_mostly_late(const struct events_found *f)
{
	return f->share_a >= 0.5 || f->share_b >= 0.5;
}

static double rate_of(const struct events_found *f, const struct events *e)
{
	if (is_mostly_late(f))
		return share_of(e);
	return e->expiries ? (double)e->e.at[f->gap].n / (double)e->expiries : 0;
}

/* Pairs without a difference say nothing. 1 if none is left. */
static int p_of_ranks(const struct events_found *f, const struct events a[], const struct events b[], size_t n,
		      double times, double *p)
{
	double *d = calloc(n, sizeof(*d));
	struct walsh w;
	size_t i, m = 0;
	int err = 0;

	if (!d)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		d[m] = rate_of(f, &b[i]) - times * rate_of(f, &a[i]);
		m += d[m] != 0;
	}
	*p = 1;
	if (m)
		err = walsh_init(&w, d, m);
	if (m && !err) {
		*p = walsh_p_above(&w, 0);
		walsh_free(&w);
	}
	free(d);
	return err;
}

/*
 * Of the mean of B's share less @times A's over the pairs, with Johnson's correction for their skewness (JASA 73, 1978):
 * a few runs may have most of the events. No bound with fewer than four pairs.
 */
static double student_above(const struct events a[], const struct events b[], size_t n, double times,
			    double alpha)
{
	double mean = 0, squares = 0, cubes = 0, d, t, pairs = (double)n;
	size_t i;

	if (n < 4)
		return INFINITY;
	for (i = 0; i < n; i++)
		mean += (share_of(&b[i]) - times * share_of(&a[i])) / pairs;
	for (i = 0; i < n; i++) {
		d = share_of(&b[i]) - times * share_of(&a[i]) - mean;
		squares += d * d;
		cubes += d * d * d;
	}
	if (!(squares > 0))
		return mean;
	squares /= pairs - 1;
	cubes *= pairs / ((pairs - 1) * (pairs - 2));
	t = stats_t_quantile(1 - alpha, pairs - 1);
	return mean + fmax(0, cubes / (6 * squares * pairs) * (1 + 2 * t * t)) + t * sqrt(squares / pairs);
}

/* The longest episode of either side may come on both. */
static double mover_above(const struct events_found *f, double times, double alpha)
{
	double longest = fmax((double)f->a.e.at[f->gap].longest, (double)f->b.e.at[f->gap].longest);
	double above = bound_above(&f->b, f->gap, longest, alpha) - f->share_b;
	double below = f->share_a - bound_below(&f->a, f->gap, alpha);

	return f->share_b - times * f->share_a + hypot(above, times * below);
}

/* A relative margin is as uncertain as A's share is: that B is below 1.1 A is bounded, not that B - A is below 0.1 A. */
static double upper_of(const struct events_found *f, const struct events a[], const struct events b[], size_t n,
		       double margin, double alpha)
{
	double times = margin * f->share_a > EVENTS_LEAST_MARGIN ? 1 + margin : 1;

	double runs = student_above(a, b, n, times, alpha);

	return (times - 1) * f->share_a + (is_mostly_late(f) ? runs : fmax(runs, mover_above(f, times, alpha)));
}

int events_compare(struct events_found *f, const struct events a[], const struct events b[], size_t n,
		   double margin, double alpha)
{
	double ranks;
	size_t i;
	int err;

	*f = (struct events_found){ .a = a[0], .b = b[0] };
	for (i = 1; i < n; i++) {
		events_add(&f->a, &a[i]);
		events_add(&f->b, &b[i]);
	}
	f->gap = events_gap(&f->a, &f->b);
	f->share_a = share_of(&f->a);
	f->share_b = share_of(&f->b);
	f->margin = fmax(margin * f->share_a, EVENTS_LEAST_MARGIN);
	f->none = !f->a.late && !f->b.late;
	err = p_of_ranks(f, a, b, n, 1 + margin, &ranks);
	if (err)
		return err;
	f->p = is_mostly_late(f) ? ranks : fmax(ranks, events_p_of_totals(&f->a, &f->b, f->gap, 1 + margin));
	f->upper = f->none ? events_unseen_share(f->b.expiries, alpha) :
				       upper_of(f, a, b, n, margin, alpha);
	return 0;
}
