// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "try/experiment.h"

static uint32_t bit(unsigned int setting)
{
	return UINT32_C(1) << setting;
}

static unsigned int questions(const struct experiment *e)
{
	return TRY_ALONE(e->nsettings);
}

/* Of one setting, all together are no other question than alone. */
static uint32_t set_of_all(const struct experiment *e)
{
	uint32_t all = 0;
	unsigned int i;

	for (i = 0; i < e->nsettings; i++)
		all |= e->question[TRY_ALONE(i)].set;
	return e->each || !(all & (all - 1)) ? 0 : all;
}

/* What is excluded meanwhile counts as well: it may have been tested. */
static unsigned int nquestions(const struct experiment *e)
{
	return e->nsettings + (!e->each && e->nsettings > 1);
}

/* Holm: what differs leaves its share to the others. */
static void share_alpha(struct experiment *e)
{
	unsigned int tests = nquestions(e) * e->nconditions * TRY_METRICS, q, c, m;

	for (q = 0; q < questions(e); q++)
		for (c = 0; c < e->nconditions && e->question[q].set; c++)
			for (m = 0; m < TRY_METRICS; m++)
				tests -= e->question[q].at[c].at[m].differs;
	try_levels_make(&e->levels, e->alpha, tests ? tests : 1);
}

int experiment_begin(struct experiment *e)
{
	unsigned int i;

	e->question = calloc(TRY_QUESTIONS, sizeof(*e->question));
	if (!e->question)
		return -ENOMEM;
	for (i = 0; i < e->nsettings; i++)
		e->question[TRY_ALONE(i)].set = bit(i);
	e->question[TRY_ALL].set = set_of_all(e);
	share_alpha(e);
	return 0;
}

void experiment_free(struct experiment *e)
{
	free(e->question);
	e->question = NULL;
}

enum try_verdict experiment_verdict(const struct experiment *e, unsigned int question)
{
	const struct try_question *q = &e->question[question];
	enum try_verdict v[TRY_CONDITIONS];
	unsigned int c;

	if (!q->set)
		return TRY_OPEN;
	if (q->fails[true] >= TRY_FAILURES)
		return TRY_FAILS;
	for (c = 0; c < e->nconditions; c++)
		v[c] = q->at[c].verdict;
	return try_together(v, e->nconditions);
}

/* What hurts under one condition is not kept, however it is under the others. */
static bool is_asked(const struct experiment *e, unsigned int question)
{
	enum try_verdict v = experiment_verdict(e, question);

	return e->question[question].set && v != TRY_FAILS && v != TRY_HURTS;
}

static bool is_decided(const struct contrast *c)
{
	return c->verdict != TRY_OPEN;
}

/* The question with the fewest looks is next. The conditions of a question take turns. */
static bool comes_before(const struct contrast *a, const struct contrast *b, bool same_question)
{
	size_t la = contrast_looks(a->n), lb = contrast_looks(b->n);

	return la < lb || (la == lb && same_question && a->n < b->n);
}

bool experiment_next(const struct experiment *e, double now_s, struct try_step *step)
{
	const struct contrast *best = NULL, *at;
	unsigned int q, c;

	if (now_s + 2 * e->run_s > e->within_s)
		return false;
	for (q = 0; q < questions(e); q++) {
		for (c = 0; c < e->nconditions && is_asked(e, q); c++) {
			at = &e->question[q].at[c];
			if (is_decided(at) || at->n == SEQUENTIAL_MOST ||
			    (best && !comes_before(at, best, q == step->question)))
				continue;
			best = at;
			*step = (struct try_step){ .question = q, .condition = c, .pair = at->n, .set = e->question[q].set };
		}
	}
	return best;
}

int experiment_take(struct experiment *e, const struct try_step *step,
		    const double with[TRY_METRICS], const double without[TRY_METRICS])
{
	struct try_question *q = &e->question[step->question];
	struct contrast *c = &q->at[step->condition];
	unsigned int m;
	int err;

	q->fails[false] = q->fails[true] = 0;
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

unsigned int experiment_failed(struct experiment *e, const struct try_step *step, bool with)
{
	unsigned int *fails = e->question[step->question].fails;

	/* one without has worked after it */
	if (with)
		fails[false] = 0;
	return ++fails[with];
}

/* All together are asked anew, of the settings that are left. */
void experiment_exclude(struct experiment *e, unsigned int setting)
{
	e->question[TRY_ALONE(setting)].set = 0;
	if (e->question[TRY_ALL].set & bit(setting))
		e->question[TRY_ALL] = (struct try_question){ .set = set_of_all(e) };
}

/* Decides what is out of pairs, or of time, once more. 0 or -errno; *@changed: one has a verdict. */
static int look_again(struct experiment *e, struct try_question *q, bool *changed)
{
	unsigned int c;
	int err = 0;

	for (c = 0; c < e->nconditions && q->set && !err; c++) {
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

int experiment_finish(struct experiment *e)
{
	bool changed = true;
	unsigned int q;
	int err = 0;

	while (changed && !err) {
		changed = false;
		for (q = 0; q < questions(e) && !err; q++)
			err = look_again(e, &e->question[q], &changed);
	}
	return err;
}

bool experiment_only_together(const struct experiment *e)
{
	unsigned int i;

	for (i = 0; i < e->nsettings; i++)
		if (experiment_verdict(e, TRY_ALONE(i)) == TRY_HELPS)
			return false;
	return experiment_verdict(e, TRY_ALL) == TRY_HELPS;
}

bool experiment_keeps(const struct experiment *e, unsigned int setting)
{
	enum try_verdict alone = experiment_verdict(e, TRY_ALONE(setting));

	if (!experiment_only_together(e))
		return alone == TRY_HELPS;
	return e->question[TRY_ALL].set & bit(setting) && alone != TRY_HURTS && alone != TRY_FAILS;
}

/* With shared runs each question adds one set to the runs without settings. */
static size_t runs_of(const struct experiment *e, size_t pairs)
{
	return (e->shared ? nquestions(e) + 1UL : 2UL * nquestions(e)) * e->nconditions * pairs;
}

void experiment_runs(const struct experiment *e, size_t *least, size_t *most)
{
	*least = runs_of(e, SEQUENTIAL_FIRST);
	*most = runs_of(e, SEQUENTIAL_MOST);
}

size_t experiment_measured(const struct experiment *e)
{
	size_t with = 0, without = 0, most;
	unsigned int q, c;

	for (c = 0; c < e->nconditions; c++) {
		for (q = 0, most = 0; q < questions(e); q++) {
			size_t n = e->question[q].at[c].n;

			with += n;
			without += e->shared ? 0 : n;
			most = n > most ? n : most;
		}
		without += e->shared ? most : 0;
	}
	return with + without;
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
