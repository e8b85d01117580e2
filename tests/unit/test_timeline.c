// SPDX-License-Identifier: GPL-2.0
/* Timelines: made by the split, kept in results, read, merged, and shown. */
#include <stdlib.h>

#include "merge_check.h"
#include "reading.h"
#include "report/timeline_render.h"
#include "result/timeline.h"
#include "split_check.h"

static struct tlob_split split;
static struct tlob_track track;

static void begin(uint64_t t0)
{
	tlob_split_arm(&split, t0, t0, OWN, false);
	tlob_split_set_track(&split, &track);
}

/* Ends the window at @now; its record and its timeline. */
static void end(uint64_t now, struct tlob_window *w, struct tlob_timeline *t)
{
	tlob_split_t3(&split, now);
	*w = (struct tlob_window){ .response_ns = now - split.t0 };
	memcpy(w->part_ns, split.part, sizeof(w->part_ns));
	w->wake_ns = tlob_split_sum(w->part_ns, false);
	*t = (struct tlob_timeline){ .cpu = 0 };
	tlob_track_copy(t, &track);
}

struct expected {
	uint64_t end_ns;
	enum tlob_part part;
	int32_t	 id;
	const char *name;
};

static void assert_spans(const struct tlob_timeline *t, const struct expected *e, size_t n)
{
	size_t i;

	assert_int_equal(t->spans, n);
	assert_int_equal(t->not_kept, 0);
	assert_int_equal(t->start_ns, 0);
	for (i = 0; i < n; i++) {
		assert_int_equal(t->span[i].end_ns, e[i].end_ns);
		assert_int_equal(t->span[i].part, e[i].part);
		assert_int_equal(t->span[i].id, e[i].id);
		assert_string_equal(t->span[i].name, e[i].name);
	}
}

static const char timer[] = "local_timer" TLOB_NAME_PAD;
static const char comm[TLOB_NAME_LEN] __attribute__((aligned(8))) = "kworker/0:1";

/* A wake-up, and work with an irq in a thread, an nmi and a sleep. */
TEST(order)
{
	static const struct expected e[] = {
		{ 100, TLOB_WAKE_IRQ_DELAY, 0, "" },
		{ 300, TLOB_WAKE_IRQ, 236, "local_timer" },
		{ 350, TLOB_WAKE_THREAD, 7, "kworker/0:1" },
		{ 400, TLOB_WAKE_SCHED, 0, "" },
		{ 1000, TLOB_WORK_ON_CPU, 0, "" },
		{ 1100, TLOB_WORK_THREAD, 7, "kworker/0:1" },
		{ 1150, TLOB_WORK_IRQ, 25, "eth0" },
		{ 1300, TLOB_WORK_THREAD, 7, "kworker/0:1" },
		{ 1420, TLOB_WORK_ON_CPU, 0, "" },
		{ 1500, TLOB_WORK_NMI, 0, "nmi" },
		{ 1700, TLOB_WORK_SLEEP, 0, "" },
		{ 1750, TLOB_WORK_THREAD, 0, "" },
		{ 2000, TLOB_WORK_ON_CPU, 0, "" },
	};
	struct tlob_timeline t;
	struct tlob_window w;

	begin(1000);
	tlob_split_switch(&split, 1000, OWN, "own", true, 7);
	tlob_split_enter(&split, 1100, TLOB_NOISE_IRQ, 236, timer, true);
	tlob_split_t1(&split, 1200);
	tlob_track_task(&track, comm);
	tlob_split_exit(&split, 1300, TLOB_NOISE_IRQ, 236);
	tlob_split_switch(&split, 1350, 7, comm, false, OWN);
	tlob_split_t2(&split, 1400);
	/* the check of the budget is a boundary without a change */
	tlob_split_charge(&split, 1500);
	tlob_split_switch(&split, 2000, OWN, "own", false, 7);
	tlob_track_task(&track, comm);
	tlob_split_enter(&split, 2100, TLOB_NOISE_IRQ, 25, "eth0", false);
	tlob_split_exit(&split, 2150, TLOB_NOISE_IRQ, 25);
	tlob_split_switch(&split, 2300, 7, comm, false, OWN);
	/* it came before the switch, and its place is not known */
	tlob_split_nmi(&split, 80, 1, 80);
	tlob_split_switch(&split, 2500, OWN, "own", true, 0);
	tlob_track_task(&track, (const char[TLOB_NAME_LEN]){ "" });
	tlob_split_wakeup(&split, 2700);
	tlob_split_switch(&split, 2750, 0, "swapper/0", false, OWN);
	end(3000, &w, &t);
	assert_spans(&t, e, sizeof(e) / sizeof(e[0]));
	assert_null(timeline_defect(&t, &w));
	assert_int_equal(split.errors, 0);
}

/* The last ones stay; what is not kept ends where the first of them begins. */
TEST(overrun)
{
	struct tlob_timeline t;
	struct tlob_window w;
	unsigned int i;

	begin(0);
	tlob_split_t1(&split, 10);
	tlob_split_t2(&split, 20);
	for (i = 0; i < 100; i++) {
		tlob_split_enter(&split, 100 + 10 * i, TLOB_NOISE_IRQ, 9, "x", false);
		tlob_split_exit(&split, 104 + 10 * i, TLOB_NOISE_IRQ, 9);
	}
	end(2000, &w, &t);
	/* irq_delay, sched, 100 of on_cpu and irq, the last of on_cpu */
	assert_int_equal(t.not_kept, 203 - TLOB_TIMELINE_SPANS);
	assert_int_equal(t.spans, TLOB_TIMELINE_SPANS);
	assert_int_equal(t.span[0].end_ns - t.start_ns, 4);
	assert_int_equal(t.span[TLOB_TIMELINE_SPANS - 1].end_ns, 2000);
	assert_null(timeline_defect(&t, &w));
	t.not_kept = 0;
	assert_non_null(timeline_defect(&t, &w));
}

/* Random events, also impossible ones: a track changes no part, and adds up to all. */
TEST(conserves)
{
	struct tlob_split plain;
	struct tlob_timeline t;
	struct tlob_window w;
	uint64_t seed = 16;
	unsigned int i, n, overruns = 0;

	for (i = 0; i < 20000; i++) {
		uint64_t now = 1000;

		begin(1000);
		split.short_ns = 9;
		plain = split;
		plain.track = NULL;
		plain.slow = false;
		for (n = (unsigned int)(unit_random(&seed) % 120); n; n--) {
			unsigned int what = (unsigned int)(unit_random(&seed) % SPLIT_EVENTS);
			int id = (int)(unit_random(&seed) % 3);
			uint64_t ns = unit_random(&seed) % 40;

			now += unit_random(&seed) % 100;
			now -= !(unit_random(&seed) % 16) ? now % 5 : 0;
			split_event(&split, what, now, id, ns);
			split_event(&plain, what, now, id, ns);
		}
		now += 10000;
		tlob_split_t2(&split, now);
		tlob_split_t2(&plain, now);
		tlob_split_t3(&plain, now + 100);
		end(now + 100, &w, &t);
		assert_memory_equal(split.part, plain.part, sizeof(*plain.part) * TLOB_NR_PARTS);
		overruns += t.not_kept != 0;
		if (timeline_defect(&t, &w))
			fail_msg("window %u: %s", i, timeline_defect(&t, &w));
	}
	assert_true(overruns > 100 && overruns < 19000);
}

/* The timeline of sample_violation(). */
static struct tlob_timeline sample_timeline(const struct tlob_window *w)
{
	static const struct {
		uint64_t ns;
		enum tlob_part part;
		int32_t	 id;
		const char *name;
	} spans[] = {
		{ 900, TLOB_WAKE_IRQ_DELAY, 0, "" }, { 1300, TLOB_WAKE_IRQ, 236, "local_timer" },
		{ 800, TLOB_WAKE_SCHED, 0, "" }, { 2000, TLOB_WORK_ON_CPU, 0, "" },
		{ 140000, TLOB_WORK_THREAD, 117, "<b>\"\\\x1b[2J" }, { 2001, TLOB_WORK_IRQ, 25, "eth0" },
		{ 10250, TLOB_WORK_THREAD, 118, "kworker/0:1" }, { 100000, TLOB_WORK_ON_CPU, 0, "" },
	};
	struct tlob_timeline t = {
		.version = TLOB_TIMELINE_VERSION, .size = sizeof(t), .cpu = w->cpu,
		.activation = w->activation,
	};
	uint64_t at = 0;
	size_t i;

	for (i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		struct tlob_span *s = &t.span[t.spans++];

		at += spans[i].ns;
		*s = (struct tlob_span){ .end_ns = at, .part = (__u8)spans[i].part, .id = spans[i].id };
		snprintf(s->name, sizeof(s->name), "%s", spans[i].name);
	}
	return t;
}

/* A good window whose timeline was lost, and a violation that has one. */
static void sample_timed(struct result *r, uint64_t n)
{
	struct tlob_window good = sample_window(0, n), bad = sample_violation(0, n + 1);
	struct tlob_timeline t = sample_timeline(&bad);

	sample_empty(r, 1);
	r->timed = true;
	assert_null(timeline_defect(&t, &bad));
	assert_true(result_window_timed(r, 0, &good, true, NULL, NULL));
	assert_true(result_window_timed(r, 0, &bad, true, &t, NULL));
	result_sum(r);
}

TEST(defects)
{
	struct tlob_window w = sample_violation(0, 1);
	const struct tlob_timeline good = sample_timeline(&w);
	struct tlob_timeline t;
	unsigned int i;

	assert_null(timeline_defect(&good, &w));
	for (i = 0; i < 10; i++) {
		t = good;
		switch (i) {
		case 0: t.version = 0; break;
		case 1: t.activation++; break;
		case 2: t.spans = TLOB_TIMELINE_SPANS + 1; break;
		case 3: t.spans--; break;
		case 4: t.span[3].part = TLOB_NR_PARTS; break;
		case 5: t.span[3].part = TLOB_WORK_NMI; break;
		case 6: t.span[3].end_ns = t.span[2].end_ns; break;
		case 7: t.span[2].end_ns++; break;
		case 8: t.start_ns = 1; break;
		case 9: t.span[0].part = TLOB_WORK_ON_CPU; break;
		}
		assert_non_null(timeline_defect(&t, &w));
	}
	/* a gap of the hardware was found after t3, in what was on_cpu before */
	w.part_ns[TLOB_WORK_ON_CPU] -= 500;
	w.part_ns[TLOB_WORK_HW] += 500;
	assert_null(timeline_defect(&good, &w));
}

TEST(read_again)
{
	struct result r, back;
	char *text, *again;

	sample_timed(&r, 0);
	text = sample_render(render_json, &r);
	assert_non_null(strstr(text, "\"timeline\":null"));
	memset(&reader, 0, sizeof(reader));
	assert_int_equal(parse(&back, text), 0);
	assert_memory_equal(back.worst[0].kept.timeline, r.worst[0].kept.timeline, sizeof(struct tlob_timeline));
	assert_true(timeline_is_lost(back.worst[1].kept.timeline));
	again = sample_render(render_json, &back);
	assert_string_equal(text, again);
	free(text);
	free(again);
	result_free(&back);
	result_free(&r);
}

/* @from in the file becomes @to, and is refused with @error. */
static void refused(const char *from, const char *to, const char *error)
{
	struct result r, back;
	char *text, *at, *bad;

	sample_timed(&r, 0);
	text = sample_render(render_json, &r);
	at = strstr(text, "\"timeline\":{");
	assert_non_null(at);
	at = strstr(at, from);
	assert_non_null(at);
	assert_true(asprintf(&bad, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
	memset(&reader, 0, sizeof(reader));
	assert_true(parse(&back, bad) < 0);
	if (!strstr(reader.error, error))
		fail_msg("%s instead of %s", reader.error, error);
	free(bad);
	free(text);
	result_free(&r);
}

TEST(foreign)
{
	refused("\"end_ns\":900", "\"end_ns\":901", "worst[0].timeline: spans that do not add up");
	refused("\"end_ns\":900", "\"end_ns\":0", "timeline: a span that does not end after");
	refused("\"end_ns\":900", "\"end_ns\":-1", "timeline.spans[0].end_ns: not a count");
	refused("\"part\":\"wake.irq_delay\"", "\"part\":\"wake.x\"", "timeline.spans[0].part");
	refused("\"start_ns\":0", "\"start_ns\":5", "timeline: a start");
	refused("\"not_kept\":0", "\"not_kept\":4294967296", "timeline.not_kept");
	refused("\"name\":\"local_timer\"", "\"name\":\"a-name-of-sixteen\"", "spans[1].name: longer");
	refused("\"spans\":[", "\"spans\":[5,", "spans[0]");
}

/* More windows than are kept, so that timelines move down the list and out of it. */
TEST(follow_their_windows)
{
	struct tlob_timeline t;
	struct tlob_window w;
	struct result r;
	uint64_t seed = 3;
	unsigned int i;

	sample_empty(&r, 1);
	r.timed = true;
	for (i = 0; i < 100; i++) {
		w = sample_violation(0, i);
		w.part_ns[TLOB_WORK_ON_CPU] += unit_random(&seed) % 50000;
		sample_close(&w);
		t = sample_timeline(&w);
		t.span[t.spans - 1].end_ns = w.response_ns;
		assert_null(timeline_defect(&t, &w));
		assert_true(result_window_timed(&r, 0, &w, true, &t, NULL));
	}
	assert_int_equal(r.nworst, RESULT_KEPT);
	for (i = 0; i < r.nworst; i++)
		assert_null(timeline_defect(r.worst[i].kept.timeline, &r.worst[i].w));
	result_free(&r);
}

/* Timelines go with their windows into a sum, but not from a window that stopped a run. */
TEST(merging)
{
	struct result b, sum;
	size_t i;

	sample_timed(&b, 20);
	b.started++;
	set_text(&b.run_id, "b");
	b.stopped = calloc(1, sizeof(*b.stopped));
	assert_non_null(b.stopped);
	b.stopped->w = b.worst[0].w;
	b.stopped->kept.timeline = timeline_copy(b.worst[0].kept.timeline);
	sample_timed(&sum, 0);
	merged(&sum, &b);
	assert_int_equal(sum.nworst, 4);
	assert_null(sum.stopped);
	for (i = 0; i < 2; i++)
		assert_null(timeline_defect(sum.worst[i].kept.timeline, &sum.worst[i].w));
	for (i = 2; i < 4; i++)
		assert_true(timeline_is_lost(sum.worst[i].kept.timeline));
	result_free(&sum);
}

TEST(shown)
{
	struct result r;
	char *text;

	sample_timed(&r, 0);
	text = sample_render(render_text, &r, true);
	/* at, how long, which part, who */
	assert_non_null(strstr(text, "    0.000    0.900  wake.irq_delay  stress-ng (pid 4242) was running\n"));
	assert_non_null(strstr(text, "    0.900    1.300  wake.irq        local_timer (vector 236)\n"));
	assert_non_null(strstr(text, "  145.000    2.001  work.irq        eth0 (irq 25)\n"));
	assert_null(strchr(text, '\x1b'));
	free(text);
	memset(r.worst[0].kept.timeline, 0, sizeof(struct tlob_timeline));
	text = sample_render(render_text, &r, true);
	assert_non_null(strstr(text, "its timeline was lost"));
	free(text);
	result_free(&r);
}

#define DEEPEST	3			/* a window, a phase, a span */
#define ROWS	64

/* A row of the viewer: the events that are open, and the time of the last edge in ns. */
struct row {
	int64_t	 pid, tid;
	const char *open[DEEPEST];
	size_t	 depth;
	uint64_t at;
	bool	 begun;			/* the last edge was a beginning */
};

static uint64_t ns_of(struct json_object *o, const char *key)
{
	const char *text = json_object_to_json_string(json_object_object_get(o, key));
	unsigned long long us, ns;
	int used;

	/* exactly three decimals */
	assert_int_equal(sscanf(text, "%llu.%3llu%n", &us, &ns, &used), 2);
	assert_int_equal(strlen(text), used);
	assert_int_equal(text[used - 4], '.');
	return us * 1000 + ns;
}

static const char *text_of(struct json_object *o, const char *key)
{
	const char *text = json_object_get_string(json_object_object_get(o, key));

	assert_non_null(text);
	return text;
}

static struct row *row_of(struct row *rows, struct json_object *e)
{
	int64_t pid = json_object_get_int64(json_object_object_get(e, "pid"));
	int64_t tid = json_object_get_int64(json_object_object_get(e, "tid"));
	struct row *r = rows;

	for (; r->depth || r->at; r++)
		if (r->pid == pid && r->tid == tid)
			return r;
	assert_true(r < rows + ROWS);
	r->pid = pid;
	r->tid = tid;
	return r;
}

/*
 * The validator of the format: in each row time does not go back, and what began last ends
 * first. Returns the sum of the events that contain no other, in ns.
 */
static uint64_t validate(const char *text, unsigned int *windows)
{
	struct json_object *o = json_tokener_parse(text), *list, *e;
	struct row rows[ROWS + 1] = { { 0 } }, *r;
	uint64_t leaves = 0, at;
	size_t i;

	assert_non_null(o);
	list = json_object_object_get(o, "traceEvents");
	*windows = 0;
	for (i = 0; i < json_object_array_length(list); i++) {
		e = json_object_array_get_idx(list, i);
		if (!strcmp(text_of(e, "ph"), "M"))
			continue;
		r = row_of(rows, e);
		at = ns_of(e, "ts");
		assert_true(at >= r->at);
		if (!strcmp(text_of(e, "ph"), "B")) {
			assert_true(r->depth < DEEPEST);
			assert_int_equal(!r->depth, !strncmp(text_of(e, "name"), "window ", 7));
			*windows += !r->depth;
			r->open[r->depth++] = text_of(e, "name");
		} else {
			assert_string_equal(text_of(e, "ph"), "E");
			assert_true(r->depth);
			assert_string_equal(r->open[--r->depth], text_of(e, "name"));
			assert_true(!r->begun || at > r->at);
			leaves += r->begun ? at - r->at : 0;
		}
		r->begun = *text_of(e, "ph") == 'B';
		r->at = at;
	}
	for (r = rows; r->at; r++)
		assert_int_equal(r->depth, 0);
	json_object_put(o);
	return leaves;
}

TEST(trace_events)
{
	struct result r;
	unsigned int windows;
	char *text;

	sample_timed(&r, 0);
	text = sample_render(render_trace_events, &r);
	assert_int_equal(validate(text, &windows), r.worst[0].w.response_ns);
	assert_int_equal(windows, 1);
	assert_null(strchr(text, '\x1b'));
	assert_null(strstr(text, "openat()"));
	free(text);
	/* where in the kernel it was made late */
	r.worst[0].kept.place = (struct kernel_place){ "deleted", "openat()", "root;deleted" };
	text = sample_render(render_trace_events, &r);
	assert_non_null(strstr(text, "\"deleted\""));
	assert_non_null(strstr(text, "\"openat()\""));
	assert_non_null(strstr(text, "\"root;deleted\""));
	free(text);
	/* spans that are not kept have one event in each phase where they lie */
	r.worst[0].kept.timeline->start_ns = r.worst[0].kept.timeline->span[4].end_ns;
	r.worst[0].kept.timeline->not_kept = 5;
	r.worst[0].kept.timeline->spans -= 5;
	memmove(r.worst[0].kept.timeline->span, r.worst[0].kept.timeline->span + 5, 3 * sizeof(struct tlob_span));
	assert_null(timeline_defect(r.worst[0].kept.timeline, &r.worst[0].w));
	text = sample_render(render_trace_events, &r);
	assert_int_equal(validate(text, &windows), r.worst[0].w.response_ns);
	assert_non_null(strstr(text, "5 spans not kept"));
	free(text);
	result_free(&r);
}

static bool has_event(const char *text, const char *name)
{
	struct json_object *o = json_tokener_parse(text), *list;
	bool found = false;
	size_t i;

	list = json_object_object_get(o, "traceEvents");
	for (i = 0; i < json_object_array_length(list); i++)
		found = found || !strcmp(text_of(json_object_array_get_idx(list, i), "name"), name);
	json_object_put(o);
	return found;
}

/* A viewer shows the names of the text, whatever is in them. */
TEST(names_of_events)
{
	char who[SPAN_TEXT], *text;
	struct result r;
	uint32_t i;

	sample_timed(&r, 0);
	text = sample_render(render_trace_events, &r);
	for (i = 0; i < r.worst[0].kept.timeline->spans; i++)
		if (*span_text(who, &r.worst[0].kept.timeline->span[i], &r.worst[0].w) &&
		    !has_event(text, who))
			fail_msg("'%s' is not in:\n%s", who, text);
	assert_true(has_event(text, "<b>\"\\\\x1b[2J (pid 117)"));
	free(text);
	result_free(&r);
}

/* Windows of merged runs overlap: each has a row where it fits. */
TEST(overlapping)
{
	struct tlob_timeline t;
	struct tlob_window w;
	unsigned int windows, i;
	struct result r;
	char *text;

	sample_empty(&r, 2);
	r.timed = true;
	for (i = 0; i < 6; i++) {
		w = sample_violation(i % 2, i);
		w.t0_ns = 1000000 + 100000 * (i / 4);
		t = sample_timeline(&w);
		assert_true(result_window_timed(&r, i % 2, &w, true, &t, NULL));
	}
	result_sum(&r);
	text = sample_render(render_trace_events, &r);
	assert_int_equal(validate(text, &windows), 6 * w.response_ns);
	assert_int_equal(windows, 6);
	free(text);
	result_free(&r);
}

UNIT_MAIN(NULL, NULL)
