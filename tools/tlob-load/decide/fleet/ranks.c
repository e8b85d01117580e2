// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "fleet/ranks.h"

/* With so many runs on both sides the normal distribution is as good, and its tail is heavier. */
#define EXACT	20

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int ranks_init(struct ranks *r, const struct fleet *f, size_t group, unsigned int q)
{
	size_t i, k;

	r->q = q;
	r->run = malloc((f->group[group].nruns + 1) * sizeof(*r->run));
	if (!r->run)
		return -ENOMEM;
	for (i = 0; i < f->nhosts; i++)
		for (k = 0; f->host[i].group == group && k < f->host[i].nruns; k++)
			if (!isnan(f->host[i].run[k].x[q]))
				r->run[r->nruns++] = f->host[i].run[k].x[q];
	qsort(r->run, r->nruns, sizeof(*r->run), ascending);
	return 0;
}

void ranks_free(struct ranks *r)
{
	free(r->run);
	free(r->below);
}

/*
 * The ways to lose d of few * many pairs are the coefficients of the product of
 * (1 - x^(many + i)) / (1 - x^i) for i from 1 to few (Mann & Whitney 1947).
 */
static int count_ways(struct ranks *r, size_t few, size_t many)
{
	size_t pairs = few * many, n = pairs + 1, i, d;
	double *ways, all = 0;

	if (r->few == few && r->many == many)
		return 0;
	free(r->below);
	r->below = NULL;
	r->few = few;
	r->many = many;
	if (few > EXACT)
		return 0;
	ways = n ? calloc(n, sizeof(*ways)) : NULL;
	if (!ways)
		return -ENOMEM;
	ways[0] = 1;
	for (i = 1; i <= few; i++) {
		for (d = pairs; d >= many + i; d--)
			ways[d] -= ways[d - many - i];
		for (d = i; d <= pairs; d++)
			ways[d] += ways[d - i];
	}
	for (d = 0; d <= pairs; d++)
		ways[d] = all += ways[d];
	for (d = 0; d <= pairs; d++)
		ways[d] /= all;
	r->below = ways;
	return 0;
}

/* How many of the @n sorted values are below @x. */
static size_t below(const double sorted[], size_t n, double x)
{
	size_t low = 0, high = n, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (sorted[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int ranks_p(struct ranks *r, const struct fleet_host *h, double *p)
{
	size_t own = 0, won = 0, others, i, k;
	double few, many, lost;
	int err;

	for (i = 0; i < h->nruns; i++) {
		if (isnan(h->run[i].x[r->q]))
			continue;
		own++;
		won += below(r->run, r->nruns, h->run[i].x[r->q]);
		for (k = 0; k < h->nruns; k++)
			won -= h->run[k].x[r->q] < h->run[i].x[r->q];
	}
	others = r->nruns - own;
	*p = own ? 1 : NAN;
	if (!own || !others)
		return 0;
	err = count_ways(r, own < others ? own : others, own < others ? others : own);
	if (err)
		return err;
	if (r->below) {
		*p = r->below[own * others - won];
		return 0;
	}
	few = (double)r->few;
	many = (double)r->many;
	lost = (double)(own * others - won);
	*p = erfc((few * many / 2 - lost - 0.5) / sqrt(few * many * (few + many + 1) / 6)) / 2;
	return 0;
}

bool ranks_can_name(size_t runs, size_t all, size_t hosts)
{
	double ways = 1;
	size_t i;

	for (i = 0; i < runs && i < all; i++)
		ways *= (double)(all - i) / (double)(i + 1);
	return runs >= FLEET_LEAST_RUNS && ways >= (double)hosts / FLEET_LEVEL;
}

size_t ranks_needed(size_t hosts)
{
	size_t runs = FLEET_LEAST_RUNS;

	while (hosts > 1 && !ranks_can_name(runs, runs * hosts, hosts))
		runs++;
	return runs;
}
