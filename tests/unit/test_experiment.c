// SPDX-License-Identifier: GPL-2.0
/*
 * Experiments on simulated machines, decided by the code that decides real ones. With --tables it
 * prints how often they are right, as docs/explanation/statistics.md has it; without, it checks
 * what the page promises on fewer experiments. simulation.h has the models.
 */
#include "simulation.h"
#include "try/experiment.h"

enum { EXPERIMENTS = 400, FEW = 120, IDLE = 0, LOADED = 1 };

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
			measure_once(w, step.set, &step, with);
			measure_once(w, 0, &step, without);
		} else {
			measure(w, first ? step.set : 0, step.condition, first ? with : without);
			measure(w, first ? 0 : step.set, step.condition, first ? without : with);
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
		if (experiment_verdict(e, TRY_ALONE(i)) == v)
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

/* 0 and 1 take a third off, but only together. */
static double only_both(uint32_t set, unsigned int condition)
{
	return (set & 3) == 3 ? log(0.67) : 0;
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

static const struct machine exact_mixed = { "exact", &exact, 6, mixed, NULL, 1, 16 };

TEST(exact_is_exact)
{
	struct experiment e = plan();
	struct world w;

	carry_out(&e, &exact_mixed, 7, &w);
	assert_int_equal(said(&e, TRY_HELPS), 1);
	assert_int_equal(said(&e, TRY_HURTS), 16);
	assert_int_equal(said(&e, TRY_SAME), 46);
	assert_int_equal(experiment_verdict(&e, TRY_ALL), TRY_HELPS);
	assert_false(experiment_only_together(&e));
	/* the sizes, up to a bucket */
	assert_true(fabs(e.question[TRY_ALONE(0)].at[IDLE].at[TRY_TAIL].by - log(0.7)) < 0.02);
	assert_true(fabs(e.question[TRY_ALL].at[IDLE].at[TRY_TAIL].by - log(0.7 * 0.67)) < 0.02);
	assert_true(fabs(e.question[TRY_ALONE(4)].at[LOADED].at[TRY_TAIL].by - log(1.25)) < 0.02);
	assert_int_equal(e.question[TRY_ALONE(4)].at[IDLE].verdict, TRY_SAME);
	assert_true(experiment_keeps(&e, 0));
	assert_false(experiment_keeps(&e, 2));
	experiment_free(&e);
}

/* Then all are kept, except what hurts alone. */
TEST(some_help_only_together)
{
	static const struct machine both = { "both", &exact, 3, only_both, NULL, 0, 0 };
	struct experiment e = plan();
	struct world w;
	unsigned int i;

	carry_out(&e, &both, 7, &w);
	assert_int_equal(said(&e, TRY_SAME), 7);
	assert_true(experiment_only_together(&e));
	for (i = 0; i < 3; i++)
		assert_true(experiment_keeps(&e, i));
	e.question[TRY_ALONE(2)].at[IDLE].verdict = TRY_HURTS;
	assert_true(experiment_only_together(&e));
	assert_true(experiment_keeps(&e, 1));
	assert_false(experiment_keeps(&e, 2));
	experiment_free(&e);
}

/* Alone neither of two that help only together does anything. */
TEST(each_does_not_ask_all)
{
	struct experiment e = plan();
	struct world w;

	e.each = true;
	carry_out(&e, &exact_mixed, 7, &w);
	assert_int_equal(said(&e, TRY_HELPS), 1);
	assert_int_equal(said(&e, TRY_HURTS), 16);
	assert_int_equal(e.question[TRY_ALL].set, 0);
	assert_int_equal(experiment_verdict(&e, TRY_ALL), TRY_OPEN);
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
	assert_int_equal(e.question[TRY_ALONE(0)].at[IDLE].at[TRY_EPISODES].verdict, TRY_HELPS);
	experiment_free(&e);
}

/* None is taken beyond it, and all questions that are open are equally far. */
TEST(time_is_kept)
{
	static const struct machine m = { "nothing", &plain, 6, nothing, steady, 0, 0 };
	struct experiment e;
	struct world w;
	unsigned int minutes, q, c;

	for (minutes = 1; minutes < 60; minutes += 7) {
		size_t least = SIZE_MAX, most = 0;

		e = plan();
		e.within_s = 60 * minutes;
		carry_out(&e, &m, 11, &w);
		assert_true(w.now_s <= 60 * minutes);
		for (q = 0; q < TRY_ALONE(6); q++)
			for (c = 0; c < e.nconditions; c++) {
				size_t looks = contrast_looks(e.question[q].at[c].n);

				if (e.question[q].at[c].verdict != TRY_OPEN)
					continue;
				least = looks < least ? looks : least;
				most = looks > most ? looks : most;
			}
		assert_in_range(most, least, least + 1);
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
	assert_int_equal(least, 7 * 2 * 8 * 2);
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
		with[TRY_TAIL] = step.set & 2 ? 500 : 1000;
		if (step.set & 4)
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

/* One failed run is no verdict, nor are two between which runs without the setting failed. */
TEST(failures_in_a_row)
{
	struct experiment e = plan();
	struct try_step step;

	e.nsettings = 1;
	assert_int_equal(experiment_begin(&e), 0);
	assert_true(experiment_next(&e, 0, &step));
	assert_int_equal(experiment_failed(&e, &step, true), 1);
	assert_int_equal(experiment_failed(&e, &step, false), 1);
	assert_int_equal(experiment_verdict(&e, TRY_ALONE(0)), TRY_OPEN);
	assert_int_equal(experiment_failed(&e, &step, true), 2);
	assert_int_equal(experiment_verdict(&e, TRY_ALONE(0)), TRY_FAILS);
	assert_int_equal(experiment_failed(&e, &step, false), 1);
	assert_false(experiment_next(&e, 0, &step));
	experiment_free(&e);
}

/* What cannot be tried any longer leaves the questions; all together are asked again. */
TEST(excluded_is_not_asked)
{
	double with[TRY_METRICS] = { 500, 0 }, without[TRY_METRICS] = { 1000, 0 };
	struct experiment e = plan();
	struct try_step step;
	size_t n = 0;

	e.nsettings = 3;
	assert_int_equal(experiment_begin(&e), 0);
	while (experiment_next(&e, 0, &step)) {
		if (++n == 20)
			experiment_exclude(&e, 1);
		if (n == 20)
			continue;
		assert_true(n < 20 || !(step.set & 2));
		with[TRY_TAIL] = 1000 - 250.0 * __builtin_popcount(step.set);
		assert_int_equal(experiment_take(&e, &step, with, without), 0);
	}
	assert_int_equal(experiment_finish(&e), 0);
	assert_int_equal(said(&e, TRY_HELPS), 5);
	assert_int_equal(e.question[TRY_ALL].set, 5);
	assert_int_equal(experiment_verdict(&e, TRY_ALL), TRY_HELPS);
	assert_true(fabs(e.question[TRY_ALL].at[IDLE].at[TRY_TAIL].by - log(0.5)) < 0.02);
	assert_false(experiment_keeps(&e, 1));
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
	assert_int_equal(step.question, TRY_ALL);
	experiment_exclude(&e, 1);
	assert_int_equal(e.question[TRY_ALL].set, 5);
	experiment_exclude(&e, 0);
	assert_true(experiment_next(&e, 0, &step));
	assert_int_equal(step.question, TRY_ALONE(2));
	assert_int_equal(step.set, 4);
	assert_int_equal(e.question[TRY_ALL].set, 0);
	experiment_exclude(&e, 2);
	assert_false(experiment_next(&e, 0, &step));
	experiment_free(&e);
}

/* ---- how often they are right ---- */

struct shares {
	unsigned int wrong, together, found[TRY_SETTINGS];
	double	 minutes;
};

/* A verdict on all together that the machine does not have, under any condition. */
static bool is_false(const struct machine *m, enum try_verdict v)
{
	const uint32_t all = (1U << m->nsettings) - 1;
	double idle = m->tail(all, IDLE), loaded = m->tail(all, LOADED);

	return (v == TRY_HELPS && idle >= 0 && loaded >= 0) || (v == TRY_HURTS && idle <= 0 && loaded <= 0);
}

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
		s.wrong += (helps & ~m->useful) || (hurts & ~m->harmful) || is_false(m, experiment_verdict(&e, TRY_ALL));
		s.together += experiment_only_together(&e);
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

/* Only where no time passes between runs: what drifts would look like an effect. */
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
	assert_int_equal(said(&e, TRY_HELPS), 1);
	assert_int_equal(said(&e, TRY_HURTS), 16);
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

	puts("\n| six settings | one by 30 % | one hurts by 25 % under load | another named, % | two only together, by 33 % | another named, % | minutes |\n|---|---|---|---|---|---|---|");
	for (i = 0; i < ARRAY_SIZE(ugly); i++) {
		const struct machine alone = { ugly[i].name, &ugly[i], 6, mixed, NULL, 1, 16 };
		const struct machine both = { ugly[i].name, &ugly[i], 6, only_both, NULL, 0, 0 };
		struct shares a = repeat(&alone, INFINITY, EXPERIMENTS, false);
		struct shares b = repeat(&both, INFINITY, EXPERIMENTS, false);

		printf("| %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f |\n", alone.name, 100.0 * a.found[0] / EXPERIMENTS,
		       100.0 * a.found[4] / EXPERIMENTS, 100.0 * a.wrong / EXPERIMENTS, 100.0 * b.together / EXPERIMENTS,
		       100.0 * b.wrong / EXPERIMENTS, (a.minutes + b.minutes) / 2);
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
