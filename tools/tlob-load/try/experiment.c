// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/stats.h"
#include "try/experiment.h"

static uint32_t bit(unsigned int setting)
{
	return UINT32_C(1) << setting;
}

static uint32_t all_settings(const struct experiment *e)
{
	uint32_t all = 0;
	unsigned int i;

	for (i = 0; i < e->nsettings; i++)
		if (!e->excluded[i])
			all |= bit(i);
	return all;
}

/* All tests that may be made: of questions that are never asked as well. */
static unsigned int family(const struct experiment *e)
{
	unsigned int questions = e->each || e->nsettings < 2 ? e->nsettings : 2 * e->nsettings + 1;

	return questions * e->nconditions * TRY_METRICS;
}

/* Holm: what was decided leaves its share to the others. */
static void share_alpha(struct experiment *e)
{
	int tests = (int)family(e);
	unsigned int q, c, m;

	for (q = 0; q < e->n; q++)
		for (c = 0; c < e->nconditions; c++)
			for (m = 0; m < TRY_METRICS; m++)
				tests -= e->question[q].at[c].at[m].differs;
	/* what is asked again after an exclusion is not counted before */
	try_levels_make(&e->levels, e->alpha, tests > 1 ? (unsigned int)tests : 1);
}

static void ask(struct experiment *e, enum try_kind kind, unsigned int setting, uint32_t with,
		uint32_t without)
{
	if (e->n == TRY_QUESTIONS)
		return;
	e->question[e->n++] = (struct try_question){
		.kind = kind, .setting = setting, .with = with, .without = without, .until_s = -1,
	};
}

static void ask_each(struct experiment *e)
{
	unsigned int i;

	for (i = 0; i < e->nsettings; i++)
		if (!e->excluded[i])
			ask(e, TRY_ALONE, i, bit(i), 0);
}

/* All of one setting, or of none, are no other question than each. */
static void ask_first(struct experiment *e)
{
	uint32_t all = all_settings(e);

	if (e->each || !(all & (all - 1)))
		ask_each(e);
	else
		ask(e, TRY_ALL, 0, all, 0);
}

int experiment_begin(struct experiment *e)
{
	unsigned int i;

	e->question = calloc(TRY_QUESTIONS, sizeof(*e->question));
	if (!e->question)
		return -ENOMEM;
	for (i = 0; i < e->nsettings; i++)
		e->answer[i] = -1;
	share_alpha(e);
	ask_first(e);
	return 0;
}

void experiment_free(struct experiment *e)
{
	free(e->question);
	e->question = NULL;
}

static bool is_decided(const struct contrast *c)
{
	return c->verdict != TRY_OPEN;
}

static bool is_exhausted(const struct contrast *c)
{
	return c->n == SEQUENTIAL_MOST;
}

/* The condition with the fewest pairs that may get another one; -1: none. */
static int open_condition(const struct experiment *e, const struct try_question *q)
{
	unsigned int c;
	int best = -1;

	for (c = 0; c < e->nconditions; c++)
		if (!is_decided(&q->at[c]) && !is_exhausted(&q->at[c]) &&
		    (best < 0 || q->at[c].n < q->at[best].n))
			best = (int)c;
	return best;
}

static bool still_asks(const struct experiment *e, const struct try_question *q)
{
	return q->kind == TRY_ALL || q->kind == TRY_ALONE || q->with == e->set;
}

/* A setting leaves the set; its questions in the larger set have no further meaning. */
static void leave_set(struct experiment *e, unsigned int setting)
{
	unsigned int q;

	e->set &= ~bit(setting);
	for (q = 0; q < e->n; q++)
		if (!still_asks(e, &e->question[q]))
			e->question[q].final = e->question[q].closed = true;
}

static bool was_confirmed(const struct experiment *e, unsigned int setting)
{
	unsigned int q;

	for (q = 0; q < e->n; q++)
		if (e->question[q].kind == TRY_CONFIRM && e->question[q].setting == setting)
			return true;
	return false;
}

/* What helped in a larger set may need what has left; what had no time there may be decided here. */
static bool wants_confirming(const struct experiment *e, unsigned int setting)
{
	const struct try_question *q = &e->question[e->answer[setting]];

	return q->with != e->set && !was_confirmed(e, setting) &&
	       (q->verdict == TRY_HELPS || (q->verdict == TRY_OPEN && open_condition(e, q) >= 0));
}

/* After all together help: the next setting to leave out, then those to confirm. */
static bool ask_next(struct experiment *e)
{
	const unsigned int n = e->n;
	unsigned int i;

	if (!e->leaving_out)
		return false;
	for (i = 0; i < e->nsettings && e->n == n; i++)
		if (e->set & bit(i) && e->answer[i] < 0)
			ask(e, TRY_LEAVE_OUT, i, e->set, e->set & ~bit(i));
	for (i = 0; i < e->nsettings && e->n == n; i++)
		if (e->set & bit(i) && wants_confirming(e, i))
			ask(e, TRY_CONFIRM, i, e->set, e->set & ~bit(i));
	return e->n > n;
}

/* What the verdict of @q changes in the set. */
static void follow(struct experiment *e, unsigned int at)
{
	struct try_question *q = &e->question[at];
	int was = q->kind == TRY_ALL ? -1 : e->answer[q->setting];

	if (q->kind == TRY_ALL) {
		e->leaving_out = q->verdict == TRY_HELPS;
		if (e->leaving_out)
			e->set = all_settings(e);
		else
			ask_each(e);
		return;
	}
	/* what is not confirmed for want of time has helped in the larger set */
	if (q->kind != TRY_CONFIRM || q->verdict != TRY_OPEN || was < 0)
		e->answer[q->setting] = (int)at;
	if (q->kind == TRY_ALONE && q->verdict == TRY_HELPS)
		e->set |= bit(q->setting);
	else if (q->kind != TRY_ALONE && q->verdict != TRY_HELPS && q->verdict != TRY_OPEN)
		leave_set(e, q->setting);
}

static enum try_verdict verdict_of(const struct experiment *e, const struct try_question *q)
{
	enum try_verdict v[TRY_CONDITIONS];
	unsigned int c;

	for (c = 0; c < e->nconditions; c++)
		v[c] = q->at[c].verdict;
	/* of all together, a part may hurt: it leaves the set */
	for (c = 0; c < e->nconditions && q->kind == TRY_ALL; c++)
		if (v[c] == TRY_HELPS)
			return TRY_HELPS;
	return try_together(v, e->nconditions);
}

static enum try_verdict failed(const struct try_question *q)
{
	if (q->fails[1] >= TRY_FAILURES)
		return TRY_FAILS;
	return q->fails[0] >= TRY_FAILURES ? TRY_HELPS : TRY_OPEN;
}

/* What hurts under one condition is not kept, however it is under the others. */
static void close(struct experiment *e, unsigned int at)
{
	struct try_question *q = &e->question[at];
	bool first = !q->closed;

	q->verdict = failed(q);
	if (q->verdict == TRY_OPEN)
		q->verdict = verdict_of(e, q);
	q->closed = true;
	q->final = q->verdict != TRY_OPEN || open_condition(e, q) < 0;
	if (first || q->verdict != TRY_OPEN)
		follow(e, at);
}

/* Questions that may still be asked, with those that are put aside. */
static unsigned int questions_left(const struct experiment *e)
{
	unsigned int left = 0, q, asked = 0;

	for (q = 0; q < e->n; q++) {
		left += !e->question[q].final;
		asked += e->question[q].kind != TRY_ALL;
	}
	return left + (e->nsettings > asked ? e->nsettings - asked : 0);
}

/* Fewer pairs than the first look needs would be wasted. */
static double least_s(const struct experiment *e)
{
	return 2.0 * SEQUENTIAL_FIRST * e->nconditions * e->run_s;
}

/* Gives @q its share of the time that is left. */
static void give_time(const struct experiment *e, struct try_question *q, double now_s)
{
	double share = (e->within_s - now_s) / fmax(1, questions_left(e));

	q->until_s = now_s + fmax(share, least_s(e));
}

static bool has_ended(const struct experiment *e, const struct try_question *q, double now_s)
{
	return open_condition(e, q) < 0 || failed(q) != TRY_OPEN ||
	       (q->kind != TRY_ALL && verdict_of(e, q) == TRY_HURTS) || now_s + 2 * e->run_s > q->until_s;
}

/* The first question that is not closed; with @aside, one that was put aside for want of time. */
static int find_open(const struct experiment *e, bool aside)
{
	unsigned int q;

	for (q = 0; q < e->n; q++)
		if (aside ? !e->question[q].final : !e->question[q].closed)
			return (int)q;
	return -1;
}

/*
 * Each question gets an equal share of the time. What one does not use is left to the others, and
 * in the end to those that are still open.
 */
bool experiment_next(struct experiment *e, double now_s, struct try_step *step)
{
	struct try_question *q;
	bool aside;
	int at;

	while (now_s + 2 * e->run_s <= e->within_s) {
		at = find_open(e, false);
		if (at < 0 && ask_next(e))
			continue;
		aside = at < 0;
		if (aside)
			at = find_open(e, true);
		if (at < 0)
			return false;
		q = &e->question[at];
		if (q->until_s < 0 || (aside && q->until_s <= now_s + 2 * e->run_s))
			give_time(e, q, now_s);
		if (has_ended(e, q, now_s)) {
			close(e, (unsigned int)at);
			continue;
		}
		*step = (struct try_step){
			.question = (unsigned int)at, .condition = (unsigned int)open_condition(e, q),
			.with = q->with, .without = q->without,
		};
		step->pair = q->at[step->condition].n;
		return true;
	}
	return false;
}

int experiment_take(struct experiment *e, const struct try_step *step,
		    const double with[TRY_METRICS], const double without[TRY_METRICS])
{
	struct try_question *q = &e->question[step->question];
	struct contrast *c = &q->at[step->condition];
	unsigned int m;
	int err;

	q->fails[0] = q->fails[1] = 0;
	for (m = 0; m < TRY_METRICS; m++) {
		c->with[m][c->n] = with[m];
		c->without[m][c->n] = without[m];
	}
	c->n++;
	if (!contrast_is_look(c->n))
		return 0;
	err = contrast_decide(c, &e->levels, e->margin);
	if (!err)
		share_alpha(e);
	return err;
}

void experiment_failed(struct experiment *e, const struct try_step *step, bool with)
{
	e->question[step->question].fails[with]++;
}

void experiment_exclude(struct experiment *e, unsigned int setting)
{
	unsigned int q, n = e->n;

	e->excluded[setting] = true;
	e->set &= ~bit(setting);
	for (q = 0; q < n; q++) {
		struct try_question *one = &e->question[q];

		if (!(one->with & bit(setting)) || one->final)
			continue;
		if (one->kind == TRY_ALL && !one->closed)
			ask_first(e);
		one->closed = one->final = true;
	}
}

/* Decides one that is out of pairs, or of time, once more. 0 or -errno; *@changed: it has a verdict. */
static int look_again(struct experiment *e, unsigned int at, bool *changed)
{
	struct try_question *q = &e->question[at];
	unsigned int c;
	int err = 0;

	for (c = 0; c < e->nconditions && !err; c++) {
		if (is_decided(&q->at[c]) || !contrast_is_look(q->at[c].n))
			continue;
		err = contrast_decide(&q->at[c], &e->levels, e->margin);
		if (!err && is_decided(&q->at[c])) {
			*changed = true;
			share_alpha(e);
		}
	}
	return err;
}

/* With fewer pairs than a look needs it stays open, but what it has shown so far is not 0. */
static int estimate(struct experiment *e, struct try_question *q)
{
	unsigned int c;
	int err = 0;

	for (c = 0; c < e->nconditions && !err; c++)
		if (q->at[c].n && q->at[c].n < SEQUENTIAL_FIRST)
			err = contrast_decide(&q->at[c], &e->levels, e->margin);
	return err;
}

int experiment_finish(struct experiment *e)
{
	bool changed = true;
	unsigned int q;
	int err = 0;

	while (changed && !err) {
		changed = false;
		for (q = 0; q < e->n && !err; q++)
			if (still_asks(e, &e->question[q]))
				err = look_again(e, q, &changed);
	}
	for (q = 0; q < e->n && !err; q++) {
		struct try_question *one = &e->question[q];

		if (one->kind == TRY_ALL)
			one->verdict = verdict_of(e, one);
		else if (one->verdict == TRY_OPEN && still_asks(e, one) && !e->excluded[one->setting])
			close(e, q);
	}
	for (q = 0; q < e->n && !err; q++)
		err = estimate(e, &e->question[q]);
	return err;
}

enum try_verdict experiment_verdict(const struct experiment *e, unsigned int setting)
{
	return e->answer[setting] < 0 ? TRY_OPEN : e->question[e->answer[setting]].verdict;
}

bool experiment_keeps(const struct experiment *e, unsigned int setting)
{
	return e->set & bit(setting) && experiment_verdict(e, setting) == TRY_HELPS;
}

const struct try_question *experiment_all(const struct experiment *e)
{
	const struct try_question *all = NULL;
	unsigned int q;

	for (q = 0; q < e->n; q++)
		if (e->question[q].kind == TRY_ALL && !(e->question[q].with & ~all_settings(e)))
			all = &e->question[q];
	return all;
}

/* With shared runs each question adds one set to the first one. */
static size_t runs_of(const struct experiment *e, size_t questions, size_t pairs)
{
	return (e->shared ? questions + 1 : 2 * questions) * e->nconditions * pairs;
}

/* All together, and each once; in the worst case those that help are confirmed. */
void experiment_runs(const struct experiment *e, size_t *least, size_t *most)
{
	*least = runs_of(e, e->nsettings + (!e->each && e->nsettings > 1), SEQUENTIAL_FIRST);
	*most = runs_of(e, family(e) / TRY_METRICS / e->nconditions, SEQUENTIAL_MOST);
}

/* The pairs of all questions before @q with this set: its shared runs. */
static size_t pairs_before(const struct experiment *e, unsigned int q, uint32_t set, unsigned int condition)
{
	size_t most = 0;

	while (q--)
		if ((e->question[q].with == set || e->question[q].without == set) &&
		    e->question[q].at[condition].n > most)
			most = e->question[q].at[condition].n;
	return most;
}

static size_t new_runs(const struct experiment *e, unsigned int q, uint32_t set, unsigned int condition)
{
	size_t n = e->question[q].at[condition].n, before = e->shared ? pairs_before(e, q, set, condition) : 0;

	return n > before ? n - before : 0;
}

size_t experiment_measured(const struct experiment *e)
{
	unsigned int q, c;
	size_t n = 0;

	for (q = 0; q < e->n; q++)
		for (c = 0; c < e->nconditions; c++)
			n += new_runs(e, q, e->question[q].with, c) + new_runs(e, q, e->question[q].without, c);
	return n;
}

size_t experiment_runs_needed(const struct experiment *e, unsigned int q, unsigned int c)
{
	const struct contrast *at = &e->question[q].at[c];
	size_t most = 0, n;
	unsigned int m;

	if (at->n < SEQUENTIAL_FIRST)
		return 2 * (SEQUENTIAL_FIRST - at->n);
	for (m = 0; m < TRY_METRICS; m++) {
		if (at->at[m].verdict != TRY_OPEN)
			continue;
		if (!at->at[m].pairs_needed)
			return 0;
		n = at->at[m].pairs_needed;
		/* it was unlucky: a few more looks */
		n = n > at->n + SEQUENTIAL_STEP ? n - at->n : (size_t)2 * SEQUENTIAL_STEP;
		most = n > most ? n : most;
	}
	return 2 * most;
}
