// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "try/experiment.h"

const char *try_verdict_name(enum try_verdict v)
{
	static const char * const names[] = {
		[TRY_OPEN] = "cannot tell", [TRY_HELPS] = "helps", [TRY_HURTS] = "hurts",
		[TRY_SAME] = "no difference", [TRY_FAILS] = "fails",
	};

	return names[v];
}

/* The look after @n pairs; SEQUENTIAL_LOOKS: none. */
static unsigned int look_of(size_t n)
{
	unsigned int look = 0;

	while (look < SEQUENTIAL_LOOKS && n != sequential_pairs[look])
		look++;
	return look;
}

bool try_is_look(size_t n)
{
	return look_of(n) < SEQUENTIAL_LOOKS;
}

bool try_has_looked(const struct try_pairs *p)
{
	return p->n >= sequential_pairs[0];
}

/* What is excluded meanwhile counts as well: it may have been tested. */
static double shared_alpha(const struct experiment *e)
{
	return e->alpha / (e->nsettings * e->nconditions);
}

int experiment_begin(struct experiment *e)
{
	e->setting = calloc(e->nsettings, sizeof(*e->setting));
	return e->setting ? 0 : -ENOMEM;
}

void experiment_free(struct experiment *e)
{
	free(e->setting);
	e->setting = NULL;
}

static bool is_done(const struct try_pairs *p)
{
	return p->verdict != TRY_OPEN || p->n == SEQUENTIAL_MOST;
}

enum try_verdict experiment_verdict(const struct experiment *e, unsigned int setting)
{
	const struct try_setting *s = &e->setting[setting];
	bool seen[TRY_FAILS + 1] = { false }, done = true;
	unsigned int c;

	if (s->excluded)
		return TRY_OPEN;
	if (s->fails[true] >= TRY_FAILURES)
		return TRY_FAILS;
	for (c = 0; c < e->nconditions; c++) {
		seen[s->at[c].verdict] = true;
		done = done && is_done(&s->at[c]);
	}
	if (seen[TRY_HURTS])
		return TRY_HURTS;
	return !done ? TRY_OPEN : seen[TRY_HELPS] ? TRY_HELPS : seen[TRY_OPEN] ? TRY_OPEN : TRY_SAME;
}

/* What hurts under one condition is not kept, however it is under the others. */
bool experiment_next(const struct experiment *e, double now_s, struct try_step *step)
{
	unsigned int i, c;

	if (now_s + 2 * e->run_s > e->within_s)
		return false;
	for (i = 0; i < e->nsettings; i++)
		for (c = 0; c < e->nconditions; c++) {
			const struct try_pairs *p = &e->setting[i].at[c];

			if (e->setting[i].excluded || experiment_verdict(e, i) != TRY_OPEN || is_done(p))
				continue;
			*step = (struct try_step){ .setting = i, .condition = c, .pair = p->n };
			return true;
		}
	return false;
}

static void ask(struct try_pairs *p, bool with, enum try_test tail, enum try_test events)
{
	p->d[tail] = (struct decision){
		.a = p->tail[!with], .b = p->tail[with], .n = p->n, .resolution = p->resolution,
	};
	p->d[events] = (struct decision){
		.events_a = p->events[!with], .events_b = p->events[with], .n = p->n,
	};
}

static enum try_verdict verdict_of(enum decision_verdict worse, enum decision_verdict better)
{
	if (worse == VERDICT_REGRESSION)
		return TRY_HURTS;
	if (better == VERDICT_REGRESSION)
		return TRY_HELPS;
	return worse == VERDICT_OK && better == VERDICT_OK ? TRY_SAME : TRY_OPEN;
}

enum try_verdict try_verdict_about(const struct try_pairs *p, enum try_test worse)
{
	return verdict_of(p->d[worse].verdict, p->d[TAIL_BETTER + worse].verdict);
}

/*
 * One number that is better does not end the pairs before the other is known not to be worse. What
 * is better at the last look helps.
 */
static int look_at(struct try_pairs *p, const struct rule *rule)
{
	int err = decide(p->d, TRY_TESTS, rule);
	enum decision_verdict worse, better;
	unsigned int i;

	if (err)
		return err;
	for (i = 0; i < TRY_TESTS; i++)
		if (decision_has_none(&p->d[i]))
			p->d[i].verdict = VERDICT_OK;
	worse = decide_together(p->d, TAIL_BETTER);
	better = decide_together(&p->d[TAIL_BETTER], TRY_TESTS - TAIL_BETTER);
	p->verdict = verdict_of(worse, better);
	if (p->verdict == TRY_HELPS && worse != VERDICT_OK && p->n < SEQUENTIAL_MOST)
		p->verdict = TRY_OPEN;
	return 0;
}

int experiment_take(struct experiment *e, const struct try_step *step, const struct try_value value[2])
{
	struct try_setting *s = &e->setting[step->setting];
	struct try_pairs *p = &s->at[step->condition];
	unsigned int with, look;

	for (with = 0; with < 2; with++) {
		s->fails[with] = 0;
		p->tail[with][p->n] = value[with].tail;
		p->events[with][p->n] = value[with].events;
		p->resolution = fmax(p->resolution, value[with].resolution);
	}
	look = look_of(++p->n);
	if (look == SEQUENTIAL_LOOKS)
		return 0;
	ask(p, true, TAIL_WORSE, EVENTS_WORSE);
	ask(p, false, TAIL_BETTER, EVENTS_BETTER);
	return look_at(p, &(const struct rule){
		.alpha = sequential_level(look, shared_alpha(e)), .ok_alpha = sequential_level(look, e->alpha),
		.margin = e->margin,
	});
}

unsigned int experiment_failed(struct experiment *e, const struct try_step *step, bool with)
{
	unsigned int *fails = e->setting[step->setting].fails;

	/* one without has worked after it */
	if (with)
		fails[false] = 0;
	return ++fails[with];
}

void experiment_exclude(struct experiment *e, unsigned int setting)
{
	e->setting[setting].excluded = true;
}

/* With shared runs each setting adds its own to the runs without settings. */
static size_t runs_of(const struct experiment *e, size_t pairs)
{
	return (e->shared ? e->nsettings + 1UL : 2UL * e->nsettings) * e->nconditions * pairs;
}

void experiment_runs(const struct experiment *e, size_t *least, size_t *most)
{
	*least = runs_of(e, sequential_pairs[0]);
	*most = runs_of(e, SEQUENTIAL_MOST);
}

size_t experiment_measured(const struct experiment *e)
{
	size_t with, most, all = 0, n;
	unsigned int i, c;

	for (c = 0; c < e->nconditions; c++) {
		for (i = 0, with = 0, most = 0; i < e->nsettings; i++) {
			n = e->setting[i].at[c].n;
			with += n;
			most = n > most ? n : most;
		}
		all += with + (e->shared ? most : with);
	}
	return all;
}
