// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history/series.h"

#define GAP_INTERVALS	3
#define GAP_FEWEST	4		/* sessions that have an interval */
#define STEP_FEWEST	8		/* sessions on each side */

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

/* The known medians of up to SERIES_SIDE sessions before @i. */
static size_t take_before(const struct series *s, const double x[], size_t i, double side[SERIES_SIDE])
{
	size_t n = 0;

	while (i-- && n < SERIES_SIDE)
		if (!isnan(x[i]) && s->at[i]->state != SESSION_REJECTED)
			side[n++] = x[i];
	return n;
}

/* The same from @i on. */
static size_t take_after(const struct series *s, const double x[], size_t i, double side[SERIES_SIDE])
{
	size_t n = 0;

	for (; i < s->n && n < SERIES_SIDE; i++)
		if (!isnan(x[i]))
			side[n++] = x[i];
	return n;
}

/* How likely both sides of @step->at are one distribution; 1: too few to say. */
static int p_of_step(const struct series *s, const double x[], struct step *step, double *p)
{
	double a[SERIES_SIDE], b[SERIES_SIDE];
	size_t na = take_before(s, x, step->at, a), nb = take_after(s, x, step->at, b);
	int err;

	*p = 1;
	if (na < STEP_FEWEST || nb < STEP_FEWEST)
		return 0;
	err = stats_rank_sum_p(a, na, b, nb, p);
	step->before = stats_median(a, na);
	step->by = stats_median(b, nb) / step->before - 1;
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

int series_steps(const struct series *s, unsigned int value, double alpha, struct step step[], size_t most)
{
	double *x = calloc(s->n + most + 1, sizeof(*x)), *p_of = x + s->n, p;
	struct step at = { 0 };
	int n = 0, err = x ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < s->n && !err; i++)
		x[i] = session_median(s->at[i], value);
	for (i = 0; i < s->n && !err; i++) {
		at.at = i;
		err = p_of_step(s, x, &at, &p);
		if (!err && p <= alpha)
			add_step(step, p_of, &n, most, at, p);
	}
	free(x);
	return err ? err : n;
}
