// SPDX-License-Identifier: GPL-2.0
/*
 * Which runs are replicates, and when none of the CPUs can hide: runs that share boots, sides that
 * came one after the other, one CPU of many that got slower. Simulated comparisons, decided by the
 * code that decides real ones.
 */
#include <errno.h>
#include "sample.h"
#include "simulation.h"
#include "compare/campaign.h"
#include "result/stats.h"

enum { CAMPAIGNS = 1000, FEW = CAMPAIGNS / 4, MOST_CPUS = 64, MOST_PAIRS = 40 };

static const struct statistic p999 = {
	.kind = STATISTIC_QUANTILE, .metric = TLOB_METRIC_RESPONSE, .ppm = 999000,
	.text = "p99.9(response)",
};

/* @n runs of each side, without files. */
static struct campaign new_campaign(size_t n)
{
	struct campaign c = { .statistic = &p999, .nstatistics = 1, .n = n, .nruns = 2 * n };
	size_t i;

	c.run = calloc(c.nruns, sizeof(*c.run));
	assert_non_null(c.run);
	for (i = 0; i < c.nruns; i++) {
		c.run[i].path = "run";
		c.run[i].value[0] = 1000;
		c.run[i].resolution[0] = 1.0 / TLOB_HIST_SUB;
		c.run[i].r.cpus = sample_text("0");
		c.run[i].r.ncpus = 1;
		c.run[i].r.cpu = calloc(1, sizeof(*c.run[i].r.cpu));
		assert_non_null(c.run[i].r.cpu);
		/* in pairs, A first */
		c.run[i].r.started = (time_t)(i < n ? 200 * i : 200 * (i - n) + 100);
	}
	return c;
}

static void set_boot(struct campaign *c, size_t run, unsigned int boot)
{
	char text[16];

	snprintf(text, sizeof(text), "boot %u", boot);
	free(c->run[run].r.boot_id);
	c->run[run].r.boot_id = sample_text(text);
}

static void group(struct campaign *c)
{
	free(c->replicate);
	assert_int_equal(campaign_group(c, false), 0);
}

static void test_boots(void **state)
{
	struct campaign c = new_campaign(8);
	size_t i;

	/* older files */
	group(&c);
	assert_int_equal(c.nreplicates, 8);
	assert_false(c.one_boot);
	assert_null(c.notes);
	for (i = 0; i < 16; i++)
		set_boot(&c, i, 0);
	group(&c);
	assert_int_equal(c.nreplicates, 8);
	assert_true(c.one_boot);
	/* both runs of a pair share one */
	for (i = 0; i < 16; i++)
		set_boot(&c, i, i % 8 / 2);
	group(&c);
	assert_int_equal(c.nreplicates, 8);
	assert_false(c.one_boot);
	/* a boot for each run, as in the laboratory */
	for (i = 0; i < 16; i++)
		set_boot(&c, i, (unsigned int)i);
	group(&c);
	assert_int_equal(c.nreplicates, 8);
	assert_null(c.notes);
	/* boots of one side each */
	for (i = 0; i < 16; i++)
		set_boot(&c, i, (unsigned int)i / 4);
	group(&c);
	assert_int_equal(c.nreplicates, 2);
	assert_int_equal(c.replicate[3], 0);
	assert_int_equal(c.replicate[4], 1);
	assert_int_equal(c.replicate[15], 1);
	assert_string_equal(c.notes[0], "runs that share a boot count as one: 8 runs of 2 boots a side are 2 pairs");
	set_boot(&c, 0, 99);
	free(c.replicate);
	c.replicate = NULL;
	assert_int_equal(campaign_group(&c, false), -EINVAL);
	free(c.replicate);
	c.replicate = NULL;
	assert_int_equal(campaign_group(&c, true), 0);
	assert_int_equal(c.nreplicates, 8);
	assert_non_null(c.differences);
	campaign_free(&c);
}

static enum decision_verdict verdict(struct campaign *c, double margin, struct sequential *at)
{
	struct rule rule = { .alpha = 0.05, .margin = margin };
	struct decision d;

	assert_int_equal(campaign_decide(c, &rule, &d, at), 0);
	campaign_decided(&d, 1);
	return d.verdict;
}

/* Beyond chance at most 1 % of the comparisons. */
static void check_rare(const char *what, unsigned int n)
{
	if (n > CAMPAIGNS * 0.01 + 3 * sqrt(CAMPAIGNS * 0.01))
		fail_msg("%s: %u of %u", what, n, CAMPAIGNS);
}

/* Counts the comparisons of A = B that are a REGRESSION, where boots of @runs differ by @sd. */
static unsigned int false_alarms(struct campaign *c, size_t runs, double sd, double margin,
				 bool sequential)
{
	unsigned int found = 0, k;
	struct sequential at;
	uint64_t seed = 7;
	double boot = 0;
	size_t i;

	for (k = 0; k < CAMPAIGNS; k++) {
		for (i = 0; i < c->nruns; i++) {
			if (i % runs == 0)
				boot = sd * sim_gauss(&seed);
			c->run[i].value[0] = 1000 * exp(boot + 0.1 * sim_gauss(&seed));
		}
		found += verdict(c, margin, sequential ? &at : NULL) == VERDICT_REGRESSION;
	}
	return found;
}

/*
 * A = B, where boots differ by @sd and hold @runs of one side. Each run alone would be taken for a
 * replicate: that gives false alarms.
 */
static void check_shared(size_t n, size_t runs, double sd, double margin, bool sequential)
{
	struct campaign c = new_campaign(n);
	unsigned int wrong, naive;
	size_t i;

	for (i = 0; i < c.nruns; i++)
		set_boot(&c, i, (unsigned int)(i / runs));
	group(&c);
	assert_int_equal(c.nreplicates, n / runs);
	wrong = false_alarms(&c, runs, sd, margin, sequential);
	check_rare("runs that share boots", wrong);
	for (i = 0; i < c.nruns; i++)
		c.replicate[i] = i % n;
	c.nreplicates = n;
	naive = false_alarms(&c, runs, sd, margin, sequential);
	assert_true(naive > wrong);
	campaign_free(&c);
}

static void test_shared_boots(void **state)
{
	/* eight boots of a side each */
	check_shared(80, 10, 0.1, 0, false);
	check_shared(80, 10, 0.1, 0.05, false);
	check_shared(80, 10, 0.1, 0.05, true);
	check_shared(40, 5, 0.2, 0, false);
	check_shared(40, 5, 0.2, 0.05, false);
	check_shared(40, 5, 0.2, 0.05, true);
}

/* Runs @from to before @to of side @b get the next places in time. */
static void place(struct campaign *c, bool b, size_t from, size_t to, unsigned int *at)
{
	for (; from < to; from++)
		c->run[b * c->n + from].r.started = 60 * (time_t)(*at)++;
}

/* A drift of 5 % a run makes an effect of 19 A, 20 B, 1 A. The order is seen, whatever the values. */
static void test_order(void **state)
{
	struct campaign c = new_campaign(20);
	unsigned int at = 0, k, flagged = 0;
	uint64_t seed = 3;
	size_t i;

	group(&c);
	place(&c, false, 0, 19, &at);
	place(&c, true, 0, 20, &at);
	place(&c, false, 19, 20, &at);
	for (i = 0; i < c.nruns; i++)
		c.run[i].value[0] = 1000 * exp(0.05 / 60 * (double)c.run[i].r.started);
	assert_int_equal(campaign_order(&c, false), 0);
	assert_true(c.ordered);
	assert_int_equal(verdict(&c, 0, NULL), VERDICT_INCONCLUSIVE);
	/* as tlob-load plan makes them */
	for (k = 0; k < CAMPAIGNS; k++) {
		at = 0;
		for (i = 0; i < c.n; i++) {
			bool b = unit_random(&seed) % 2;

			place(&c, b, i, i + 1, &at);
			place(&c, !b, i, i + 1, &at);
		}
		assert_int_equal(campaign_order(&c, false), 0);
		flagged += c.ordered;
	}
	assert_int_equal(flagged, 0);
	/* what alternates is only noted */
	at = 0;
	for (i = 0; i < c.n; i++) {
		place(&c, true, i, i + 1, &at);
		place(&c, false, i, i + 1, &at);
	}
	assert_null(c.notes);
	assert_int_equal(campaign_order(&c, false), 0);
	assert_false(c.ordered);
	assert_contains(c.notes[0], "B came first in each pair");
	campaign_free(&c);
}

static double values[2][MOST_CPUS][MOST_PAIRS];

/* CPU 0 is the slowest in every run; in B the last one is @slower times as slow as in A. */
static struct decision draw(uint64_t *seed, size_t ncpus, size_t n, double slower)
{
	struct decision d = {
		.a = values[0][0], .b = values[1][0], .n = n, .resolution = 1.0 / TLOB_HIST_SUB,
		.cpu_a = values[0][0], .cpu_b = values[1][0], .ncpus = ncpus, .stride = MOST_PAIRS,
	};
	size_t side, k, i;

	for (side = 0; side < 2; side++)
		for (i = 0; i < n; i++) {
			double run = 0.05 * sim_gauss(seed);

			for (k = 0; k < ncpus; k++)
				values[side][k][i] = sim_seen((k ? 20000 : 200000) *
							      exp(run + 0.1 * sim_gauss(seed)),
							      side && k == ncpus - 1 ? slower - 1 : 0);
		}
	return d;
}

static enum decision_verdict decided(struct decision *d, double margin, struct sequential *at)
{
	const struct rule rule = {
		.alpha = 0.05, .margin = margin, .least_margin = DECISION_LEAST_MARGIN,
		.most_margin = DECISION_MOST_MARGIN,
	};

	assert_int_equal(at ? decide_sequentially(d, 1, &rule, at) : decide(d, 1, &rule), 0);
	return d->verdict;
}

/* No OK where the test of each CPU could not have rejected; and equal sides still pass. */
static void test_one_slow_cpu(void **state)
{
	static const size_t cpus[] = { 2, 4, 16, 64 };
	unsigned int k, wrong, found, passed;
	struct sequential at;
	struct decision d;
	uint64_t seed = 5;
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		for (n = 5; n <= 17; n += 3) {
			for (k = wrong = 0; k < FEW; k++) {
				d = draw(&seed, cpus[i], n, 2);
				wrong += decided(&d, 0, NULL) == VERDICT_OK;
			}
			check_rare("one CPU is twice as slow, OK", 4 * wrong);
		}
		for (k = wrong = found = passed = 0; k < FEW; k++) {
			d = draw(&seed, cpus[i], MOST_PAIRS, 2);
			decided(&d, 0.3, &at);
			wrong += d.verdict == VERDICT_OK;
			found += d.verdict == VERDICT_REGRESSION;
			d = draw(&seed, cpus[i], 20, 1);
			passed += decided(&d, 0, NULL) == VERDICT_OK;
		}
		check_rare("one CPU is twice as slow, sequential OK", 4 * wrong);
		assert_true(found >= 0.95 * FEW);
		assert_true(passed >= 0.95 * FEW);
	}
}

/* Another CPU is the bad one in each run: as bad on both sides, or in B twice as bad. */
static struct decision draw_wandering(uint64_t *seed, size_t ncpus, size_t n, double worse)
{
	static double worst[2][MOST_PAIRS];
	struct decision d = draw(seed, ncpus, n, 1);
	size_t side, i, k;

	for (side = 0; side < 2; side++)
		for (i = 0; i < n; i++) {
			size_t bad = (size_t)(unit_random(seed) % ncpus);

			worst[side][i] = 0;
			for (k = 0; k < ncpus; k++) {
				values[side][k][i] /= k ? 1 : 10;
				values[side][k][i] *= k != bad ? 1 : side ? 2 * worse : 2;
				worst[side][i] = fmax(worst[side][i], values[side][k][i]);
			}
		}
	d.a = worst[0];
	d.b = worst[1];
	return d;
}

static void test_wandering_cpu(void **state)
{
	static const size_t cpus[] = { 2, 4, 16, 64 };
	unsigned int k, alarms, found, passed;
	struct decision d;
	uint64_t seed = 6;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		for (k = alarms = found = passed = 0; k < FEW; k++) {
			d = draw_wandering(&seed, cpus[i], 20, 1);
			passed += decided(&d, 0, NULL) == VERDICT_OK;
			alarms += d.verdict == VERDICT_REGRESSION;
			d = draw_wandering(&seed, cpus[i], 20, 2);
			found += decided(&d, 0, NULL) == VERDICT_REGRESSION;
		}
		check_rare("a bad CPU that wanders, REGRESSION", 4 * alarms);
		assert_true(passed >= 0.95 * FEW);
		assert_true(found >= 0.95 * FEW);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boots),
		cmocka_unit_test(test_shared_boots),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_one_slow_cpu),
		cmocka_unit_test(test_wandering_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
