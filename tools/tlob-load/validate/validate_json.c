// SPDX-License-Identifier: GPL-2.0
/* What a validation found, as one JSON object: docs/reference/validation.schema.json. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "doctor/render.h"
#include "result/parts.h"
#include "show/render.h"
#include "util/json_write.h"
#include "validate/validate_render.h"

/* A text, which is freed. */
static void put_made(struct builder *b, struct json_object *to, const char *key, char *text)
{
	if (!text)
		b->err = -ENOMEM;
	put_text(b, to, key, text);
	free(text);
}

static void put_doctor(struct builder *b, struct json_object *to, const struct doctor *d)
{
	struct json_object *o = put_object(b, to, "doctor");
	struct doctor_tally t;

	doctor_count(d, &t);
	put_text(b, o, "outcome", doctor_outcome(doctor_exit(&t)));
	put_u64(b, o, "fatal", t.findings[SEVERITY_FATAL]);
	put_u64(b, o, "high", t.findings[SEVERITY_HIGH]);
	put_u64(b, o, "medium", t.findings[SEVERITY_MEDIUM]);
	put_u64(b, o, "unread", t.unknown[SEVERITY_FATAL] + t.unknown[SEVERITY_HIGH] + t.unknown[SEVERITY_MEDIUM]);
}

static void put_phase(struct builder *b, struct json_object *list, const struct validate *v,
		      const struct validate_phase *p)
{
	static const char * const states[] = {
		[PHASE_MISSING] = "missing", [PHASE_SKIPPED] = "skipped", [PHASE_DONE] = "done",
	};
	struct json_object *o = put_object(b, list, NULL), *loads;
	bool done = p->state == PHASE_DONE;
	struct main_offender m;
	unsigned int i;

	put_text(b, o, "name", p->name);
	loads = put_array(b, o, "load");
	for (i = 0; i < p->nload; i++)
		put_text(b, loads, NULL, p->load[i]);
	put_text(b, o, "state", states[p->state]);
	put_text(b, o, "because", p->because);
	put_text(b, o, "result", done ? p->file : NULL);
	put_known(b, o, "cpu", done, (uint64_t)p->cpu);
	put_known(b, o, "over", done, p->over);
	put_known(b, o, "of", done, p->of);
	put_double(b, o, "upper_95", done ? p->upper : NAN);
	put_known(b, o, "response_max_ns", done, done ? p->r.all.hist[TLOB_METRIC_RESPONSE].max : 0);
	if (done)
		put_bool(b, o, "kept", p->kept);
	else
		put_null(b, o, "kept");
	validate_offender_of(&m, v, p);
	if (m.window)
		put_made(b, o, "cause", validate_why(&m));
	else
		put_null(b, o, "cause");
}

static void put_findings(struct builder *b, struct json_object *to, const struct validate *v,
			 const struct main_offender *m)
{
	struct json_object *list = put_array(b, to, "findings"), *o;
	const struct findings *of_run = m->phase->r.findings;
	char *now;
	size_t i;

	for (i = 0; i < m->nfindings; i++) {
		const struct finding *one = m->finding[i];

		o = put_object(b, list, NULL);
		now = one->now ? doctor_text(&v->doctor, one->now) : NULL;
		put_text(b, o, "id", one->check->id);
		put_text(b, o, "severity", severity_name(one->check->severity));
		put_text(b, o, "found", one->found);
		put_text(b, o, "wanted", one->check->wanted);
		put_text(b, o, "now", now);
		free(now);
	}
	list = put_array(b, to, "bearings");
	for (i = 0; of_run && i < of_run->nbearings; i++) {
		o = put_object(b, list, NULL);
		put_text(b, o, "id", of_run->bearing[i].id);
		put_text(b, o, "text", of_run->bearing[i].text);
	}
}

static void put_worst(struct builder *b, struct json_object *to, const struct validate *v)
{
	const struct tlob_noise *n;
	struct main_offender m;
	struct json_object *o;
	bool named;

	validate_offender(&m, v);
	if (!m.phase) {
		put_null(b, to, "worst");
		return;
	}
	o = put_object(b, to, "worst");
	put_text(b, o, "phase", m.phase->name);
	put_known(b, o, "cpu", m.window, m.window ? m.window->cpu : 0);
	put_known(b, o, "response_ns", m.window, m.window ? m.window->response_ns : 0);
	put_made(b, o, "cause", validate_cause(&m));
	put_text(b, o, "part", m.known ? part_name(m.part) : NULL);
	put_known(b, o, "part_ns", m.known, m.part_ns);
	n = m.window ? &m.window->largest : NULL;
	named = m.known && n && n->ns;
	put_text(b, o, "kind", named ? noise_kind_name(n->kind) : NULL);
	if (named) {
		put_name(b, o, "name", n->name);
		put_int(b, o, "id", n->id);
	} else {
		put_null(b, o, "name");
		put_null(b, o, "id");
	}
	put_findings(b, o, v, &m);
}

int validate_json(FILE *f, const struct validate *v)
{
	struct json_object *o = json_object_new_object(), *list;
	struct builder b = { 0 };
	unsigned int i;

	put_text(&b, o, "format", "tlob-load validation");
	put_int(&b, o, "version", 1);
	put_text(&b, o, "verdict", validate_word(validate_judge(v)));
	put_made(&b, o, "sentence", validate_sentence(v));
	put_text(&b, o, "ended_by", v->signal);
	put_text(&b, o, "cpus", v->doctor.cpus);
	put_u64(&b, o, "period_ns", v->period_ns);
	put_u64(&b, o, "budget_ns", v->budget_ns);
	put_u64(&b, o, "duration_ns", v->duration_ns);
	put_double(&b, o, "miss", v->miss > 0 ? v->miss : NAN);
	put_double(&b, o, "confidence", 1 - VALIDATE_ALPHA);
	put_known(&b, o, "clock_resolution_ns", validate_clock(v), validate_clock(v));
	put_bool(&b, o, "tune", v->tune);
	put_text(&b, o, "dir", v->dir);
	put_doctor(&b, o, &v->doctor);
	list = put_array(&b, o, "phases");
	for (i = 0; i < v->n; i++)
		put_phase(&b, list, v, &v->phase[i]);
	put_worst(&b, o, v);
	return json_end(&b, f, o);
}
