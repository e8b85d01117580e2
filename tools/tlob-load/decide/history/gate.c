// SPDX-License-Identifier: GPL-2.0
/* From the results of a session to its verdict, by the history. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "compare/compare_render.h"
#include "history/gate.h"
#include "history/names.h"
#include "result/comparable.h"
#include "util/error.h"

/* Of a session: the median of each statistic over its runs, and the events of all. */
struct measured {
	double	 median[STATISTICS_MAX];
	struct events events;
};

/* @files: of a new one, or NULL. 0 or -errno, printed. */
static int measure(struct measured *m, const struct gating *g, const struct session *s, char *const files[])
{
	double *all = calloc(STATISTICS_MAX * s->nruns, sizeof(*all));
	char path[HISTORY_PATH];
	unsigned int k;
	size_t i;
	int err = 0;

	if (!all)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < s->nruns && !err; i++) {
		struct campaign_run run = { 0 };

		err = campaign_run_load(&run, files ? files[i] : history_path(path, g->h.dir, s, i),
					g->compare.statistic, g->compare.nstatistics);
		for (k = 0; k < g->compare.nstatistics && !err; k++)
			all[k * s->nruns + i] = run.value[k];
		if (!err && i)
			events_add(&m->events, &run.events);
		else
			m->events = run.events;
		campaign_run_free(&run);
	}
	for (k = 0; k < g->compare.nstatistics && !err; k++)
		m->median[k] = stats_median(all + k * s->nruns, s->nruns);
	free(all);
	return err;
}

/* Finds the session of these results in the history, or adds it. */
static int take_session(struct gating *g)
{
	const struct compare_config *o = g->o;
	struct session new = { .state = SESSION_OPEN }, *same = NULL;
	struct measured measured;
	unsigned int number = 0;
	int err = session_name(&new, &o->names);

	if (!err)
		err = session_measure(&new, o->a, o->na);
	if (!err)
		err = history_same(&g->h, &new, o->a, &same);
	if (same)
		number = same->number;
	/* what has no number for a statistic is refused before it is added */
	if (!err && !same)
		err = measure(&measured, g, &new, o->a);
	if (!err && !same)
		err = history_add(g->h.dir, &new, o->a);
	if (!err && !same) {
		number = new.number;
		history_free(&g->h);
		err = history_read(&g->h, o->history, false);
	}
	session_free(&new);
	g->s = err ? NULL : history_find(&g->h, number);
	return err || g->s ? err : fail(-ENOENT, "session %u was removed", number);
}

/* An empty baseline accepts whatever comes: not where there is one that cannot be measured. */
static int refuse_unmeasured(const struct gating *g, size_t unmeasured)
{
	return fail(-ENODATA, "session %u is not judged: none of the accepted sessions before it (%zu) has all of its numbers: give a --metric that they have, or reject them with tlob-load history",
		    g->s->number, unmeasured);
}

static void screen_statistic(struct gating *g, unsigned int k, const struct measured *now,
			     const struct measured before[], size_t n)
{
	struct screening *s = &g->screening[k];
	double session[SCREEN_SESSIONS];
	size_t i;

	*s = (struct screening){ .n = n, .value = now->median[k], .events = now->events };
	for (i = 0; i < n; i++)
		session[i] = before[i].median[k];
	for (i = 0; i < n; i++)
		if (i)
			events_add(&s->before, &before[i].events);
		else
			s->before = before[i].events;
	if (g->compare.statistic[k].kind == STATISTIC_MISS_RATE)
		screening_judge_events(s);
	else
		screening_judge(s, session);
}

/* Only the numbers that session.json keeps are known of all sessions. */
static int look_back(struct gating *g, unsigned int k)
{
	unsigned int v;

	for (v = 0; v < SESSION_VALUES; v++)
		if (!strcmp(session_values[v], g->compare.statistic[k].text) &&
		    screening_look_back(&g->screening[k].step, &g->series, v, g->compare.margin))
			return fail(-ENOMEM, "out of memory");
	return 0;
}

static int screen(struct gating *g)
{
	struct measured before[SCREEN_SESSIONS], now;
	size_t i = g->series.n - 1, n = 0, unmeasured = 0;
	unsigned int k;
	int err;

	while (i-- && n < SCREEN_SESSIONS) {
		if (g->series.at[i]->state != SESSION_ACCEPTED)
			continue;
		/* it has been named: its results are gone, or have too few windows */
		if (measure(&before[n], g, g->series.at[i], NULL))
			unmeasured++;
		else
			n++;
	}
	err = unmeasured && !n ? refuse_unmeasured(g, unmeasured) : measure(&now, g, g->s, NULL);
	for (k = 0; k < g->compare.nstatistics && !err; k++) {
		screen_statistic(g, k, &now, before, n);
		err = look_back(g, k);
	}
	return err;
}

/* The first statistic that needs a confirmation, one with a step before others; or NULL. */
static const struct screening *suspect(const struct gating *g)
{
	const struct screening *found = NULL;
	unsigned int k;

	for (k = 0; k < g->compare.nstatistics; k++) {
		if (g->screening[k].step.from)
			return &g->screening[k];
		if (g->screening[k].beyond && !found)
			found = &g->screening[k];
	}
	return found;
}

/* The session to compare with: the oldest one that a step has. NULL: none. */
static const struct session *reference(const struct gating *g)
{
	/* one that a call before has chosen stays, unless it was removed meanwhile */
	const struct session *found = history_find(&g->h, g->s->against), *against;
	unsigned int k;

	if (found)
		return found;
	for (k = 0; k < g->compare.nstatistics; k++) {
		against = g->screening[k].step.against;
		if (against && (!found || against->number < found->number))
			found = against;
	}
	return found ? found : screening_reference(&g->series, g->series.n - 1);
}

static int because(struct session *s, const char *why)
{
	free(s->because);
	s->because = strdup(why);
	return s->because ? 0 : fail(-ENOMEM, "out of memory");
}

/* Says which facts make this session the first of its series: since the last one of its host, or of any. */
static void explain_first(const struct gating *g)
{
	struct campaign_run old = { 0 }, new = { 0 };
	char path[2][HISTORY_PATH], why[MEANING_LINE], **list = NULL, **at;
	size_t n = (size_t)(g->s - g->h.at), i = n;

	if (!n)
		return;
	while (i && (!g->s->host || !g->h.at[i - 1].host || strcmp(g->h.at[i - 1].host, g->s->host)))
		i--;
	i = i ? i - 1 : n - 1;
	if (!campaign_run_read(&old, history_path(path[0], g->h.dir, &g->h.at[i], 0)) &&
	    !campaign_run_read(&new, history_path(path[1], g->h.dir, g->s, 0)) &&
	    !facts_differ(&list, &old.r, &new.r, path[1], NULL, false))
		for (at = list; at && *at; at++)
			warning("since session %u: %s", g->h.at[i].number, *at);
	if (old.r.ncpus && new.r.ncpus && campaign_unequal(&old.r, &new.r, path[1], why))
		warning("since session %u: %s", g->h.at[i].number, why);
	notes_free(list);
	campaign_run_free(&old);
	campaign_run_free(&new);
}

/* Keeps what was decided. A state that is open says that it is not. */
static int conclude(struct gating *g, enum session_state state)
{
	int err = 0;

	g->s->state = state;
	free(g->s->verdict);
	g->s->verdict = strdup(verdict_name(g->verdict));
	if (!g->s->verdict)
		err = fail(-ENOMEM, "out of memory");
	return err ? err : history_update(g->h.dir, g->s);
}

/* After the hours of a confirmation. Somebody's word, meanwhile, about the session stands. */
static int conclude_late(struct gating *g)
{
	enum session_state state;
	int err = history_state(&g->h, g->s, &state);

	if (!err && state == SESSION_OPEN)
		state = g->verdict == VERDICT_REGRESSION ? SESSION_REJECTED : SESSION_ACCEPTED;
	return err ? err : conclude(g, state);
}

/* Only a comparison with an earlier build can fail it. */
static int confirm(struct gating *g, const struct screening *why)
{
	const struct session *old = reference(g);
	const unsigned int k = (unsigned int)(why - g->screening);
	char line[GATE_LINE];
	int err = because(g->s, why->step.from ? gate_step(line, g, k) : gate_found(line, g, k));

	if (err)
		return err;
	g->verdict = VERDICT_INCONCLUSIVE;
	g->failed = true;
	if (!old)
		warning("session %u cannot be confirmed: no accepted session before it has another build than %s",
			g->s->number, g->s->build);
	g->s->against = old ? old->number : 0;
	err = conclude(g, SESSION_OPEN);
	if (err || !old)
		return err;
	g->failed = gate_confirm(g, old);
	return g->failed ? 0 : conclude_late(g);
}

/* What the session was measured under. */
static int take_conditions(struct gating *g)
{
	struct campaign_run first = { 0 };
	char path[HISTORY_PATH];
	size_t i;
	int err = 0;

	for (i = 0; i < g->s->nruns && !err; i++) {
		struct campaign_run other = { 0 }, *run = i ? &other : &first;

		err = campaign_run_read(run, history_path(path, g->h.dir, g->s, i));
		if (!err && !g->conditions)
			g->conditions = result_conditions(&run->r);
		if (!err && (!g->conditions || result_lowered(&run->r, &g->lowered)))
			err = fail(-ENOMEM, "out of memory");
		if (!err && !*g->undecidable)
			result_undecidable(&run->r, g->undecidable);
		if (!err && !*g->undecidable)
			campaign_unequal(&first.r, &run->r, path, g->undecidable);
		campaign_run_free(&other);
	}
	if (!err && g->s->nruns == 1 &&
	    notes_add(&g->lowered, "one run does not show how much runs differ: make five for a session"))
		err = fail(-ENOMEM, "out of memory");
	campaign_run_free(&first);
	return err;
}

/* Neither a baseline for later sessions, nor beyond one. */
static int leave_open(struct gating *g)
{
	int err = because(g->s, g->undecidable);

	g->s->against = 0;
	g->verdict = VERDICT_INCONCLUSIVE;
	return err ? err : conclude(g, SESSION_OPEN);
}

static int judge(struct gating *g)
{
	const struct screening *why;
	char line[GATE_LINE];
	int err = screen(g);

	if (!err)
		err = take_conditions(g);
	if (err)
		return err;
	if (*g->undecidable)
		return leave_open(g);
	why = suspect(g);
	if (why)
		return confirm(g, why);
	/* an earlier call may have chosen one, for a confirmation that is not needed any more */
	g->s->against = 0;
	g->verdict = g->screening[0].n ? VERDICT_OK : VERDICT_INCONCLUSIVE;
	if (g->series.n == 1)
		explain_first(g);
	err = because(g->s, gate_found(line, g, 0));
	return err ? err : conclude(g, SESSION_ACCEPTED);
}

/* The verdict of an earlier call. A session that somebody added by hand has none. */
static int repeat(struct gating *g)
{
	unsigned int v;

	for (v = 0; v <= VERDICT_INCONCLUSIVE; v++)
		if (g->s->verdict && !strcmp(g->s->verdict, verdict_name((enum decision_verdict)v))) {
			g->verdict = (enum decision_verdict)v;
			g->again = true;
			if (g->o->nstatistics || g->o->margin != SCREEN_MARGIN)
				warning("session %u already has its verdict: --metric and --margin cannot change it",
					g->s->number);
			return 0;
		}
	return fail(-EEXIST, "session %u was added without gate: its results cannot be screened again",
		    g->s->number);
}

static int take(struct gating *g)
{
	struct campaign_run first = { 0 };
	/* first, so that a wrong path fails before the hours of a confirmation */
	int err = outputs_open(g->out, g->compare.out, NR_OUTPUTS);

	if (!err)
		err = compare_statistics(&g->compare, &first);
	campaign_run_free(&first);
	if (!err)
		err = history_read(&g->h, g->o->history, true);
	if (!err)
		err = take_session(g);
	if (!err)
		err = history_sort(&g->h);
	if (!err && series_take(&g->series, &g->h, g->s->series))
		err = fail(-ENOMEM, "out of memory");
	while (!err && g->series.at[g->series.n - 1] != g->s)
		g->series.n--;
	return err;
}

int gate_carry_out(const struct compare_config *o, enum decision_verdict *verdict)
{
	struct gating g = { .o = o, .compare = *o };
	int err = take(&g);

	if (!err)
		err = g.s->state == SESSION_OPEN ? judge(&g) : repeat(&g);
	if (!err)
		err = gate_print(&g);
	*verdict = g.verdict;
	outputs_drop(g.out, NR_OUTPUTS, err);
	free(g.conditions);
	notes_free(g.lowered);
	series_free(&g.series);
	history_free(&g.h);
	return err;
}
