// SPDX-License-Identifier: GPL-2.0
/* The result of attach. */
#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "result/attach_result.h"
#include "result/tables.h"

static const struct words metrics = { .n = ATTACH_NR_METRICS, .list = attach_metric_names };

#define COUNTER_ROW(name, how, line)						\
	ROW(attach_result, name, COUNT, .flags = FIELD_SUM | (how), .text = line),
static const struct field counter_fields[] = {
	ATTACH_COUNTERS(COUNTER_ROW)
};

const struct fields attach_counters = RECORD(attach_result, "counters", counter_fields);

static void put_others(struct builder *b, struct json_object *o, const struct field *f,
		       const void *data)
{
	const struct attach_place *p = data;
	struct json_object *list;
	unsigned int i;

	if (p->at.nr < 2)
		return;
	list = put_array(b, o, f->key);
	for (i = 1; i < p->at.nr; i++)
		put_u64(b, list, NULL, p->at.at[i]);
}

static void read_others(struct reader *rd, struct json_object *o, const struct field *f, void *data)
{
	struct json_object *list = reader_list(rd, o, f->key, TLOB_BINDING_OFFSETS - 1);
	size_t n = list ? json_object_array_length(list) : 0, i;
	struct attach_place *p = data;

	for (i = 0; i < n; i++)
		p->at.at[p->at.nr++] = reader_u64_at(rd, list, i);
}

static const struct field place_fields[] = {
	ROW_AS("place", attach_place, text, TEXT, .flags = FIELD_PRIVATE),
	ROW_AS("offset", attach_place, at.at[0], COUNT),
	ROW_WITHOUT("other_offsets", OWN, .flags = FIELD_LEFT_OUT | FIELD_PUBLIC,
		    .put = put_others, .read = read_others,
		    .def = "{\"type\": \"array\", \"minItems\": 1, \"maxItems\": 15, \"items\": "
		    "{\"$ref\": \"#/$defs/u64\"}}"),
};

static const struct fields place_record = RECORD(attach_place, "place", place_fields);

/* wait() reports a status or a signal if we started it: @f->bits is set for the signal. */
static void put_end(struct builder *b, struct json_object *o, const struct field *f,
		    const void *data)
{
	const struct attach_result *r = data;
	bool known = r->started_it && r->ended;

	if (f->bits)
		put_known(b, o, f->key, known && WIFSIGNALED(r->status),
			  (uint64_t)WTERMSIG(r->status));
	else
		put_known(b, o, f->key, known && WIFEXITED(r->status),
			  (uint64_t)WEXITSTATUS(r->status));
}

static void read_end(struct reader *rd, struct json_object *o, const struct field *f, void *data)
{
	uint64_t n = reader_known(rd, o, f->key);
	struct attach_result *r = data;

	if (n > f->max)
		reader_fail(rd, "exit_status", "or signal is not one of a process");
	else
		r->status |= (int)(f->bits ? n : n << 8);
}

static const struct field process_fields[] = {
	ROW(attach_result, pid, NUMBER, .max = INT_MAX),
	ROW(attach_result, program, TEXT, .flags = FIELD_PRIVATE),
	ROW_AS("started", attach_result, started_it, BOOL),
	ROW(attach_result, ended, BOOL),
	ROW_WITHOUT("exit_status", COUNT, .flags = FIELD_NULL, .max = 255, .put = put_end,
		    .read = read_end),
	ROW_WITHOUT("signal", COUNT, .flags = FIELD_NULL, .bits = true, .max = 127, .put = put_end,
		    .read = read_end),
};

static const struct fields process_record = RECORD(attach_result, "process", process_fields);

static enum presence causes_presence(const void *data)
{
	const struct attach_result *r = data;

	return r->causes.n || r->causes.others ? PRESENT : NO_KEY;
}

static enum presence places_presence(const void *data)
{
	const struct attach_result *r = data;

	return r->places.n || r->places.others ? PRESENT : NO_KEY;
}

static enum presence episodes_presence(const void *data)
{
	const struct attach_result *r = data;

	return r->episodes.e.n ? PRESENT : NO_KEY;
}

static void check_windows(struct reader *rd, struct json_object *o, const struct field *f,
			  const void *data)
{
	const struct attach_result *r = data;

	(void)o;
	(void)f;
	if (r->hist[ATTACH_ELAPSED].n != r->windows)
		reader_fail(rd, "windows", "differs from the number of times in hist");
}

static const char *const format_name[] = { ATTACH_FORMAT };
static const struct words format = { .n = 1, .list = format_name };

static const struct field attach_fields[] = {
	ROW_WITHOUT("format", CONST, .words = &format),
	ROW_WITHOUT("version", CONST, .max = ATTACH_VERSION, .text = "`\"tlob-load attach\"`, 1"),
	ROW(attach_result, started, TIME),
	ROW(attach_result, duration_ns, COUNT),
	ROW(attach_result, command, TEXT, .flags = FIELD_PRIVATE),
	ROW(attach_result, kernel, TEXT, .flags = FIELD_PUBLIC),
	ROW(attach_result, machine, TEXT, .flags = FIELD_PUBLIC),
	ROW(attach_result, host, TEXT, .flags = FIELD_NULL | FIELD_PRIVATE),
	ROW(attach_result, boot_id, TEXT, .flags = FIELD_NULL | FIELD_PRIVATE),
	ROW(attach_result, machine_id, TEXT, .flags = FIELD_NULL | FIELD_PRIVATE),
	ROW(attach_result, run_id, TEXT, .flags = FIELD_NULL | FIELD_PRIVATE, .text = NO_ROW),
	ROW(attach_result, backend, TEXT, .flags = FIELD_PUBLIC,
	    .text = "`tlob`, or `bpf` for activations without the module"),
	ROW(attach_result, tags, OWN, .flags = FIELD_LEFT_OUT | FIELD_FREE_TEXT,
	    .put = put_tags, .read = read_tags, .hide = hide_tags, .def = "facts"),
	ROW(attach_result, deterministic, BOOL, .text = NO_ROW),
	ROW(attach_result, file, TEXT, .flags = FIELD_PRIVATE),
	ROW(attach_result, debug_file, TEXT, .flags = FIELD_NULL | FIELD_PRIVATE,
	    .text = "the program or library with the region, or which threads are watched; where "
	    "its symbols were found if elsewhere, or null"),
	ROW(attach_result, start, RECORD, .of = &place_record),
	ROW(attach_result, stop, RECORD, .of = &place_record,
	    .text = "`place` as the source names it, and its `offset` in `file`; `other_offsets` "
	    "of a static probe with several places"),
	ROW(attach_result, budget_ns, COUNT, .text = "the longest time allowed"),
	ROW_WITHOUT("process", RECORD, .of = &process_record,
		    .text = "`pid`; the `program`; `started`: by tlob-load; `ended`. If both are true, its "
		    "`exit_status` or `signal`; else null"),
	ROW(attach_result, all, BOOL),
	ROW(attach_result, waits, BOOL, .flags = FIELD_LEFT_OUT, .def = "{\"const\": true}",
	    .text = "true: the windows of every process that executes `file`; true: with `--waits`"),
	ROW(attach_result, functions, POINTER, .of = &function_sets_record,
	    .flags = FIELD_LEFT_OUT | FIELD_NOT_READ,
	    .text = NO_ROW),
	ROW(attach_result, began_ns, COUNT, .text = "CLOCK_MONOTONIC when watching began"),
	ROW(attach_result, clock_resolution_ns, COUNT, .flags = FIELD_NULL),
	ROW(attach_result, timer_resolution_ns, COUNT, .flags = FIELD_LEFT_OUT,
	    .text = NO_ROW),
	ROW_AS("cpu_limits", attach_result, limits.text, TEXT,
	       .flags = FIELD_LEFT_OUT | FIELD_PUBLIC, .text = NO_ROW),
	ROW_AS("limited_by", attach_result, limits.by, TEXT,
	       .flags = FIELD_LEFT_OUT | FIELD_PRIVATE, .text = NO_ROW),
	ROW_AS("nr_throttled", attach_result, limits.nr_throttled, COUNT, .flags = FIELD_LEFT_OUT,
	       .text = NO_ROW),
	ROW_AS("throttled_ns", attach_result, limits.throttled_ns, COUNT, .flags = FIELD_LEFT_OUT,
	       .text = NO_ROW),
	ROW(attach_result, stopped_by, TEXT, .flags = FIELD_NULL | FIELD_PUBLIC),
	ROW(attach_result, notes, TEXTS, .flags = FIELD_FREE_TEXT, .max = RESULT_NOTES,
	    .text = NO_ROW),
	ROW_WITHOUT(NULL, SAME, .of = &attach_counters),
	ROW_AS("other_processes", attach_result, nother, COUNT, .max = ATTACH_OTHERS,
	       .text = "how many processes the windows of `others` belonged to (64: at least)"),
	ROW(attach_result, unavailable, MASK, .words = &task_part_words,
	    .text = "parts that cannot be measured here: their time is in others"),
	ROW(attach_result, hist, HISTS, FIELD_WITHOUT(attach_result, unavailable),
	    .first = ATTACH_PARTS, .words = &metrics, .check = check_windows,
	    .text = "a histogram of `elapsed` and of the parts that add up to it: `running`, "
	    "`irq`, `softirq`, `nmi`, `waiting`, `sleeping`, `timer`, `steal`"),
	ROW(attach_result, function_totals, OWN, FIELD_N(attach_result, windows),
	    .of = &function_totals_record, .flags = FIELD_LEFT_OUT | FIELD_PUBLIC,
	    .put = put_function_totals, .read = read_function_totals,
	    .text = "as `functions` of a CPU; `lost` windows had no room"),
	ROW(attach_result, activations, RECORD, .of = &activations_record,
	    .flags = FIELD_LEFT_OUT, FIELD_KNOWN(attach_result, of_threads, 1),
	    .text = "if threads were watched: each with an activation that ended or was cut"),
	ROW_AS("episodes", attach_result, episodes.e, RECORD, .of = &episodes_record,
	       .flags = FIELD_LEFT_OUT, .presence = episodes_presence,
	       .text = NO_ROW),
	ROW(attach_result, worst, LIST, FIELD_N(attach_result, nworst), .of = &region_record,
	    .max = RESULT_WORST,
	    .text = "the longest windows, at most 16, also cut and open ones"),
	ROW(attach_result, noise, RECORD, .of = &offenders_record,
	    .text = NO_ROW),
	ROW(attach_result, causes, RECORD, .of = &causes_of_task_record,
	    .flags = FIELD_LEFT_OUT, .presence = causes_presence,
	    .text = NO_ROW),
	ROW(attach_result, places, RECORD, .of = &places_of_task_record,
	    .flags = FIELD_LEFT_OUT, .presence = places_presence,
	    .text = NO_ROW),
	ROW(attach_result, actions, RECORD, .of = &actions_record,
	    .flags = FIELD_LEFT_OUT, FIELD_KNOWN(attach_result, actions.asked, 1),
	    .text = NO_ROW),
	ROW(attach_result, assertions, OWN, FIELD_N(attach_result, said), .of = &assertion_record,
	    .max = CONDITIONS_MAX, .flags = FIELD_LEFT_OUT | FIELD_PUBLIC,
	    .put = put_assertions, .read = read_assertions, .text = NO_ROW),
};

const struct fields attach_result_record = RECORD(attach_result, "attach", attach_fields);
