// SPDX-License-Identifier: GPL-2.0
/*
 * Experiments on simulated machines, decided by the code that decides real ones. With --tables it
 * prints how often they are right, as docs/explanation/statistics.md has it; without, it checks
 * what the page promises on fewer experiments. simulation.h has the models.
 */
#include "simulation.h"
#include "try/experiment.h"

enum { EXPERIMENTS = 400, FEW = 40, IDLE = 0, LOADED = 1 };

#define RUN_S	4.5			/* of 3000 windows at 1 ms, with begin and end */

/* A machine: how its settings change the tail, ln, and the episodes of a run, as a factor. */
struct machine {
	const char *name;
	const struct model *m;
	unsigned int nsettings;
	double	 (*tail)(uint32_t set, unsigned int condition);
	double	 (*episodes)(uint32_t set, unsigned int condition);	/* in a run, mean; NULL: 0 */
	uint32_t useful;		/* what an experiment may say that helps */
	uint32_t harmful;
};

static const struct model exact = { .name = "exact" };
static const struct model plain = { .name = "runs differ by 10 %", .run = 0.10 };

struct world {
	const struct machine *machine;
	struct sim_series series[2];
	uint64_t seed;
	double	 now_s;
	size_t	 runs;
	/* of e->shared: what each run has given, 0: not made */
	double	 made[1 << 6][2][SEQUENTIAL_MOST][TRY_METRICS];
};

/* With the model `exact` a run has no chance in it, like in a deterministic guest. */
static void measure(struct world *w, uint32_t set, unsigned int condition, double value[TRY_METRICS])
{
	const struct machine *m = w->machine;
	double tail = m->tail(set, condition);
	double mean = m->episodes ? m->episodes(set, condition) : 0;
	struct sim_run run;

	w->now_s += RUN_S;
	w->runs++;
	if (m->m == &exact) {
		value[TRY_TAIL] = sim_seen(SIM_TAIL_NS, expm1(tail));
		value[TRY_EPISODES] = mean;
		return;
	}
	sim_next(&w->series[condition], 0, &run);
	value[TRY_TAIL] = sim_worst(m->m, &run, expm1(tail));
	value[TRY_EPISODES] = mean > 0 ? sim_poisson(&w->seed, mean * exp(0.3 * sim_gauss(&w->seed))) : 0;
}

/* The run of a set that serves all questions. */
static void measure_once(struct world *w, uint32_t set, const struct try_step *s, double value[TRY_METRICS])
{
	double *made = w->made[set][s->condition][s->pair];

	if (!made[TRY_TAIL])
		measure(w, set, s->condition, made);
	memcpy(value, made, sizeof(w->made[0][0][0]));
}

static void carry_out(struct experiment *e, const struct machine *m, uint64_t seed, struct world *w)
{
	double with[TRY_METRICS], without[TRY_METRICS];
	struct try_step step;

	*w = (struct world){ .machine = m, .seed = seed };
	w->series[0] = sim_begin(m->m, &w->seed, 1000);
	w->series[1] = sim_begin(m->m, &w->seed, 1000);
	e->nsettings = m->nsettings;
	e->run_s = RUN_S;
	assert_int_equal(experiment_begin(e), 0);
	while (experiment_next(e, w->now_s, &step)) {
		bool first = unit_random(&w->seed) % 2;

		if (e->shared) {
			measure_once(w, step.with, &step, with);
			measure_once(w, step.without, &step, without);
		} else {
			measure(w, first ? step.with : step.without, step.condition, first ? with : without);
			measure(w, first ? step.without : step.with, step.condition, first ? without : with);
		}
		assert_int_equal(experiment_take(e, &step, with, without), 0);
	}
	assert_int_equal(experiment_finish(e), 0);
}

static struct experiment plan(void)
{
	return (struct experiment){ .nconditions = 2, .alpha = 0.05, .margin = 0.1, .within_s = INFINITY };
}

static uint32_t said(const struct experiment *e, enum try_verdict v)
{
	uint32_t set = 0;
	unsigned int i;

	for (i = 0; i < e->nsettings; i++)
		if (experiment_verdict(e, i) == v)
			set |= 1U << i;
	return set;
}

/* ---- machines ---- */

static double nothing(uint32_t set, unsigned int condition)
{
	return 0;
}

/*
 * 0 takes 30 % off, 1 nothing, 2 and 3 together a third of what is left, 4 adds a quarter under
 * load only, 5 nothing.
 */
static double mixed(uint32_t set, unsigned int condition)
{
	double x = 0;

	x += set & 1 ? log(0.7) : 0;
	x += (set & 12) == 12 ? log(0.67) : 0;
	x += set & 16 && condition == LOADED ? log(1.25) : 0;
	return x;
}

/* Either of 0 and 1 is enough. */
static double either(uint32_t set, unsigned int condition)
{
	return set & 3 ? log(0.7) : 0;
}

/* 0 switches rare long gaps off, which are beyond p99.9. */
static double gaps(uint32_t set, unsigned int condition)
{
	return set & 1 ? 0.2 : 4;
}

static double steady(uint32_t set, unsigned int condition)
{
	return 3;
}

/* ---- what must hold for each of them ---- */

static const struct machine exact_mixed = { "exact", &exact, 6, mixed, NULL, 13, 16 };

TEST(exact_is_exact)
{
	struct experiment e = plan();
	struct world w;

	carry_out(&e, &exact_mixed, 7, &w);
	assert_int_equal(said(&e, TRY_HELPS), 13);
	assert_int_equal(said(&e, TRY_HURTS), 16);
	assert_int_equal(said(&e, TRY_SAME), 34);
	assert_int_equal(e.set, 13);
	/* the sizes, up to a bucket */
	assert_true(fabs(e.question[e.answer[0]].at[IDLE].at[TRY_TAIL].by - log(0.7)) < 0.02);
	assert_true(fabs(e.question[e.answer[3]].at[LOADED].at[TRY_TAIL].by - log(0.67)) < 0.02);
	assert_true(fabs(e.question[e.answer[4]].at[LOADED].at[TRY_TAIL].by - log(1.25)) < 0.02);
	assert_int_equal(e.question[e.answer[4]].at[IDLE].verdict, TRY_SAME);
	/* in the set that is left */
	assert_int_equal(e.question[e.answer[0]].with, 13);
	experiment_free(&e);
}

/* Alone neither of two that help only together does anything. */
TEST(each_finds_no_pair)
{
	struct experiment e = plan();
	struct world w;

	e.each = true;
	carry_out(&e, &exact_mixed, 7, &w);
	assert_int_equal(said(&e, TRY_HELPS), 1);
	assert_int_equal(said(&e, TRY_HURTS), 16);
	assert_int_equal(e.set, 1);
	experiment_free(&e);
}

TEST(one_of_two_is_enough)
{
	static const struct machine m = { "either", &exact, 3, either, NULL, 3, 0 };
	struct experiment e = plan();
	struct world w;

	carry_out(&e, &m, 7, &w);
	assert_int_equal(said(&e, TRY_HELPS), 2);
	assert_int_equal(e.set, 2);
	experiment_free(&e);
}

TEST(tail_has_no_gaps)
{
	static const struct machine m = { "gaps", &plain, 2, nothing, gaps, 1, 0 };
	struct experiment e = plan();
	struct world w;

	carry_out(&e, &m, 7, &w);
	assert_true(said(&e, TRY_HELPS) & 1);
	assert_false(said(&e, TRY_HURTS));
	assert_int_equal(e.question[e.answer[0]].at[IDLE].at[TRY_EPISODES].verdict, TRY_HELPS);
	experiment_free(&e);
}

/* Time is shared, and none is taken beyond it. */
TEST(time_is_kept)
{
	static const struct machine m = { "noisy", &plain, 6, mixed, steady, 13, 16 };
	struct experiment e = plan();
	unsigned int i, asked = 0;
	struct world w;

	e.within_s = 3600;
	carry_out(&e, &m, 11, &w);
	assert_true(w.now_s <= 3600);
	for (i = 0; i < e.nsettings; i++)
		asked += e.answer[i] >= 0;
	assert_int_equal(asked, 6);
	experiment_free(&e);
}

/* An experiment that ends before its first look stays open. It has an estimate without bounds. */
TEST(early_end_is_estimated)
{
	const struct contrast *at;
	struct experiment e;
	struct world w;
	unsigned int n, c;

	for (n = 1; n < 2 * SEQUENTIAL_FIRST; n++) {
		e = plan();
		e.within_s = 2 * RUN_S * n;
		carry_out(&e, &exact_mixed, 7, &w);
		for (c = 0; c < e.nconditions; c++) {
			at = &e.question[0].at[c];
			assert_int_equal(at->n, (n + !c) / 2);
			assert_int_equal(at->verdict, TRY_OPEN);
			if (!at->n)
				continue;
			assert_true(fabs(at->at[TRY_TAIL].by - mixed(63, c)) < 0.02);
			assert_false(isfinite(at->at[TRY_TAIL].lower) || isfinite(at->at[TRY_TAIL].upper));
		}
		experiment_free(&e);
	}
}

/* The estimate at the begin is kept. */
TEST(runs_are_foretold)
{
	static const struct machine m = { "nothing", &exact, 6, nothing, NULL, 0, 0 };
	struct experiment e = plan();
	size_t least, most;
	struct world w;

	carry_out(&e, &m, 7, &w);
	experiment_runs(&e, &least, &most);
	assert_int_equal(w.runs, least);
	experiment_free(&e);
	e = plan();
	carry_out(&e, &exact_mixed, 7, &w);
	experiment_runs(&e, &least, &most);
	assert_in_range(w.runs, least, most);
	experiment_free(&e);
}

/* A run that fails with a setting is a verdict; the others are tried. */
TEST(failing_is_a_verdict)
{
	double with[TRY_METRICS] = { 1000, 0 }, without[TRY_METRICS] = { 1000, 0 };
	struct experiment e = plan();
	struct try_step step;

	e.nsettings = 3;
	assert_int_equal(experiment_begin(&e), 0);
	while (experiment_next(&e, 0, &step)) {
		with[TRY_TAIL] = step.with & 2 ? 500 : 1000;
		if (step.with & 4)
			experiment_failed(&e, &step, true);
		else
			assert_int_equal(experiment_take(&e, &step, with, without), 0);
	}
	assert_int_equal(experiment_finish(&e), 0);
	assert_int_equal(said(&e, TRY_FAILS), 4);
	assert_int_equal(said(&e, TRY_HELPS), 2);
	assert_int_equal(said(&e, TRY_SAME), 1);
	experiment_free(&e);
}

/* Missed with and without it: the runs cannot show a difference. */
TEST(missed_is_not_equal)
{
	const double missed[TRY_METRICS] = { INFINITY, 0 };
	struct experiment e = plan();
	struct try_step step;

	e.nsettings = 1;
	assert_int_equal(experiment_begin(&e), 0);
	while (experiment_next(&e, 0, &step))
		assert_int_equal(experiment_take(&e, &step, missed, missed), 0);
	assert_int_equal(experiment_finish(&e), 0);
	assert_int_equal(experiment_verdict(&e, 0), TRY_OPEN);
	experiment_free(&e);
}

/* What cannot be tried any longer leaves the questions; the others are asked again. */
TEST(excluded_is_not_asked)
{
	double with[TRY_METRICS] = { 500, 0 }, without[TRY_METRICS] = { 1000, 0 };
	struct experiment e = plan();
	struct try_step step;
	size_t n = 0;

	e.nsettings = 3;
	assert_int_equal(experiment_begin(&e), 0);
	while (experiment_next(&e, 0, &step)) {
		if (++n == 4)
			experiment_exclude(&e, 1);
		if (n == 4)
			continue;
		assert_true(n < 4 || !(step.with & 2));
		with[TRY_TAIL] = 1000 - 250.0 * __builtin_popcount(step.with);
		without[TRY_TAIL] = 1000 - 250.0 * __builtin_popcount(step.without);
		assert_int_equal(experiment_take(&e, &step, with, without), 0);
	}
	assert_int_equal(experiment_finish(&e), 0);
	assert_int_equal(said(&e, TRY_HELPS), 5);
	assert_int_equal(e.answer[1], -1);
	assert_int_equal(e.set, 5);
	assert_int_equal(experiment_all(&e)->with, 5);
	experiment_free(&e);
}

/* "All together" is asked of two settings or more. */
TEST(excluded_leave_no_all)
{
	struct experiment e = plan();
	struct try_step step;

	e.nsettings = 3;
	assert_int_equal(experiment_begin(&e), 0);
	assert_true(experiment_next(&e, 0, &step));
	experiment_exclude(&e, 1);
	assert_int_equal(experiment_all(&e)->with, 5);
	experiment_exclude(&e, 0);
	assert_true(experiment_next(&e, 0, &step));
	assert_int_equal(e.question[step.question].kind, TRY_ALONE);
	assert_int_equal(step.with, 4);
	assert_null(experiment_all(&e));
	experiment_exclude(&e, 2);
	assert_false(experiment_next(&e, 0, &step));
	experiment_free(&e);
}

/* ---- how often they are right ---- */

struct shares {
	unsigned int wrong, found[TRY_SETTINGS];
	double	 minutes;
};

static struct shares repeat(const struct machine *m, double within_s, unsigned int times, bool shared)
{
	struct shares s = { 0 };
	unsigned int t, i;
	struct world w;

	for (t = 0; t < times; t++) {
		struct experiment e = plan();
		uint32_t helps, hurts;

		e.within_s = within_s;
		e.shared = shared;
		carry_out(&e, m, 0x9e3779b97f4a7c15 * (t + 1), &w);
		helps = said(&e, TRY_HELPS);
		hurts = said(&e, TRY_HURTS);
		s.wrong += (helps & ~m->useful) || (hurts & ~m->harmful);
		for (i = 0; i < m->nsettings; i++)
			s.found[i] += (helps & m->useful & 1U << i) || (hurts & m->harmful & 1U << i);
		s.minutes += w.now_s / 60 / times;
		experiment_free(&e);
	}
	return s;
}

static const struct model ugly[] = {
	{ .name = "runs differ by 10 %", .run = 0.10 },
	{ .name = "runs differ by 17 %", .run = 0.17 },
	{ .name = "drift, 5 % from run to run", .run = 0.10, .drift = 0.05 },
	{ .name = "an SMI in 10 % of the runs", .run = 0.10, .smi = 0.10 },
	{ .name = "an SMI in 20 % of the runs", .run = 0.10, .smi = 0.20 },
	{ .name = "every other boot 30 % slower", .run = 0.05, .slow_boots = 0.3 },
	{ .name = "50 % slower from the middle on", .run = 0.10, .step = 0.41, .throttled = true },
	{ .name = "every second run 1.5 times slower", .run = 0.10, .every_second = 0.5 },
	{ .name = "memory lies in one of three ways", .run = 0.05, .trimodal = true },
	{ .name = "a heavier tail, GPD with shape 0.5", .run = 0.15, .exponent = 2 },
};

TEST(nothing_is_named)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < 3; i++) {
		const struct machine m = { ugly[i].name, &ugly[i], 4, nothing, steady, 0, 0 };

		wrong += repeat(&m, INFINITY, FEW / 3, false).wrong;
	}
	assert_in_range(wrong, 0, FEW / 20);
}

/*
 * A set that one question has chosen is measured by the same runs in the next one. Only where no time
 * passes between runs: what drifts would look like an effect.
 */
TEST(shared_runs_name_nothing)
{
	static const unsigned int timeless[] = { 0, 1, ARRAY_SIZE(ugly) - 1 };
	unsigned int i, wrong = 0;

	for (i = 0; i < ARRAY_SIZE(timeless); i++) {
		const struct machine m = { ugly[timeless[i]].name, &ugly[timeless[i]], 4, nothing, NULL, 0, 0 };

		wrong += repeat(&m, INFINITY, FEW / 3, true).wrong;
	}
	assert_in_range(wrong, 0, FEW / 20);
}

/* The same verdicts as with runs of its own for each question, from fewer runs. */
TEST(shared_runs_serve_all)
{
	struct experiment e = plan();
	size_t least, most, own;
	struct world w;

	carry_out(&e, &exact_mixed, 7, &w);
	own = w.runs;
	assert_int_equal(experiment_measured(&e), own);
	experiment_free(&e);
	e = plan();
	e.shared = true;
	carry_out(&e, &exact_mixed, 7, &w);
	assert_int_equal(said(&e, TRY_HELPS), 13);
	assert_int_equal(said(&e, TRY_HURTS), 16);
	assert_int_equal(e.set, 13);
	experiment_runs(&e, &least, &most);
	assert_in_range(w.runs, least, most);
	assert_int_equal(experiment_measured(&e), w.runs);
	assert_true(w.runs * 10 < own * 7);
	experiment_free(&e);
}

/* ---- the tables ---- */

static double sought;			/* what setting 0 takes off the tail, a share */

static double by_one(uint32_t set, unsigned int condition)
{
	return set & 1 ? log1p(-sought) : 0;
}

static void print_false(void)
{
	unsigned int i;

	puts("| four settings that do nothing, idle and one load | an experiment names one, % | minutes |\n|---|---|---|");
	for (i = 0; i < ARRAY_SIZE(ugly); i++) {
		const struct machine m = { ugly[i].name, &ugly[i], 4, nothing, steady, 0, 0 };
		struct shares s = repeat(&m, INFINITY, EXPERIMENTS, false);

		printf("| %s | %.1f | %.0f |\n", m.name, 100.0 * s.wrong / EXPERIMENTS, s.minutes);
	}
}

static void print_power(void)
{
	static const double minutes[] = { 15, 30, 60, 120, INFINITY }, effects[] = { 0.1, 0.2, 0.3, 0.5 };
	unsigned int i, k;

	puts("\n| one of four settings takes so much off p99.9: found in % | 10 % | 20 % | 30 % | 50 % | another named, % |\n|---|---|---|---|---|---|");
	for (i = 0; i < ARRAY_SIZE(minutes); i++) {
		const struct machine m = { "one", &ugly[0], 4, by_one, NULL, 1, 0 };
		unsigned int wrong = 0;

		if (isfinite(minutes[i]))
			printf("| within %.0f minutes |", minutes[i]);
		else
			printf("| without a limit |");
		for (k = 0; k < ARRAY_SIZE(effects); k++) {
			struct shares s;

			sought = effects[k];
			s = repeat(&m, 60 * minutes[i], EXPERIMENTS, false);
			wrong += s.wrong;
			printf(" %.1f |", 100.0 * s.found[0] / EXPERIMENTS);
		}
		printf(" %.1f |\n", 100.0 * wrong / EXPERIMENTS / k);
	}
}

static void print_mixed(void)
{
	unsigned int i;

	puts("\n| six settings | one by 30 % | two by 33 % together | one hurts by 25 % under load | another named, % | minutes |\n|---|---|---|---|---|---|");
	for (i = 0; i < ARRAY_SIZE(ugly); i++) {
		const struct machine m = { ugly[i].name, &ugly[i], 6, mixed, NULL, 13, 16 };
		struct shares s = repeat(&m, INFINITY, EXPERIMENTS, false);

		printf("| %s | %.1f | %.1f | %.1f | %.1f | %.0f |\n", m.name, 100.0 * s.found[0] / EXPERIMENTS,
		       100.0 * (s.found[2] < s.found[3] ? s.found[2] : s.found[3]) / EXPERIMENTS,
		       100.0 * s.found[4] / EXPERIMENTS, 100.0 * s.wrong / EXPERIMENTS, s.minutes);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--tables")) {
		print_false();
		print_power();
		print_mixed();
		return 0;
	}
	return unit_run(NULL, NULL);
}
