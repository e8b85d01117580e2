// SPDX-License-Identifier: GPL-2.0
/* Which runs are replicates, by the boots that they share, and in which order they came. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/campaign.h"
#include "options/option_value.h"
#include "result/stats.h"
#include "result/attached.h"
#include "util/error.h"

/* The level of the test for order. A plan's random order within pairs never comes near it. */
#define ORDER_ALPHA	0.05

static const struct campaign_run *run_of(const struct campaign *c, unsigned int side, size_t i)
{
	return side ? campaign_b(c, i) : campaign_a(c, i);
}

static bool same_boot(const struct campaign_run *a, const struct campaign_run *b)
{
	return !strcmp(a->r.boot_id, b->r.boot_id);
}

/* Where the kernel's id of the boot cannot be read, or runs were merged, it is not known. In deterministic guests each boot is like the others. */
static bool boots_are_known(const struct campaign *c)
{
	return c->run[0].r.boot_id && !c->run[0].r.deterministic;
}

/* The first run without a boot though another has one, or the reverse: NULL if all are alike. */
static const struct campaign_run *odd_boot(const struct campaign *c)
{
	size_t i;

	for (i = 1; i < c->nruns; i++)
		if (!c->run[i].r.boot_id != !c->run[0].r.boot_id)
			return c->run[i].r.boot_id ? &c->run[0] : &c->run[i];
	return NULL;
}

/* The boots cannot make replicates: refused, or with @force each run counts. 0 or -errno, printed. */
static int refuse_boots(struct campaign *c, bool force, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static int refuse_boots(struct campaign *c, bool force, const char *fmt, ...)
{
	va_list ap;
	char *why;
	int err;

	va_start(ap, fmt);
	if (vasprintf(&why, fmt, ap) < 0)
		why = NULL;
	va_end(ap);
	if (!why)
		return -ENOMEM;
	err = force ? notes_add(&c->differences, "%s; each run counts as if it had a boot of its own", why) :
		      fail(-EINVAL, "%s (--force counts each run)", why);
	free(why);
	return err;
}

static bool pairs_share_boots(const struct campaign *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (!same_boot(campaign_a(c, i), campaign_b(c, i)))
			return false;
	return true;
}

static bool one_boot(const struct campaign *c)
{
	size_t i;

	for (i = 1; i < c->nruns; i++)
		if (!same_boot(&c->run[0], &c->run[i]))
			return false;
	return true;
}

/* Numbers the boots of a side in the order of its files. Returns how many they are. */
static size_t number_boots(struct campaign *c, unsigned int side)
{
	size_t *of = c->replicate + side * c->n, boots = 0, i, k;

	for (i = 0; i < c->n; i++) {
		for (k = 0; k < i && !same_boot(run_of(c, side, k), run_of(c, side, i)); k++)
			;
		of[i] = k < i ? of[k] : boots++;
	}
	return boots;
}

/*
 * Where the boots of both sides alternate, one side may have one more. Which one that is does not
 * depend on what was measured, so the last boot of that side can be left out. A difference of more
 * says that they did not alternate: the boots of a pair would be of different times.
 */
static int take_fewer(struct campaign *c, size_t a, size_t b)
{
	c->nreplicates = a < b ? a : b;
	if (a != b)
		return notes_add(&c->notes, "runs that share a boot count as one: %zu runs a side of %zu boots of A and %zu of B are %zu pairs, without the last boot of %c",
				 c->n, a, b, c->nreplicates, a > b ? 'A' : 'B');
	return a == c->n ? 0 :
		notes_add(&c->notes, "runs that share a boot count as one: %zu runs of %zu boots a side are %zu pairs",
			  c->n, a, a);
}

static void each_run_counts(struct campaign *c)
{
	size_t i;

	for (i = 0; i < c->nruns; i++)
		c->replicate[i] = i % c->n;
	c->nreplicates = c->n;
}

int campaign_group(struct campaign *c, bool force)
{
	const struct campaign_run *odd;
	size_t a, b;

	c->replicate = calloc(c->nruns, sizeof(*c->replicate));
	if (!c->replicate)
		return -ENOMEM;
	each_run_counts(c);
	odd = c->run[0].r.deterministic ? NULL : odd_boot(c);
	if (odd)
		/* one file without a boot must not make replicates of runs that share theirs */
		return refuse_boots(c, force, "%s has no boot_id and other runs have one: it is not known which share a boot", odd->path);
	if (!boots_are_known(c))
		return 0;
	c->one_boot = one_boot(c);
	if (pairs_share_boots(c))
		return 0;
	a = number_boots(c, 0);
	b = number_boots(c, 1);
	if (a <= b + 1 && b <= a + 1)
		return take_fewer(c, a, b);
	each_run_counts(c);
	return refuse_boots(c, force, "the runs of A share %zu boots, the runs of B %zu: a boot counts as one run, so give as many of A as of B",
			    a, b);
}

/* When the first run of a replicate began. */
static double began_first(const struct campaign *c, unsigned int side, size_t replicate)
{
	double first = 0;
	bool any = false;
	size_t i;

	for (i = 0; i < c->n; i++) {
		double at = (double)run_of(c, side, i)->r.started;

		if (c->replicate[side * c->n + i] != replicate)
			continue;
		first = any && first < at ? first : at;
		any = true;
	}
	return first;
}

/*
 * The p-value of "when a run came does not depend on its side". Time stamps have whole seconds: runs
 * of A came @lead seconds before those of B with the same one.
 */
static int order_p(const struct campaign *c, double lead, double *p)
{
	size_t n = c->nreplicates, i;
	double *at = calloc(2 * n, sizeof(*at));
	int err;

	if (!at)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		at[i] = began_first(c, 0, i) - lead;
		at[n + i] = began_first(c, 1, i);
	}
	err = stats_rank_sum_p(at, n, at + n, n, p);
	free(at);
	return err;
}

/* When the first run of a pair began, or the last one. */
static time_t began(const struct campaign *c, size_t pair, bool last)
{
	time_t a = campaign_a(c, pair)->r.started;
	time_t b = campaign_b(c, pair)->r.started;

	return (a > b) == last ? a : b;
}

/* True if no run began after a run of the next pair. Time stamps have whole seconds. */
static bool neighbours(const struct campaign *c)
{
	size_t i;

	for (i = 0; i + 1 < c->n; i++)
		if (began(c, i, true) > began(c, i + 1, false))
			return false;
	return true;
}

/* Returns the side whose run came first in each of the pairs, 'A' or 'B', or 0. */
static char always_first(const struct campaign *c)
{
	size_t i, a = 0, b = 0;

	for (i = 0; i < c->n; i++) {
		a += campaign_a(c, i)->r.started < campaign_b(c, i)->r.started;
		b += campaign_a(c, i)->r.started > campaign_b(c, i)->r.started;
	}
	return a == c->n ? 'A' : b == c->n ? 'B' : 0;
}

/* Before this project: a clock that was never set. */
#define CLOCK_LEAST	1577836800	/* 2020-01-01 */

static bool same_machine(const struct result *a, const struct result *b)
{
	return a->host && b->host && !strcmp(a->host, b->host) &&
	       (!a->machine_id || !b->machine_id || !strcmp(a->machine_id, b->machine_id));
}

/* Returns whether the runs on @a's machine that began in the same second do not fit into it. */
static bool crowded(const struct campaign *c, const struct result *a, const struct campaign_run **other)
{
	uint64_t sum = 0, longest = 0;
	size_t i;

	for (i = 0; i < c->nruns; i++) {
		const struct result *b = &c->run[i].r;

		if (b->started != a->started || !same_machine(a, b))
			continue;
		sum += b->duration_ns;
		if (b->duration_ns > longest)
			longest = b->duration_ns;
		if (b != a)
			*other = &c->run[i];
	}
	/* the last one may end later */
	return sum - longest >= NSEC_PER_SEC;
}

/* Returns whether @b began before @a ended. Time stamps have whole seconds: one proves nothing. */
static bool overlap(const struct result *a, const struct result *b)
{
	return b->started >= a->started &&
	       b->started + 1 <= a->started + (time_t)(a->duration_ns / NSEC_PER_SEC);
}

/*
 * A machine makes one run at a time, so runs that overlap, or are from before this program, have times
 * of a clock that was not set, or set back: then the order is not known. Programs that are attached
 * to may well overlap. Guests that count instructions begin all at one time, and nothing drifts in
 * them. Returns the first run with such a time, or NULL.
 */
static const struct campaign_run *wrong_time(const struct campaign *c,
					     const struct campaign_run **other)
{
	size_t i, k;

	*other = NULL;
	for (i = 0; i < c->nruns && !result_is_of_attach(&c->run[i].r); i++) {
		if (c->run[i].r.deterministic)
			continue;
		if (c->run[i].r.started < CLOCK_LEAST)
			return &c->run[i];
		if (crowded(c, &c->run[i].r, other))
			return &c->run[i];
		*other = NULL;
		for (k = 0; k < c->nruns; k++)
			if (k != i && same_machine(&c->run[i].r, &c->run[k].r) &&
			    overlap(&c->run[i].r, &c->run[k].r)) {
				*other = &c->run[k];
				return &c->run[i];
			}
	}
	return NULL;
}

static int check_times(struct campaign *c, bool force)
{
	const struct campaign_run *other, *wrong = wrong_time(c, &other);

	if (!wrong)
		return 0;
	return other ? campaign_doubts(c, force, DOUBT_ORDER, "%s began while %s ran on the same machine: its clock was set meanwhile, so the order of the runs is not known",
				       other->path, wrong->path) :
		       campaign_doubts(c, force, DOUBT_ORDER, "%s began before 2020: the clock was not set, so the order of the runs is not known",
				       wrong->path);
}

/*
 * Where runs of both sides began in one second, which came first is not known: either may have, as
 * far as the test for order shows. 0 or -errno.
 */
static int check_ties(struct campaign *c, bool force)
{
	double before, after;
	int err = order_p(c, -0.5, &before);

	if (!err)
		err = order_p(c, 0.5, &after);
	if (err || (before > ORDER_ALPHA && after > ORDER_ALPHA))
		return err;
	return campaign_doubts(c, force, DOUBT_ORDER, "runs of both sides began in the same second, so it is not known whether one side came first: make longer runs");
}

int campaign_order(struct campaign *c, bool force)
{
	char first = always_first(c);
	double p;
	int err;

	/* In deterministic guests the clock starts again with each boot. */
	if (c->run[0].r.deterministic)
		return 0;
	err = check_times(c, force);
	if (!err)
		err = order_p(c, 0, &p);
	if (err || c->doubt == DOUBT_ORDER)
		return err;
	if (p <= ORDER_ALPHA)
		return campaign_doubts(c, force, DOUBT_ORDER, "the runs of one side came mostly before the other side (rank test, p = %.2g), so drift can look like an effect", p);
	if (!result_is_of_attach(&c->run[0].r))
		err = check_ties(c, force);
	if (err || c->doubt == DOUBT_ORDER || c->nreplicates != c->n)
		return err;
	/* by chance in 2^(1-n) of the comparisons */
	if (first && c->n >= stats_fewest_pairs(ORDER_ALPHA))
		return campaign_doubts(c, force, DOUBT_ORDER, "%c came first in each pair, so what drifts, or alternates from run to run, can look like an effect",
				       first);
	return neighbours(c) ? 0 :
		notes_add(&c->notes, "the runs of a pair did not follow each other: are the files in the order of their pairs?");
}
