// SPDX-License-Identifier: GPL-2.0
/* An experiment as JSON: docs/reference/try.schema.json. */
#include <math.h>
#include <stdlib.h>

#include "try/trial.h"
#include "util/json_write.h"

#define FORMAT_VERSION	1

static double share(double effect)
{
	return expm1(effect);
}

static void put_effect(struct builder *b, struct json_object *to, const char *key, const struct try_effect *e,
		       bool relative)
{
	struct json_object *o = put_object(b, to, key);

	put_text(b, o, "verdict", try_verdict_name(e->verdict));
	put_double(b, o, "by", relative ? share(e->by) : e->by);
	put_double(b, o, "lower", relative ? share(e->lower) : e->lower);
	put_double(b, o, "upper", relative ? share(e->upper) : e->upper);
	put_double(b, o, "without", e->without);
	put_double(b, o, "with", e->with);
}

static void put_question(struct builder *b, struct json_object *to, const struct trial *t, unsigned int at)
{
	const struct try_question *q = &t->e.question[at];
	struct json_object *o, *list, *set, *one;
	unsigned int c, i;
	size_t runs;

	if (!q->set)
		return;
	o = put_object(b, to, NULL);
	put_text(b, o, "setting", at == TRY_ALL ? NULL : t->setting[at - TRY_ALONE(0)].name);
	set = put_array(b, o, "with");
	for (i = 0; i < t->e.nsettings; i++)
		if (q->set & UINT32_C(1) << i)
			put_text(b, set, NULL, t->setting[i].name);
	put_text(b, o, "verdict", try_verdict_name(experiment_verdict(&t->e, at)));
	list = put_array(b, o, "conditions");
	for (c = 0; c < t->e.nconditions; c++) {
		if (!contrast_looks(q->at[c].n))
			continue;
		one = put_object(b, list, NULL);
		runs = experiment_runs_needed(&t->e, at, c);
		put_text(b, one, "condition", t->condition[c]);
		put_u64(b, one, "pairs", q->at[c].n);
		put_text(b, one, "verdict", try_verdict_name(q->at[c].verdict));
		put_effect(b, one, "tail", &q->at[c].at[TRY_TAIL], true);
		put_effect(b, one, "episodes", &q->at[c].at[TRY_EPISODES], false);
		put_known(b, one, "more_runs", q->at[c].verdict == TRY_OPEN && runs, runs);
	}
}

static void put_setting(struct builder *b, struct json_object *to, const struct trial *t, unsigned int i)
{
	const struct trial_setting *s = &t->setting[i];
	struct json_object *o = put_object(b, to, NULL);
	char line[TRIAL_LINE];

	put_text(b, o, "name", s->name);
	put_text(b, o, "verdict", s->gone ? "not tried" : try_verdict_name(experiment_verdict(&t->e, TRY_ALONE(i))));
	put_text(b, o, "evidence", trial_evidence(line, t, i));
	put_bool(b, o, "keep", experiment_keeps(&t->e, i));
	put_text(b, o, "rule", s->rule);
}

int trial_json(FILE *f, const struct trial *t)
{
	struct builder b = { 0 };
	struct json_object *o = json_object_new_object(), *list;
	unsigned int i, order[TRY_SETTINGS];

	put_text(&b, o, "format", "tlob-load try");
	put_int(&b, o, "version", FORMAT_VERSION);
	put_time(&b, o, "started", t->started);
	put_text(&b, o, "kernel", t->kernel);
	put_text(&b, o, "cpus", t->cpus);
	put_made(&b, o, "sentence", trial_sentence(t));
	put_text(&b, o, "conditions", t->conditions);
	put_texts(&b, o, "lowered", t->lowered);
	put_bool(&b, o, "only_together", experiment_only_together(&t->e));
	put_text(&b, o, "ended_by", t->signal);
	put_text(&b, o, "metric", t->statistic.text);
	put_double(&b, o, "margin", t->e.margin);
	put_double(&b, o, "alpha", t->e.alpha);
	put_u64(&b, o, "runs", experiment_measured(&t->e));
	put_double(&b, o, "took_s", t->took_s);
	put_double(&b, o, "run_s", t->e.run_s);
	put_text(&b, o, "dir", t->dir);
	list = put_array(&b, o, "settings");
	trial_order(t, order);
	for (i = 0; i < t->e.nsettings; i++)
		put_setting(&b, list, t, order[i]);
	list = put_array(&b, o, "questions");
	for (i = 0; i < TRY_QUESTIONS; i++)
		put_question(&b, list, t, i);
	return json_end(&b, f, o);
}
