// SPDX-License-Identifier: GPL-2.0
/* When a commit is bad. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lab/bisect.h"
#include "result/stats.h"

/*
 * The least that counts as a difference of GOOD and BAD without --margin and --instructions. Equal
 * sources give equal numbers; a change anywhere moves a mean by up to 1, because a tree or a list
 * has another order.
 */
#define LEAST_NS	2

static int by_value(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return (a > b) - (a < b);
}

double bisect_more(const struct bisect *b, const struct bisect_commit *c,
		   const struct bisect_commit *than)
{
	uint64_t n = b->o->pairs, i;
	double more[STATS_MAX_PAIRS] = { 0 };

	for (i = 0; i < n; i++)
		more[i] = c->value[i] - than->value[i];
	qsort(more, n, sizeof(*more), by_value);
	return n % 2 ? more[n / 2] : (more[n / 2 - 1] + more[n / 2]) / 2;
}

int bisect_threshold(struct bisect *b)
{
	double more = bisect_more(b, &b->bad, &b->good);

	if (b->o->instructions)
		b->threshold = (double)b->o->instructions;
	else if (b->o->margin)
		b->threshold = b->good.value[0] * strtod(b->o->margin, NULL) / 100;
	else
		b->threshold = more < LEAST_NS ? LEAST_NS : more / 2;
	return more >= b->threshold ? 0 : -ENODATA;
}

static void print_mean(const struct bisect *b, FILE *f)
{
	fprintf(f, "less than %.1f instructions a window on average, as are %.0f in 1 of 100 windows",
		b->threshold, b->threshold * 100);
}

static void print_rank(const struct bisect *b, FILE *f)
{
	unsigned int beyond = 1000000 - b->metric.ppm;

	fprintf(f, "less than %.0f instructions at %s, and what is rarer than 1 of %.0f windows",
		b->threshold, b->metric.text, 1e6 / (beyond ? beyond : 1));
}

void bisect_print_unseen(const struct bisect *b, FILE *f)
{
	fputs("not seen: ", f);
	if (b->metric.kind == STATISTIC_MEAN)
		print_mean(b, f);
	else
		print_rank(b, f);
	fprintf(f, "; anything that none of %" PRIu64 " windows had\n", b->good.windows * b->o->pairs);
}
