// SPDX-License-Identifier: GPL-2.0
/* Reads what doctor found on the machine of a run, and what became of its assertions. */
#include <stdlib.h>

#include "read/findings.h"

#define MAX_CPUS	8192		/* NR_CPUS of the largest configuration */

static const char * const severities[] = { "medium", "high", "fatal" };

/* One list of found or unread rules, behind what is there. */
static void read_found(struct reader *rd, struct json_object *o, const char *key, struct findings *f,
		       bool unread)
{
	struct json_object *list = reader_list(rd, o, key, FINDINGS_MAX), *one;
	size_t i, n = list && !*rd->error ? json_object_array_length(list) : 0, place;

	for (i = 0; i < n && !*rd->error; i++) {
		struct machine_finding *m = &f->at[f->n++];

		place = reader_enter(rd, key, (int)i);
		one = reader_object_at(rd, list, i);
		m->unread = unread;
		m->id = reader_text(rd, one, "id", false);
		reader_choice(rd, one, "severity", severities, 3);
		m->severity = reader_text(rd, one, "severity", false);
		m->path = reader_text(rd, one, "path", false);
		m->found = reader_text(rd, one, "found", false);
		m->wanted = reader_text(rd, one, "wanted", false);
		m->now = reader_text(rd, one, "now", true);
		m->for_good = reader_text(rd, one, "for_good", true);
		reader_leave(rd, place);
	}
}

static void read_counters(struct reader *rd, struct json_object *o, struct findings *f)
{
	struct json_object *list = reader_list(rd, o, "counters", MAX_CPUS), *one;
	size_t i, n = list && !*rd->error ? json_object_array_length(list) : 0, place;
	unsigned int k;

	f->count = calloc(n + 1, sizeof(*f->count));
	if (!f->count) {
		reader_fail(rd, "counters", "out of memory");
		return;
	}
	for (i = 0; i < n && !*rd->error; i++) {
		place = reader_enter(rd, "counters", (int)i);
		one = reader_object_at(rd, list, i);
		f->count[i].cpu = reader_int(rd, one, "cpu", 0, MAX_CPUS);
		for (k = 0; k < NR_MACHINE_COUNTS && !*rd->error; k++) {
			f->count[i].value[k] = reader_known(rd, one, machine_count_keys[k]);
			if (reader_find(one, machine_count_keys[k]))
				f->count[i].known |= 1U << k;
		}
		f->ncounts++;
		reader_leave(rd, place);
	}
}

static void read_bearings(struct reader *rd, struct json_object *o, struct findings *f)
{
	struct json_object *list = reader_list(rd, o, "violations", FINDINGS_MAX), *one;
	size_t i, n = list && !*rd->error ? json_object_array_length(list) : 0, place;

	f->bearing = calloc(n + 1, sizeof(*f->bearing));
	if (!f->bearing) {
		reader_fail(rd, "violations", "out of memory");
		return;
	}
	for (i = 0; i < n && !*rd->error; i++) {
		struct bearing *b = &f->bearing[f->nbearings++];

		place = reader_enter(rd, "violations", (int)i);
		one = reader_object_at(rd, list, i);
		b->cpu = reader_int(rd, one, "cpu", 0, MAX_CPUS);
		b->activation = reader_u64(rd, one, "activation");
		b->id = reader_text(rd, one, "id", false);
		b->text = reader_text(rd, one, "text", false);
		reader_leave(rd, place);
	}
}

void read_findings(struct reader *rd, struct json_object *o, struct findings **to)
{
	struct json_object *from;
	struct findings *f;
	size_t place;

	if (!reader_find(o, "findings"))
		return;
	from = reader_object(rd, o, "findings");
	if (*rd->error)
		return;
	f = calloc(1, sizeof(*f));
	*to = f;
	if (f)
		f->at = calloc(2UL * FINDINGS_MAX, sizeof(*f->at));
	if (!f || !f->at) {
		reader_fail(rd, "findings", "out of memory");
		return;
	}
	place = reader_enter(rd, "findings", -1);
	f->rules = (unsigned int)reader_int(rd, from, "rules", 0, 2 * FINDINGS_MAX);
	f->took_ns = reader_u64(rd, from, "took_ns");
	read_found(rd, from, "found", f, false);
	read_found(rd, from, "unread", f, true);
	if (reader_find(from, "rt_throttled"))
		f->rt_throttled = reader_bool(rd, from, "rt_throttled") ? RT_THROTTLED_YES : RT_THROTTLED_NO;
	read_counters(rd, from, f);
	read_bearings(rd, from, f);
	reader_leave(rd, place);
}

void read_assertions(struct reader *rd, struct json_object *o, struct said *said)
{
	struct json_object *list, *e;
	size_t i, n, place;

	if (!reader_find(o, "assertions"))
		return;
	list = reader_list(rd, o, "assertions", CONDITIONS_MAX);
	n = list ? json_object_array_length(list) : 0;
	said->at = n ? calloc(n, sizeof(*said->at)) : NULL;
	if (n && !said->at)
		reader_fail(rd, "assertions", "out of memory");
	for (i = 0; said->at && i < n; i++) {
		place = reader_enter(rd, "assertions", (int)i);
		e = reader_object_at(rd, list, i);
		said->at[i].condition = reader_text(rd, e, "condition", false);
		said->at[i].found = reader_text(rd, e, "found", false);
		said->at[i].holds = reader_bool(rd, e, "holds");
		reader_leave(rd, place);
		said->n = i + 1;
	}
}
