// SPDX-License-Identifier: GPL-2.0
/* The report of doctor as JSON. */
#include <errno.h>
#include <stdlib.h>

#include "doctor/doctor.h"
#include "doctor/render.h"
#include "util/json_write.h"

#define FORMAT_VERSION	1

/* Advice for this machine's CPUs; null if there is none. */
static void put_advice(struct builder *b, struct json_object *to, const char *key,
		       const struct doctor *d, const char *text)
{
	char *filled = text ? doctor_text(d, text) : NULL;

	if (text && !filled)
		b->err = -ENOMEM;
	put_text(b, to, key, filled);
	free(filled);
}

static void put_check(struct builder *b, struct json_object *to, const struct doctor *d,
		      const struct finding *f)
{
	struct json_object *o = put_object(b, to, NULL);
	const struct check *c = f->check;

	put_text(b, o, "id", c->id);
	put_text(b, o, "title", c->title);
	put_text(b, o, "severity", severity_name(c->severity));
	put_text(b, o, "status", status_name(f->status));
	put_text(b, o, "path", f->path);
	put_text(b, o, "found", f->found);
	put_text(b, o, "tried", f->tried);
	put_text(b, o, "wanted", c->wanted);
	put_text(b, o, "why", c->why);
	put_advice(b, o, "now", d, f->now);
	put_advice(b, o, "for_good", d, f->for_good);
	put_text(b, o, "source", c->source);
}

static void put_counts(struct builder *b, struct json_object *to, const struct doctor_tally *t)
{
	struct json_object *o = put_object(b, to, "counts");

	put_u64(b, o, "fatal", t->findings[SEVERITY_FATAL]);
	put_u64(b, o, "high", t->findings[SEVERITY_HIGH]);
	put_u64(b, o, "medium", t->findings[SEVERITY_MEDIUM]);
	put_u64(b, o, "unknown_fatal", t->unknown[SEVERITY_FATAL]);
	put_u64(b, o, "unknown_high", t->unknown[SEVERITY_HIGH]);
	put_u64(b, o, "unknown_medium", t->unknown[SEVERITY_MEDIUM]);
	put_u64(b, o, "unknown_info", t->unknown[SEVERITY_INFO]);
	put_u64(b, o, "noted", t->noted);
	put_u64(b, o, "absent", t->absent);
	put_u64(b, o, "pass", t->passed);
}

int doctor_report_json(FILE *f, const struct doctor *d, time_t started)
{
	struct builder b = { 0 };
	struct json_object *o = json_object_new_object(), *list;
	struct doctor_tally t;
	size_t i;

	doctor_count(d, &t);
	put_text(&b, o, "format", "tlob-load doctor");
	put_int(&b, o, "version", FORMAT_VERSION);
	put_time(&b, o, "started", started);
	put_text(&b, o, "kernel", d->release);
	put_text(&b, o, "cpus", d->cpus);
	put_text(&b, o, "pattern", pattern_name(d->pattern));
	put_text(&b, o, "root", *d->root ? d->root : NULL);
	put_text(&b, o, "container", d->container);
	put_text(&b, o, "outcome", doctor_outcome(doctor_exit(&t)));
	put_counts(&b, o, &t);
	list = put_array(&b, o, "checks");
	for (i = 0; i < d->n; i++)
		put_check(&b, list, d, &d->finding[i]);
	return json_end(&b, f, o);
}
