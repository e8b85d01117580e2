// SPDX-License-Identifier: GPL-2.0
/*
 * How often gate --history is right: simulated histories, judged by the code that screens and
 * confirms real ones. tables.h has what --tables does: docs/how-to/history.md shows its rows.
 *
 * A session has five runs, whose p99.9 differs by 17 % from run to run; an SMI makes 10 % of the runs
 * 4 to 20 times slower. All runs of a session share 5 %. The machine drifts: a random walk from
 * session to session.
 */
#include "simulation.h"
#include "tables.h"
#include "compare/decision.h"
#include "history/screening.h"
#include "result/stats.h"

#define RUN_SD		0.17
#define SESSION_SD	0.05
#define SMI_SHARE	0.10
#define NS		200000.0

enum {
	RUNS = 5,
	BEFORE = 20, SESSIONS = 20,	/* that make a baseline, and that are counted */
	NIGHTS = 10,			/* after a change */
	WEEKS = 8, OF_WEEK = 5,		/* of a creep */
	MOST = BEFORE + WEEKS * OF_WEEK,
	HISTORIES = 2000, FEW = 40,
};

/* A machine with its history. Each session has a build of its own. */
struct machine {
	uint64_t seed;
	double	 tau;			/* of the walk, from session to session */
	double	 level;
	double	 effect[MOST];		/* ln of what each build is slower by */
	struct session session[MOST];
	struct session_run run[MOST][RUNS];
	char	 build[MOST][8];
	size_t	 n;
	size_t	 runs;			/* of confirmations */
};

static struct tables tables;

static double run_of(struct machine *m, double level)
{
	double x = exp(level + RUN_SD * sim_gauss(&m->seed));

	if (sim_uniform(&m->seed) < SMI_SHARE)
		x *= 4 * pow(5, sim_uniform(&m->seed));
	return sim_seen(NS * x, 0);
}

/* Both builds at one time, so the machine's level cancels. */
static enum decision_verdict compared(struct machine *m, double old, double new)
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
	return d.verdict;
}

/* The session that the last one of @s is compared with; NULL: it passes. */
static const struct session *suspected(const struct series *s)
{
	double last[SCREEN_SESSIONS];
	struct screening k = { .value = session_median(s->at[s->n - 1], VALUE_RESPONSE_P999) };
	size_t i = s->n - 1;

	while (i-- && k.n < SCREEN_SESSIONS)
		if (s->at[i]->state == SESSION_ACCEPTED)
			last[k.n++] = session_median(s->at[i], VALUE_RESPONSE_P999);
	screening_judge(&k, last);
	assert_int_equal(screening_look_back(&k.step, s, VALUE_RESPONSE_P999, SCREEN_MARGIN), 0);
	if (k.step.from)
		return k.step.against;
	return k.beyond ? screening_reference(s, s->n - 1) : NULL;
}

/* Adds a session of a build that is slower by @effect. */
static struct session *measured(struct machine *m, double effect)
{
	struct session *s = &m->session[m->n];
	double level;
	size_t i;

	m->level += m->tau * sim_gauss(&m->seed);
	level = m->level + SESSION_SD * sim_gauss(&m->seed);
	for (i = 0; i < RUNS; i++)
		m->run[m->n][i].value[VALUE_RESPONSE_P999] = run_of(m, level + effect);
	m->effect[m->n] = effect;
	snprintf(m->build[m->n], sizeof(m->build[m->n]), "v%zu", m->n);
	*s = (struct session){ .number = (unsigned int)++m->n, .state = SESSION_OPEN, .nruns = RUNS };
	return s;
}

/* Returns whether a session of a build that is slower by @effect fails. */
static bool session(struct machine *m, double effect)
{
	static char * const names[] = { (char *)"OK", (char *)"REGRESSION", (char *)"INCONCLUSIVE" };
	const struct session *old, *at[MOST];
	struct session *s = measured(m, effect);
	struct series series = { .at = at, .n = m->n };
	enum decision_verdict verdict = VERDICT_OK;
	size_t i;

	/* a copy of the machine has its sessions elsewhere */
	for (i = 0; i < m->n; i++) {
		m->session[i].build = m->build[i];
		m->session[i].run = m->run[i];
		at[i] = &m->session[i];
	}
	old = suspected(&series);
	if (old) {
		s->against = old->number;
		verdict = compared(m, m->effect[old->number - 1], effect);
	}
	s->verdict = names[verdict];
	s->state = verdict == VERDICT_REGRESSION ? SESSION_REJECTED : SESSION_ACCEPTED;
	return verdict == VERDICT_REGRESSION;
}

static const double taus[] = { 0, 0.02, 0.05 };
static const double effects[] = { 0.15, 0.2, 0.3, 0.5 };

#define NR_EFFECTS	ARRAY_SIZE(effects)

/* What happens in the histories of one machine. */
struct rates {
	unsigned int sessions, alarms;	/* without a change */
	size_t	 runs;			/* of their confirmations */
	unsigned int histories;		/* with a change of each size: */
	unsigned int by[NR_EFFECTS][NIGHTS]; /* found within so many nights, less one */
};

/* The same machine before each change. */
static void try_changes(struct rates *r, const struct machine *before)
{
	static struct machine m;
	unsigned int night;
	size_t e;

	for (e = 0; e < NR_EFFECTS; e++) {
		m = *before;
		for (night = 0; night < NIGHTS && !session(&m, log1p(effects[e])); night++)
			;
		for (; night < NIGHTS; night++)
			r->by[e][night]++;
	}
	r->histories++;
}

/* Sessions are counted after those that only make a baseline; then comes a change. */
static struct rates find_rates(double tau, unsigned int histories)
{
	static struct machine m;
	struct rates r = { 0 };
	unsigned int h, i;

	for (h = 0; h < histories; h++) {
		m = (struct machine){ .seed = tables_seed(&tables, 36 + h), .tau = tau };
		for (i = 0; i < BEFORE; i++)
			session(&m, 0);
		m.runs = 0;
		for (i = 0; i < SESSIONS; i++)
			r.alarms += session(&m, 0);
		r.sessions += SESSIONS;
		r.runs += m.runs;
		try_changes(&r, &m);
	}
	return r;
}

static double percent(unsigned int n, unsigned int of)
{
	return 100.0 * n / of;
}

static void print_rates(double tau)
{
	struct rates r = find_rates(tau, tables.n);
	double alarms = percent(r.alarms, r.sessions);
	size_t e;

	printf("| %g %% | %s%.2f%s | %.1f |", 100 * tau, alarms > 0.3 ? "**" : "", alarms, alarms > 0.3 ? "**" : "",
	       (double)RUNS + (double)r.runs / r.sessions);
	for (e = 0; e < NR_EFFECTS; e++)
		printf(" %.0f / %.0f / %.0f |", percent(r.by[e][0], r.histories), percent(r.by[e][2], r.histories),
		       percent(r.by[e][NIGHTS - 1], r.histories));
	putchar('\n');
}

/* Each build is slower than the one before it. */
static const double creeps[] = { 0.0025, 0.005, 0.01, 0.02 };

struct creep {
	unsigned int by_night, by_week;	/* histories in which it was found */
	double	 slower[TABLES_MOST];	/* when a weekly comparison found it */
};

static void find_creep(struct creep *c, double creep, unsigned int histories)
{
	static struct machine m;
	unsigned int h, night;
	bool by_night, by_week;

	*c = (struct creep){ 0 };
	for (h = 0; h < histories; h++) {
		m = (struct machine){ .seed = tables_seed(&tables, 3600 + h), .tau = 0.02 };
		for (night = 0; night < BEFORE; night++)
			session(&m, 0);
		by_night = by_week = false;
		for (night = 1; night <= WEEKS * OF_WEEK; night++) {
			by_night |= session(&m, night * creep);
			if (night % OF_WEEK || by_week || compared(&m, 0, night * creep) != VERDICT_REGRESSION)
				continue;
			by_week = true;
			c->slower[c->by_week] = expm1(night * creep);
			c->by_week++;
		}
		c->by_night += by_night;
	}
}

static void print_creep(double creep)
{
	static struct creep c;

	find_creep(&c, creep, tables.n);
	printf("| %g %% | %.0f %% | %.0f | %.0f | ", 100 * creep, 100 * expm1(WEEKS * OF_WEEK * creep),
	       percent(c.by_night, tables.n), percent(c.by_week, tables.n));
	if (c.by_week)
		printf("%.0f %% |\n", 100 * stats_median(c.slower, c.by_week));
	else
		puts("- |");
}

static void print_tables(void)
{
	size_t i;

	puts("| drift a session | false alarms % | runs a session | +15 %: at once / in three / in ten | +20 % | +30 % | +50 % |\n"
	     "|---|---|---|---|---|---|---|");
	for (i = 0; i < ARRAY_SIZE(taus); i++)
		print_rates(taus[i]);
	puts("\n| slower by, a session | after 40 | found by the nights % | by the weeks % | then slower by |\n"
	     "|---|---|---|---|---|");
	for (i = 0; i < ARRAY_SIZE(creeps); i++)
		print_creep(creeps[i]);
}

/* One machine has few histories here: what ten nights find is the sum of all of them. */
TEST(test_rates)
{
	unsigned int found = 0, of = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(taus); i++) {
		struct rates r = find_rates(taus[i], tables.n);

		assert_true(at_most_of(r.alarms, r.sessions, 0.003));
		assert_true(at_least_of(r.by[3][0], r.histories, 0.85));
		assert_true(at_least_of(r.by[3][2], r.histories, 0.97));
		assert_true(r.runs / r.sessions <= 15);
		found += r.by[1][NIGHTS - 1];
		of += r.histories;
	}
	assert_true(at_least_of(found, of, 0.55));
}

/* What few nights find, the weekly comparison does, at some 20 %. */
TEST(test_creep)
{
	static struct creep c;

	find_creep(&c, 0.01, tables.n);
	assert_true(at_least_of(c.by_week, tables.n, 0.95));
}

int main(int argc, char **argv)
{
	if (tables_read(&tables, argc > 1 ? HISTORIES : FEW, argc, argv))
		return 129;
	if (!tables.wanted)
		return unit_run(NULL, NULL);
	print_tables();
	return 0;
}
