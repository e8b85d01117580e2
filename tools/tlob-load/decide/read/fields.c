// SPDX-License-Identifier: GPL-2.0
/* Reading foreign files by tables of fields. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "read/fields.h"
#include "read/histogram.h"
#include "result/field_local.h"
#include "result/result.h"
#include "util/printable.h"

#define MAX_TIME	253402300799LL	/* 9999-12-31T23:59:59Z */

static void read_rows(struct reader *rd, struct json_object *o, const struct fields *r, void *data,
		      size_t i);

static uint64_t read_count(struct reader *rd, struct json_object *o, const struct field *f,
			   bool null)
{
	uint64_t max = f->max ? f->max : f->size < 8 ? (1ULL << 8 * f->size) - 1 : UINT64_MAX;
	uint64_t n = null ? reader_known(rd, o, f->key) : reader_u64(rd, o, f->key);

	if (n > max)
		reader_fail(rd, f->key, "more than %llu", (unsigned long long)max);
	else if (f->min && !n)
		reader_fail(rd, f->key, "none");
	return n;
}

/* timegm() makes a day in March of 31 February. */
static time_t read_time(struct reader *rd, struct json_object *o, const char *key)
{
	const char *word = reader_word(rd, o, key), *end;
	struct tm tm = { 0 };
	int mday;
	time_t t;

	end = strptime(word, "%Y-%m-%dT%H:%M:%SZ", &tm);
	mday = tm.tm_mday;
	t = timegm(&tm);
	if (!end || *end || t > MAX_TIME || tm.tm_mday != mday)
		reader_fail(rd, key, "invalid time: use the form 2026-01-31T23:59:59Z");
	return t;
}

static void read_chars(struct reader *rd, struct json_object *o, const struct field *f, char *at)
{
	char *s = reader_escaped(rd, o, f->key, f->flags & FIELD_NULL);

	if (s && strlen(s) >= f->size && !(f->flags & FIELD_CUT))
		reader_fail(rd, f->key, "longer than %zu bytes", f->size - 1);
	else if (s)
		snprintf(at, f->size, "%s", s);
	free(s);
}

static void read_texts(struct reader *rd, struct json_object *o, const struct field *f, void *at)
{
	struct json_object *list = reader_list(rd, o, f->key, f->max);
	size_t place = reader_enter(rd, f->key, -1), i;
	char **texts = NULL, *text;

	for (i = 0; list && i < json_object_array_length(list); i++) {
		text = strdup(reader_word_at(rd, list, i));
		if (!text || notes_add(&texts, "%s", printable_undo(text)))
			reader_fail(rd, "", "out of memory");
		free(text);
	}
	memcpy(at, &texts, sizeof(texts));
	reader_leave(rd, place);
}

static unsigned int read_word(struct reader *rd, struct json_object *o, const struct field *f)
{
	const char *word = reader_word(rd, o, f->key);
	unsigned int i;

	for (i = 0; i < f->words->n; i++)
		if (word_of(f->words, i) && !strcmp(word, word_of(f->words, i)))
			return i;
	reader_fail(rd, f->key, "unknown value '%.30s'", word);
	return 0;
}

static unsigned int nwords(const struct words *words)
{
	unsigned int i, n = 0;

	for (i = 0; i < words->n; i++)
		n += word_of(words, i) ? 1 : 0;
	return n;
}

static uint32_t read_mask(struct reader *rd, struct json_object *o, const struct field *f)
{
	struct json_object *list = reader_list(rd, o, f->key, nwords(f->words));
	size_t place = reader_enter(rd, f->key, -1), i;
	uint32_t mask = 0;
	unsigned int k;

	for (i = 0; list && i < json_object_array_length(list); i++) {
		const char *word = reader_word_at(rd, list, i);

		for (k = 0; k < f->words->n; k++)
			if (word_of(f->words, k) && !strcmp(word, word_of(f->words, k)))
				break;
		if (k == f->words->n || mask & 1U << k)
			reader_fail(rd, "", "unknown word '%.30s'", word);
		else
			mask |= 1U << k;
	}
	reader_leave(rd, place);
	return mask;
}

static void read_each(struct reader *rd, struct json_object *parent, const struct field *f,
		      void *data)
{
	struct json_object *o = reader_object(rd, parent, f->key);
	size_t place = reader_enter(rd, f->key, -1);
	struct field one = { .type = FIELD_COUNT, .size = f->size / f->words->n };
	unsigned int i;

	for (i = 0; i < f->words->n; i++) {
		if (field_lacks(f, data, i))
			continue;
		one.key = word_of(f->words, i);
		if (f->optional && i >= f->optional && !reader_find(o, one.key))
			continue;
		if (f->type == FIELD_HISTS)
			read_hist(rd, o, one.key, (struct tlob_hist *)field_pointer(f, data) + i);
		else
			number_store((char *)data + f->at + i * one.size, one.size,
				     read_count(rd, o, &one, false));
	}
	reader_leave(rd, place);
}

void record_read_in(struct reader *rd, struct json_object *parent, const char *key,
		    const struct fields *r, void *data)
{
	struct json_object *o = reader_object(rd, parent, key);
	size_t place = reader_enter(rd, key, -1);

	record_read(rd, o, r, data);
	reader_leave(rd, place);
}

static void read_pointer(struct reader *rd, struct json_object *o, const struct field *f, void *at)
{
	void *new = calloc(1, f->of->size);

	if (!new) {
		reader_fail(rd, f->key, "out of memory");
		return;
	}
	memcpy(at, &new, sizeof(new));
	if (f->of->init)
		memcpy(new, f->of->init, f->of->size);
	record_read_in(rd, o, f->key, f->of, new);
}

void record_read_at(struct reader *rd, struct json_object *list, const char *key, size_t i,
		    const struct fields *r, void *data)
{
	size_t place = reader_enter(rd, key, (int)i);

	read_rows(rd, reader_object_at(rd, list, i), r, data, i);
	reader_leave(rd, place);
}

/* An element counts before it is read: what it has is freed also after an error. */
static void read_list(struct reader *rd, struct json_object *o, const struct field *f, void *data)
{
	struct json_object *list = reader_list(rd, o, f->key, f->max);
	size_t n = list ? json_object_array_length(list) : 0, i;
	char *at = (char *)data + f->at;

	if (f->type == FIELD_NEW_LIST) {
		at = calloc(n + 1, f->of->size);
		memcpy((char *)data + f->at, &at, sizeof(at));
	}
	if (!at)
		reader_fail(rd, f->key, "out of memory");
	for (i = 0; at && i < n && !*rd->error; i++) {
		number_store((char *)data + f->n, f->nsize, i + 1);
		if (f->of->init)
			memcpy(at + i * f->of->size, f->of->init, f->of->size);
		record_read_at(rd, list, f->key, i, f->of, at + i * f->of->size);
	}
}

static void read_value(struct reader *rd, struct json_object *o, const struct field *f, void *data)
{
	bool null = f->flags & FIELD_NULL || f->known_size;
	void *at = (char *)data + f->at;
	char *text;

	switch (f->type) {
	case FIELD_COUNT:
		return number_store(at, f->size, read_count(rd, o, f, null));
	case FIELD_NUMBER:
		return number_store(at, f->size, (uint64_t)reader_int(rd, o, f->key, (int)f->min,
								      (int)f->max));
	case FIELD_BOOL:
		return number_store(at, f->size, reader_bool(rd, o, f->key));
	case FIELD_TIME:
		return number_store(at, f->size, (uint64_t)read_time(rd, o, f->key));
	case FIELD_TEXT:
		text = reader_escaped(rd, o, f->key, null);
		memcpy(at, &text, sizeof(text));
		return;
	case FIELD_CHARS:
		return read_chars(rd, o, f, at);
	case FIELD_TEXTS:
		return read_texts(rd, o, f, at);
	case FIELD_WORD:
		return number_store(at, f->size, read_word(rd, o, f));
	case FIELD_MASK:
		return number_store(at, f->size, read_mask(rd, o, f));
	case FIELD_ARRAY:
	case FIELD_HISTS:
		return read_each(rd, o, f, data);
	case FIELD_HIST:
		return read_hist(rd, o, f->key, at);
	case FIELD_RECORD:
		return record_read_in(rd, o, f->key, f->of, at);
	case FIELD_SAME:
		return record_read(rd, o, f->of, data);
	case FIELD_POINTER:
		return read_pointer(rd, o, f, at);
	case FIELD_LIST:
	case FIELD_NEW_LIST:
		return read_list(rd, o, f, data);
	case FIELD_CONST:
	case FIELD_OWN:
		break;
	}
}

const struct special *const specials[] = {
	special_run, special_cpu, special_window, special_functions, NULL
};

/* Of a record itself there is no key. */
static bool is_for(const struct special *s, const char *key)
{
	if (!key || !s->key)
		return key == s->key;
	return !strcmp(key, s->key);
}

const struct special *special_of(const struct fields *r, const char *key)
{
	const struct special *const *table, *s;
	static const struct special none;

	for (table = specials; *table; table++)
		for (s = *table; s->of; s++)
			if (s->of->field == r->field && is_for(s, key))
				return s;
	return &none;
}

/* Rows that may all be left out: what was read before says that they are there, or a key of them is. */
static bool rows_are_in(struct json_object *o, const struct field *f, const void *data)
{
	bool in = !(f->flags & FIELD_LEFT_OUT) || field_presence(f, data) == PRESENT;
	size_t i;

	for (i = 0; i < f->of->nfields && !in; i++)
		in = o && json_object_object_get_ex(o, f->of->field[i].key, NULL);
	return in;
}

/* Returns false if there is nothing to read: no key, or a null where that says "none". */
static bool is_in(struct json_object *o, const struct field *f, const struct special *s,
		  const void *data)
{
	bool null = f->flags & FIELD_NULL || f->known_size;
	struct json_object *val;

	if (f->type == FIELD_SAME)
		return rows_are_in(o, f, data);
	if (!o || !json_object_object_get_ex(o, f->key, &val))
		return !(f->flags & FIELD_LEFT_OUT);
	return val || s->read || f->flags & FIELD_LEFT_OUT || !null;
}

static void read_field(struct reader *rd, struct json_object *o, const struct fields *r,
		       const struct field *f, void *data)
{
	const struct special *s = special_of(r, f->key);
	char *known = (char *)data + f->known;

	if (f->flags & (FIELD_NOT_READ | r->without) || !is_in(o, f, s, data))
		return;
	if (f->known_size && (f->type == FIELD_SAME || reader_find(o, f->key)))
		number_store(known, f->known_size, number_load(known, f->known_size) | f->bits);
	if (s->read)
		s->read(rd, o, f, data);
	else
		read_value(rd, o, f, data);
}

static void read_rows(struct reader *rd, struct json_object *o, const struct fields *r, void *data,
		      size_t i)
{
	const struct special *s = special_of(r, NULL);
	const struct field *f, *end = r->field + r->nfields;

	for (f = r->field; f < end; f++)
		if (f->flags & FIELD_FIRST)
			read_field(rd, o, r, f, data);
	for (f = r->field; f < end; f++)
		if (!(f->flags & FIELD_FIRST))
			read_field(rd, o, r, f, data);
	if (s->check && !*rd->error)
		s->check(rd, data, i);
}

void record_read(struct reader *rd, struct json_object *o, const struct fields *r, void *data)
{
	read_rows(rd, o, r, data, 0);
}
