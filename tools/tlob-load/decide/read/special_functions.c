// SPDX-License-Identifier: GPL-2.0
/* What rows cannot say of the keys "functions". */
#include <stdlib.h>
#include <string.h>

#include "read/fields.h"
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

static void check_sets(struct reader *rd, void *data, size_t i)
{
	const struct function_sets *sets = data;

	(void)i;
	if (!sets->n)
		reader_fail(rd, "sets", "none");
}

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

static void check_longest(struct reader *rd, const char *longest, uint64_t max_ns)
{
	if (*longest && !max_ns)
		reader_fail(rd, "longest", "of no time");
}

static void check_total(struct reader *rd, void *data, size_t i)
{
	const struct function_total *t = data;

	(void)i;
	check_longest(rd, t->longest, t->max_ns);
}

static void check_time(struct reader *rd, void *data, size_t i)
{
	const struct function_time *t = data;

	(void)i;
	check_longest(rd, t->longest, t->max_ns);
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

static void read_net(struct reader *rd, struct json_object *o, const struct field *f, void *data)
{
	if (reader_u64(rd, o, f->key) != function_net_ns(data))
		reader_fail(rd, f->key, "not the sum of the parts");
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

static void read_function_totals(struct reader *rd, struct json_object *o, const struct field *f,
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

/* null: lost; no key: the run had no --functions. */
static void read_window_functions(struct reader *rd, struct json_object *o, const struct field *f,
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

const struct special special_functions[] = {
	{ &function_set_record, "name", .read = read_set_name },
	{ &function_set_record, NULL, .check = check_set },
	{ &function_sets_record, NULL, .check = check_sets },
	{ &function_total_record, NULL, .check = check_total },
	{ &function_time_record, "parts", .read = read_parts },
	{ &function_time_record, "net_ns", .read = read_net },
	{ &function_time_record, NULL, .check = check_time },
	{ &function_totals_record, "sets", .read = read_sets },
	{ &window_functions_record, "sets", .read = read_sets },
	{ &cpu_record, "functions", .read = read_function_totals },
	{ &window_record, "functions", .read = read_window_functions },
	{ .of = NULL }
};
