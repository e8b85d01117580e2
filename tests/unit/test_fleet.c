// SPDX-License-Identifier: GPL-2.0
/*
 * How often a fleet names a host that is slow, and one that is not, by simulation:
 *
 *	test_fleet			short, with bounds
 *	test_fleet table [SEED]		the table of docs/explanation/fleet.md
 *
 * The logarithm of a quantile of a run is normal with a standard deviation of 10 %; half of its
 * variance is common to all quantiles of the run.
 */
#include <math.h>
#include <string.h>

#include "unit.h"
#include "fleet/judge.h"
#include "util/random.h"

#define RUN_SD	0.1
#define SLOW	1.3

struct setup {
	size_t hosts, runs;
	double slow;			/* host 0; 1: none is */
	double common;			/* share of the variance */
	double smi;			/* host 1 has one run that is so many times as long; 1: none */
};

struct rates {
	double found, wrong, apart;	/* shares of the fleets */
};

static uint64_t seed, drawn;
static size_t spared;			/* runs of host 0 that are not slow */

static double uniform(void)
{
	return ((double)(random_derived(seed, drawn++) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static void draw(struct fleet *f, const struct setup *s)
{
	double common, slow, smi;
	unsigned int q;
	size_t i, k;

	memset(f->group, 0, sizeof(*f->group));
	for (i = 0; i < s->hosts; i++) {
		struct fleet_host *h = &f->host[i];

		memset(h->at, 0, sizeof(h->at));
		h->named = false;
		for (k = 0; k < s->runs; k++) {
			slow = i || k < spared ? 0 : log(s->slow);
			smi = i == 1 && !k ? log(s->smi) : 0;
			common = sqrt(s->common) * normal();
			for (q = 0; q < FLEET_QUANTILES; q++)
				h->run[k].x[q] = 10 + slow + smi +
					RUN_SD * (common + sqrt(1 - s->common) * normal());
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
		wrong = wrong || (f->host[i].named && (i || s->slow <= 1));
	rates->wrong += wrong ? share : 0;
	rates->found += f->host[0].named && s->slow > 1 ? share : 0;
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
	const struct setup s = { 32, 3, SLOW, 0.5, 1 };
	struct rates rates = simulate(&s, FLEETS);

	assert_true(rates.found > 0.85);
	assert_true(rates.wrong < 0.09);
}

TEST(test_alike)
{
	const struct setup s = { 32, 3, 1, 0.5, 1 };

	assert_true(simulate(&s, FLEETS).wrong < 0.09);
}

/* A disturbed run is said apart, and its host is not named for it. */
TEST(test_apart)
{
	const struct setup s = { 32, 3, 1, 0.5, 6 };
	struct rates rates = simulate(&s, FLEETS);

	assert_true(rates.apart > 0.99);
	assert_true(rates.wrong < 0.09);
}

/* A host that was quick once, of three times, is slow; one that was slow once, of two times, is not. */
TEST(test_mostly)
{
	const struct setup most = { 32, 3, 4, 0.5, 1 }, half = { 32, 2, 4, 0.5, 1 };

	spared = 1;
	assert_true(simulate(&most, 20).found > 0.99);
	assert_true(simulate(&half, 20).found < 0.2);
	spared = 0;
}

/* Seven hosts cannot be told apart, however slow one is. */
TEST(test_few)
{
	const struct setup few = { 7, 3, 10, 0.5, 1 }, enough = { 8, 3, 10, 0.5, 1 };

	assert_true(simulate(&few, 20).found == 0);
	assert_true(simulate(&enough, 20).found > 0.99);
}

static int print_table(uint64_t from)
{
	static const struct setup rows[] = {
		{ 8, 3, SLOW, 0.5, 1 }, { 16, 3, SLOW, 0.5, 1 }, { 32, 3, SLOW, 0, 1 }, { 32, 3, SLOW, 0.5, 1 },
		{ 32, 3, SLOW, 1, 1 }, { 32, 1, SLOW, 0.5, 1 }, { 32, 5, SLOW, 0.5, 1 }, { 100, 3, SLOW, 0.5, 1 },
		{ 8, 3, 1, 0.5, 1 }, { 32, 3, 1, 0.5, 1 }, { 32, 3, 1, 1, 1 }, { 100, 3, 1, 0.5, 1 }, { 32, 3, 1, 0.5, 6 },
	};
	size_t i;

	printf("| hosts | runs of each | slower by | common to all quantiles | SMI in one run | named | another named | said apart |\n");
	printf("|---|---|---|---|---|---|---|---|\n");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct setup *s = &rows[i];
		struct rates rates;

		seed = from;
		drawn = 0;
		rates = simulate(s, 2000);
		printf("| %zu | %zu | %.1f | %.0f %% | ", s->hosts, s->runs, s->slow, 100 * s->common);
		printf(s->smi > 1 ? "%.0f times | " : "none | ", s->smi);
		printf(s->slow > 1 ? "%.1f %% | " : "– | ", 100 * rates.found);
		printf("%.1f %% | %.1f %% |\n", 100 * rates.wrong, 100 * rates.apart);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "table"))
		return print_table(argc > 2 ? strtoull(argv[2], NULL, 10) : 1);
	seed = 1;
	return unit_run(NULL, NULL);
}
