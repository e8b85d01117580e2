// SPDX-License-Identifier: GPL-2.0
/*
 * How often `try` is right: experiments on simulated machines, decided by the code that decides real
 * ones. tables.h has what --tables does. Tails and events are drawn directly, not from windows.
 */
#include "simulation.h"
#include "tables.h"
#include "try/experiment.h"

enum {
	SETTINGS = 6, EXPERIMENTS = 2000, FEW = 40,
	EXPIRIES = 60000,		/* of a minute at 1 ms, on each CPU */
};

#define P999_SD		0.08		/* of a run of so many windows by itself: simulation.h has 14 % for a third */
#define P999_NS		160000.0
#define AN_HOUR(n)	((n) / 60.0)	/* in a run */
#define GROUPED		3		/* gaps that do not join the episodes of a group */

struct tail_model {
	const char *name;
	double	 run, smi;		/* standard deviation of ln between runs; share of runs with an SMI */
};

/* What a setting does. */
struct effect {
	const char *name;
	double	 tail;			/* ln */
	double	 removes;		/* episodes of a run, or groups of them */
	double	 steady;		/* of runs with and without */
	unsigned int length, cpus;	/* of an episode; that are measured */
	unsigned int group;		/* episodes of a group; 0: single ones */
};

static const struct tail_model models[] = {
	{ "runs differ by 10 %", 0.10, 0 },
	{ "runs differ by 17 %", 0.17, 0 },
	{ "an SMI in 5 % of the runs", 0.10, 0.05 },
	{ "an SMI in 20 % of the runs", 0.10, 0.20 },
};

static struct tables tables;

static double draw_tail(const struct tail_model *m, uint64_t *seed, double effect)
{
	double x = effect + hypot(m->run, P999_SD) * sim_gauss(seed);

	if (sim_uniform(seed) < m->smi)
		x += log(4) + log(5) * sim_uniform(seed);
	return sim_seen(P999_NS * exp(x), 0);
}

/* @n episodes, or groups of them, that are far apart. */
static struct events events_of(const struct effect *f, unsigned int n)
{
	const unsigned int group = f->group ? f->group : 1;
	struct events e = { .expiries = (uint64_t)EXPIRIES * f->cpus, .late = (uint64_t)n * group * f->length };
	size_t i;

	e.e = (struct episodes){ .time_ns = EXPIRIES * 1000000ULL, .over = e.late, .n = EPISODE_GAPS };
	for (i = 0; i < EPISODE_GAPS; i++) {
		const uint64_t length = (uint64_t)f->length * (i < GROUPED ? 1 : group);
		struct episode_row *row = &e.e.at[i];

		*row = (struct episode_row){ .gap_ns = 2000000ULL << 2 * i, .n = i < GROUPED ? n * group : n };
		row->longest = n ? length : 0;
		row->squares = row->n * length * length;
		row->covered_ns = row->n * (row->gap_ns + length * 1000000);
	}
	return e;
}

/* Their rate varies from run to run. */
static struct try_value draw(const struct tail_model *m, const struct effect *f, bool with, uint64_t *seed)
{
	double mean = f->steady + (with ? 0 : f->removes);

	return (struct try_value){
		.tail = draw_tail(m, seed, with ? f->tail : 0), .resolution = 1.0 / TLOB_HIST_SUB,
		.events = events_of(f, mean > 0 ? sim_poisson(seed, mean * exp(0.3 * sim_gauss(seed))) : 0),
	};
}

struct outcome {
	unsigned int found, named, same;	/* settings that help; experiments that name one; no difference */
};

/*
 * One experiment with the first settings of six, which do by turns what [0] and [1] say. The verdict
 * on the first needs nothing of the others but their share of alpha.
 */
static void carry_out(struct outcome *o, const struct tail_model *m, const struct effect f[], unsigned int settings,
		      uint64_t seed)
{
	struct experiment e = {
		.nsettings = SETTINGS, .nconditions = 1, .alpha = 0.05, .margin = 0.1, .within_s = INFINITY,
	};
	struct try_step s;
	bool named = false;
	unsigned int i;

	assert_int_equal(experiment_begin(&e), 0);
	while (experiment_next(&e, 0, &s) && s.setting < settings) {
		const struct effect *of = &f[s.setting % 2];
		struct try_value v[2] = { draw(m, of, false, &seed), draw(m, of, true, &seed) };

		assert_int_equal(experiment_take(&e, &s, v), 0);
	}
	for (i = 0; i < settings; i++) {
		enum try_verdict v = experiment_verdict(&e, i);

		o->found += v == TRY_HELPS;
		named = named || v == TRY_HURTS || v == TRY_HELPS;
		o->same += v == TRY_SAME;
	}
	o->named += named;
	experiment_free(&e);
}

static struct outcome repeat(const struct tail_model *m, const struct effect f[], unsigned int settings)
{
	struct outcome o = { 0 };
	unsigned int i;

	for (i = 0; i < tables.n; i++)
		carry_out(&o, m, f, settings, tables_seed(&tables, 0x9e3779b97f4a7c15 * (i + 1)));
	return o;
}

static double percent(unsigned int n)
{
	return 100.0 * n / tables.n;
}

static const struct effect nothing[2] = {
	{ .steady = AN_HOUR(400), .length = 1, .cpus = 1 },
	{ .steady = AN_HOUR(400), .length = 20, .cpus = 1 },
};

static const struct effect removes[] = {
	{ "all of 400 single events", .removes = AN_HOUR(400), .length = 1, .cpus = 1 },
	{ "on four CPUs", .removes = AN_HOUR(400), .length = 1, .cpus = 4 },
	{ "all of 400 bursts of 20", .removes = AN_HOUR(400), .length = 20, .cpus = 1 },
	{ "all of 20 groups of 20", .removes = AN_HOUR(20), .length = 1, .cpus = 1, .group = 20 },
	{ "half of 800 single events", .removes = AN_HOUR(400), .steady = AN_HOUR(400), .length = 1, .cpus = 1 },
};

static const struct effect faster[] = {
	{ "10 %", .tail = -0.105361, .length = 1, .cpus = 1 },
	{ "20 %", .tail = -0.223144, .length = 1, .cpus = 1 },
	{ "30 %", .tail = -0.356675, .length = 1, .cpus = 1 },
	{ "50 %", .tail = -0.693147, .length = 1, .cpus = 1 },
};

TEST(nothing_is_named)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(models); i++)
		assert_true(at_most_of(repeat(&models[i], nothing, SETTINGS).named, tables.n, 0.05));
}

TEST(removed_is_found)
{
	size_t i;

	for (i = 0; i < 3; i++) {
		struct outcome o = repeat(&models[i], &removes[i], 1);

		assert_true(at_least_of(o.found, tables.n, 0.9));
		assert_int_equal(o.same, 0);
	}
}

TEST(faster_is_found)
{
	assert_true(at_least_of(repeat(&models[0], &faster[2], 1).found, tables.n, 0.9));
	assert_true(at_least_of(repeat(&models[1], &faster[3], 1).found, tables.n, 0.9));
}

static void print_header(const char *first, const struct effect of[], size_t n, const char *last)
{
	size_t i;

	printf("| %s |", first);
	for (i = 0; i < n; i++)
		printf(" %s |", of[i].name);
	printf("%s\n|---|", last);
	for (i = 0; i < n + !!*last; i++)
		printf("---|");
	puts("");
}

static void print_nothing(void)
{
	unsigned int i;

	puts("| six settings that do nothing | one is named, % |\n|---|---|");
	for (i = 0; i < ARRAY_SIZE(models); i++) {
		double named = percent(repeat(&models[i], nothing, SETTINGS).named);

		printf("| %s | %s |\n", models[i].name, cell_of(named, named <= 5).text);
	}
}

/* How often each is found; the goals are for the first @goals of them. */
static void print_found(const struct tail_model *m, const struct effect of[], size_t n, size_t goals,
			unsigned int *same)
{
	size_t i;

	printf("| %s |", m->name);
	for (i = 0; i < n; i++) {
		struct outcome o = repeat(m, &of[i], 1);

		printf(" %s |", cell_of(percent(o.found), i >= goals || percent(o.found) >= 90).text);
		*same += o.same;
	}
}

static void print_events(void)
{
	const unsigned int n = ARRAY_SIZE(removes);
	unsigned int i, same;

	puts("");
	print_header("one of six settings removes in an hour: found, %", removes, n, " no difference, % |");
	for (i = 0; i < ARRAY_SIZE(models); i++) {
		same = 0;
		print_found(&models[i], removes, n, 3, &same);
		printf(" %s |\n", cell_of(percent(same) / n, percent(same) <= 5 * n).text);
	}
}

static void print_tails(void)
{
	static const struct effect without_events = { .length = 1, .cpus = 1 };
	unsigned int i, same = 0;

	puts("");
	print_header("one of six settings takes off p99.9: found, %", faster, ARRAY_SIZE(faster), " nothing: no difference, % |");
	for (i = 0; i < ARRAY_SIZE(models); i++) {
		print_found(&models[i], faster, ARRAY_SIZE(faster), 0, &same);
		printf(" %.1f |\n", percent(repeat(&models[i], &without_events, 1).same));
	}
}

int main(int argc, char **argv)
{
	if (tables_read(&tables, argc > 1 ? EXPERIMENTS : FEW, argc, argv))
		return 129;
	if (!tables.wanted)
		return unit_run(NULL, NULL);
	print_nothing();
	print_events();
	print_tails();
	return 0;
}
