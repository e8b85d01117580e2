// SPDX-License-Identifier: GPL-2.0
/*
 * How often a fleet names a host that is slow, and one that is not, by simulation: see tables.h.
 *
 * The logarithm of a quantile of a run is normal with a standard deviation of 10 %; half of its
 * variance is common to all quantiles of the run.
 */
#include <math.h>
#include <string.h>

#include "unit.h"
#include "tables.h"
#include "fleet/judge.h"
#include "fleet/ranks.h"
#include "util/random.h"

#define RUN_SD	0.1
#define SLOW	1.3

enum { AT_P99 = 1, AT_P99_9 };

struct setup {
	size_t hosts, runs;
	double slow;			/* host 0; 1: none is */
	double common;			/* share of the variance */
	double smi;			/* host 1 has one run that is so many times as long; 0: none */
	double smi_runs;		/* the share of all runs that are 4 to 20 times as long */
	double hosts_sd;		/* what the hosts differ by */
	int knee;			/* AT_*: this quantile is ten times as long in half of the runs */
	bool heavy;			/* Student's t with 3 degrees of freedom instead of the normal one */
};

struct rates {
	double found, wrong, apart;	/* shares of the fleets */
};

static uint64_t fleet_seed, drawn;
static size_t spared;			/* runs of host 0 that are not slow */

static double uniform(void)
{
	return ((double)(random_derived(fleet_seed, drawn++) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static double noise(const struct setup *s)
{
	double x = normal(), a, b, c;

	if (!s->heavy)
		return x;
	a = normal();
	b = normal();
	c = normal();
	return x / sqrt((a * a + b * b + c * c) / 3);
}

static void draw_run(struct fleet_host *h, size_t k, const struct setup *s, double shift)
{
	double common = sqrt(s->common) * noise(s), own = sqrt(1 - s->common), high = 0;
	unsigned int q;

	if (s->smi_runs > 0 && uniform() < s->smi_runs)
		shift += log(4 + 16 * uniform());
	if (s->knee && uniform() < 0.5)
		high = log(10);
	for (q = 0; q < FLEET_QUANTILES; q++)
		h->run[k].x[q] = 10 + shift + RUN_SD * (common + own * noise(s)) +
			    (s->knee && (int)(q % FLEET_AT) == s->knee ? high : 0);
}

static void draw(struct fleet *f, const struct setup *s)
{
	double host, slow, smi;
	size_t i, k;

	*f->group = (struct fleet_group){ .nhosts = s->hosts, .nruns = f->nruns };
	for (i = 0; i < s->hosts; i++) {
		struct fleet_host *h = &f->host[i];

		memset(h->at, 0, sizeof(h->at));
		h->named = false;
		host = s->hosts_sd > 0 ? s->hosts_sd * normal() : 0;
		for (k = 0; k < s->runs; k++) {
			slow = !i && k >= spared && s->slow > 0 ? log(s->slow) : 0;
			smi = i == 1 && !k && s->smi > 0 ? log(s->smi) : 0;
			draw_run(h, k, s, host + slow + smi);
		}
	}
}

static bool is_apart(const struct fleet_host *h)
{
	unsigned int q;

	for (q = 0; q < FLEET_QUANTILES; q++)
		if (h->at[q].odd)
			return true;
	return false;
}

static void count(struct rates *rates, const struct fleet *f, const struct setup *s, double share)
{
	bool wrong = false;
	size_t i;

	for (i = 0; i < s->hosts; i++)
		wrong = wrong || (f->host[i].named && (i || s->slow <= 0));
	rates->wrong += wrong ? share : 0;
	rates->found += f->host[0].named && s->slow > 0 ? share : 0;
	rates->apart += is_apart(&f->host[1]) ? share : 0;
}

static struct rates simulate(const struct setup *s, unsigned int fleets)
{
	struct fleet f = { .nhosts = s->hosts, .ngroups = 1, .nruns = s->hosts * s->runs };
	struct rates rates = { 0 };
	unsigned int n;
	size_t i;

	f.host = calloc(s->hosts, sizeof(*f.host));
	f.group = calloc(1, sizeof(*f.group));
	assert_true(f.host && f.group);
	for (i = 0; i < s->hosts; i++) {
		f.host[i].run = calloc(s->runs, sizeof(*f.host[i].run));
		f.host[i].nruns = s->runs;
		assert_non_null(f.host[i].run);
	}
	for (n = 0; n < fleets; n++) {
		draw(&f, s);
		assert_int_equal(judge_group(&f, 0), 0);
		count(&rates, &f, s, 1.0 / fleets);
	}
	for (i = 0; i < s->hosts; i++)
		free(f.host[i].run);
	free(f.host);
	free(f.group);
	return rates;
}

#define FLEETS	300	/* the standard deviation of a share of 5 % is 1.3 %, of 90 % 1.7 % */

TEST(test_found)
{
	const struct setup s = { .hosts = 32, .runs = 3, .slow = SLOW, .common = 0.5 };
	struct rates rates = simulate(&s, FLEETS);

	assert_true(rates.found > 0.8);
	assert_true(rates.wrong < 0.09);
}

/* A disturbed run is said apart, and its host is not named for it. */
TEST(test_apart)
{
	const struct setup s = { .hosts = 32, .runs = 3, .common = 0.5, .smi = 6 };
	struct rates rates = simulate(&s, FLEETS);

	assert_true(rates.apart > 0.99);
	assert_true(rates.wrong < 0.09);
}

/* A host that was slow in most of its runs is said apart as well, or it would not be seen at all. */
TEST(test_mostly)
{
	const struct setup s = { .hosts = 32, .runs = 3, .slow = 4, .common = 0.5 };
	struct fleet_run run[96] = { 0 };
	struct fleet_host host[32] = { 0 };
	struct fleet_group group = { 0 };
	struct fleet f = { .host = host, .nhosts = 32, .group = &group, .ngroups = 1, .nruns = 96 };
	size_t i;

	for (i = 0; i < 32; i++) {
		host[i].run = &run[3 * i];
		host[i].nruns = 3;
	}
	spared = 1;
	draw(&f, &s);
	spared = 0;
	assert_int_equal(judge_group(&f, 0), 0);
	assert_int_equal(host[0].at[0].odd, 2);
}

/* Seven hosts cannot be told apart, however slow one is, and so is it with one run of each. */
TEST(test_few)
{
	const struct setup few = { .hosts = 7, .runs = 3, .slow = 10, .common = 0.5 };
	const struct setup once = { .hosts = 200, .runs = 1, .slow = 10, .common = 0.5 };
	const struct setup enough = { .hosts = 8, .runs = 3, .slow = 10, .common = 0.5 };

	assert_true(simulate(&few, 20).found == 0);
	assert_true(simulate(&once, 20).found == 0);
	assert_true(simulate(&enough, 20).found > 0.99);
	assert_int_equal(ranks_needed(8), 3);
	assert_int_equal(ranks_needed(10), 3);
	assert_int_equal(ranks_needed(11), 2);
	assert_false(ranks_can_name(1, 1000, 8));
}

/*
 * A host has three of 27 runs. There are 2925 ways to choose three, so p is 1 / 2925 if they are the
 * longest. A run as long as another one is not longer.
 */
TEST(test_ranks)
{
	struct fleet_run run[27] = { 0 }, many[42] = { 0 };
	struct fleet_host host[2] = { { .run = run, .nruns = 3 }, { .run = run + 3, .nruns = 24 } };
	struct fleet_group group = { .nruns = 27 };
	struct fleet f = { .host = host, .nhosts = 2, .group = &group, .ngroups = 1, .nruns = 27 };
	struct ranks ranks = { 0 };
	double p;
	size_t i;

	for (i = 0; i < 27; i++)
		run[i].x[0] = i < 3 ? 100 : (double)i;
	assert_int_equal(ranks_init(&ranks, &f, 0, 0), 0);
	assert_int_equal(ranks_p(&ranks, &host[0], &p), 0);
	assert_true(fabs(p - 1.0 / 2925) < 1e-12);
	ranks_free(&ranks);
	/* 26 is the longest of the others: lost or tied once, twice, three times: 1 + 1 + 2 + 3 ways */
	for (i = 0; i < 3; i++)
		run[i].x[0] = 26;
	ranks = (struct ranks){ 0 };
	assert_int_equal(ranks_init(&ranks, &f, 0, 0), 0);
	assert_int_equal(ranks_p(&ranks, &host[0], &p), 0);
	assert_true(fabs(p - 7.0 / 2925) < 1e-12);
	ranks_free(&ranks);
	/* by the normal distribution, with 21 on both sides: the means are 2.5 standard deviations apart */
	for (i = 0; i < 42; i++)
		many[i].x[0] = (double)(2 * (i % 21) + (i < 21 ? 1 : 0));
	host[0] = (struct fleet_host){ .run = many, .nruns = 21 };
	host[1] = (struct fleet_host){ .run = many + 21, .nruns = 21 };
	f.group->nruns = 42;
	ranks = (struct ranks){ 0 };
	assert_int_equal(ranks_init(&ranks, &f, 0, 0), 0);
	assert_int_equal(ranks_p(&ranks, &host[0], &p), 0);
	assert_true(fabs(p - 0.4) < 0.01);
	ranks_free(&ranks);
}

/* ---- the tables ---- */

static struct rates row(const struct tables *t, const struct setup *s)
{
	fleet_seed = tables_seed(t, 1);
	drawn = 0;
	return simulate(s, t->n);
}

static const struct equal {
	const char *name;
	struct setup s;
} equal[] = {
	{ "runs differ by 10 %", { .hosts = 8, .runs = 3, .common = 0.5 } },
	{ "runs differ by 10 %", { .hosts = 32, .runs = 3, .common = 0.5 } },
	{ "runs differ by 10 %", { .hosts = 100, .runs = 3, .common = 0.5 } },
	{ "the same, all quantiles alike", { .hosts = 32, .runs = 3, .common = 1 } },
	{ "a knee at p99", { .hosts = 32, .runs = 3, .common = 0.5, .knee = AT_P99 } },
	{ "a knee at p99.9", { .hosts = 32, .runs = 3, .common = 0.5, .knee = AT_P99_9 } },
	{ "an SMI in 5 % of the runs", { .hosts = 32, .runs = 3, .common = 0.5, .smi_runs = 0.05 } },
	{ "an SMI in 10 % of the runs", { .hosts = 32, .runs = 3, .common = 0.5, .smi_runs = 0.1 } },
	{ "an SMI in 20 % of the runs", { .hosts = 32, .runs = 3, .common = 0.5, .smi_runs = 0.2 } },
	{ "Student's t, 3 degrees", { .hosts = 32, .runs = 3, .common = 0.5, .heavy = true } },
	{ "Student's t, 3 degrees", { .hosts = 200, .runs = 3, .common = 0.5, .heavy = true } },
	{ "hosts differ by 5 % as well", { .hosts = 32, .runs = 3, .common = 0.5, .hosts_sd = 0.05 } },
	{ "hosts differ by 20 % as well", { .hosts = 32, .runs = 3, .common = 0.5, .hosts_sd = 0.2 } },
};

/* The goals: of fleets whose hosts are equal 5 % name one, of those with a slow one 80 % name it. */
#define MOST_WRONG	0.05
#define LEAST_FOUND	0.8

static void print_equal(const struct tables *t)
{
	size_t i;

	printf("| equal hosts | hosts | runs of each | a host is named, %% |\n|---|---|---|---|\n");
	for (i = 0; i < ARRAY_SIZE(equal); i++) {
		struct rates rates = row(t, &equal[i].s);

		printf("| %s | %zu | %zu | %s |\n", equal[i].name, equal[i].s.hosts, equal[i].s.runs,
		       cell_of(100 * rates.wrong, rates.wrong <= MOST_WRONG).text);
	}
}

static void print_slow(const struct tables *t)
{
	static const struct equal slow[] = {
		{ "runs differ by 10 %", { .hosts = 8, .runs = 3, .slow = SLOW, .common = 0.5 } },
		{ "runs differ by 10 %", { .hosts = 16, .runs = 3, .slow = SLOW, .common = 0.5 } },
		{ "runs differ by 10 %", { .hosts = 32, .runs = 2, .slow = SLOW, .common = 0.5 } },
		{ "runs differ by 10 %", { .hosts = 32, .runs = 3, .slow = SLOW, .common = 0.5 } },
		{ "runs differ by 10 %", { .hosts = 32, .runs = 5, .slow = SLOW, .common = 0.5 } },
		{ "runs differ by 10 %", { .hosts = 100, .runs = 3, .slow = SLOW, .common = 0.5 } },
		{ "the same, all quantiles alike", { .hosts = 32, .runs = 3, .slow = SLOW, .common = 1 } },
		{ "the same, all quantiles alike", { .hosts = 32, .runs = 5, .slow = SLOW, .common = 1 } },
		{ "an SMI in 10 % of the runs", { .hosts = 32, .runs = 3, .slow = SLOW, .common = 0.5, .smi_runs = 0.1 } },
		{ "an SMI in 10 % of the runs", { .hosts = 32, .runs = 5, .slow = SLOW, .common = 0.5, .smi_runs = 0.1 } },
	};
	size_t i;

	printf("\n| one host slower by 1.3 | hosts | runs of each | named, %% | another named, %% |\n|---|---|---|---|---|\n");
	for (i = 0; i < ARRAY_SIZE(slow); i++) {
		const struct setup *s = &slow[i].s;
		struct rates rates = row(t, s);
		/* the goal is of 32 hosts and three runs */
		bool met = s->hosts < 32 || s->runs < 3 || rates.found >= LEAST_FOUND;

		printf("| %s | %zu | %zu | %s | %.1f |\n", slow[i].name, s->hosts, s->runs,
		       cell_of(100 * rates.found, met).text, 100 * rates.wrong);
	}
}

TEST(test_equal)
{
	const struct tables t = { .n = FLEETS };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(equal); i++)
		if (equal[i].s.hosts <= 32)
			assert_true(at_most_of((unsigned int)lround(row(&t, &equal[i].s).wrong * FLEETS), FLEETS, MOST_WRONG));
}

int main(int argc, char **argv)
{
	struct tables t;

	if (tables_read(&t, 2000, argc, argv))
		return fprintf(stderr, "Usage: test_fleet [--tables [N [SEED]]]\n"), 129;
	if (t.wanted) {
		print_equal(&t);
		print_slow(&t);
		return 0;
	}
	fleet_seed = 1;
	return unit_run(NULL, NULL);
}
