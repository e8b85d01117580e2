// SPDX-License-Identifier: GPL-2.0
/*
 * Episodes: how expiries join, on one CPU and over several, and how often the bounds hold that are
 * made of them. tables.h has what --tables does.
 */
#include <errno.h>
#include <math.h>

#include "sample.h"
#include "report/render.h"
#include "result/episodes.h"
#include "result/result.h"
#include "result/stats.h"
#include "simulation.h"
#include "tables.h"

#define MS		1000000ULL
#define RUN_WINDOWS	60000U		/* a minute at 1 ms */

#define assert_near(a, b, eps) do {					\
	double a_ = (a), b_ = (b);					\
	if (!(fabs(a_ - b_) <= (eps)))					\
		fail_msg("%s is %.12g, not %.12g", #a, a_, b_);		\
} while (0)

/* P(X <= k), X ~ Poisson(mean), the sum of the terms. */
static double poisson_cdf(unsigned int k, double mean)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i <= k; i++)
		sum += exp(i * log(mean) - mean - lgamma(i + 1));
	return sum;
}

/* By their definition; Fay and Feuer's are the same if all weights are equal. */
TEST(test_rates)
{
	unsigned int n;
	double upper, lower;

	for (n = 0; n < 400; n = 3 * n + 1) {
		upper = stats_rate_upper(n, 0.025);
		lower = stats_rate_lower(n, 0.025);
		assert_near(poisson_cdf(n, upper), 0.025, 1e-7);
		if (n)
			assert_near(1 - poisson_cdf(n - 1, lower), 0.025, 1e-7);
		else
			assert_near(lower, 0, 0);
		assert_near(stats_weighted_upper(7.0 * n, 49.0 * n, 7, 0.025), 7 * upper, 1e-6 * upper);
	}
	/* as Garwood's table has them */
	assert_near(stats_rate_lower(10, 0.025), 4.795, 1e-3);
	assert_near(stats_rate_upper(20, 0.025), 30.89, 1e-2);
	/* near the normal distribution */
	assert_near(stats_rate_upper(1e6, 0.05), 1e6 + 1.6449 * 1e3, 5);
}

static void add(struct episode_track *t, uint64_t from_ms, uint64_t to_ms, uint64_t count)
{
	const struct episode_piece p = { from_ms * MS, to_ms * MS, count };

	episodes_add(t, &p);
}

static void assert_gap(const struct episodes *e, size_t i, uint64_t n, uint64_t longest, uint64_t squares)
{
	assert_int_equal(e->at[i].n, n);
	assert_int_equal(e->at[i].longest, longest);
	assert_int_equal(e->at[i].squares, squares);
}

TEST(test_gaps)
{
	struct episode_track t;

	episodes_begin(&t, 2 * MS);
	assert_int_equal(t.e.at[EPISODE_GAPS - 1].gap_ns, 2048 * MS);
	add(&t, 10, 12, 3);
	add(&t, 14, 14, 1);	/* 2 ms after it */
	add(&t, 17, 17, 1);	/* 3 */
	add(&t, 1000, 1000, 1);
	assert_int_equal(t.e.over, 6);
	assert_gap(&t.e, 0, 3, 4, 16 + 1 + 1);
	assert_gap(&t.e, 1, 2, 5, 25 + 1);
	assert_gap(&t.e, 4, 2, 5, 25 + 1);
	assert_gap(&t.e, 5, 1, 6, 36);
	/* from the first to the last, and the gap */
	assert_int_equal(t.e.at[0].covered_ns, (4 + 2 + 0 + 2 + 0 + 2) * MS);
	assert_int_equal(t.e.at[1].covered_ns, (7 + 8 + 0 + 8) * MS);
	assert_int_equal(t.e.at[5].covered_ns, (990 + 2048) * MS);
	/* of 9 s, more than half is covered with none but the longest gaps */
	t.e.time_ns = 9000 * MS;
	assert_ptr_equal(episodes_chosen(&t.e), &t.e.at[4]);
	t.e.time_ns = 1000 * MS;
	assert_ptr_equal(episodes_chosen(&t.e), &t.e.at[3]);
	t.e.time_ns = 10 * MS;
	assert_ptr_equal(episodes_chosen(&t.e), &t.e.at[0]);
	episodes_unseen(&t.e, 10);
	assert_gap(&t.e, 5, 2, 10, 36 + 100);
	assert_int_equal(t.e.over, 16);
}

/* What happens on three CPUs at once is one episode. The order of reading does not matter. */
TEST(test_cpus)
{
	static const uint64_t none[3], tail[3] = { 4, 0, 0 };
	struct episode_watch *w = episodes_watch(3, MS);
	struct episodes e;
	uint64_t k;
	size_t i;

	assert_non_null(w);
	/* each is late at 100 ms, and misses two at 5000 */
	for (i = 0; i < 3; i++)
		for (k = 1; k < 9000; k++)
			if (k != 5000 && k != 5001)
				episodes_window(w, 2 - i, k * MS, k == 5002 ? 2 : 0, k == 100 + i);
	episodes_of_all(w, none, &e);
	assert_int_equal(e.over, 9);
	assert_gap(&e, 0, 2, 6, 9 + 36);
	assert_int_equal(episodes_over(w, 0), 3);
	episodes_of_cpu(w, 0, 0, &e);
	assert_gap(&e, 0, 2, 2, 1 + 4);
	/* the last four were missed, right after the last window */
	episodes_of_cpu(w, 0, 4, &e);
	assert_gap(&e, 0, 3, 4, 1 + 4 + 16);
	episodes_window(w, 0, 9000 * MS, 0, true);
	episodes_of_cpu(w, 0, 4, &e);
	assert_gap(&e, 0, 3, 5, 1 + 4 + 25);
	episodes_of_all(w, tail, &e);
	assert_gap(&e, 0, 3, 6, 9 + 36 + 25);
	/* what was asked for before the end does not change the end */
	episodes_of_all(w, none, &e);
	assert_gap(&e, 0, 3, 6, 9 + 36 + 1);
	episodes_watch_free(w);
}

/* One CPU is read first, with more late windows than wait for the others. */
TEST(test_far_behind)
{
	static const uint64_t none[2];
	struct episode_watch *w = episodes_watch(2, MS);
	struct episodes e;
	uint64_t k;

	assert_non_null(w);
	for (k = 1; k <= 20000; k++)
		episodes_window(w, 0, 100 * k * MS, 0, true);
	for (k = 1; k <= 20000; k++)
		episodes_window(w, 1, 100 * k * MS, 0, k == 20000);
	episodes_of_all(w, none, &e);
	assert_int_equal(e.over, 20001);
	assert_gap(&e, 0, 20000, 2, 19999 + 4);
	assert_gap(&e, 5, 1, 20001, 20001ULL * 20001);
	episodes_watch_free(w);
}

TEST(test_merge)
{
	struct episode_track a, b;

	episodes_begin(&a, 2 * MS);
	episodes_begin(&b, 2 * MS);
	add(&a, 10, 12, 3);
	add(&b, 10, 13, 4);
	a.e.time_ns = b.e.time_ns = 1000;
	episodes_merge(&a.e, &b.e);
	assert_int_equal(a.e.time_ns, 2000);
	assert_int_equal(a.e.over, 7);
	assert_gap(&a.e, 0, 2, 4, 9 + 16);
	a.e.at[0].squares = UINT64_MAX - 3;
	episodes_merge(&a.e, &b.e);
	assert_int_equal(a.e.at[0].squares, UINT64_MAX);
	/* of another period */
	episodes_begin(&b, 4 * MS);
	episodes_merge(&a.e, &b.e);
	assert_int_equal(a.e.n, 0);
	episodes_merge(&a.e, &b.e);
	assert_null(episodes_chosen(&a.e));
	assert_true(isnan(episodes_per_hour(&a.e, 0.05).upper));
}

/* "No episode in 60 s: fewer than 180 an hour." */
TEST(test_bounds)
{
	struct episode_track t;
	struct episode_rate rate;

	episodes_begin(&t, 2 * MS);
	t.e.time_ns = 60000 * MS;
	rate = episodes_per_hour(&t.e, 0.05);
	assert_near(rate.upper, 179.744, 1e-3);
	assert_near(rate.lower, 0, 0);
	/* nothing seen: an episode of 1, or of as many as is said */
	assert_near(episodes_share_upper(&t.e, 60000, 1, 0.05), 2.9957 / 60000, 1e-8);
	assert_near(episodes_share_upper(&t.e, 60000, 50, 0.05), 50 * 2.9957 / 60000, 1e-6);
	assert_near(episodes_share_lower(&t.e, 60000, 0.05), 0, 0);
	add(&t, 100, 119, 20);
	assert_near(episodes_share_upper(&t.e, 60000, 1, 0.05), 20 * 4.7439 / 60000, 1e-6);
	assert_near(episodes_share_lower(&t.e, 60000, 0.05), 20 * 0.0513 / 60000, 1e-7);
	assert_near(episodes_share_upper(&t.e, 20, 1, 0.05), 1, 0);
	/* two halves of a burst, 600 ms apart, are one for the next longer gap: twice as wide */
	add(&t, 719, 738, 20);
	rate = episodes_per_hour(&t.e, 0.025);
	assert_near(rate.found, 120, 1e-9);
	assert_near(rate.upper, 2 * 5.5716 * 60, 0.01);
	assert_near(rate.lower, 2 * 0.0253 * 60, 0.01);
}

/* Episodes of @length windows, @n of them, 3 s apart. */
static void make_late(struct result *r, unsigned int n, unsigned int length)
{
	struct episode_track t;
	unsigned int i;

	episodes_begin(&t, EPISODE_PERIODS * r->period_ns);
	for (i = 0; i < n; i++) {
		const struct episode_piece p = {
			(1 + 3 * i) * 1000000000ULL, (1 + 3 * i) * 1000000000ULL + (length - 1) * r->period_ns, length,
		};

		episodes_add(&t, &p);
	}
	r->episodes = r->all.episodes = t.e;
	r->episodes.time_ns = r->all.episodes.time_ns = 60000000000ULL;
	r->all.violations = (uint64_t)n * length;
}

/* How many are over the budget: no bound if all are, and never 1e+02 %. */
TEST(test_lines)
{
	static const struct {
		unsigned int n, length;
		const char *text, *confidence, *share;
	} said[] = {
		{ 0, 0, "over the budget or missed: none of 1 000",
		  "in this run, with 95 % confidence: fewer than 180 episodes an hour", NULL },
		{ 1, 1, "over the budget or missed: 1 of 1 000",
		  "in this run, with 95 % confidence: 1.5 to 335 episodes an hour",
		  "with the same confidence: less than 0.47 % of the expiries, if no episode has more than 1" },
		{ 1, 100, "over the budget or missed: 100 of 1 000, in one episode",
		  "in this run, with 95 % confidence: 1.5 to 335 episodes an hour",
		  "with the same confidence: less than 47 % of the expiries, if no episode has more than 100" },
		{ 20, 5, "over the budget or missed: 100 of 1 000, in 20 episodes, the longest of 5",
		  "in this run, with 95 % confidence: 732 to 1 860 episodes an hour",
		  "with the same confidence: less than 15 % of the expiries, if no episode has more than 5" },
		{ 1, 900, "over the budget or missed: 900 of 1 000, in one episode",
		  "in this run, with 95 % confidence: 1.5 to 335 episodes an hour", NULL },
		{ 1, 1000, "over the budget or missed: 1 000 of 1 000, in one episode", NULL, NULL },
	};
	char **lines = NULL;
	struct result r;
	size_t i;

	sample_empty(&r, 1);
	r.all.windows = r.all.hist[TLOB_METRIC_RESPONSE].n = 1000;
	for (i = 0; i < ARRAY_SIZE(said); i++) {
		make_late(&r, said[i].n, said[i].length);
		assert_int_equal(outcome_bounds(&lines, &r), 0);
		assert_string_equal(lines[0], said[i].text);
		if (said[i].confidence)
			assert_string_equal(lines[1], said[i].confidence);
		else
			assert_null(lines[1]);
		if (said[i].share)
			assert_string_equal(lines[2], said[i].share);
		else
			assert_true(!lines[1] || !lines[2]);
		notes_free(lines);
		lines = NULL;
	}
	/* with windows whose record was lost: the violations have them */
	make_late(&r, 20, 5);
	r.all.windows = 1010;
	r.all.lost = 10;
	assert_int_equal(outcome_bounds(&lines, &r), 0);
	assert_contains(lines[0], "missed: 100 of 1 010,");
	notes_free(lines);
	lines = NULL;
	/* where none were counted */
	r.episodes = r.all.episodes = (struct episodes){ 0 };
	assert_int_equal(outcome_bounds(&lines, &r), 0);
	assert_string_equal(lines[0], "over the budget or missed: 100 of 1 010");
	notes_free(lines);
	result_free(&r);
}

/* How the expiries of a burst lie. */
struct burst_model {
	const char *name;
	unsigned int length;
	unsigned int step;		/* from one to the next; 0: 1 */
	unsigned int split;		/* periods between its halves */
	bool	 random;		/* the length is exponential, @length its mean */
	bool	 singles;		/* and ten times as many of one window */
	double	 pareto;		/* the length is Pareto of this shape, @length its least */
	double	 lognormal;		/* the length is lognormal with this deviation, @length its median */
	bool	 late;			/* ten times as many in the second half of the run */
	unsigned int boots;		/* the rate of a run is gamma of this shape: another boot, another rate */
	bool	 hours;			/* the rate of a run is that of a moment of a day, from 0.1 to 1.9 */
};

static const struct burst_model models[] = {
	{ .name = "bursts of 1", .length = 1 },
	{ .name = "bursts of 5", .length = 5 },
	{ .name = "bursts of 20", .length = 20 },
	{ .name = "bursts of 100", .length = 100 },
	{ .name = "every third of 60", .length = 20, .step = 3 },
	{ .name = "20, in halves 100 periods apart", .length = 20, .split = 100 },
	{ .name = "20, in halves 700 periods apart", .length = 20, .split = 700 },
	{ .name = "100, in halves 1500 periods apart", .length = 100, .split = 1500 },
	{ .name = "random lengths, 20 in the mean", .length = 20, .random = true },
	{ .name = "bursts of 100, and ten times as many of 1", .length = 100, .singles = true },
	{ .name = "every 50th of 1000", .length = 20, .step = 50 },
	{ .name = "every 50th of 5000", .length = 100, .step = 50 },
	{ .name = "lengths Pareto, shape 1.5", .length = 5, .pareto = 1.5 },
	{ .name = "lengths Pareto, shape 1.1", .length = 5, .pareto = 1.1 },
	{ .name = "lengths lognormal, deviation 1.5", .length = 5, .lognormal = 1.5 },
	{ .name = "bursts of 20, ten times as many late in the run", .length = 20, .late = true },
	{ .name = "bursts of 20, a rate by boot, gamma of shape 4", .length = 20, .boots = 4 },
	{ .name = "bursts of 20, a rate by boot, gamma of shape 1", .length = 20, .boots = 1 },
	{ .name = "bursts of 20, a rate by hour", .length = 20, .hours = true },
};

static struct tables tables;

static const double bursts[] = { 0.3, 1, 3, 10, 30, 100 };	/* a run, in the mean */

/* By the times between events. */
static unsigned int poisson(uint64_t *seed, double mean)
{
	double at = -log(sim_uniform(seed));
	unsigned int n = 0;

	while (at < mean) {
		at -= log(sim_uniform(seed));
		n++;
	}
	return n;
}

#define MOST_OVER	200000U

static unsigned int add_burst(unsigned int *over, unsigned int n, const struct burst_model *m,
			      unsigned int length, uint64_t *seed)
{
	unsigned int start = (unsigned int)(sim_uniform(seed) * RUN_WINDOWS), i, at;

	if (m->late)
		start = start / 2 + (sim_uniform(seed) < 10.0 / 11 ? RUN_WINDOWS / 2 : 0);
	for (i = 0; i < length && n < MOST_OVER; i++) {
		at = start + i * (m->step ? m->step : 1) + (i >= length / 2 ? m->split : 0);
		if (at < RUN_WINDOWS)
			over[n++] = at;
	}
	return n;
}

static int ascending(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

static unsigned int draw_length(const struct burst_model *m, uint64_t *seed)
{
	double length = m->length;

	if (m->random)
		length = 1 - log(sim_uniform(seed)) * (length - 1);
	if (m->pareto > 0)
		length *= pow(sim_uniform(seed), -1 / m->pareto);
	if (m->lognormal > 0)
		length *= exp(m->lognormal * sim_gauss(seed));
	return (unsigned int)fmin(fmax(length, 1), RUN_WINDOWS);
}

/* How many times the mean rate a run has. */
static double draw_rate(const struct burst_model *m, uint64_t *seed)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < m->boots; i++)
		sum -= log(sim_uniform(seed)) / m->boots;
	if (m->hours)
		return 1 + 0.9 * sin(2 * M_PI * sim_uniform(seed));
	return m->boots ? sum : 1;
}

static void simulate(struct episodes *e, const struct burst_model *m, double mean, uint64_t *seed)
{
	static unsigned int over[MOST_OVER];
	unsigned int n = 0, i;
	struct episode_track t;

	for (i = poisson(seed, mean * draw_rate(m, seed)); i; i--)
		n = add_burst(over, n, m, draw_length(m, seed), seed);
	for (i = m->singles ? poisson(seed, 10 * mean) : 0; i; i--)
		n = add_burst(over, n, m, 1, seed);
	qsort(over, n, sizeof(over[0]), ascending);
	episodes_begin(&t, EPISODE_PERIODS * MS);
	for (i = 0; i < n; i++)
		if (!i || over[i] != over[i - 1])
			add(&t, over[i] + 1, over[i] + 1, 1);
	*e = t.e;
	e->time_ns = RUN_WINDOWS * MS;
}

enum { SHORTER, CHOSEN, LONGER, NR_SHIFTS };

/* How often each holds, in %. */
struct covered {
	double	 rate[NR_SHIFTS], share[NR_SHIFTS], trials;
};

/* Only the gap that is @shift places longer than the chosen one, and the one after it. */
static size_t shift_gap(struct episodes *e, int shift)
{
	int at = (int)(episodes_chosen(e) - e->at) + shift;

	at = at < 0 ? 0 : at > EPISODE_GAPS - 2 ? EPISODE_GAPS - 2 : at;
	e->at[0] = e->at[at];
	e->at[1] = e->at[at + 1];
	e->n = 2;
	return (size_t)at;
}

/* What is true is the mean of all runs, for the gap that each has. */
static void cover(struct covered *c, const struct burst_model *m, double mean, unsigned int runs)
{
	struct episodes *all = calloc(runs, sizeof(*all)), e;
	double n[EPISODE_GAPS] = { 0 }, share = 0, each = 100.0 / runs, truth;
	struct episode_rate rate;
	uint64_t seed = tables_seed(&tables, 1);
	unsigned int i;
	size_t k;

	assert_non_null(all);
	for (i = 0; i < runs; i++) {
		simulate(&all[i], m, mean, &seed);
		share += (double)all[i].over / RUN_WINDOWS / runs;
		for (k = 0; k < EPISODE_GAPS; k++)
			n[k] += (double)all[i].at[k].n / runs;
	}
	*c = (struct covered){ .share = { 100, 100, 100 } };
	for (i = 0; i < runs; i++) {
		for (k = 0; k < NR_SHIFTS; k++) {
			e = all[i];
			truth = n[shift_gap(&e, (int)k - CHOSEN)] * 60;
			rate = episodes_per_hour(&e, e.over ? BOUNDS_ALPHA / 2 : BOUNDS_ALPHA);
			c->rate[k] += rate.lower <= truth && truth <= rate.upper ? each : 0;
			c->share[k] -= e.over && episodes_share_upper(&e, RUN_WINDOWS, 1, BOUNDS_ALPHA) < share ? each : 0;
		}
		c->trials += stats_rate_upper((double)all[i].over, BOUNDS_ALPHA) / RUN_WINDOWS >= share ? each : 0;
	}
	free(all);
}

/* The least of all numbers of bursts. */
static void worst(struct covered *least, const struct burst_model *m, unsigned int runs)
{
	struct covered one;
	size_t i, k;

	*least = (struct covered){ { 100, 100, 100 }, { 100, 100, 100 }, 100 };
	for (i = 0; i < ARRAY_SIZE(bursts); i++) {
		cover(&one, m, bursts[i], runs);
		for (k = 0; k < NR_SHIFTS; k++) {
			least->rate[k] = fmin(least->rate[k], one.rate[k]);
			least->share[k] = fmin(least->share[k], one.share[k]);
		}
		least->trials = fmin(least->trials, one.trials);
	}
}

#define GOAL	93

/*
 * The seed is fixed, so these numbers are the same everywhere. Of 200 runs 3.6 % are two standard
 * deviations. A gap four times shorter need not join what the chosen one does.
 */
TEST(test_coverage)
{
	struct covered c;
	size_t i, k;

	for (i = 0; i < 8; i++) {
		worst(&c, &models[i], 200);
		for (k = models[i].split ? CHOSEN : SHORTER; k < NR_SHIFTS; k++)
			if (c.rate[k] < GOAL - 3.6 || c.share[k] < GOAL - 3.6)
				fail_msg("%s, gap %zu: the rate holds in %.1f %%, the share in %.1f %%",
					 models[i].name, k, c.rate[k], c.share[k]);
	}
	/* the same finds a bound that does not hold */
	worst(&c, &models[3], 200);
	assert_true(c.trials < 60);
}

static void print_tables(void)
{
	struct covered c;
	size_t i, k;

	puts("| over the budget, 0.3 to 100 bursts a run | rate, gap / 4 | rate | rate, gap * 4 | share, gap / 4 | share | share, gap * 4 | windows as trials |");
	puts("|---|---|---|---|---|---|---|---|");
	for (i = 0; i < ARRAY_SIZE(models); i++) {
		worst(&c, &models[i], tables.n);
		printf("| %s |", models[i].name);
		for (k = 0; k < NR_SHIFTS; k++)
			printf(" %s |", cell_of(c.rate[k], c.rate[k] >= GOAL).text);
		for (k = 0; k < NR_SHIFTS; k++)
			printf(" %s |", cell_of(c.share[k], c.share[k] >= GOAL).text);
		printf(" %.1f |\n", c.trials);
	}
}

int main(int argc, char **argv)
{
	if (tables_read(&tables, 1000, argc, argv))
		return 129;
	if (!tables.wanted)
		return unit_run(NULL, NULL);
	print_tables();
	return 0;
}
