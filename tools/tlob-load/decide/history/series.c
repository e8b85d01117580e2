// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history/series.h"

#define GAP_INTERVALS	3
#define GAP_FEWEST	4		/* sessions that have an interval */
#define STEP_FEWEST	8		/* sessions on each side that can reach SERIES_ALPHA */

/* From the session before @i to it, in s. */
static double since(const struct series *s, size_t i)
{
	return difftime(session_started(s->at[i]), session_started(s->at[i - 1]));
}

static int find_interval(struct series *s)
{
	double *x = calloc(s->n + 1, sizeof(*x));
	size_t i, n = 0;

	if (!x)
		return -ENOMEM;
	for (i = 1; i < s->n; i++)
		if (since(s, i) > 0)
			x[n++] = since(s, i);
	s->interval = n + 1 >= GAP_FEWEST ? stats_median(x, n) : NAN;
	free(x);
	return 0;
}

int series_take(struct series *s, const struct history *h, unsigned int number)
{
	size_t i;

	*s = (struct series){ .at = calloc(h->n + 1, sizeof(*s->at)) };
	if (!s->at)
		return -ENOMEM;
	for (i = 0; i < h->n; i++)
		if (h->at[i].series == number)
			s->at[s->n++] = &h->at[i];
	return find_interval(s);
}

void series_free(struct series *s)
{
	free(s->at);
	*s = (struct series){ 0 };
}

double series_gap(const struct series *s, size_t i)
{
	double gap = i ? since(s, i) : 0;

	return gap < 0 || gap > GAP_INTERVALS * s->interval ? gap : 0;
}

/* The known medians of up to SERIES_SIDE sessions before @i, or from it on. */
static size_t take_side(const struct series *s, const double x[], size_t i, bool after,
			double side[SERIES_SIDE])
{
	size_t n = 0, k;

	for (k = i; n < SERIES_SIDE && (after ? k < s->n : k > 0); k += after ? 1 : -1)
		if (!isnan(x[after ? k : k - 1]))
			side[n++] = x[after ? k : k - 1];
	return n;
}

/* How likely both sides of @i are one distribution; 1: too few to say. */
static int p_of_step(const struct series *s, const double x[], size_t i, double *p, double *by)
{
	double a[SERIES_SIDE], b[SERIES_SIDE];
	size_t na = take_side(s, x, i, false, a), nb = take_side(s, x, i, true, b);
	int err;

	*p = 1;
	if (na < STEP_FEWEST || nb < STEP_FEWEST)
		return 0;
	err = stats_rank_sum_p(a, na, b, nb, p);
	*by = stats_median(b, nb) / stats_median(a, na) - 1;
	return err;
}

/* Neighbours of a step are likely steps as well: the likeliest within SERIES_SIDE is the one. */
static void add_step(struct step step[], double p_of[], int *n, size_t most, struct step new, double p)
{
	if (*n && new.at - step[*n - 1].at < SERIES_SIDE) {
		if (p >= p_of[*n - 1])
			return;
		--*n;
	}
	if ((size_t)*n == most) {
		--*n;
		memmove(step, step + 1, (most - 1) * sizeof(*step));
		memmove(p_of, p_of + 1, (most - 1) * sizeof(*p_of));
	}
	step[*n] = new;
	p_of[(*n)++] = p;
}

int series_steps(const struct series *s, unsigned int value, struct step step[], size_t most)
{
	double *x = calloc(s->n + most + 1, sizeof(*x)), *p_of = x + s->n, p, by = NAN;
	int n = 0, err = x ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < s->n && !err; i++)
		x[i] = session_median(s->at[i], value);
	for (i = 0; i < s->n && !err; i++) {
		err = p_of_step(s, x, i, &p, &by);
		if (!err && p <= SERIES_ALPHA)
			add_step(step, p_of, &n, most, (struct step){ i, by }, p);
	}
	free(x);
	return err ? err : n;
}
