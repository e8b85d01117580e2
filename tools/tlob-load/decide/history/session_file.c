// SPDX-License-Identifier: GPL-2.0
/* session.json: the table of its keys. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "history/session.h"
#include "read/fields.h"

#define SESSION_VERSION	1

static const char * const format = "tlob-load session";
static const struct words formats = { .n = 1, .list = &format };
static const struct words states = { .n = SESSION_OPEN + 1, .list = session_states };

static void put_values(struct builder *b, struct json_object *o, const struct field *f,
		       const void *data)
{
	const struct session_run *run = data;
	struct json_object *values = put_object(b, o, f->key);
	unsigned int i;

	for (i = 0; i < SESSION_VALUES; i++)
		if (isinf(run->value[i]))
			put_text(b, values, session_values[i], "missed");
		else
			put_double(b, values, session_values[i], run->value[i]);
}

/* A number that is missing or null is not known. */
static void read_values(struct reader *rd, struct json_object *o, struct session_run *run)
{
	struct json_object *values = reader_object(rd, o, "values"), *val;
	unsigned int i;

	for (i = 0; i < SESSION_VALUES; i++) {
		val = reader_find(values, session_values[i]);
		run->value[i] = NAN;
		if (json_object_is_type(val, json_type_double) || json_object_is_type(val, json_type_int))
			run->value[i] = json_object_get_double(val);
		else if (json_object_is_type(val, json_type_string) &&
			 !strcmp(json_object_get_string(val), "missed"))
			run->value[i] = INFINITY;
		else if (val)
			reader_fail(rd, session_values[i], "not a number");
		if (run->value[i] < 0)
			reader_fail(rd, session_values[i], "negative");
	}
}

static const struct field run_fields[] = {
	ROW(session_run, fingerprint, COUNT),
	ROW(session_run, started, TIME),
	ROW_WITHOUT("values", OWN, .flags = FIELD_NOT_READ, .put = put_values),
};

static const struct fields run_record = RECORD(session_run, "session_run", run_fields);

static const struct field session_fields[] = {
	ROW_WITHOUT("format", CONST, .words = &formats),
	ROW_WITHOUT("version", CONST, .max = SESSION_VERSION),
	ROW(session, key, COUNT, .min = 1),
	ROW(session, build, TEXT),
	ROW(session, commit, TEXT, .flags = FIELD_NULL),
	ROW(session, labels, TEXTS, .max = SESSION_LABELS),
	ROW(session, host, TEXT, .flags = FIELD_NULL),
	ROW(session, kernel, TEXT, .flags = FIELD_NULL),
	ROW(session, settings, TEXT),
	ROW(session, deterministic, BOOL),
	ROW(session, duration_ns, COUNT, .flags = FIELD_LEFT_OUT),
	ROW(session, added, TIME),
	ROW(session, state, WORD, .words = &states),
	ROW(session, verdict, TEXT, .flags = FIELD_NULL),
	ROW(session, because, TEXT, .flags = FIELD_NULL),
	ROW(session, against, COUNT, .flags = FIELD_NULL),
	ROW_AS("runs", session, run, NEW_LIST, FIELD_N(session, nruns), .of = &run_record,
	       .max = SESSION_RUNS),
};

static const struct fields session_record = RECORD(session, "session", session_fields);

int session_write(FILE *f, const struct session *s)
{
	struct json_object *o = json_object_new_object();
	struct builder b = { .err = 0 };

	record_put(&b, o, &session_record, s);
	return json_end(&b, f, o);
}

static void read_runs(struct reader *rd, struct json_object *o, struct session *s)
{
	struct json_object *list = reader_list(rd, o, "runs", SESSION_RUNS);
	size_t i, place;

	for (i = 0; i < s->nruns && !*rd->error; i++) {
		place = reader_enter(rd, "runs", (int)i);
		read_values(rd, reader_object_at(rd, list, i), &s->run[i]);
		reader_leave(rd, place);
	}
}

int session_parse(struct session *s, const char *text, char *err, size_t size)
{
	struct reader rd = { .about = NULL };
	struct json_object *o = reader_parse(&rd, text, strlen(text));

	*s = (struct session){ 0 };
	if (o && strcmp(reader_word(&rd, o, "format"), format))
		reader_fail(&rd, "", "not a session of tlob-load");
	if (o && !*rd.error)
		reader_version(&rd, o, SESSION_VERSION);
	if (o && !*rd.error)
		record_read(&rd, o, &session_record, s);
	if (o)
		read_runs(&rd, o, s);
	json_object_put(o);
	if (!*rd.error && !s->nruns)
		reader_fail(&rd, "runs", "empty");
	if (!*rd.error)
		return 0;
	snprintf(err, size, "%s", rd.error);
	session_free(s);
	return -EINVAL;
}
