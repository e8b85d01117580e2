// SPDX-License-Identifier: GPL-2.0
/*
 * How often the verdicts are right: simulated comparisons, decided by the code that
 * decides real ones, next to the rules that people use instead. simulation.h has the models,
 * tables.h what --tables does.
 */
#include "simulation.h"
#include "tables.h"
#include "compare/decision.h"
#include "result/stats.h"

enum { CAMPAIGNS = 2000, FEW = 200, PAIRS = 40 };

static const struct model models[] = {
	{ .name = "runs differ by 5 %", .run = 0.05 },
	{ .name = "runs differ by 10 %", .run = 0.10 },
	{ .name = "runs differ by 15 %", .run = 0.15 },
	{ .name = "5000 to 40000 windows", .run = 0.10, .uneven = true },
	{ .name = "drift, 5 % from run to run", .run = 0.10, .drift = 0.05 },
	{ .name = "a step of 30 %", .run = 0.10, .step = 0.26 },
	{ .name = "AR(1), 0.8", .run = 0.05, .ar = 0.8, .drift = 0.06 },
	{ .name = "every other boot 30 % slower", .run = 0.05, .slow_boots = 0.3 },
	{ .name = "4 CPUs, a random one 30 % slower", .run = 0.05, .cpus = 4, .bad_cpu = 0.3 },
	{ .name = "an SMI in 5 % of the runs", .run = 0.10, .smi = 0.05 },
	{ .name = "an SMI in 10 % of the runs", .run = 0.10, .smi = 0.10 },
	{ .name = "an SMI in 20 % of the runs", .run = 0.10, .smi = 0.20 },
	{ .name = "10 % of B's runs 12 times slower", .run = 0.10, .terrible = 0.10 },
	{ .name = "20 % of B's runs 12 times slower", .run = 0.10, .terrible = 0.20 },
	{ .name = "0.05 % of the expiries missed", .run = 0.10, .missed = { 0.0005, 0.0005 } },
	{ .name = "0.09 % of the expiries missed", .run = 0.10, .missed = { 0.0009, 0.0009 } },
	{ .name = "B misses 0.15 %, A none", .run = 0.10, .missed = { 0, 0.0015 } },
	{ .name = "an SMI in 5 % of the runs, 70 % after one", .run = 0.10, .smi = 0.05, .smi_stays = 0.7 },
	{ .name = "every second run 1.5 times slower", .run = 0.10, .every_second = 0.5 },
	{ .name = "memory lies in one of three ways", .run = 0.05, .trimodal = true },
	{ .name = "a heavier tail, GPD with shape 0.5", .run = 0.15, .exponent = 2 },
	{ .name = "50 % slower from the middle on", .run = 0.10, .step = 0.41, .throttled = true },
	{ .name = "B's runs differ by 50 %, A's by 5 %", .run = 0.05, .noisier = 0.5 },
};

enum { NR_MODELS = ARRAY_SIZE(models), DRIFTING = 4, WITH_SMI = 10, TERRIBLE = 13, B_MISSES = 16 };

static const size_t numbers[] = { 10, 20, 30, 40 };
static const double effects[] = { 0, 0.05, 0.1, 0.2, 0.5 };

#define NR_NUMBERS	ARRAY_SIZE(numbers)
#define NR_EFFECTS	ARRAY_SIZE(effects)

struct campaign {
	const struct model *m;
	struct sim_run side[2][PAIRS];	/* in pairs, each in random order */
	struct sim_run ordered[2][PAIRS]; /* half of all A's before half of the B's */
};

struct shares {
	unsigned int ok, regression, all;
};

/* With the default margin: equal sides, B slower by just the margin, and by half. */
enum { EQUAL, AT_MARGIN, SLOWER, NR_STANDARD };

static const double standard_effects[NR_STANDARD] = { 0, DECISION_MARGIN, 0.5 };
static struct shares standard[NR_MODELS][NR_NUMBERS][NR_STANDARD];

static struct shares named[NR_NUMBERS][NR_EFFECTS];
static struct {
	struct shares found;
	double	 pairs;			/* sum */
	struct shares fixed[SEQUENTIAL_MOST + 1]; /* by the number of pairs */
} sequential[NR_EFFECTS];
static struct tables tables;
static unsigned int campaigns = FEW;

static void draw(struct campaign *c, const struct model *m, uint64_t *seed)
{
	struct sim_series s = sim_begin(m, seed, 2 * PAIRS);
	unsigned int i, first;

	c->m = m;
	for (i = 0; i < PAIRS; i++) {
		first = (unsigned int)(unit_random(seed) % 2);
		sim_next(&s, first, &c->side[first][i]);
		sim_next(&s, !first, &c->side[!first][i]);
	}
	s = sim_begin(m, seed, PAIRS);
	for (i = 0; i < PAIRS; i++)
		sim_next(&s, i >= PAIRS / 2, &c->ordered[i >= PAIRS / 2][i % (PAIRS / 2)]);
}

/* p99.9, on each CPU, with the verdict of both default metrics. @at: sequentially, or NULL. @missing: of B. */
static struct decision decide_with(const struct campaign *c, size_t n,
				   double effect, double margin, unsigned int missing,
				   struct sequential *at)
{
	const struct rule rule = { .alpha = 0.05, .margin = margin, .cut_short = { 0, missing } };
	double p999[2][PAIRS], p9999[2][PAIRS], cpu[2][SIM_CPUS][PAIRS];
	struct events events[2][PAIRS];
	struct decision d[3] = {
		{
			.n = n, .a = p999[0], .b = p999[1], .resolution = 1.0 / TLOB_HIST_SUB,
			.cpu_a = cpu[0][0], .cpu_b = cpu[1][0], .ncpus = c->m->cpus, .stride = PAIRS,
		},
		{ .n = n, .events_a = events[0], .events_b = events[1] },
	};
	size_t metrics = 2, i, k, side;

	if (c->m->deep)
		d[metrics++] = (struct decision){ .n = n, .a = p9999[0], .b = p9999[1],
						  .resolution = 1.0 / TLOB_HIST_SUB };
	for (side = 0; side < 2; side++)
		for (i = 0; i < n; i++) {
			const struct sim_run *run = &c->side[side][i];

			p999[side][i] = sim_worst(c->m, run, side ? effect : 0);
			p9999[side][i] = sim_seen(run->p9999, side ? effect : 0);
			events[side][i] = sim_events(run->of, run->missed, 1);
			for (k = 0; k < c->m->cpus; k++)
				cpu[side][k][i] = sim_seen(run->p999[k], side ? effect : 0);
		}
	assert_int_equal(at ? decide_sequentially(d, metrics, &rule, at) :
			      decide(d, metrics, &rule), 0);
	d[0].verdict = decide_together(d, metrics);
	d[0].a = d[0].b = d[0].cpu_a = d[0].cpu_b = NULL;
	return d[0];
}

static struct decision decide_at(const struct campaign *c, size_t n, double effect, double margin,
				 struct sequential *at)
{
	return decide_with(c, n, effect, margin, 0, at);
}

static struct decision decide_pairs(const struct campaign *c, size_t n,
				    double effect, double margin)
{
	return decide_at(c, n, effect, margin, NULL);
}

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

static void try_standard(const struct campaign *c, size_t m)
{
	size_t n, e;

	for (n = 0; n < NR_NUMBERS; n++)
		for (e = 0; e < NR_STANDARD; e++)
			count(&standard[m][n][e],
			      decide_pairs(c, numbers[n], standard_effects[e], DECISION_MARGIN).verdict);
}

static void try_named(const struct campaign *c)
{
	size_t n, e;

	for (n = 0; n < NR_NUMBERS; n++)
		for (e = 0; e < NR_EFFECTS; e++)
			count(&named[n][e],
			      decide_pairs(c, numbers[n], effects[e], 0.2).verdict);
}

static void try_sequential(const struct campaign *c)
{
	struct sequential at;
	size_t e, n;

	for (e = 0; e < NR_EFFECTS; e++) {
		count(&sequential[e].found,
		      decide_at(c, PAIRS, effects[e], 0.2, &at).verdict);
		sequential[e].pairs += (double)at.pairs;
		for (n = 10; n <= SEQUENTIAL_MOST; n += 2)
			count(&sequential[e].fixed[n],
			      decide_pairs(c, n, effects[e], 0.2).verdict);
	}
}

/* The fewest pairs of a plan without looks that has so many answers; 0: more than 40. */
static size_t fixed_plan(size_t e, unsigned int answers)
{
	size_t n;

	for (n = 10; n <= SEQUENTIAL_MOST; n += 2)
		if (sequential[e].fixed[n].ok + sequential[e].fixed[n].regression >= answers)
			return n;
	return 0;
}

/* The fewest pairs of a plan without looks that answers as often as the one with them. */
static size_t equal_power(size_t e)
{
	return fixed_plan(e, sequential[e].found.ok + sequential[e].found.regression);
}

static const char *pairs_text(char buf[16], size_t n)
{
	snprintf(buf, 16, n ? "%zu" : "more than 40", n);
	return buf;
}

enum {
	NAIVE_MAX, NAIVE_P999, NAIVE_LIMIT, NAIVE_RANKS, NAIVE_T, NAIVE_ORDER,
	OURS, NR_NAIVE,
};

static const char * const naive_names[NR_NAIVE] = {
	"one run each, max of B > 1.1 max of A",
	"one run each, p99.9 of B > 1.1 p99.9 of A",
	"20 runs each, the largest of B > 1.1 the largest of A (a limit, as with rteval)",
	"all of A, then all of B, Mann-Whitney at 5 % (benchstat)",
	"all of A, then all of B, Welch's t at 0.1 % (the last step of otava)",
	"all of A, then all of B, signed-rank test at 5 %",
	"tlob-load compare, 20 pairs",
};

static const struct {
	size_t	 model;
	double	 effect;
} trials[] = {
	{ 1, 0 }, { DRIFTING, 0 }, { WITH_SMI, 0 },
	{ 1, 0.5 }, { DRIFTING, 0.5 }, { WITH_SMI, 0.5 },
};

#define NR_TRIALS	ARRAY_SIZE(trials)

static unsigned int naive[NR_NAIVE][NR_TRIALS];

/* B above A, two-sided, normal approximation without ties: fine for 20 against 20. */
static bool mann_whitney(const double a[], const double b[], size_t n)
{
	double u = 0, size = (double)n;
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++)
			u += b[i] > a[k] ? 1 : b[i] < a[k] ? 0 : 0.5;
	return (u - size * size / 2) / sqrt(size * size * (2 * size + 1) / 12) >
	       stats_normal_quantile(0.975);
}

static void moments(const double x[], size_t n, double *mean, double *var)
{
	size_t i;

	for (*mean = 0, i = 0; i < n; i++)
		*mean += x[i] / (double)n;
	for (*var = 0, i = 0; i < n; i++)
		*var += (x[i] - *mean) * (x[i] - *mean) / (double)(n - 1);
}

static bool welch(const double a[], const double b[], size_t n)
{
	double ma, va, mb, vb, df;

	moments(a, n, &ma, &va);
	moments(b, n, &mb, &vb);
	df = (va + vb) * (va + vb) / (va * va + vb * vb) * (double)(n - 1);
	return (mb - ma) / sqrt((va + vb) / (double)n) >
	       stats_t_quantile(0.9995, df);
}

static bool signed_rank(const double a[], const double b[], size_t n)
{
	double d[PAIRS];
	struct walsh w;
	bool alarm;
	size_t i;

	for (i = 0; i < n; i++)
		d[i] = log(b[i] / a[i]);
	assert_int_equal(walsh_init(&w, d, n), 0);
	alarm = walsh_p_above(&w, 0) <= 0.05;
	walsh_free(&w);
	return alarm;
}

static double largest(const double x[], size_t n)
{
	double most = x[0];

	while (n--)
		most = fmax(most, x[n]);
	return most;
}

static void try_naive(const struct campaign *c, size_t t)
{
	double a[PAIRS / 2], b[PAIRS / 2], f = trials[t].effect;
	const struct sim_run *one = &c->side[0][0], *other = &c->side[1][0];
	size_t i, n = PAIRS / 2;

	for (i = 0; i < n; i++) {
		a[i] = sim_worst(c->m, &c->ordered[0][i], 0);
		b[i] = sim_worst(c->m, &c->ordered[1][i], f);
	}
	naive[NAIVE_MAX][t] += other->max * (1 + f) > 1.1 * one->max;
	naive[NAIVE_P999][t] += sim_worst(c->m, other, f) >
				1.1 * sim_worst(c->m, one, 0);
	naive[NAIVE_LIMIT][t] += largest(b, n) > 1.1 * largest(a, n);
	naive[NAIVE_RANKS][t] += mann_whitney(a, b, n);
	naive[NAIVE_T][t] += welch(a, b, n);
	naive[NAIVE_ORDER][t] += signed_rank(a, b, n);
	naive[OURS][t] += decide_pairs(c, n, f, DECISION_MARGIN).verdict == VERDICT_REGRESSION;
}

static void simulate(void)
{
	static struct campaign c;
	uint64_t seed = tables_seed(&tables, 20261120);
	unsigned int i;
	size_t m, t;

	for (m = 0; m < NR_MODELS; m++)
		for (i = 0; i < campaigns; i++) {
			draw(&c, &models[m], &seed);
			try_standard(&c, m);
			if (m == DRIFTING) {
				try_named(&c);
				try_sequential(&c);
			}
			for (t = 0; t < NR_TRIALS; t++)
				if (trials[t].model == m)
					try_naive(&c, t);
		}
}

/* Beyond chance no more than @share of the comparisons. */
static bool at_most(unsigned int n, double share)
{
	return at_most_of(n, campaigns, share);
}

/* Beyond chance no less. */
static bool at_least(unsigned int n, double share)
{
	return at_least_of(n, campaigns, share);
}

static bool b_differs(size_t m)
{
	return models[m].terrible > 0 || models[m].missed[0] != models[m].missed[1] || models[m].noisier > 0;
}

static struct rate_cell cell(unsigned int n, unsigned int all, bool met)
{
	return cell_of(percent(n, all), met);
}

/* The goals of statistics.md. */
static bool false_regression_is_rare(size_t m, size_t n)
{
	return b_differs(m) || at_most(standard[m][n][EQUAL].regression, 0.01);
}

/* OK at the margin, where the values differ by just that. */
static bool ok_at_margin_is_rare(size_t m, size_t n)
{
	return at_most(standard[m][n][AT_MARGIN].ok, 0.055);
}

static void print_standard(void)
{
	size_t m, n;

	fputs("| model, margin 10 % | pairs | A = B: OK % | REGRESSION % | B slower by 10 %: OK % | REGRESSION % | by 50 %: OK % | REGRESSION % |\n"
	      "|---|---|---|---|---|---|---|---|\n", stdout);
	for (m = 0; m < NR_MODELS; m++)
		for (n = 0; n < NR_NUMBERS; n++) {
			const struct shares *s = standard[m][n];

			printf("| %s | %zu | %.1f | %s | %s | %.1f | %.1f | %.1f |\n", models[m].name, numbers[n],
			       percent(s[EQUAL].ok, campaigns),
			       cell(s[EQUAL].regression, campaigns, false_regression_is_rare(m, n)).text,
			       cell(s[AT_MARGIN].ok, campaigns, ok_at_margin_is_rare(m, n)).text,
			       percent(s[AT_MARGIN].regression, campaigns),
			       percent(s[SLOWER].ok, campaigns), percent(s[SLOWER].regression, campaigns));
		}
}

/* With a margin of 20 %: a REGRESSION below it, or OK beyond it, and either at the margin itself. */
static bool regression_is_rare(const struct shares *s, size_t e)
{
	return effects[e] > 0.2 || at_most(s->regression, effects[e] < 0.2 ? 0.01 : 0.05);
}

static bool ok_is_rare(const struct shares *s, size_t e)
{
	return effects[e] < 0.2 || at_most(s->ok, effects[e] > 0.2 ? 0.01 : 0.05);
}

static void print_named(void)
{
	size_t n, e;

	fputs("\n| pairs, margin 20 %, B's tail | OK % | REGRESSION % | INCONCLUSIVE % |\n|---|---|---|---|\n",
	      stdout);
	for (n = 0; n < NR_NUMBERS; n++)
		for (e = 0; e < NR_EFFECTS; e++) {
			const struct shares *s = &named[n][e];

			printf("| %zu, +%g %% | %s | %s | %.1f |\n", numbers[n], 100 * effects[e],
			       cell(s->ok, s->all, ok_is_rare(s, e)).text,
			       cell(s->regression, s->all, regression_is_rare(s, e)).text,
			       percent(s->all - s->ok - s->regression, s->all));
		}
}

static void print_sequential(void)
{
	size_t e;

	fputs("\n| sequential, margin 20 %, B's tail | OK % | REGRESSION % | INCONCLUSIVE % | pairs, mean | pairs of a fixed plan that answers as often | in 90 % |\n|---|---|---|---|---|---|---|\n",
	      stdout);
	for (e = 0; e < NR_EFFECTS; e++) {
		const struct shares *s = &sequential[e].found;
		char often[16], mostly[16];

		printf("| +%g %% | %s | %s | %.1f | %.1f | %s | %s |\n", 100 * effects[e],
		       cell(s->ok, s->all, ok_is_rare(s, e)).text,
		       cell(s->regression, s->all, regression_is_rare(s, e)).text,
		       percent(s->all - s->ok - s->regression, s->all),
		       sequential[e].pairs / s->all, pairs_text(often, equal_power(e)),
		       pairs_text(mostly, fixed_plan(e, campaigns * 9 / 10)));
	}
}

static void print_naive(void)
{
	size_t n, t;

	fputs("\n| alarms %: rule | A = B, 10 % | A = B, drift | A = B, SMI | +50 %, 10 % | +50 %, drift | +50 %, SMI |\n"
	      "|---|---|---|---|---|---|---|\n", stdout);
	for (n = 0; n < NR_NAIVE; n++) {
		printf("| %s |", naive_names[n]);
		for (t = 0; t < NR_TRIALS; t++)
			printf(" %.1f |", percent(naive[n][t], campaigns));
		putchar('\n');
	}
}

TEST(test_false_alarms)
{
	size_t m, n;

	for (m = 0; m < NR_MODELS; m++)
		for (n = 0; n < NR_NUMBERS; n++)
			if (!false_regression_is_rare(m, n) || !ok_at_margin_is_rare(m, n))
				fail_msg("%s, %zu pairs", models[m].name, numbers[n]);
}

/* Runs of B alone that are much slower, or miss. */
TEST(test_some_runs)
{
	size_t n;

	assert_true(at_most(standard[TERRIBLE][3][EQUAL].ok, 0.02));
	for (n = 1; n < NR_NUMBERS; n++)
		assert_true(percent(standard[B_MISSES][n][EQUAL].regression, campaigns) >= 99);
}

/* Forty pairs of equal sides mostly pass, and what is five times the margin is found. */
TEST(test_power)
{
	size_t m;

	for (m = 0; m < NR_MODELS; m++)
		assert_true(at_most(standard[m][3][SLOWER].ok, 0.01));
	assert_true(at_least(standard[1][3][EQUAL].ok, 0.6));
	assert_true(at_least(standard[1][1][SLOWER].regression, 0.85));
	assert_true(at_least(standard[DRIFTING][1][SLOWER].regression, 0.85));
}

/* No more than alpha may pass at the margin or beyond it. */
TEST(test_named_margin)
{
	size_t n, e;

	for (n = 0; n < NR_NUMBERS; n++)
		for (e = 0; e < NR_EFFECTS; e++)
			assert_true(ok_is_rare(&named[n][e], e) && regression_is_rare(&named[n][e], e));
}

/* Looks stay within alpha, and an answer costs at most 70 % of the runs. */
TEST(test_sequential)
{
	const size_t clear[] = { 0, NR_EFFECTS - 1 };
	size_t i, n;

	for (i = 0; i < NR_EFFECTS; i++)
		assert_true(ok_is_rare(&sequential[i].found, i) && regression_is_rare(&sequential[i].found, i));
	for (i = 0; i < ARRAY_SIZE(clear); i++) {
		n = equal_power(clear[i]);
		assert_true(n && sequential[clear[i]].pairs / campaigns <= 0.7 * (double)n);
	}
}

/*
 * What is too rare to move p99.9. If both sides miss as many, nothing has changed. A window of a
 * millisecond within the budget is no miss: where the tail is light p99.99 finds it, in runs that
 * are long enough. In the heavy tail of the other models a window of 10000 takes 0.7 ms by itself.
 */
static const struct {
	struct model m;
	bool	 worse;			/* B is, */
	bool	 found;			/* and it is to be found */
	bool	 varies;		/* too much for 20 pairs to be OK */
} rare[] = {
	{ .m = { .name = "B misses 0.02 %, or is over the budget", .run = 0.10, .missed = { 0, 0.0002 } },
	  .worse = true, .found = true },
	{ .m = { .name = "neither misses any", .run = 0.10 } },
	{ .m = { .name = "both miss 0.001 %", .run = 0.10, .missed = { 0.00001, 0.00001 } } },
	{ .m = { .name = "both miss 0.02 %", .run = 0.10, .missed = { 0.0002, 0.0002 } }, .varies = true },
	{ .m = { .name = "0.02 % of B take 1 ms within the budget", .run = 0.10, .late = 0.0002, .windows = 40000 },
	  .worse = true },
	{ .m = { .name = "the same, p99.99 as a third metric", .run = 0.10, .late = 0.0002, .windows = 40000, .deep = true },
	  .worse = true, .found = true },
	{ .m = { .name = "the same in a light tail", .run = 0.10, .late = 0.0002, .windows = 40000, .deep = true,
	    .exponent = 4 }, .worse = true, .found = true },
	{ .m = { .name = "neither has any, p99.99 as a third metric", .run = 0.10, .windows = 40000, .deep = true },
	  .varies = true },
};

#define NR_RARE	ARRAY_SIZE(rare)

static struct shares rare_fixed[NR_RARE], rare_looks[NR_RARE];

static void simulate_rare(void)
{
	static struct campaign c;
	struct sequential at;
	uint64_t seed = tables_seed(&tables, 1);
	unsigned int i;
	size_t m;

	for (m = 0; m < NR_RARE; m++)
		for (i = 0; i < campaigns; i++) {
			draw(&c, &rare[m].m, &seed);
			count(&rare_fixed[m], decide_pairs(&c, 20, 0, 0.2).verdict);
			count(&rare_looks[m], decide_at(&c, PAIRS, 0, 0.2, &at).verdict);
		}
}

static bool rare_regression(size_t m, const struct shares *s)
{
	return rare[m].worse ? !rare[m].found || at_least(s->regression, 0.95) : at_most(s->regression, 0.01);
}

static bool rare_ok(size_t m, const struct shares *s)
{
	return rare[m].worse || rare[m].varies || at_least(s->ok, 0.85);
}

/* Runs of B that would be 12 times slower: they are kept, or end early and are made again. */
enum { KEPT, COUNTED, NOT_COUNTED, NR_MISSING };

static const char * const missing_names[NR_MISSING] = { "kept", "cut short and made again", "the same, not counted" };
static const double missing_shares[] = { 0.05, 0.1, 0.4 };
static struct shares missing[ARRAY_SIZE(missing_shares)][NR_MISSING];

static void simulate_missing(void)
{
	static struct campaign c;
	uint64_t seed = tables_seed(&tables, 5);
	unsigned int i, k, n;
	size_t m;

	for (m = 0; m < ARRAY_SIZE(missing_shares); m++)
		for (i = 0; i < campaigns; i++) {
			draw(&c, &(const struct model){ .run = 0.10, .terrible = missing_shares[m] }, &seed);
			count(&missing[m][KEPT], decide_pairs(&c, 20, 0, 0.2).verdict);
			draw(&c, &(const struct model){ .run = 0.10 }, &seed);
			for (k = n = 0; k < 20; k++)
				while (sim_uniform(&seed) < missing_shares[m])
					n++;
			count(&missing[m][COUNTED], decide_with(&c, 20, 0, 0.2, n, NULL).verdict);
			count(&missing[m][NOT_COUNTED], decide_pairs(&c, 20, 0, 0.2).verdict);
		}
}

/* Beside the kept ones OK is no rarer than it must be. */
static bool missing_ok(size_t m, size_t how)
{
	return how != COUNTED || missing_shares[m] < 0.4 || at_most(missing[m][how].ok, 0.01);
}

static void print_missing(void)
{
	size_t m, how;

	fputs("\n| B's runs that are 12 times slower, 20 pairs, margin 20 % | OK % | REGRESSION % |\n|---|---|---|\n", stdout);
	for (m = 0; m < ARRAY_SIZE(missing_shares); m++)
		for (how = 0; how < NR_MISSING; how++)
			printf("| %.0f %%, %s | %s | %.1f |\n", 100 * missing_shares[m], missing_names[how],
			       cell(missing[m][how].ok, campaigns, missing_ok(m, how)).text,
			       percent(missing[m][how].regression, campaigns));
}

TEST(test_missing)
{
	size_t m;

	for (m = 0; m < ARRAY_SIZE(missing_shares); m++)
		assert_true(missing_ok(m, COUNTED));
}

static void print_rare(void)
{
	const struct shares *f, *l;
	size_t m;

	fputs("\n| rare, run to run 10 % | 20 pairs, margin 20 %: OK % | REGRESSION % | sequential: OK % | REGRESSION % |\n|---|---|---|---|---|\n",
	      stdout);
	for (m = 0; m < NR_RARE; m++) {
		f = &rare_fixed[m];
		l = &rare_looks[m];
		printf("| %s | %s | %s | %s | %s |\n", rare[m].m.name,
		       cell(f->ok, f->all, rare_ok(m, f)).text,
		       cell(f->regression, f->all, rare_regression(m, f)).text,
		       cell(l->ok, l->all, rare_ok(m, l)).text,
		       cell(l->regression, l->all, rare_regression(m, l)).text);
	}
}

TEST(test_rare)
{
	size_t m;

	for (m = 0; m < NR_RARE; m++)
		if (!rare_regression(m, &rare_fixed[m]) || !rare_regression(m, &rare_looks[m]) ||
		    !rare_ok(m, &rare_fixed[m]) || !rare_ok(m, &rare_looks[m]))
			fail_msg("%s", rare[m].m.name);
}

/* The simpler rules give a false alarm more often, with drift or at all. */
TEST(test_naive_rules_fail)
{
	size_t i;

	for (i = 0; i < OURS; i++)
		assert_true(percent(naive[i][0], campaigns) > 5 ||
			    percent(naive[i][1], campaigns) > 5);
	assert_true(percent(naive[OURS][0], campaigns) <= 1 &&
		    percent(naive[OURS][1], campaigns) <= 1);
}

int main(int argc, char **argv)
{
	if (tables_read(&tables, CAMPAIGNS, argc, argv))
		return 129;
	if (tables.wanted)
		campaigns = tables.n;
	simulate();
	simulate_rare();
	simulate_missing();
	if (!tables.wanted)
		return unit_run(NULL, NULL);
	print_standard();
	print_named();
	print_sequential();
	print_rare();
	print_missing();
	print_naive();
	return 0;
}
