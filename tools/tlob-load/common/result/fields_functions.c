// SPDX-License-Identifier: GPL-2.0
/* The keys "functions" of results: sets, and their times on a CPU and in a window. */
#include <stdlib.h>
#include <string.h>

#include "result/field_local.h"
#include "result/functions.h"
#include "result/parts.h"
#include "result/tables.h"

#define NAME_FIRST	"abcdefghijklmnopqrstuvwxyz"
#define NAME_NEXT	NAME_FIRST "0123456789_"

static const struct field set_fields[] = {
	ROW(function_set, name, CHARS, .flags = FIELD_PUBLIC,
	    .def = "{\"type\": \"string\", \"pattern\": \"^[a-z][a-z0-9_]{0,14}$\"}"),
	ROW_AS("patterns", function_set, words, TEXT, .flags = FIELD_PUBLIC),
	/* another kernel may have more of them: the most that matched in one */
	ROW(function_set, functions, COUNT, .flags = FIELD_MAX),
	ROW(function_set, open, COUNT, .flags = FIELD_SUM),
	ROW(function_set, unreturned, COUNT, .flags = FIELD_SUM),
	ROW(function_set, missed, COUNT, .flags = FIELD_SUM),
};

const struct fields function_set_record = RECORD(function_set, "function_set", set_fields);

static const struct field sets_fields[] = {
	ROW(function_sets, mechanism, TEXT, .flags = FIELD_NULL | FIELD_PUBLIC),
	/* a sum has the highest cost */
	ROW(function_sets, probe_ns, COUNT, .flags = FIELD_NULL | FIELD_MAX),
	ROW_AS("sets", function_sets, at, LIST, FIELD_N(function_sets, n),
	       .of = &function_set_record, .min = 1, .max = FUNCTION_SETS),
};

const struct fields function_sets_record = RECORD(function_sets, "function_sets", sets_fields);

/* The time that the probes of the calls add. */
static void put_probes(struct builder *b, struct json_object *o, const struct field *f,
		       const void *data)
{
	const struct function_sets *sets = b->about;

	put_known(b, o, f->key, sets->probe_ns, field_get(f, data) * sets->probe_ns);
}

/* Rows of struct function_total and struct function_time. */
#define CALLS(tag)								\
	ROW(tag, calls, COUNT, .flags = FIELD_SUM),				\
	ROW_AS("probes_ns", tag, calls, COUNT, .flags = FIELD_NOT_READ | FIELD_NULL, \
	       .put = put_probes),						\
	ROW(tag, unreturned, COUNT, .flags = FIELD_SUM)
#define LONGEST(tag)								\
	ROW(tag, max_ns, COUNT),						\
	ROW(tag, longest, CHARS, .flags = FIELD_NULL | FIELD_PUBLIC)

static const struct field total_fields[] = {
	CALLS(function_total),
	LONGEST(function_total),
	ROW(function_total, hist, HIST),
};

const struct fields function_total_record = RECORD(function_total, "function_total", total_fields);

/* Parts without time are left out. */
static void put_parts(struct builder *b, struct json_object *o, const struct field *f,
		      const void *data)
{
	struct json_object *parts = put_object(b, o, f->key);
	const struct function_time *t = data;
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		if (t->part_ns[i])
			put_u64(b, parts, part_name(i), t->part_ns[i]);
}

static void put_net(struct builder *b, struct json_object *o, const struct field *f,
		    const void *data)
{
	put_u64(b, o, f->key, function_net_ns(data));
}

static const struct field time_fields[] = {
	CALLS(function_time),
	ROW_WITHOUT("net_ns", COUNT, .put = put_net),
	LONGEST(function_time),
	ROW_WITHOUT("parts", OWN, .flags = FIELD_FIRST | FIELD_PUBLIC, .put = put_parts,
		    .def = "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": "
		    "\"#/$defs/u64\"}}"),
};

const struct fields function_time_record = RECORD(function_time, "function_time", time_fields);

/* By name: @f->of for each set, from @f->at on. */
static void put_sets(struct builder *b, struct json_object *o, const struct field *f,
		     const void *data)
{
	const struct function_sets *sets = b->about;
	const char *at = (const char *)data + f->at;
	size_t i;

	o = put_object(b, o, f->key);
	for (i = 0; i < sets->n; i++)
		record_put(b, put_object(b, o, sets->at[i].name), f->of, at + i * f->of->size);
}

#define SETS(tag, record)							\
	ROW_WITHOUT("sets", OWN, .flags = FIELD_PUBLIC, .at = offsetof(struct tag, at), .of = (record),	\
		    .put = put_sets,				\
		    .def = "{\"type\": \"object\", "				\
			   "\"additionalProperties\": {\"$ref\": \"#/$defs/%s\"}}")

static const struct field totals_fields[] = {
	ROW(function_totals, lost, COUNT, .flags = FIELD_SUM),
	ROW(function_totals, missed, COUNT, .flags = FIELD_SUM),
	SETS(function_totals, &function_total_record),
};

const struct fields function_totals_record =
	RECORD(function_totals, "function_totals", totals_fields);

static const struct field window_functions_fields[] = {
	ROW(window_functions, missed, COUNT),
	SETS(window_functions, &function_time_record),
};

const struct fields window_functions_record =
	RECORD(window_functions, "window_functions", window_functions_fields);

void put_function_totals(struct builder *b, struct json_object *o, const struct field *f,
			 const void *data)
{
	const struct function_totals *t = field_pointer(f, data);

	if (b->about && t)
		record_put(b, put_object(b, o, f->key), &function_totals_record, t);
}

void put_window_functions(struct builder *b, struct json_object *o, const struct field *f,
			  const void *data)
{
	const struct kept *kept = data;

	if (!b->about || !kept->functions)
		return;
	if (kept->functions->lost)
		put_null(b, o, f->key);
	else
		record_put(b, put_object(b, o, f->key), &window_functions_record, kept->functions);
}
