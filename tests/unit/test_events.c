// SPDX-License-Identifier: GPL-2.0
/*
 * Events, misses or windows over the budget: how often a comparison of their counts is right, where
 * they come in bursts and where their rate differs from run to run. tables.h has what --tables does.
 */
#include "simulation.h"
#include "tables.h"
#include "compare/decision.h"

enum { CAMPAIGNS = 2000, FEW = 200, PAIRS = 20 };

static const unsigned int lengths[] = { 1, 5, 20, 50 };

/* The rate of a run is gamma distributed with this shape; 0: it is the same in all. */
static const double shapes[] = { 0, 4, 1 };

static const struct {
	double	 a, b;			/* shares of the expiries */
} shares[] = {
	{ 0, 0 }, { 0, 0.0001 }, { 0, 0.0002 }, { 0, 0.0005 }, { 0.0001, 0.0001 }, { 0.001, 0.001 },
	{ 0.001, 0.0011 }, { 0.001, 0.002 }, { 0.01, 0.01 }, { 0.01, 0.011 }, { 0.01, 0.02 },
};

#define NR_LENGTHS	ARRAY_SIZE(lengths)
#define NR_SHARES	ARRAY_SIZE(shares)

static struct cell {
	unsigned int ok, regression, none;
} cells[ARRAY_SIZE(shapes)][NR_SHARES][NR_LENGTHS];

static struct tables tables;

static struct events draw(uint64_t *seed, double share, unsigned int length, double shape)
{
	double bursts = share * SIM_WINDOWS / length;

	if (shape > 0)
		bursts *= sim_gamma(seed, shape) / shape;
	return sim_events(SIM_WINDOWS, sim_poisson(seed, bursts), length);
}

static struct cell try_cell(uint64_t *seed, size_t k, unsigned int length, double shape)
{
	const struct rule rule = { .alpha = 0.05, .margin = DECISION_MARGIN };
	struct events a[PAIRS], b[PAIRS];
	struct cell c = { 0 };
	unsigned int n;
	size_t i;

	for (n = 0; n < tables.n; n++) {
		struct decision d = { .events_a = a, .events_b = b, .n = PAIRS };

		for (i = 0; i < PAIRS; i++) {
			a[i] = draw(seed, shares[k].a, length, shape);
			b[i] = draw(seed, shares[k].b, length, shape);
		}
		assert_int_equal(decide(&d, 1, &rule), 0);
		c.none += decision_has_none(&d);
		c.ok += d.verdict == VERDICT_OK && !decision_has_none(&d);
		c.regression += d.verdict == VERDICT_REGRESSION;
	}
	return c;
}

static void simulate(void)
{
	uint64_t seed = tables_seed(&tables, 20261130);
	size_t s, k, l;

	for (s = 0; s < ARRAY_SIZE(shapes); s++)
		for (k = 0; k < NR_SHARES; k++)
			for (l = 0; l < NR_LENGTHS; l++)
				cells[s][k][l] = try_cell(&seed, k, lengths[l], shapes[s]);
}

/* OK where B has more by the margin or beyond it; of equal sides a REGRESSION. */
static bool ok_is_rare(size_t k, const struct cell *c)
{
	bool worse = shares[k].b >= shares[k].a * 1.1 && shares[k].b - shares[k].a >= 0.9e-4;

	return !worse || at_most_of(c->ok, tables.n, shares[k].b - shares[k].a > 1.1e-4 && !(shares[k].a > 0) ? 0.01 : 0.055);
}

static bool regression_is_rare(size_t k, const struct cell *c)
{
	return shares[k].a < shares[k].b || at_most_of(c->regression, tables.n, 0.01);
}

TEST(test_goals)
{
	size_t s, k, l;

	for (s = 0; s < ARRAY_SIZE(shapes); s++)
		for (k = 0; k < NR_SHARES; k++)
			for (l = 0; l < NR_LENGTHS; l++)
				if (!ok_is_rare(k, &cells[s][k][l]) || !regression_is_rare(k, &cells[s][k][l]))
					fail_msg("A %g, B %g, bursts of %u, shape %g", shares[k].a, shares[k].b,
						 lengths[l], shapes[s]);
}

/* What is far beyond the margin is found, where it is enough bursts. */
TEST(test_found)
{
	size_t s;

	for (s = 0; s < ARRAY_SIZE(shapes); s++) {
		assert_true(at_least_of(cells[s][2][0].regression, tables.n, 0.95));
		assert_true(at_least_of(cells[s][3][1].regression, tables.n, 0.95));
	}
	assert_true(at_least_of(cells[0][8][0].ok, tables.n, 0.9));
}

static void print(void)
{
	static const char * const rates[] = { "the same rate in all runs", "gamma of shape 4", "gamma of shape 1" };
	size_t s, k, l;

	puts("| events of A and of B, 20 pairs of 20 000 expiries | bursts of 1: OK % | REGRESSION % | none at all % | of 5: OK % | REGRESSION % | none at all % | of 20: OK % | REGRESSION % | none at all % | of 50: OK % | REGRESSION % | none at all % |\n"
	     "|---|---|---|---|---|---|---|---|---|---|---|---|---|");
	for (s = 0; s < ARRAY_SIZE(shapes); s++)
		for (k = 0; k < NR_SHARES; k++) {
			printf("| %g %%, %g %%, %s |", 100 * shares[k].a, 100 * shares[k].b, rates[s]);
			for (l = 0; l < NR_LENGTHS; l++) {
				const struct cell *c = &cells[s][k][l];

				printf(" %s | %s | %.1f |",
				       cell_of(100.0 * c->ok / tables.n, ok_is_rare(k, c)).text,
				       cell_of(100.0 * c->regression / tables.n, regression_is_rare(k, c)).text,
				       100.0 * c->none / tables.n);
			}
			putchar('\n');
		}
}

int main(int argc, char **argv)
{
	if (tables_read(&tables, CAMPAIGNS, argc, argv))
		return 129;
	if (!tables.wanted)
		tables.n = FEW;
	simulate();
	if (!tables.wanted)
		return unit_run(NULL, NULL);
	print();
	return 0;
}
