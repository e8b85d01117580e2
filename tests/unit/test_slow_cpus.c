// SPDX-License-Identifier: GPL-2.0
/*
 * When none of the CPUs can hide: one of many that got slower, always the same or another one in
 * each run, and CPUs that differ in their noise. Simulated comparisons, decided by the code that
 * decides real ones. tables.h has what --tables does.
 */
#include "simulation.h"
#include "tables.h"
#include "compare/decision.h"

enum { CAMPAIGNS = 2000, FEW = 250, MOST_CPUS = 64, MOST_PAIRS = 40 };

static struct tables tables = { .n = FEW };

static double values[2][MOST_CPUS][MOST_PAIRS];

/* CPU 0 is the slowest in every run; in B the last one is @slower times as slow as in A. @runs: their spread. */
static struct decision draw_apart(uint64_t *seed, size_t ncpus, size_t n, double slower, double runs)
{
	struct decision d = {
		.a = values[0][0], .b = values[1][0], .n = n, .resolution = 1.0 / TLOB_HIST_SUB,
		.cpu_a = values[0][0], .cpu_b = values[1][0], .ncpus = ncpus, .stride = MOST_PAIRS,
	};
	size_t side, k, i;

	for (side = 0; side < 2; side++)
		for (i = 0; i < n; i++) {
			double run = runs * sim_gauss(seed);

			for (k = 0; k < ncpus; k++)
				values[side][k][i] = sim_seen((k ? 20000 : 200000) *
							      exp(run + 0.1 * sim_gauss(seed)),
							      side && k == ncpus - 1 ? slower - 1 : 0);
		}
	return d;
}

static struct decision draw(uint64_t *seed, size_t ncpus, size_t n, double slower)
{
	return draw_apart(seed, ncpus, n, slower, 0.05);
}

static enum decision_verdict decided(struct decision *d, double margin, struct sequential *at)
{
	const struct rule rule = { .alpha = 0.05, .margin = margin };

	assert_int_equal(at ? decide_sequentially(d, 1, &rule, at) : decide(d, 1, &rule), 0);
	return d->verdict;
}

static const size_t counts[] = { 2, 4, 16, 64 };

/* What is decided of sides that are equal, or of which B has a CPU that is twice as slow. */
struct cpu_counts {
	unsigned int fixed_ok, looks_ok, looks_found, equal_ok, equal_alarms;
};

/* @fixed_ok: the most of 5 to 17 pairs. */
static struct cpu_counts try_slow_cpu(size_t ncpus)
{
	uint64_t seed = tables_seed(&tables, 5);
	struct cpu_counts c = { 0 };
	unsigned int k, ok;
	struct sequential at;
	struct decision d;
	size_t n;

	for (n = 5; n <= 17; n++) {
		for (k = ok = 0; k < tables.n; k++) {
			d = draw(&seed, ncpus, n, 2);
			ok += decided(&d, 0.3, NULL) == VERDICT_OK;
		}
		c.fixed_ok = ok > c.fixed_ok ? ok : c.fixed_ok;
	}
	for (k = 0; k < tables.n; k++) {
		d = draw(&seed, ncpus, MOST_PAIRS, 2);
		decided(&d, 0.3, &at);
		c.looks_ok += d.verdict == VERDICT_OK;
		c.looks_found += d.verdict == VERDICT_REGRESSION;
		d = draw(&seed, ncpus, 20, 1);
		decided(&d, 0.3, NULL);
		c.equal_ok += d.verdict == VERDICT_OK;
		c.equal_alarms += d.verdict == VERDICT_REGRESSION;
	}
	return c;
}

/* No OK where the test of each CPU could not have rejected; and equal sides still pass. */
TEST(test_one_slow_cpu)
{
	struct cpu_counts c;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		c = try_slow_cpu(counts[i]);
		assert_true(at_most_of(c.fixed_ok, tables.n, 0.01));
		assert_true(at_most_of(c.looks_ok, tables.n, 0.01));
		assert_true(at_least_of(c.looks_found, tables.n, 0.95));
		assert_true(at_least_of(c.equal_ok, tables.n, 0.95));
		assert_true(at_most_of(c.equal_alarms, tables.n, 0.01));
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

/* @looks_found: with 20 pairs, where the bad one is twice as bad in B. */
static struct cpu_counts try_wandering(size_t ncpus)
{
	uint64_t seed = tables_seed(&tables, 6);
	struct cpu_counts c = { 0 };
	struct decision d;
	unsigned int k;

	for (k = 0; k < tables.n; k++) {
		d = draw_wandering(&seed, ncpus, 20, 1);
		decided(&d, 0.3, NULL);
		c.equal_ok += d.verdict == VERDICT_OK;
		c.equal_alarms += d.verdict == VERDICT_REGRESSION;
		d = draw_wandering(&seed, ncpus, 20, 2);
		c.looks_found += decided(&d, 0.3, NULL) == VERDICT_REGRESSION;
	}
	return c;
}

TEST(test_wandering_cpu)
{
	struct cpu_counts c;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		c = try_wandering(counts[i]);
		assert_true(at_most_of(c.equal_alarms, tables.n, 0.01));
		/* by chance a CPU of few has the bad runs of B, and then looks worse */
		assert_true(at_least_of(c.equal_ok, tables.n, 0.80));
		assert_true(at_least_of(c.looks_found, tables.n, 0.95));
	}
}

/* Where runs differ much, the spread hides a CPU from its test, and the worst CPU from both. */
static const double apart[] = { 0.17, 0.30 };
static const size_t pairs_apart[] = { 8, 13, 20, 40 };

static struct cpu_counts try_apart(size_t ncpus, double runs, size_t n)
{
	uint64_t seed = tables_seed(&tables, 9);
	struct cpu_counts c = { 0 };
	struct decision d;
	unsigned int k;

	for (k = 0; k < tables.n; k++) {
		d = draw_apart(&seed, ncpus, n, 2, runs);
		c.fixed_ok += decided(&d, 0.5, NULL) == VERDICT_OK;
		d = draw_apart(&seed, ncpus, n, 1, runs);
		decided(&d, 0.5, NULL);
		c.equal_ok += d.verdict == VERDICT_OK;
		c.equal_alarms += d.verdict == VERDICT_REGRESSION;
	}
	return c;
}

TEST(test_slow_cpu_apart)
{
	struct cpu_counts c;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(apart); i++)
		for (k = 1; k < ARRAY_SIZE(pairs_apart); k++) {
			c = try_apart(4, apart[i], pairs_apart[k]);
			assert_true(at_most_of(c.fixed_ok, tables.n, 0.02));
			assert_true(at_most_of(c.equal_alarms, tables.n, 0.01));
		}
}

/* A CPU is slower in B, and CPUs differ in how much their runs do, from 5 % to 50 %. */
static struct decision draw_noisy(uint64_t *seed, size_t ncpus, size_t slow, double slower)
{
	static double worst[2][MOST_PAIRS];
	struct decision d = {
		.a = worst[0], .b = worst[1], .n = 20, .resolution = 1.0 / TLOB_HIST_SUB,
		.cpu_a = values[0][0], .cpu_b = values[1][0], .ncpus = ncpus, .stride = MOST_PAIRS,
	};
	size_t side, k, i;

	for (side = 0; side < 2; side++)
		for (i = 0; i < d.n; i++)
			for (k = 0, worst[side][i] = 0; k < ncpus; k++) {
				double noise = 0.05 * pow(10, (double)k / (double)(ncpus - 1));

				values[side][k][i] = sim_seen(20000 * exp(noise * sim_gauss(seed)),
							      side && k == slow ? slower - 1 : 0);
				worst[side][i] = fmax(worst[side][i], values[side][k][i]);
			}
	return d;
}

static struct cpu_counts try_noisy(size_t ncpus, size_t slow, double slower)
{
	uint64_t seed = tables_seed(&tables, 10);
	struct cpu_counts c = { 0 };
	struct decision d;
	unsigned int k;

	for (k = 0; k < tables.n; k++) {
		d = draw_noisy(&seed, ncpus, slow, slower);
		c.fixed_ok += decided(&d, DECISION_MARGIN, NULL) == VERDICT_OK;
		c.looks_found += d.verdict == VERDICT_REGRESSION;
	}
	return c;
}

TEST(test_noisy_cpus)
{
	assert_true(at_most_of(try_noisy(4, 0, 1.5).fixed_ok, tables.n, 0.01));
	assert_true(at_most_of(try_noisy(4, 3, 1.5).fixed_ok, tables.n, 0.01));
	assert_true(at_most_of(try_noisy(4, 0, 1).looks_found, tables.n, 0.01));
}

static void print_noisy(void)
{
	static const size_t cpus[] = { 2, 4, 16 };
	static const double slower[] = { 1, 1.5, 2 };
	struct cpu_counts c;
	size_t i, k, noisy;

	puts("\n| CPUs whose runs differ by 5 to 50 %, 20 pairs, margin 10 % | B slower on it, times | OK % | REGRESSION % |\n|---|---|---|---|");
	for (i = 0; i < ARRAY_SIZE(cpus); i++)
		for (noisy = 0; noisy < 2; noisy++)
			for (k = noisy; k < ARRAY_SIZE(slower); k++) {
				c = try_noisy(cpus[i], noisy * (cpus[i] - 1), slower[k]);
				printf("| the %s of %zu | %g | %s | %s |\n", noisy ? "noisiest" : "quietest", cpus[i], slower[k],
				       cell_of(100.0 * c.fixed_ok / tables.n, !k || at_most_of(c.fixed_ok, tables.n, 0.01)).text,
				       cell_of(100.0 * c.looks_found / tables.n, k || at_most_of(c.looks_found, tables.n, 0.01)).text);
			}
}

static void print_apart(void)
{
	static const size_t cpus[] = { 4, 16 };
	struct cpu_counts c;
	size_t i, k, n;

	puts("\n| CPUs, runs differ by | pairs | one twice as slow in B: OK % | A = B: OK % | REGRESSION % |\n|---|---|---|---|---|");
	for (i = 0; i < ARRAY_SIZE(cpus); i++)
		for (k = 0; k < ARRAY_SIZE(apart); k++)
			for (n = 0; n < ARRAY_SIZE(pairs_apart); n++) {
				c = try_apart(cpus[i], apart[k], pairs_apart[n]);
				printf("| %zu, %.0f %% | %zu | %s | %.1f | %s |\n", cpus[i], 100 * apart[k], pairs_apart[n],
				       at_most_cell(c.fixed_ok, tables.n, 0.02).text, 100.0 * c.equal_ok / tables.n,
				       at_most_cell(c.equal_alarms, tables.n, 0.01).text);
			}
}

static void print_cpus(void)
{
	struct cpu_counts c;
	size_t i;

	puts("\n| one CPU | twice as slow in B: OK % | sequential: OK % | REGRESSION % | A = B: OK % | REGRESSION % |\n|---|---|---|---|---|---|");
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		c = try_slow_cpu(counts[i]);
		printf("| of %zu, always the same | %s | %s | %s | %s | %s |\n", counts[i],
		       at_most_cell(c.fixed_ok, tables.n, 0.01).text, at_most_cell(c.looks_ok, tables.n, 0.01).text,
		       at_least_cell(c.looks_found, tables.n, 0.95).text, at_least_cell(c.equal_ok, tables.n, 0.95).text,
		       at_most_cell(c.equal_alarms, tables.n, 0.01).text);
	}
	puts("\n| one CPU, another one in each run | twice as slow in B: REGRESSION % | A = B: OK % | REGRESSION % |\n|---|---|---|---|");
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		c = try_wandering(counts[i]);
		printf("| of %zu | %s | %s | %s |\n", counts[i], at_least_cell(c.looks_found, tables.n, 0.95).text,
		       at_least_cell(c.equal_ok, tables.n, 0.80).text, at_most_cell(c.equal_alarms, tables.n, 0.01).text);
	}
}

int main(int argc, char **argv)
{
	if (tables_read(&tables, argc > 1 ? CAMPAIGNS : FEW, argc, argv))
		return 129;
	if (!tables.wanted)
		return unit_run(NULL, NULL);
	print_cpus();
	print_apart();
	print_noisy();
	return 0;
}
