// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"
#include "report/parts_text.h"
#include "report/timeline_render.h"
#include "result/parts.h"
#include "result/timeline.h"
#include "util/json_write.h"
#include "util/printable.h"
#include "util/units.h"

const char *span_text(char buf[SPAN_TEXT], const struct tlob_span *s,
		      const struct tlob_window *w)
{
	struct tlob_noise noise = { .kind = (__u8)part_noise(s->part), .id = s->id };
	char name[PRINTABLE_NAME], whole[SPAN_TEXT];

	*buf = 0;
	if (s->part == TLOB_WAKE_IRQ_DELAY && window_met_user(w)) {
		snprintf(buf, SPAN_TEXT, "user code was running");
	} else if (s->part == TLOB_WAKE_IRQ_DELAY && w->delayed_by_pid) {
		printable(name, w->delayed_by, TLOB_NAME_LEN);
		snprintf(buf, SPAN_TEXT, "%s (pid %d) was running", name, w->delayed_by_pid);
	} else if (noise.kind == TLOB_NOISE_THREAD && !s->id) {
		snprintf(buf, SPAN_TEXT, "idle");
	} else if (noise.kind < TLOB_NR_NOISE && noise.kind != TLOB_NOISE_NMI) {
		memcpy(noise.name, s->name, sizeof(noise.name));
		snprintf(buf, SPAN_TEXT, "%s", noise_name(whole, sizeof(whole), &noise));
	}
	return buf;
}

static void span_row(struct table *t, uint64_t from, uint64_t to, const char *part,
		     const char *who)
{
	char at[DURATION_LEN], us[DURATION_LEN];

	table_cell(t, "%s\t%s\t%s\t%s", duration_us(at, from), duration_us(us, to - from), part, who);
}

int render_timeline(FILE *f, const struct tlob_window *w, const struct tlob_timeline *t)
{
	struct table table = { .align = "rrll", .indent = 2, .gap = 2 };
	char who[SPAN_TEXT];
	uint32_t i;

	if (!t)
		return 0;
	if (timeline_is_lost(t)) {
		fputs("  its timeline was lost\n", f);
		return 0;
	}
	table_cell(&table, "at us\tus\t\t");
	if (t->not_kept) {
		snprintf(who, sizeof(who), "%" PRIu32 " spans, not kept", (uint32_t)t->not_kept);
		span_row(&table, 0, t->start_ns, who, "");
	}
	for (i = 0; i < t->spans; i++)
		span_row(&table, timeline_start(t, i), t->span[i].end_ns,
			 part_name(t->span[i].part), span_text(who, &t->span[i], w));
	return table_print(&table, f);
}

/*
 * The trace-event format. Every window begins and ends ("B" and "E"), with its two phases
 * and their spans in it. Times are in microseconds with three decimals, which is exact.
 * Viewers compute with floating numbers: an end that equals the next beginning must be
 * the same number. So there are no complete events ("X"), whose end is a sum.
 *
 * A row of the viewer is a thread of the format, and its events must nest. Windows of
 * one CPU do not overlap in one run, but they may in merged runs and in foreign files. So each
 * window goes to the first row where it fits.
 */

struct shown {
	const struct tlob_window *w;
	const struct tlob_timeline *t;
	const struct kept *kept;
	int	 row;
};

#define MOST	(RESULT_KEPT + 1)

static uint64_t end_of(const struct tlob_window *w)
{
	return w->t0_ns > UINT64_MAX - w->response_ns ? UINT64_MAX : w->t0_ns + w->response_ns;
}

static void put_us(struct builder *b, struct json_object *to, const char *key, uint64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
	put(b, to, key, json_object_new_double_s((double)ns / 1000, text));
}

/* @phase: B or E; @name: printable; @at: ns from the expiry. Returns the event. */
static struct json_object *put_edge(struct builder *b, struct json_object *list,
				    const struct shown *s, const char *phase,
				    const char *name, uint64_t at)
{
	struct json_object *o = put_object(b, list, NULL);
	uint64_t room = UINT64_MAX - s->w->t0_ns;

	put_text(b, o, "ph", phase);
	put_int(b, o, "pid", (int)s->w->cpu);
	put_int(b, o, "tid", s->row);
	put_us(b, o, "ts", s->w->t0_ns + (at < room ? at : room));
	/* put_text() would escape the backslashes of span_text() again */
	put(b, o, "name", json_object_new_string(name));
	return o;
}

static void put_event(struct builder *b, struct json_object *list, const struct shown *s,
		      const char *name, const char *category, uint64_t from, uint64_t to)
{
	if (from == to)
		return;
	put_text(b, put_edge(b, list, s, "B", name, from), "cat", category);
	put_edge(b, list, s, "E", name, to);
}

static void put_span(struct builder *b, struct json_object *list, const struct shown *s,
		     uint32_t i)
{
	const struct tlob_span *span = &s->t->span[i];
	char who[SPAN_TEXT];

	span_text(who, span, s->w);
	put_event(b, list, s, *who ? who : part_short_name(span->part),
		  part_name(span->part), timeline_start(s->t, i), span->end_ns);
}

/* The phase from @from to @to. What is not kept lies in one phase or in both. */
static void put_phase(struct builder *b, struct json_object *list, const struct shown *s,
		      const char *name, uint64_t from, uint64_t to)
{
	const struct tlob_timeline *t = s->t;
	char lost[64];
	uint32_t i;

	if (from == to)
		return;
	put_text(b, put_edge(b, list, s, "B", name, from), "cat", "phase");
	snprintf(lost, sizeof(lost), "%" PRIu32 " spans not kept", (uint32_t)t->not_kept);
	if (t->start_ns > from)
		put_event(b, list, s, lost, "not kept", from,
			  t->start_ns < to ? t->start_ns : to);
	for (i = 0; i < t->spans; i++)
		if (timeline_start(t, i) >= from && t->span[i].end_ns <= to)
			put_span(b, list, s, i);
	put_edge(b, list, s, "E", name, to);
}

static void put_window(struct builder *b, struct json_object *list, const struct shown *s)
{
	const struct tlob_window *w = s->w;
	struct json_object *o, *args;
	char name[64];

	snprintf(name, sizeof(name), "window %" PRIu64, (uint64_t)w->activation);
	o = put_edge(b, list, s, "B", name, 0);
	put_text(b, o, "cat", "window");
	args = put_object(b, o, "args");
	put_us(b, args, "response us", w->response_ns);
	put_us(b, args, "budget us", w->budget_ns);
	put_bool(b, args, "violation", w->flags & TLOB_WINDOW_VIOLATION);
	if (*s->kept->host)
		put_text(b, args, "host", s->kept->host);
	if (*s->kept->place.function)
		put_text(b, args, "function", s->kept->place.function);
	if (*s->kept->place.entry)
		put_text(b, args, "entry", s->kept->place.entry);
	if (*s->kept->place.stack)
		put_text(b, args, "stack", s->kept->place.stack);
	put_phase(b, list, s, "wake", 0, w->wake_ns);
	put_phase(b, list, s, "work", w->wake_ns, w->response_ns);
	put_edge(b, list, s, "E", name, w->response_ns);
}

static void put_process(struct builder *b, struct json_object *list, const struct shown *s)
{
	struct json_object *o = put_object(b, list, NULL);
	char name[32];

	snprintf(name, sizeof(name), "CPU %" PRIu32, (uint32_t)s->w->cpu);
	put_text(b, o, "ph", "M");
	put_int(b, o, "pid", (int)s->w->cpu);
	put_int(b, o, "tid", s->row);
	put_text(b, o, "name", "process_name");
	put_text(b, put_object(b, o, "args"), "name", name);
}

static int earlier(const void *a, const void *b)
{
	const struct shown *x = a, *y = b;

	if (x->w->cpu != y->w->cpu)
		return x->w->cpu < y->w->cpu ? -1 : 1;
	if (x->w->t0_ns != y->w->t0_ns)
		return x->w->t0_ns < y->w->t0_ns ? -1 : 1;
	return end_of(x->w) > end_of(y->w) ? -1 : end_of(x->w) < end_of(y->w);
}

/* Windows that have a timeline. A window that stopped the run may be one of the worst. */
static size_t collect(struct shown all[MOST], const struct result *r)
{
	const struct kept_window *stop = r->stopped;
	size_t n = 0, i;

	if (stop && stop->kept.timeline && !timeline_is_lost(stop->kept.timeline))
		all[n++] = (struct shown){ &stop->w, stop->kept.timeline, &stop->kept, 0 };
	for (i = 0; i < r->nworst; i++) {
		const struct kept *kept = &r->worst[i].kept;
		const struct tlob_window *w = &r->worst[i].w;

		if (!kept->timeline || timeline_is_lost(kept->timeline))
			continue;
		if (stop && stop->w.cpu == w->cpu && stop->w.activation == w->activation)
			continue;
		all[n++] = (struct shown){ w, kept->timeline, kept, 0 };
	}
	qsort(all, n, sizeof(*all), earlier);
	return n;
}

/* The first row of its CPU in which the windows before it have ended. */
static int find_row(const struct shown *all, size_t i)
{
	bool taken;
	size_t k;
	int row;

	for (row = 0;; row++) {
		for (taken = false, k = 0; k < i; k++)
			taken = taken || (all[k].w->cpu == all[i].w->cpu && all[k].row == row &&
					  end_of(all[k].w) > all[i].w->t0_ns);
		if (!taken)
			return row;
	}
}

int render_trace_events(FILE *f, const struct result *r)
{
	struct json_object *o = json_object_new_object(), *list;
	struct builder b = { .err = 0 };
	struct shown all[MOST];
	size_t n = collect(all, r), i;

	put_text(&b, o, "displayTimeUnit", "ns");
	list = put_array(&b, o, "traceEvents");
	for (i = 0; i < n; i++) {
		all[i].row = find_row(all, i);
		if (!i || all[i].w->cpu != all[i - 1].w->cpu)
			put_process(&b, list, &all[i]);
		put_window(&b, list, &all[i]);
	}
	return json_end(&b, f, o);
}
