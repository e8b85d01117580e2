// SPDX-License-Identifier: GPL-2.0
/*
 * How often gate --history is right: simulated histories, judged by the code that screens and
 * confirms real ones. With --tables it prints the tables of docs/how-to/history.md, to the last
 * digit, with --row the last row of them; without, it checks what the page promises on fewer histories.
 *
 * A session has five runs, whose p99.9 differs by 17 % from run to run; an SMI makes 10 % of the runs
 * 4 to 20 times slower. All runs of a session share 5 %. The machine drifts: a random walk from
 * session to session.
 */
#include "simulation.h"
#include "compare/decision.h"
#include "history/screening.h"
#include "result/stats.h"

#define RUN_SD		0.17
#define SESSION_SD	0.05
#define SMI_SHARE	0.10
#define NS		200000.0

enum {
	RUNS = 5,
	BEFORE = 20, SESSIONS = 100,	/* that make a baseline, and that are counted */
	MOST = BEFORE + SESSIONS + 3,
	HISTORIES = 200, CREEPS = 200,
};

struct machine {
	uint64_t seed;
	double	 tau;			/* of the walk, from session to session */
	double	 level;
	double	 effect[MOST];		/* ln of what each build is slower by */
	double	 median[MOST];		/* of each session */
	size_t	 accepted[MOST];	/* sessions, in order */
	size_t	 n, naccepted;
	size_t	 runs;			/* of confirmations */
};

static double run_of(struct machine *m, double level)
{
	double x = exp(level + RUN_SD * sim_gauss(&m->seed));

	if (sim_uniform(&m->seed) < SMI_SHARE)
		x *= 4 * pow(5, sim_uniform(&m->seed));
	return sim_seen(NS * x, 0);
}

/* Both builds at one time, so the machine's level cancels. */
static bool confirmed(struct machine *m, double old, double new)
{
	const struct rule rule = { .alpha = 0.05, .margin = SCREEN_MARGIN };
	double a[SEQUENTIAL_MOST], b[SEQUENTIAL_MOST];
	struct decision d = { .a = a, .b = b, .n = SEQUENTIAL_MOST, .resolution = 1.0 / TLOB_HIST_SUB };
	struct sequential at;
	size_t i;

	for (i = 0; i < SEQUENTIAL_MOST; i++) {
		a[i] = run_of(m, old);
		b[i] = run_of(m, new);
	}
	assert_int_equal(decide_sequentially(&d, 1, &rule, &at), 0);
	m->runs += 2 * at.pairs;
	return d.verdict == VERDICT_REGRESSION;
}

static bool screened(struct machine *m)
{
	double last[SCREEN_SESSIONS];
	struct screening s = { .value = m->median[m->n] };

	while (s.n < SCREEN_SESSIONS && s.n < m->naccepted) {
		last[s.n] = m->median[m->accepted[m->naccepted - 1 - s.n]];
		s.n++;
	}
	screening_judge(&s, last);
	return s.beyond;
}

/* A session of a build that is slower by @effect. Returns whether it fails. */
static bool session(struct machine *m, double effect)
{
	double run[RUNS], level;
	size_t i, ref;
	bool fails = false;

	m->level += m->tau * sim_gauss(&m->seed);
	level = m->level + SESSION_SD * sim_gauss(&m->seed);
	for (i = 0; i < RUNS; i++)
		run[i] = run_of(m, level + effect);
	m->median[m->n] = stats_median(run, RUNS);
	m->effect[m->n] = effect;
	if (m->naccepted && screened(m)) {
		ref = m->naccepted > SCREENING_REFERENCE ? m->naccepted - SCREENING_REFERENCE : 0;
		fails = confirmed(m, m->effect[m->accepted[ref]], effect);
	}
	if (!fails)
		m->accepted[m->naccepted++] = m->n;
	m->n++;
	return fails;
}

/* What happens in the histories of one machine. */
struct rates {
	unsigned int sessions, alarms;	/* without a change */
	size_t	 runs;			/* of their confirmations */
	unsigned int changes;		/* of each size: */
	unsigned int at_once[3], in_three[3];
};

static const double taus[] = { 0, 0.02, 0.05 };
static const double effects[] = { 0.2, 0.3, 0.5 };

/* The same machine before each change. */
static void try_changes(struct rates *r, const struct machine *before)
{
	struct machine m;
	unsigned int night;
	size_t e;

	for (e = 0; e < ARRAY_SIZE(effects); e++) {
		m = *before;
		for (night = 0; night < 3 && !session(&m, log1p(effects[e])); night++)
			;
		r->at_once[e] += !night;
		r->in_three[e] += night < 3;
	}
	r->changes++;
}

/* @histories of some 100 sessions; a tenth of the sessions is also the last before a change. */
static struct rates find_rates(double tau, unsigned int histories)
{
	static struct machine m;
	struct rates r = { 0 };
	unsigned int h, i;

	for (h = 0; h < histories; h++) {
		m = (struct machine){ .seed = 36 + h, .tau = tau };
		for (i = 0; i < BEFORE + SESSIONS; i++) {
			bool alarm = session(&m, 0);

			if (i == BEFORE)
				m.runs = 0;
			if (i < BEFORE)
				continue;
			r.alarms += alarm;
			r.sessions++;
			if (i % 10 == 9)
				try_changes(&r, &m);
		}
		r.runs += m.runs;
	}
	return r;
}

static double percent(unsigned int n, unsigned int of)
{
	return 100.0 * n / of;
}

static void print_rates(size_t row)
{
	struct rates r = find_rates(taus[row], HISTORIES);
	size_t e;

	printf("| %g %% | %.2f | %.1f |", 100 * taus[row], percent(r.alarms, r.sessions),
	       (double)RUNS + (double)r.runs / r.sessions);
	for (e = 0; e < ARRAY_SIZE(effects); e++)
		printf(" %.0f / %.0f |", percent(r.at_once[e], r.changes), percent(r.in_three[e], r.changes));
	putchar('\n');
}

/* Each build is slower than the one before it, for eight weeks of five nights. */
static const double creeps[] = { 0.0025, 0.005, 0.01, 0.02 };

struct creep {
	unsigned int by_night, by_week;	/* histories in which it was found */
	double	 slower[CREEPS];	/* when a weekly comparison found it */
};

static struct creep find_creep(double creep, unsigned int histories)
{
	static struct machine m;
	struct creep c = { 0 };
	unsigned int h, night;
	bool by_night, by_week;

	for (h = 0; h < histories; h++) {
		m = (struct machine){ .seed = 3600 + h, .tau = 0.02 };
		for (night = 0; night < BEFORE; night++)
			session(&m, 0);
		by_night = by_week = false;
		for (night = 1; night <= 40; night++) {
			by_night |= session(&m, night * creep);
			if (night % 5 || by_week || !confirmed(&m, 0, night * creep))
				continue;
			by_week = true;
			c.slower[c.by_week] = expm1(night * creep);
			c.by_week++;
		}
		c.by_night += by_night;
	}
	return c;
}

static void print_creep(size_t row)
{
	struct creep c = find_creep(creeps[row], CREEPS);

	printf("| %g %% | %.0f %% | %.0f | %.0f | ", 100 * creeps[row], 100 * expm1(40 * creeps[row]),
	       percent(c.by_night, CREEPS), percent(c.by_week, CREEPS));
	if (c.by_week)
		printf("%.0f %% |\n", 100 * stats_median(c.slower, c.by_week));
	else
		puts("- |");
}

static void print_tables(void)
{
	size_t i;

	puts("| drift a session | false alarms % | runs a session | +20 %: at once / in three | +30 % | +50 % |\n"
	     "|---|---|---|---|---|---|");
	for (i = 0; i < ARRAY_SIZE(taus); i++)
		print_rates(i);
	puts("\n| slower by, a session | after 40 | found by the nights % | by the weeks % | then slower by |\n"
	     "|---|---|---|---|---|");
	for (i = 0; i < ARRAY_SIZE(creeps); i++)
		print_creep(i);
}

/* Beyond chance no more than @share. */
static bool at_most(unsigned int n, unsigned int of, double share)
{
	return n <= of * share + 3 * sqrt(of * share * (1 - share));
}

TEST(test_rates)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(taus); i++) {
		struct rates r = find_rates(taus[i], HISTORIES / 20);

		assert_true(at_most(r.alarms, r.sessions, 0.002));
		assert_true(at_most(r.changes - r.at_once[2], r.changes, 0.15));
		assert_true(at_most(r.changes - r.in_three[2], r.changes, 0.03));
		assert_true(r.runs / r.sessions <= 15);
	}
}

/* What no night finds, the weekly comparison does, at some 20 %. */
TEST(test_creep)
{
	struct creep c = find_creep(0.01, CREEPS / 10);

	assert_true(at_most(c.by_night, CREEPS / 10, 0.5));
	assert_true(at_most(CREEPS / 10 - c.by_week, CREEPS / 10, 0.05));
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--tables"))
		print_tables();
	else if (argc > 1 && !strcmp(argv[1], "--row"))
		print_creep(ARRAY_SIZE(creeps) - 1);
	else
		return unit_run(NULL, NULL);
	return 0;
}
