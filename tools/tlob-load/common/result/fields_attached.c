// SPDX-License-Identifier: GPL-2.0
/* What only a result of attach has. */
#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "result/attached.h"
#include "result/tables.h"

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

static const struct field place_fields[] = {
	ROW_AS("place", attach_place, text, TEXT, .flags = FIELD_PRIVATE),
	ROW_AS("offset", attach_place, at.at[0], COUNT),
	ROW_WITHOUT("other_offsets", OWN, .flags = FIELD_LEFT_OUT | FIELD_PUBLIC,
		    .put = put_others,
		    .def = "{\"type\": \"array\", \"minItems\": 1, \"maxItems\": 15, \"items\": "
		    "{\"$ref\": \"#/$defs/u64\"}}"),
};

const struct fields attach_place_record = RECORD(attach_place, "place", place_fields);

/* wait() reports a status or a signal if we started it: @f->bits is set for the signal. */
static void put_end(struct builder *b, struct json_object *o, const struct field *f,
		    const void *data)
{
	const struct attached *r = data;
	bool known = r->started_it && r->ended;

	if (f->bits)
		put_known(b, o, f->key, known && WIFSIGNALED(r->status),
			  (uint64_t)WTERMSIG(r->status));
	else
		put_known(b, o, f->key, known && WIFEXITED(r->status),
			  (uint64_t)WEXITSTATUS(r->status));
}

static const struct field process_fields[] = {
	ROW(attached, pid, NUMBER, .max = INT_MAX),
	ROW(attached, program, TEXT, .flags = FIELD_PRIVATE),
	ROW_AS("started", attached, started_it, BOOL),
	ROW(attached, ended, BOOL),
	ROW_WITHOUT("exit_status", COUNT, .flags = FIELD_NULL, .max = 255, .put = put_end),
	ROW_WITHOUT("signal", COUNT, .flags = FIELD_NULL, .bits = true, .max = 127, .put = put_end),
};

const struct fields process_record = RECORD(attached, "process", process_fields);

static enum presence blocked_presence(const void *data)
{
	const struct attached *a = data;

	return a->nblocked ? PRESENT : NO_KEY;
}

static const struct field blocked_fields[] = {
	ROW(blocked_thread, tid, COUNT),
	ROW(blocked_thread, comm, CHARS, .flags = FIELD_PRIVATE | FIELD_TASK),
	ROW(blocked_thread, function, CHARS, .flags = FIELD_NULL | FIELD_PUBLIC,
	    .text = "a thread, and the function of the kernel in which it waits; null: not known"),
};

const struct fields blocked_thread_record = RECORD(blocked_thread, "blocked_thread", blocked_fields);

static const struct field attached_fields[] = {
	ROW(attached, file, TEXT, .flags = FIELD_PRIVATE),
	ROW(attached, debug_file, TEXT, .flags = FIELD_NULL | FIELD_PRIVATE,
	    .text = "the program or library with the region, or which threads are watched; where "
	    "its symbols were found if elsewhere, or null"),
	ROW(attached, start, RECORD, .of = &attach_place_record),
	ROW(attached, stop, RECORD, .of = &attach_place_record,
	    .text = "`place` as the source names it, and its `offset` in `file`; `other_offsets` "
	    "of a static probe with several places"),
	ROW(attached, key, TEXT, .flags = FIELD_LEFT_OUT | FIELD_PUBLIC,
	    .text = "`--key`, if windows belong to keys: one may begin on a thread and end on another"),
	ROW_WITHOUT("process", RECORD, .of = &process_record,
		    .text = "`pid`; the `program`; `started`: by tlob-load; `ended`. If both are true, its "
		    "`exit_status` or `signal`; else null"),
	ROW(attached, all, BOOL, .text = "true: the windows of every process that executes `file`"),
	ROW(attached, began_ns, COUNT, .text = "CLOCK_MONOTONIC when watching began"),
	ROW(attached, unmeasured_most, COUNT, .max = 1000000,
	    .text = "`--inexact`, of a million windows: with more `unmeasured` ones there is no verdict"),
	ROW(attached, by_deadline, BOOL, .flags = FIELD_LEFT_OUT,
	    .text = "true: the budget is the deadline of the threads, which are SCHED_DEADLINE"),
	ROW_AS("other_processes", attached, nother, COUNT, .max = ATTACH_OTHERS,
	       .text = "how many processes the windows of `others` belonged to (64: at least)"),
	ROW(attached, activations, RECORD, .of = &activations_record,
	    .flags = FIELD_LEFT_OUT, FIELD_KNOWN(attached, of_threads, 1),
	    .text = "if threads were watched: each with an activation that ended or was cut"),
	ROW(attached, blocked, NEW_LIST, FIELD_N(attached, nblocked), .of = &blocked_thread_record,
	    .max = BLOCKED_MAX, .flags = FIELD_LEFT_OUT, .presence = blocked_presence,
	    .text = "with `bpf`: threads that waited from before the start to the end, so that nothing else "
	    "has them"),
};

/* The offset of a place comes before the others, which count up from it. */
static const struct attached new_attached = { .start.at.nr = 1, .stop.at.nr = 1 };

const struct fields attached_record =
	RECORD(attached, "attached", attached_fields, .init = &new_attached);
