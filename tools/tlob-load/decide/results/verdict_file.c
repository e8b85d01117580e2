// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read/fields.h"
#include "report/verdict_format.h"
#include "results/verdict_file.h"
#include "util/error.h"
#include "util/json_read.h"

/* They are some KB; a result may have megabytes. */
#define MOST_BYTES	(1U << 20)
#define MOST_ITEMS	256U

/* Older files lack them. */
static const struct field meaning_fields[] = {
	ROW(verdict_file, conditions, TEXT, .flags = FIELD_LEFT_OUT | FIELD_NULL),
	ROW(verdict_file, lowered, TEXTS, .flags = FIELD_LEFT_OUT, .max = MOST_ITEMS),
};

static const struct fields meaning_record = RECORD(verdict_file, NULL, meaning_fields);

static const char *const words[2][3] = {
	{ "OK", "REGRESSION", "INCONCLUSIVE" }, { "fit", "not fit", "undecided" },
};

const char *verdict_word(const struct verdict_file *v, enum verdict_state state)
{
	return words[v->of_machine][state];
}

static enum verdict_state read_state(struct reader *rd, struct json_object *o,
				     const struct verdict_file *v)
{
	const char *word = reader_word(rd, o, "verdict");
	enum verdict_state s;

	for (s = STATE_GOOD; s <= STATE_UNDECIDED; s++)
		if (!strcmp(word, verdict_word(v, s)))
			return s;
	reader_fail(rd, "verdict", "unknown");
	return STATE_UNDECIDED;
}

/* NAN for null. */
static double read_number(struct reader *rd, struct json_object *o, const char *key)
{
	struct json_object *val = reader_find(o, key);

	if (!val)
		return NAN;
	if (!json_object_is_type(val, json_type_double) && !json_object_is_type(val, json_type_int))
		reader_fail(rd, key, "not a number");
	return json_object_get_double(val);
}

static void read_items(struct reader *rd, struct json_object *o, struct verdict_file *v)
{
	struct json_object *list = reader_list(rd, o, v->of_machine ? "phases" : "metrics", MOST_ITEMS);
	size_t i, n = list ? json_object_array_length(list) : 0;

	v->at = calloc(n ? n : 1, sizeof(*v->at));
	if (!v->at) {
		reader_fail(rd, "", "out of memory");
		return;
	}
	for (i = 0; i < n && !*rd->error; i++) {
		struct json_object *one = reader_object_at(rd, list, i);

		v->n++;
		v->at[i].name = reader_escaped(rd, one, v->of_machine ? "name" : "metric", false);
		v->at[i].number = v->of_machine ? read_number(rd, one, "response_max_ns") / 1e9 :
				  read_number(rd, one, "effect");
	}
}

/* Returns whether @o is of compare, or of validate, which is kept in @v. */
static bool is_ours(struct verdict_file *v, struct json_object *o)
{
	struct json_object *format = o ? reader_find(o, "format") : NULL;
	const char *word = json_object_is_type(format, json_type_string) ?
			   json_object_get_string(format) : "";

	v->of_machine = !strcmp(word, VALIDATION_FORMAT);
	return v->of_machine || !strcmp(word, COMPARISON_FORMAT);
}

int verdict_file_parse(struct verdict_file *v, const char *path, const char *text)
{
	struct reader rd = { .place = "" };
	struct json_object *o = NULL;
	int ours = 0;

	*v = (struct verdict_file){ .n = 0 };
	if (strlen(text) <= MOST_BYTES)
		o = reader_parse(&rd, text, strlen(text));
	if (is_ours(v, o)) {
		ours = 1;
		reader_version(&rd, o, v->of_machine ? VALIDATION_VERSION : COMPARISON_VERSION);
		v->state = read_state(&rd, o, v);
		record_read(&rd, o, &meaning_record, v);
		read_items(&rd, o, v);
	}
	json_object_put(o);
	if (ours && *rd.error) {
		verdict_file_free(v);
		return fail(-EINVAL, "%s: %s", path, rd.error);
	}
	return ours;
}

void verdict_file_free(struct verdict_file *v)
{
	while (v->n)
		free(v->at[--v->n].name);
	free(v->at);
	record_free(&meaning_record, v);
}
