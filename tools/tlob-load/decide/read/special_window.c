// SPDX-License-Identifier: GPL-2.0
/* What rows cannot say of a window that is kept whole, and of who took time. */
#include <inttypes.h>
#include <string.h>

#include "read/anonymize.h"
#include "read/fields.h"
#include "result/field_local.h"
#include "result/parts.h"
#include "result/tables.h"
#include "result/timeline.h"

static void hide_span(struct aliases *a, const struct field *f, void *data)
{
	const struct tlob_span *s = data;

	if (part_noise(s->part) == TLOB_NOISE_THREAD)
		hide_task(a, f, data);
}

/* Only a thread has a name that a user gives. The kind is two rows before. */
static void hide_name(struct aliases *a, const struct field *f, void *data)
{
	if (field_get(f - 2, data) >= TLOB_NOISE_THREAD)
		hide_task(a, f, data);
}

/* A function of the kernel without a symbol. */
static bool is_address(const char *name)
{
	return !strncmp(name, "0x", 2);
}

static void hide_frame(struct aliases *a, const struct field *f, void *data)
{
	struct attach_frame *frame = data;

	(void)f;
	if (!frame->kernel || is_address(frame->name))
		hide_text(a, &frame->name);
}

/* null: lost; no key: the run had no --timeline. */
static void read_timeline(struct reader *rd, struct json_object *o, const struct field *f,
			  void *data)
{
	struct kept_window *k = data;
	struct tlob_timeline *t = timeline_copy(NULL);
	const char *defect;

	k->kept.timeline = t;
	if (!t)
		reader_fail(rd, f->key, "out of memory");
	if (!t || !reader_find(o, f->key))
		return;
	t->version = TLOB_TIMELINE_VERSION;
	t->size = sizeof(*t);
	t->cpu = k->w.cpu;
	t->activation = k->w.activation;
	record_read_in(rd, o, f->key, f->of, t);
	defect = *rd->error ? NULL : timeline_defect(t, &k->w);
	if (defect)
		reader_fail(rd, f->key, "%s", defect);
}

/* Without --waits there is no key; null: no wait. */
static void read_wait(struct reader *rd, struct json_object *o, const struct field *f, void *data)
{
	struct kept *kept = data;

	kept->waits = true;
	if (reader_find(o, f->key))
		record_read_in(rd, o, f->key, f->of, &kept->wait);
}

static void check_wait(struct reader *rd, void *data, size_t i)
{
	const struct attach_wait *wait = data;
	uint64_t ns = 0;
	size_t k;

	(void)i;
	if (!wait->ns)
		reader_fail(rd, "ns", "is 0");
	for (k = 0; k < wait->nchain; k++)
		ns += wait->chain[k].ns;
	if (wait->nchain && ns != wait->ns)
		reader_fail(rd, "chain", "segments of %" PRIu64 "ns in sum, and the wait has %" PRIu64 "ns", ns, wait->ns);
}

static void check_critical(struct reader *rd, void *data, size_t i)
{
	const struct critical_path *path = data;
	uint64_t ns = 0;
	size_t k;

	(void)i;
	for (k = 0; k < path->nrow; k++)
		ns += path->row[k].ns;
	if (ns != path->ns)
		reader_fail(rd, "rows", "%" PRIu64 "ns in sum, and the path has %" PRIu64 "ns", ns, path->ns);
}

/* Nobody is known in what is not known. */
static void check_segment(struct reader *rd, void *data, size_t i)
{
	const struct chain_segment *s = data;

	(void)i;
	if (!s->tid != (s->kind == SEGMENT_UNKNOWN))
		reader_fail(rd, "tid", s->tid ? "of an unknown task" : "is 0");
}

/* Only a window of attach has a task. */
static void check_task(struct reader *rd, void *data, size_t i)
{
	const struct kept_window *k = data;

	(void)i;
	if (!k->kept.task.tid)
		reader_fail(rd, "tid", "is 0");
}

/* A number is always accepted, null only if the time is not measured, as in a window of attach. */
static void read_measured(struct reader *rd, struct json_object *o, const struct field *f, void *data)
{
	number_store((char *)data + f->at, f->size, f->presence(data) == PRESENT ?
		     reader_u64(rd, o, f->key) : reader_known(rd, o, f->key));
}

/* The window that stopped a run is in no list: its place is 0. */
static void check_window(struct reader *rd, void *data, size_t i)
{
	struct kept_window *k = data;

	if (k->kept.task.tid)
		k->w.flags |= WINDOW_OF_TASK;
	if (i && k[0].w.response_ns > k[-1].w.response_ns)
		reader_fail(rd, "response_ns", "larger than in the window before: the list must descend");
	if (!result_keeps(i, &k->w, true))
		reader_fail(rd, "flags", "not a violation: the list has %d other windows at most",
			    RESULT_WORST);;
	if (k->w.irq_latency_ns > k->w.wake_ns || k->w.wake_ns > k->w.response_ns)
		reader_fail(rd, "wake_ns", "must lie between irq_latency_ns and response_ns");
}

const struct special special_window[] = {
	{ &window_record, "irq_latency_ns", .read = read_measured },
	{ &window_record, "wake_ns", .read = read_measured },
	{ &window_record, "timeline", .read = read_timeline },
	{ &window_record, "wait", .read = read_wait },
	{ &window_record, NULL, .check = check_window },
	{ &window_task_record, NULL, .check = check_task },
	{ &wait_record, NULL, .check = check_wait },
	{ &critical_record, NULL, .check = check_critical },
	{ &chain_wait_record, NULL, .check = check_wait },
	{ &frame_record, "name", .hide = hide_frame },
	{ &span_noise_record, "name", .hide = hide_span },
	{ &segment_record, NULL, .check = check_segment },
	{ &chain_other_record, "name", .hide = hide_name },
	{ &largest_record, "name", .hide = hide_name },
	{ &offender_record, "name", .hide = hide_name },
	{ &cause_name_record, "name", .hide = hide_name },
	{ .of = NULL }
};
