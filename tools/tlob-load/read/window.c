// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/timeline.h"
#include "read/functions.h"
#include "read/wait.h"
#include "read/window.h"
#include "result/attach_result.h"
#include "result/parts.h"
#include "util/printable.h"

void read_name(struct reader *rd, struct json_object *o, const char *key,
	       char name[TLOB_NAME_LEN])
{
	char *s = reader_text(rd, o, key, false);

	if (s)
		s = printable_undo(s);
	if (s && strlen(s) >= TLOB_NAME_LEN)
		reader_fail(rd, key, "longer than %d bytes", TLOB_NAME_LEN - 1);
	else if (s)
		memcpy(name, s, strlen(s) + 1);
	free(s);
}

/* The bits of the @words in the list. */
uint32_t read_mask(struct reader *rd, struct json_object *o, const char *key,
		   const char *const *words, unsigned int n)
{
	struct json_object *list = reader_list(rd, o, key, n);
	size_t place = reader_enter(rd, key, -1), i;
	uint32_t mask = 0;
	unsigned int k;

	for (i = 0; list && i < json_object_array_length(list); i++) {
		const char *word = reader_word_at(rd, list, i);

		for (k = 0; k < n && strcmp(word, words[k]); k++)
			;
		if (k == n || mask & 1U << k)
			reader_fail(rd, "", "unknown word '%.30s'", word);
		else
			mask |= 1U << k;
	}
	reader_leave(rd, place);
	return mask;
}

uint32_t read_unavailable(struct reader *rd, struct json_object *o)
{
	return read_mask(rd, o, "unavailable",
			 tlob_metric_names + TLOB_METRIC_PARTS, TLOB_NR_PARTS);
}

static unsigned int read_kind(struct reader *rd, struct json_object *o)
{
	const char *kinds[TLOB_NR_NOISE];
	unsigned int k;

	for (k = 0; k < TLOB_NR_NOISE; k++)
		kinds[k] = noise_kind_name(k);
	return reader_choice(rd, o, "kind", kinds, TLOB_NR_NOISE);
}

void read_counts(struct reader *rd, struct json_object *parent, const char *key,
		 __u32 count[TLOB_NR_NOISE])
{
	struct json_object *o = reader_object(rd, parent, key);
	size_t place = reader_enter(rd, key, -1);
	unsigned int k;

	for (k = 0; k < TLOB_NR_NOISE; k++)
		count[k] = reader_u32(rd, o, noise_kind_name(k));
	reader_leave(rd, place);
}

void read_largest(struct reader *rd, struct json_object *parent, struct tlob_noise *n,
		  bool has_phase)
{
	static const char * const phases[] = { "wake", "work" };
	struct json_object *o;
	size_t place;

	if (!reader_find(parent, "largest"))
		return;
	o = reader_object(rd, parent, "largest");
	place = reader_enter(rd, "largest", -1);
	n->ns = reader_u64(rd, o, "ns");
	n->id = reader_int(rd, o, "id", INT_MIN, INT_MAX);
	n->kind = (__u8)read_kind(rd, o);
	if (has_phase)
		n->in_work = (__u8)reader_choice(rd, o, "phase", phases, 2);
	read_name(rd, o, "name", n->name);
	reader_leave(rd, place);
}

static void read_delayed_by(struct reader *rd, struct json_object *parent,
			    struct tlob_window *w)
{
	struct json_object *o = reader_object(rd, parent, "delayed_by");
	size_t place = reader_enter(rd, "delayed_by", -1);

	w->delayed_by_pid = reader_int(rd, o, "pid", 0, INT_MAX);
	read_name(rd, o, "name", w->delayed_by);
	w->delayed_by_idle_state = -1;
	if (reader_find(o, "idle_state"))
		w->delayed_by_idle_state = reader_int(rd, o, "idle_state", 0,
						      INT_MAX);
	reader_leave(rd, place);
}

static uint32_t read_flags(struct reader *rd, struct json_object *o)
{
	const char *words[32] = { NULL };
	uint32_t mask, all = 0;
	unsigned int i;

	for (i = 0; i < nwindow_flags; i++)
		words[i] = window_flags[i].name;
	mask = read_mask(rd, o, "flags", words, (unsigned int)nwindow_flags);
	for (i = 0; i < nwindow_flags; i++)
		if (mask & 1U << i)
			all |= window_flags[i].flag;
	return all;
}

static void read_span(struct reader *rd, struct json_object *o, struct tlob_span *s)
{
	const char *parts[TLOB_NR_PARTS];
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		parts[i] = part_name(i);
	s->part = (__u8)reader_choice(rd, o, "part", parts, TLOB_NR_PARTS);
	s->end_ns = reader_u64(rd, o, "end_ns");
	if (part_noise(s->part) == TLOB_NR_NOISE)
		return;
	s->id = reader_int(rd, o, "id", INT_MIN, INT_MAX);
	read_name(rd, o, "name", s->name);
}

/* Leaves *@to NULL if the run had no timelines. @w was read. */
static void read_timeline(struct reader *rd, struct json_object *parent,
			  const struct tlob_window *w, struct tlob_timeline **to)
{
	struct json_object *o, *list;
	struct tlob_timeline *t;
	const char *defect;
	size_t outer, place, i;

	if (!json_object_object_get_ex(parent, "timeline", &o))
		return;
	t = *to = timeline_copy(NULL);
	if (!t)
		reader_fail(rd, "timeline", "out of memory");
	if (!t || !o)
		return;
	o = reader_object(rd, parent, "timeline");
	outer = reader_enter(rd, "timeline", -1);
	t->version = TLOB_TIMELINE_VERSION;
	t->size = sizeof(*t);
	t->cpu = w->cpu;
	t->activation = w->activation;
	t->start_ns = reader_u64(rd, o, "start_ns");
	t->not_kept = reader_u32(rd, o, "not_kept");
	list = reader_list(rd, o, "spans", TLOB_TIMELINE_SPANS);
	for (i = 0; list && i < json_object_array_length(list); i++) {
		place = reader_enter(rd, "spans", (int)i);
		read_span(rd, reader_object_at(rd, list, i), &t->span[i]);
		reader_leave(rd, place);
		t->spans++;
	}
	reader_leave(rd, outer);
	defect = *rd->error ? NULL : timeline_defect(t, w);
	if (defect)
		reader_fail(rd, "timeline", "%s", defect);
}

static void read_wait(struct reader *rd, struct json_object *o, struct result *r,
		      const struct tlob_window *w)
{
	struct attach_wait wait = { 0 };

	r->waits.measured = r->waits.measured || wait_is_there(o);
	if (read_window_wait(rd, o, &wait) && run_wait_add(r, w, &wait))
		reader_fail(rd, "wait", "out of memory");
}

static void read_window(struct reader *rd, struct json_object *o, struct result *r,
			struct tlob_window *w, struct tlob_timeline **timeline,
			struct window_functions **functions)
{
	struct json_object *parts;
	unsigned int i;
	size_t place;

	w->version = TLOB_WINDOW_VERSION;
	w->size = sizeof(*w);
	w->cpu = (__u32)reader_int(rd, o, "cpu", 0, INT_MAX);
	w->activation = reader_u64(rd, o, "activation");
	w->t0_ns = reader_u64(rd, o, "t0_ns");
	w->wake_ns = reader_u64(rd, o, "wake_ns");
	w->response_ns = reader_u64(rd, o, "response_ns");
	w->budget_ns = reader_u64(rd, o, "budget_ns");
	w->missed = reader_u64(rd, o, "missed");
	w->unavailable = read_unavailable(rd, o);
	w->irq_latency_ns = irq_is_available(w->unavailable) ?
			    reader_u64(rd, o, "irq_latency_ns") :
			    reader_known(rd, o, "irq_latency_ns");
	parts = reader_object(rd, o, "parts");
	place = reader_enter(rd, "parts", -1);
	for (i = 0; i < TLOB_NR_PARTS; i++)
		if (!(w->unavailable & 1U << i))
			w->part_ns[i] = reader_u64(rd, parts, part_name(i));
	reader_leave(rd, place);
	read_counts(rd, o, "wake_count", w->wake_count);
	read_counts(rd, o, "work_count", w->work_count);
	w->flags = read_flags(rd, o);
	read_largest(rd, o, &w->largest, true);
	read_delayed_by(rd, o, w);
	w->adjusted_ns = reader_u64(rd, o, "adjusted_ns");
	w->clock_steps = reader_u32(rd, o, "clock_steps");
	w->errors = reader_u32(rd, o, "errors");
	if (!*rd->error && (w->irq_latency_ns > w->wake_ns ||
			    w->wake_ns > w->response_ns))
		reader_fail(rd, "wake_ns", "must lie between irq_latency_ns and response_ns");
	read_timeline(rd, o, w, timeline);
	read_wait(rd, o, r, w);
	*functions = read_window_functions(rd, o, r->functions);
}

/* Only merged results of several hosts have it. */
static void read_host(struct reader *rd, struct json_object *o,
		      char host[RESULT_HOST])
{
	char *text;

	if (!reader_find(o, "host"))
		return;
	text = reader_text(rd, o, "host", true);
	if (text)
		snprintf(host, RESULT_HOST, "%s", printable_undo(text));
	free(text);
}

void read_stopped_window(struct reader *rd, struct json_object *o,
			 struct result *r)
{
	size_t place;

	if (!reader_find(o, "stopped_window"))
		return;
	r->stopped_window = calloc(1, sizeof(*r->stopped_window));
	if (!r->stopped_window) {
		reader_fail(rd, "stopped_window", "out of memory");
		return;
	}
	place = reader_enter(rd, "stopped_window", -1);
	read_window(rd, reader_object(rd, o, "stopped_window"), r,
		    r->stopped_window, &r->stopped_timeline, &r->stopped_functions);
	reader_leave(rd, place);
}

void read_worst(struct reader *rd, struct json_object *o, struct result *r)
{
	struct json_object *list = reader_list(rd, o, "worst", RESULT_KEPT);
	size_t i, place;

	for (i = 0; list && i < json_object_array_length(list); i++) {
		place = reader_enter(rd, "worst", (int)i);
		read_window(rd, reader_object_at(rd, list, i), r, &r->worst[i],
			    &r->worst_timeline[i], &r->worst_functions[i]);
		read_host(rd, reader_object_at(rd, list, i), r->worst_host[i]);
		if (i && r->worst[i].response_ns > r->worst[i - 1].response_ns)
			reader_fail(rd, "response_ns", "larger than in the window before: the list must descend");
		if (!result_keeps(i, &r->worst[i], true))
			reader_fail(rd, "flags", "not a violation: the list has %d other windows at most",
				    RESULT_WORST);
		reader_leave(rd, place);
		r->nworst = i + 1;
	}
}

void read_offenders(struct reader *rd, struct json_object *parent,
		    const char *key, struct offenders *all)
{
	struct json_object *o = reader_object(rd, parent, key), *list, *e;
	size_t outer = reader_enter(rd, key, -1), i, place;

	all->evicted = reader_u64(rd, o, "evicted");
	list = reader_list(rd, o, "names", RESULT_OFFENDERS);
	for (i = 0; list && i < json_object_array_length(list); i++) {
		struct offender *at = &all->at[i];

		place = reader_enter(rd, "names", (int)i);
		e = reader_object_at(rd, list, i);
		at->kind = (uint8_t)read_kind(rd, e);
		at->id = reader_int(rd, e, "id", INT_MIN, INT_MAX);
		read_name(rd, e, "name", at->name);
		at->windows = reader_u64(rd, e, "windows");
		at->total_ns = reader_u64(rd, e, "total_ns");
		at->max_ns = reader_u64(rd, e, "max_ns");
		read_host(rd, e, at->host);
		reader_leave(rd, place);
		all->n = i + 1;
	}
	reader_leave(rd, outer);
}

static void read_cause(struct reader *rd, struct json_object *o, struct cause_count *c,
		       bool of_task)
{
	const char *parts[TLOB_NR_PARTS];
	unsigned int k;

	for (k = 0; k < TLOB_NR_PARTS; k++)
		parts[k] = cause_part_name(k, of_task);
	c->part = (uint8_t)reader_choice(rd, o, "part", parts, TLOB_NR_PARTS);
	c->windows = reader_u64(rd, o, "windows");
	/* all three, or none */
	c->has_name = reader_find(o, "kind") || reader_find(o, "id") || reader_find(o, "name");
	if (!c->has_name)
		return;
	c->kind = (uint8_t)read_kind(rd, o);
	c->id = reader_int(rd, o, "id", INT_MIN, INT_MAX);
	read_name(rd, o, "name", c->name);
}

void read_causes(struct reader *rd, struct json_object *parent, struct causes *all, bool of_task)
{
	struct json_object *o, *list;
	size_t outer, i, place;

	if (!reader_find(parent, "causes"))
		return;
	o = reader_object(rd, parent, "causes");
	outer = reader_enter(rd, "causes", -1);
	all->others = reader_u64(rd, o, "others");
	list = reader_list(rd, o, "list", CAUSES_KEPT);
	for (i = 0; list && i < json_object_array_length(list); i++) {
		place = reader_enter(rd, "list", (int)i);
		read_cause(rd, reader_object_at(rd, list, i), &all->at[i], of_task);
		reader_leave(rd, place);
		all->n = i + 1;
	}
	reader_leave(rd, outer);
}
