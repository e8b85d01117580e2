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

/* The name is a key elsewhere. */
static void read_set_name(struct reader *rd, struct json_object *o, const struct field *f,
			  void *data)
{
	const char *name = reader_word(rd, o, f->key);
	struct function_set *set = data;
	size_t n = strlen(name);

	if (*rd->error)
		return;
	if (!n || n >= FUNCTION_SET_NAME || !strchr(NAME_FIRST, *name) || strspn(name, NAME_NEXT) < n)
		reader_fail(rd, f->key, "not the name of a set");
	else
		memcpy(set->name, name, n + 1);
}

static void check_set(struct reader *rd, void *data, size_t i)
{
	const struct function_set *set = data;
	size_t k;

	for (k = 1; k <= i; k++)
		if (!strcmp(set[0].name, set[-(ptrdiff_t)k].name))
			reader_fail(rd, "name", "stands there twice");
}

static const struct field set_fields[] = {
	ROW(function_set, name, CHARS, .flags = FIELD_PUBLIC, .read = read_set_name,
	    .def = "{\"type\": \"string\", \"pattern\": \"^[a-z][a-z0-9_]{0,14}$\"}"),
	ROW_AS("patterns", function_set, words, TEXT, .flags = FIELD_PUBLIC),
	/* another kernel may have more of them: the most that matched in one */
	ROW(function_set, functions, COUNT, .flags = FIELD_MAX),
	ROW(function_set, open, COUNT, .flags = FIELD_SUM),
	ROW(function_set, unreturned, COUNT, .flags = FIELD_SUM),
	ROW(function_set, missed, COUNT, .flags = FIELD_SUM),
};

const struct fields function_set_record =
	RECORD(function_set, "function_set", set_fields, .check = check_set);

static void check_sets(struct reader *rd, void *data, size_t i)
{
	const struct function_sets *sets = data;

	(void)i;
	if (!sets->n)
		reader_fail(rd, "sets", "none");
}

static const struct field sets_fields[] = {
	ROW(function_sets, mechanism, TEXT, .flags = FIELD_NULL | FIELD_PUBLIC),
	/* a sum has the highest cost */
	ROW(function_sets, probe_ns, COUNT, .flags = FIELD_NULL | FIELD_MAX),
	ROW_AS("sets", function_sets, at, LIST, FIELD_N(function_sets, n),
	       .of = &function_set_record, .min = 1, .max = FUNCTION_SETS),
};

const struct fields function_sets_record =
	RECORD(function_sets, "function_sets", sets_fields, .check = check_sets);

struct function_sets *read_function_sets(struct reader *rd, struct json_object *o)
{
	struct function_sets *sets;

	if (!reader_find(o, "functions"))
		return NULL;
	sets = calloc(1, sizeof(*sets));
	if (sets)
		record_read_in(rd, o, "functions", &function_sets_record, sets);
	else
		reader_fail(rd, "functions", "out of memory");
	return sets;
}

/* The time that the probes of the calls add. */
static void put_probes(struct builder *b, struct json_object *o, const struct field *f,
		       const void *data)
{
	const struct function_sets *sets = b->about;

	put_known(b, o, f->key, sets->probe_ns, field_get(f, data) * sets->probe_ns);
}

static void check_longest(struct reader *rd, struct json_object *o, const struct field *f,
			  const void *data)
{
	/* max_ns is the row before */
	if (reader_find(o, f->key) && !field_get(f - 1, data))
		reader_fail(rd, f->key, "of no time");
}

/* Rows of struct function_total and struct function_time. */
#define CALLS(tag)								\
	ROW(tag, calls, COUNT, .flags = FIELD_SUM),				\
	ROW_AS("probes_ns", tag, calls, COUNT, .flags = FIELD_NOT_READ | FIELD_NULL, \
	       .put = put_probes),						\
	ROW(tag, unreturned, COUNT, .flags = FIELD_SUM)
#define LONGEST(tag)								\
	ROW(tag, max_ns, COUNT),						\
	ROW(tag, longest, CHARS, .flags = FIELD_NULL | FIELD_PUBLIC, .check = check_longest)

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

static void read_parts(struct reader *rd, struct json_object *o, const struct field *f, void *data)
{
	struct json_object *parts = reader_object(rd, o, f->key);
	size_t place = reader_enter(rd, f->key, -1);
	struct function_time *t = data;
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; parts && i < TLOB_NR_PARTS; i++) {
		const char *name = part_name(i);

		if (reader_find(parts, name))
			t->part_ns[i] = reader_u64(rd, parts, name);
		if (__builtin_add_overflow(sum, t->part_ns[i], &sum))
			reader_fail(rd, name, "more than 2^64-1 with the others");
	}
	reader_leave(rd, place);
}

static void put_net(struct builder *b, struct json_object *o, const struct field *f,
		    const void *data)
{
	put_u64(b, o, f->key, function_net_ns(data));
}

static void read_net(struct reader *rd, struct json_object *o, const struct field *f, void *data)
{
	if (reader_u64(rd, o, f->key) != function_net_ns(data))
		reader_fail(rd, f->key, "not the sum of the parts");
}

static const struct field time_fields[] = {
	CALLS(function_time),
	ROW_WITHOUT("net_ns", COUNT, .put = put_net, .read = read_net),
	LONGEST(function_time),
	ROW_WITHOUT("parts", OWN, .flags = FIELD_FIRST | FIELD_PUBLIC, .put = put_parts,
		    .read = read_parts,
		    .def = "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": "
		    "\"#/$defs/u64\"}}"),
};

static const struct fields time_record = RECORD(function_time, "function_time", time_fields);

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

static void read_sets(struct reader *rd, struct json_object *parent, const struct field *f,
		      void *data)
{
	struct json_object *o = reader_object(rd, parent, f->key);
	const struct function_sets *sets = rd->about;
	size_t place = reader_enter(rd, f->key, -1), i;

	if (o && json_object_object_length(o) != (int)sets->n) {
		reader_leave(rd, place);
		reader_fail(rd, f->key, "not those of the result");
		return;
	}
	for (i = 0; o && i < sets->n; i++)
		record_read_in(rd, o, sets->at[i].name, f->of,
			       (char *)data + f->at + i * f->of->size);
	reader_leave(rd, place);
}

#define SETS(tag, record)							\
	ROW_WITHOUT("sets", OWN, .flags = FIELD_PUBLIC, .at = offsetof(struct tag, at), .of = (record),	\
		    .put = put_sets, .read = read_sets,				\
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
	SETS(window_functions, &time_record),
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

/* Each window of the CPU, or of the regions, is in each histogram, unless it was lost. */
static void check_windows(struct reader *rd, const struct function_totals *t, uint64_t windows)
{
	const struct function_sets *sets = rd->about;
	size_t i, place = reader_enter(rd, "sets", -1), inner;

	for (i = 0; i < sets->n; i++) {
		inner = reader_enter(rd, sets->at[i].name, -1);
		if (t->at[i].hist.n > windows)
			reader_fail(rd, "hist", "more windows than the CPU");
		reader_leave(rd, inner);
	}
	reader_leave(rd, place);
}

void read_function_totals(struct reader *rd, struct json_object *o, const struct field *f,
			  void *data)
{
	const struct function_sets *sets = rd->about;
	struct function_totals *t;
	size_t place;

	if (!sets || !reader_find(o, f->key))
		return;
	t = function_totals_new(sets->n);
	if (!t) {
		reader_fail(rd, f->key, "out of memory");
		return;
	}
	*(struct function_totals **)((char *)data + f->at) = t;
	record_read_in(rd, o, f->key, &function_totals_record, t);
	place = reader_enter(rd, f->key, -1);
	check_windows(rd, t, *(const uint64_t *)((const char *)data + f->n));
	reader_leave(rd, place);
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

/* null: lost; no key: the run had no --functions. */
void read_window_functions(struct reader *rd, struct json_object *o, const struct field *f,
			   void *data)
{
	const struct function_sets *sets = rd->about;
	struct kept *kept = data;

	if (!sets)
		return;
	kept->functions = functions_copy(NULL);
	if (!kept->functions)
		reader_fail(rd, f->key, "out of memory");
	if (!kept->functions || !reader_find(o, f->key))
		return;
	kept->functions->lost = false;
	kept->functions->n = sets->n;
	record_read_in(rd, o, f->key, &window_functions_record, kept->functions);
}
