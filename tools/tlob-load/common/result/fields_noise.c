// SPDX-License-Identifier: GPL-2.0
/* Who took time: the largest noise of a window, the names of a run, the causes of violations. */
#include <limits.h>

#include "result/causes.h"
#include "result/parts.h"
#include "result/tables.h"

const struct words noise_kinds = { .n = TLOB_NR_NOISE, .find = noise_kind_name };

static const char *const phase_names[] = { "wake", "work" };
static const struct words phases = { .n = 2, .list = phase_names };

/* Who took time. The schema has more kinds than a reader takes: see noise_kind_name(). */
#define NOISE_NAME(tag)							\
	ROW(tag, kind, WORD, .words = &noise_kinds,				\
	    .def = "{\"enum\": [\"irq\", \"softirq\", \"nmi\", \"thread\", \"unknown\"]}"), \
	ROW(tag, id, NUMBER, .min = INT_MIN, .max = INT_MAX),			\
	ROW(tag, name, CHARS, .flags = FIELD_PRIVATE, .text = "as in `largest`")

static const struct field largest_fields[] = {
	NOISE_NAME(tlob_noise),
	ROW(tlob_noise, ns, COUNT),
	ROW_AS("phase", tlob_noise, in_work, WORD, .words = &phases),
};

const struct fields largest_record = RECORD(tlob_noise, "largest", largest_fields);

static const struct field offender_fields[] = {
	NOISE_NAME(offender),
	ROW(offender, windows, COUNT, .text = "those in which it was the largest"),
	ROW(offender, total_ns, COUNT),
	ROW(offender, max_ns, COUNT, .text = "what it took in these windows"),
	ROW(offender, host, CHARS, .flags = FIELD_LEFT_OUT | FIELD_CUT | FIELD_PRIVATE,
	    .text = "in merged results of several hosts: where `max_ns` was"),
};

const struct fields offender_record = RECORD(offender, "offender", offender_fields);

static const struct field offenders_fields[] = {
	ROW(offenders, evicted, COUNT, .flags = FIELD_SUM),
	ROW_AS("names", offenders, at, LIST, FIELD_N(offenders, n), .of = &offender_record,
	       .max = RESULT_OFFENDERS),
};

const struct fields offenders_record = RECORD(offenders, "offenders", offenders_fields);

static const struct words cause_parts = { .n = TLOB_NR_PARTS, .find = part_short_name };

static const struct field cause_name_fields[] = { NOISE_NAME(cause_count) };
const struct fields cause_name_record = RECORD(cause_count, NULL, cause_name_fields);

#define CAUSE								\
	ROW(cause_count, part, WORD, .words = &cause_parts,			\
	    .text = "the [part](../explanation/split.md#the-parts), of both phases together. The " \
		    "work on the CPU counts beyond its mean, or all of it if that alone exceeds " \
		    "the budget"),						\
	ROW(cause_count, windows, COUNT, .text = "the violations"),		\
	ROW(cause_count, soft, BOOL, .flags = FIELD_LEFT_OUT,			\
	    .text = "true: of a late timer that a softirq runs"),		\
	ROW_WITHOUT(NULL, SAME, .of = &cause_name_record, .flags = FIELD_LEFT_OUT, \
		    FIELD_KNOWN(cause_count, has_name, 1), \
		    .text = "who took the most of the part, if known")

#define PLACE(tag, in)							\
	ROW_AS("function", tag, in function, CHARS, .flags = FIELD_NULL | FIELD_PUBLIC), \
	ROW_AS("entry", tag, in entry, CHARS, .flags = FIELD_NULL | FIELD_PUBLIC), \
	ROW_AS("stack", tag, in stack, CHARS, .flags = FIELD_NULL | FIELD_PUBLIC, \
	       .text = "the function of the kernel that kept the CPU, or had interrupts off, how " \
	       "the kernel was entered, and `ROOT;...;FUNCTION`, in `list` of the first window; null: " \
	       "not known")

static const struct field place_fields[] = { PLACE(kernel_place, ) };
const struct fields kernel_place_record = RECORD(kernel_place, "kernel_place", place_fields);

static const struct field cause_fields[] = { CAUSE };
static const struct field cause_at_fields[] = {
	CAUSE, PLACE(cause_count, place.),
};
const struct fields cause_record = RECORD(cause_count, "cause", cause_fields);
const struct fields cause_at_record =
	RECORD(cause_count, "cause_at", cause_at_fields);
#define CAUSES(record)								\
	ROW(causes, others, COUNT,						\
	    .text = "violations of causes that the list had no room for"),	\
	ROW_AS("list", causes, at, LIST, FIELD_N(causes, n), .of = (record), .max = CAUSES_KEPT, \
	       .text = "list of causes, at most 32")

static const struct field causes_fields[] = { CAUSES(&cause_record) };
static const struct field places_fields[] = { CAUSES(&cause_at_record) };

const struct fields causes_record = RECORD(causes, "causes", causes_fields);
const struct fields places_record = RECORD(causes, "places", places_fields);
