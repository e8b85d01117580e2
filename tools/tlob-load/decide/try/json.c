// SPDX-License-Identifier: GPL-2.0
/* An experiment as JSON: docs/reference/try.schema.json. */
#include <math.h>
#include <stdlib.h>

#include "compare/compare_render.h"
#include "result/stats.h"
#include "try/trial.h"
#include "util/json_write.h"

#define FORMAT_VERSION	2

static void put_tail(struct builder *b, struct json_object *to, const struct try_pairs *p)
{
	const struct trial_effect e = trial_effect(p);
	struct json_object *o = put_object(b, to, "tail");
	const struct decision *d = &p->d[TAIL_WORSE];

	put_text(b, o, "verdict", try_verdict_name(try_verdict_about(p, TAIL_WORSE)));
	put_double(b, o, "by", expm1(e.by));
	put_double(b, o, "lower", expm1(e.lower));
	put_double(b, o, "upper", expm1(e.upper));
	put_double(b, o, "without", stats_median_of(d->a, d->n));
	put_double(b, o, "with", stats_median_of(d->b, d->n));
}

static void put_condition(struct builder *b, struct json_object *to, const struct trial *t, unsigned int i,
			  unsigned int c)
{
	const struct try_pairs *p = &t->e.setting[i].at[c];
	const struct events_found *found = &p->d[EVENTS_WORSE].found;
	struct json_object *o, *events;

	if (!try_has_looked(p))
		return;
	o = put_object(b, to, NULL);
	put_text(b, o, "condition", t->condition[c]);
	put_u64(b, o, "pairs", p->n);
	put_text(b, o, "verdict", try_verdict_name(p->verdict));
	put_tail(b, o, p);
	events = put_object(b, o, "events");
	put_text(b, events, "verdict", try_verdict_name(try_verdict_about(p, EVENTS_WORSE)));
	compare_put_side(b, events, "without", &found->a, found->gap);
	compare_put_side(b, events, "with", &found->b, found->gap);
}

static void put_setting(struct builder *b, struct json_object *to, const struct trial *t, unsigned int i)
{
	const struct trial_setting *s = &t->setting[i];
	struct json_object *o = put_object(b, to, NULL), *list;
	enum try_verdict v = experiment_verdict(&t->e, i);
	size_t left = s->gone ? 0 : trial_runs_left(t, i);
	char line[TRIAL_LINE];
	unsigned int c;

	put_text(b, o, "name", s->name);
	put_text(b, o, "verdict", s->gone ? "not tried" : try_verdict_name(v));
	put_text(b, o, "evidence", trial_evidence(line, t, i));
	put_bool(b, o, "keep", v == TRY_HELPS);
	put_text(b, o, "rule", s->rule);
	put_known(b, o, "more_runs", left, left);
	list = put_array(b, o, "conditions");
	for (c = 0; c < t->e.nconditions; c++)
		put_condition(b, list, t, i, c);
}

int trial_json(FILE *f, const struct trial *t)
{
	struct builder b = { 0 };
	struct json_object *o = json_object_new_object(), *list;
	unsigned int i;

	put_text(&b, o, "format", "tlob-load try");
	put_int(&b, o, "version", FORMAT_VERSION);
	put_time(&b, o, "started", t->started);
	put_text(&b, o, "kernel", t->kernel);
	put_text(&b, o, "cpus", t->cpus);
	put_made(&b, o, "sentence", trial_sentence(t));
	put_text(&b, o, "conditions", t->conditions);
	put_texts(&b, o, "lowered", t->lowered);
	put_text(&b, o, "ended_by", t->signal);
	put_text(&b, o, "metric", t->statistic.text);
	put_double(&b, o, "margin", t->e.margin);
	put_double(&b, o, "alpha", t->e.alpha);
	put_u64(&b, o, "runs", experiment_measured(&t->e));
	put_double(&b, o, "took_s", t->took_s);
	put_double(&b, o, "run_s", t->e.run_s);
	put_text(&b, o, "dir", t->dir);
	list = put_array(&b, o, "settings");
	for (i = 0; i < t->e.nsettings; i++)
		put_setting(&b, list, t, i);
	return json_end(&b, f, o);
}
