// SPDX-License-Identifier: GPL-2.0
/*
 * How often the verdicts are right: thousands of simulated comparisons, decided
 * by the code that decides real ones, beside the rules that people use instead.
 * The tables are those of docs/explanation/statistics.md, to the last digit.
 *
 * The model: a run has 20000 windows, and the slowest percent is a Pareto tail. The tail's
 * scale varies between runs (a random effect of 10 %) and drifts (a random walk of 5 %). Its
 * exponent makes the standard deviation of ln(p99.9 B / p99.9 A) 0.24, as statistics.md found
 * on real runs. p99.9 is read from the histogram, with its buckets. B's tail is longer by a
 * factor. Only the largest windows of a run are drawn, by exponential spacings (Renyi 1953).
 */
#include <math.h>

#include "hist.h"
#include "unit.h"
#include "compare/decision.h"
#include "compare/stats.h"

enum { CAMPAIGNS = 2000, PAIRS = 40, WINDOWS = 20000, TOP = 120 };

#define EXPONENT	1.63
#define RANDOM_EFFECT	0.10
#define DRIFT		0.05
#define TAIL_NS		40000.0		/* p99 */

struct campaign {
	double top[3][PAIRS][TOP];	/* largest first, ns; A, A', B */
	double ordered[2][PAIRS];	/* p99.9 of AAAA...BBBB, all of it */
};

static uint64_t seed;

static double uniform(void)
{
	return ((double)(unit_random(&seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double gauss(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* -ln(1 - p) of the k-th smallest p is a sum of k exponentials. */
static void draw_top(double top[TOP], double scale)
{
	double sum = 0;
	int i;

	for (i = 0; i < TOP; i++) {
		sum -= log(uniform()) / (WINDOWS - i);
		top[i] = scale * pow(0.01 / -expm1(-sum), 1 / EXPONENT);
	}
}

static double seen(double ns)
{
	return (double)tlob_hist_upper(tlob_hist_index((uint64_t)ns));
}

/* Rank ceil(0.999 n) of n from below. */
static double p999(const double top[TOP])
{
	return seen(top[WINDOWS / 1000]);
}

static void draw(struct campaign *c)
{
	double level = 0;
	int i, k, side[3] = { 0 };

	for (i = 0; i < PAIRS; i++) {
		for (k = 0; k < 3; k++) {
			int other = (int)(unit_random(&seed) % (unsigned int)(k + 1));

			side[k] = side[other];
			side[other] = k;
		}
		for (k = 0; k < 3; k++) {
			level += DRIFT * gauss();
			draw_top(c->top[side[k]][i],
				 TAIL_NS * exp(RANDOM_EFFECT * gauss() + level));
		}
	}
	for (level = 0, i = 0; i < 2 * PAIRS; i++) {
		double top[TOP];

		level += DRIFT * gauss();
		draw_top(top, TAIL_NS * exp(RANDOM_EFFECT * gauss() + level));
		c->ordered[i / PAIRS][i % PAIRS] = p999(top);
	}
}

/* A tail that is longer by @effect: the same draws, scaled. */
static double longer(const double top[TOP], double effect)
{
	return seen(top[WINDOWS / 1000] * (1 + effect));
}

static struct decision decide_pairs(const struct campaign *c, size_t n,
				    double effect, double margin,
				    unsigned int looks)
{
	struct rule rule = {
		.alpha = 0.05, .looks = looks, .margin = margin,
		.least_margin = DECISION_LEAST_MARGIN,
		.most_margin = DECISION_MOST_MARGIN,
	};
	double a[PAIRS], b[PAIRS], base[PAIRS];
	struct decision d = {
		.n = n, .nbase = n, .resolution = 1.0 / TLOB_HIST_SUB,
	};
	size_t i;

	for (i = 0; i < n; i++) {
		a[i] = p999(c->top[0][i]);
		b[i] = longer(c->top[2][i], effect);
		base[i] = log(p999(c->top[1][i]) / a[i]);
	}
	d.a = a;
	d.b = b;
	d.base = base;
	assert_int_equal(decide(&d, 1, &rule), 0);
	d.a = d.b = d.base = NULL;
	return d;
}

struct shares {
	unsigned int ok, regression, all;
};

static void count(struct shares *s, enum decision_verdict v)
{
	s->ok += v == VERDICT_OK;
	s->regression += v == VERDICT_REGRESSION;
	s->all++;
}

static double percent(unsigned int n, unsigned int of)
{
	return 100.0 * n / of;
}

static void row(const char *what, const struct shares *s)
{
	printf("| %s | %.1f | %.1f | %.1f |\n", what, percent(s->ok, s->all),
	       percent(s->regression, s->all),
	       percent(s->all - s->ok - s->regression, s->all));
}

static const double effects[] = { 0, 0.05, 0.1, 0.2, 0.5 };
static const size_t numbers[] = { 5, 10, 20, 40 };

#define NR_EFFECTS	ARRAY_SIZE(effects)
#define NR_NUMBERS	ARRAY_SIZE(numbers)

static struct shares standard[NR_NUMBERS][NR_EFFECTS + 1];
static double margins[NR_NUMBERS][CAMPAIGNS];
static struct shares looked[NR_EFFECTS];

static void try_standard(const struct campaign *c)
{
	struct decision d;
	size_t n, e;

	for (n = 0; n < NR_NUMBERS; n++) {
		for (e = 0; e < NR_EFFECTS; e++) {
			d = decide_pairs(c, numbers[n], effects[e], 0, 1);
			count(&standard[n][e], d.verdict);
		}
		margins[n][standard[n][0].all - 1] = d.margin;
		if (d.refused)		/* the spread leaves only one verdict */
			continue;
		d = decide_pairs(c, numbers[n], 2 * d.margin, 0, 1);
		count(&standard[n][NR_EFFECTS], d.verdict);
	}
}

/* Up to three looks, at 10, 20 and 40 pairs; the first verdict stands. */
static void try_looks(const struct campaign *c)
{
	struct decision d;
	size_t n, e;

	for (e = 0; e < NR_EFFECTS; e++) {
		for (n = NR_NUMBERS - 3; n < NR_NUMBERS; n++) {
			d = decide_pairs(c, numbers[n], effects[e], 0.2, 3);
			if (d.verdict != VERDICT_INCONCLUSIVE)
				break;
		}
		count(&looked[e], d.verdict);
	}
}

enum { NAIVE_MAX, NAIVE_P999, NAIVE_POOLED, NAIVE_ORDER, NR_NAIVE };

static const char * const naive_names[NR_NAIVE] = {
	"one run each, max of B > 1.1 max of A",
	"one run each, p99.9 of B > 1.1 p99.9 of A",
	"20 runs each, all windows pooled, intervals of p99.9 disjoint",
	"20 runs each, all of A before all of B, signed-rank test at 5 %",
};

static const double naive_effects[] = { 0, 0.2 };
static unsigned int naive[NR_NAIVE][2];

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* Pools the windows of 20 runs as if they were one run, which is wrong. */
static void pool(const struct campaign *c, int side, double effect,
		 double *lower, double *upper)
{
	static double all[20 * TOP];
	uint64_t n = 20ULL * WINDOWS;
	struct rank_interval r = stats_quantile_ranks(n, 0.999, 0.05);
	int i, k;

	for (i = 0; i < 20; i++)
		for (k = 0; k < TOP; k++)
			all[i * TOP + k] = c->top[side][i][k] * (1 + effect);
	qsort(all, ARRAY_SIZE(all), sizeof(all[0]), descending);
	*lower = all[n - r.lower];
	*upper = all[n - r.upper];
}

static bool order_alarms(const struct campaign *c, double effect)
{
	double d[20];
	struct walsh w;
	bool alarm;
	int i;

	for (i = 0; i < 20; i++)
		d[i] = log(c->ordered[1][i] * (1 + effect) / c->ordered[0][i]);
	assert_int_equal(walsh_init(&w, d, 20), 0);
	alarm = walsh_p_above(&w, 0) <= 0.05;
	walsh_free(&w);
	return alarm;
}

static void try_naive(const struct campaign *c)
{
	double lower, upper, unused;
	int e;

	for (e = 0; e < 2; e++) {
		double f = naive_effects[e];

		naive[NAIVE_MAX][e] += c->top[2][0][0] * (1 + f) >
				       1.1 * c->top[0][0][0];
		naive[NAIVE_P999][e] += longer(c->top[2][0], f) >
					1.1 * p999(c->top[0][0]);
		pool(c, 0, 0, &unused, &upper);
		pool(c, 2, f, &lower, &unused);
		naive[NAIVE_POOLED][e] += lower > upper;
		naive[NAIVE_ORDER][e] += order_alarms(c, f);
	}
}

static double sum_of_squares;

static void simulate(void)
{
	static struct campaign c;
	unsigned int i, k;

	seed = 20261120;
	for (i = 0; i < CAMPAIGNS; i++) {
		draw(&c);
		for (k = 0; k < PAIRS; k++) {
			double d = log(p999(c.top[2][k]) / p999(c.top[0][k]));

			sum_of_squares += d * d / CAMPAIGNS / PAIRS;
		}
		try_standard(&c);
		try_looks(&c);
		try_naive(&c);
	}
}

static void print_tables(void)
{
	char what[80];
	size_t n, e;

	printf("| pairs, B's tail | OK %% | REGRESSION %% | INCONCLUSIVE %% |\n|---|---|---|---|\n");
	for (n = 0; n < NR_NUMBERS; n++) {
		for (e = 0; e < NR_EFFECTS; e++) {
			snprintf(what, sizeof(what), "%zu, +%g %%", numbers[n],
				 100 * effects[e]);
			row(what, &standard[n][e]);
		}
		snprintf(what, sizeof(what), "%zu, twice the margin (median %.0f %%)",
			 numbers[n], 100 * stats_median(margins[n], CAMPAIGNS));
		row(what, &standard[n][NR_EFFECTS]);
	}
	printf("\n| margin 20 %%, B's tail | OK %% | REGRESSION %% | INCONCLUSIVE %% |\n|---|---|---|---|\n");
	for (e = 0; e < NR_EFFECTS; e++) {
		snprintf(what, sizeof(what), "+%g %%", 100 * effects[e]);
		row(what, &looked[e]);
	}
	printf("\n| rule | false alarms %%, A = B | alarms %%, tail +20 %% |\n|---|---|---|\n");
	for (n = 0; n < NR_NAIVE; n++)
		printf("| %s | %.1f | %.1f |\n", naive_names[n],
		       percent(naive[n][0], CAMPAIGNS),
		       percent(naive[n][1], CAMPAIGNS));
}

static void test_model(void **state)
{
	double sd = sqrt(sum_of_squares);

	assert_true(sd > 0.23 && sd < 0.26);
}

static void test_promises(void **state)
{
	size_t n;

	for (n = 0; n < NR_NUMBERS; n++) {
		const struct shares *s = standard[n];

		/* a tail half as long again hardly ever passes */
		assert_true(percent(s[NR_EFFECTS - 1].ok, CAMPAIGNS) <= 5);
		/* a false alarm is rare with any number of pairs */
		assert_true(percent(s[0].regression, CAMPAIGNS) <= 1);
		/* few pairs estimate the spread, and so the margin, less well */
		if (numbers[n] >= 20)
			assert_true(percent(s[NR_EFFECTS].regression,
					    CAMPAIGNS) >= 90);
		/* an effect of twice the margin hardly ever passes */
		assert_true(percent(s[NR_EFFECTS].ok, CAMPAIGNS) <= 1);
	}
	assert_true(percent(standard[2][0].ok, CAMPAIGNS) >= 70);
	assert_true(percent(looked[0].regression, CAMPAIGNS) <= 1);
	/* +50 % is beyond the margin of 20: no more than alpha may pass */
	assert_true(percent(looked[NR_EFFECTS - 1].ok, CAMPAIGNS) <= 5);
	assert_true(percent(looked[NR_EFFECTS - 2].regression, CAMPAIGNS) <= 5);
}

/* The simpler rules are wrong more often. */
static void test_naive_rules_fail(void **state)
{
	size_t i;

	for (i = 0; i < NR_NAIVE; i++)
		if (i != NAIVE_POOLED)
			assert_true(percent(naive[i][0], CAMPAIGNS) > 5);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_promises),
		cmocka_unit_test(test_naive_rules_fail),
	};

	simulate();
	if (argc > 1 && !strcmp(argv[1], "--tables")) {
		print_tables();
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
