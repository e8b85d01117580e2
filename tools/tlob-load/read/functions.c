// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "read/functions.h"
#include "read/window.h"

#define NAME_FIRST	"abcdefghijklmnopqrstuvwxyz"
#define NAME_NEXT	NAME_FIRST "0123456789_"

/* The name is a key elsewhere. */
static void read_set_name(struct reader *rd, struct json_object *o, struct function_sets *sets)
{
	struct function_set *set = &sets->at[sets->n];
	const char *name = reader_word(rd, o, "name");
	size_t n = strlen(name);

	if (*rd->error)
		return;
	if (!n || n >= FUNCTION_SET_NAME || !strchr(NAME_FIRST, *name) || strspn(name, NAME_NEXT) < n)
		reader_fail(rd, "name", "not the name of a set");
	else if (function_set_find(sets, name) >= 0)
		reader_fail(rd, "name", "stands there twice");
	else
		memcpy(set->name, name, n + 1);
}

static void read_set(struct reader *rd, struct json_object *o, struct function_sets *sets)
{
	struct function_set *set = &sets->at[sets->n];

	read_set_name(rd, o, sets);
	set->words = read_text(rd, o, "patterns", false);
	set->functions = reader_u64(rd, o, "functions");
	set->open = reader_u64(rd, o, "open");
	set->unreturned = reader_u64(rd, o, "unreturned");
	set->missed = reader_u64(rd, o, "missed");
	sets->n++;
}

struct function_sets *read_function_sets(struct reader *rd, struct json_object *parent)
{
	struct json_object *o, *list;
	struct function_sets *sets;
	size_t outer, place, i;

	if (!reader_find(parent, "functions"))
		return NULL;
	sets = calloc(1, sizeof(*sets));
	if (!sets) {
		reader_fail(rd, "functions", "out of memory");
		return NULL;
	}
	o = reader_object(rd, parent, "functions");
	outer = reader_enter(rd, "functions", -1);
	sets->mechanism = read_text(rd, o, "mechanism", true);
	/* older files have instructions instead */
	if (reader_find(o, "probe_ns"))
		sets->probe_ns = reader_known(rd, o, "probe_ns");
	list = reader_list(rd, o, "sets", FUNCTION_SETS);
	for (i = 0; list && i < json_object_array_length(list); i++) {
		place = reader_enter(rd, "sets", (int)i);
		read_set(rd, reader_object_at(rd, list, i), sets);
		reader_leave(rd, place);
	}
	if (!sets->n)
		reader_fail(rd, "sets", "none");
	reader_leave(rd, outer);
	return sets;
}

static void read_longest(struct reader *rd, struct json_object *o, uint64_t max_ns,
			 char longest[FUNCTION_NAME])
{
	char *text = read_text(rd, o, "longest", true);

	if (text && strlen(text) >= FUNCTION_NAME)
		reader_fail(rd, "longest", "longer than %d bytes", FUNCTION_NAME - 1);
	else if (text && !max_ns)
		reader_fail(rd, "longest", "of no time");
	else if (text)
		memcpy(longest, text, strlen(text) + 1);
	free(text);
}

/* The object with a member for each set. NULL after an error. */
static struct json_object *find_sets(struct reader *rd, struct json_object *o,
				     const struct function_sets *sets)
{
	struct json_object *all = reader_object(rd, o, "sets");

	if (all && json_object_object_length(all) != (int)sets->n)
		reader_fail(rd, "sets", "not those of the result");
	return *rd->error ? NULL : all;
}

static void read_total(struct reader *rd, struct json_object *o, uint64_t windows,
		       struct function_total *t)
{
	t->calls = reader_u64(rd, o, "calls");
	t->unreturned = reader_u64(rd, o, "unreturned");
	t->max_ns = reader_u64(rd, o, "max_ns");
	read_longest(rd, o, t->max_ns, t->longest);
	read_hist(rd, o, "hist", &t->hist);
	if (t->hist.n > windows)
		reader_fail(rd, "hist", "more windows than the CPU");
}

struct function_totals *read_function_totals(struct reader *rd, struct json_object *parent,
					     const struct function_sets *sets, uint64_t windows,
					     const char *key)
{
	struct function_totals *t;
	struct json_object *o, *all;
	size_t outer, middle, place, i;

	if (!sets || !reader_find(parent, key))
		return NULL;
	t = function_totals_new(sets->n);
	if (!t) {
		reader_fail(rd, key, "out of memory");
		return NULL;
	}
	o = reader_object(rd, parent, key);
	outer = reader_enter(rd, key, -1);
	t->lost = reader_u64(rd, o, "lost");
	t->missed = reader_u64(rd, o, "missed");
	all = find_sets(rd, o, sets);
	middle = reader_enter(rd, "sets", -1);
	for (i = 0; all && i < sets->n; i++) {
		o = reader_object(rd, all, sets->at[i].name);
		place = reader_enter(rd, sets->at[i].name, -1);
		read_total(rd, o, windows, &t->at[i]);
		reader_leave(rd, place);
	}
	reader_leave(rd, middle);
	reader_leave(rd, outer);
	return t;
}

/* net_ns is the sum of the parts. */
static void read_calls(struct reader *rd, struct json_object *o,
		       const struct function_sets *sets, struct function_time *t)
{
	struct json_object *parts;
	uint64_t sum = 0;
	unsigned int i;
	size_t place;

	t->calls = reader_u64(rd, o, "calls");
	t->unreturned = reader_u64(rd, o, "unreturned");
	t->max_ns = reader_u64(rd, o, "max_ns");
	read_longest(rd, o, t->max_ns, t->longest);
	parts = reader_object(rd, o, "parts");
	place = reader_enter(rd, "parts", -1);
	for (i = 0; parts && i < TLOB_NR_PARTS; i++) {
		const char *name = function_part_name(sets, i);

		if (reader_find(parts, name))
			t->part_ns[i] = reader_u64(rd, parts, name);
		if (__builtin_add_overflow(sum, t->part_ns[i], &sum))
			reader_fail(rd, name, "more than 2^64-1 with the others");
	}
	reader_leave(rd, place);
	if (reader_u64(rd, o, "net_ns") != sum)
		reader_fail(rd, "net_ns", "not the sum of the parts");
}

struct window_functions *read_window_functions(struct reader *rd, struct json_object *parent,
					       const struct function_sets *sets)
{
	struct json_object *o, *all;
	struct window_functions *f;
	size_t outer, middle, place, i;

	if (!sets || !json_object_object_get_ex(parent, "functions", &o))
		return NULL;
	f = functions_copy(NULL);
	if (!f)
		reader_fail(rd, "functions", "out of memory");
	if (!f || !o)
		return f;
	o = reader_object(rd, parent, "functions");
	outer = reader_enter(rd, "functions", -1);
	f->lost = false;
	f->n = sets->n;
	f->missed = reader_u64(rd, o, "missed");
	all = find_sets(rd, o, sets);
	middle = reader_enter(rd, "sets", -1);
	for (i = 0; all && i < sets->n; i++) {
		o = reader_object(rd, all, sets->at[i].name);
		place = reader_enter(rd, sets->at[i].name, -1);
		read_calls(rd, o, sets, &f->at[i]);
		reader_leave(rd, place);
	}
	reader_leave(rd, middle);
	reader_leave(rd, outer);
	return f;
}
