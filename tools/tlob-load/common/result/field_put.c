// SPDX-License-Identifier: GPL-2.0
/* Writing, adding up and freeing by tables of fields: see field.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "result/field_local.h"
#include "result/hist_json.h"
#include "result/result.h"

uint64_t number_load(const void *at, size_t size)
{
	uint64_t value = 0;

	/* little-endian or not, a member of the width is copied to one of the same width */
	switch (size) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		return *(const uint16_t *)at;
	case 4:
		return *(const uint32_t *)at;
	default:
		memcpy(&value, at, sizeof(value));
		return value;
	}
}

void number_store(void *at, size_t size, uint64_t value)
{
	switch (size) {
	case 1:
		*(uint8_t *)at = (uint8_t)value;
		break;
	case 2:
		*(uint16_t *)at = (uint16_t)value;
		break;
	case 4:
		*(uint32_t *)at = (uint32_t)value;
		break;
	default:
		memcpy(at, &value, sizeof(value));
		break;
	}
}

uint64_t field_get(const struct field *f, const void *data)
{
	return number_load((const char *)data + f->at, f->size);
}

void *field_pointer(const struct field *f, const void *data)
{
	void *p;

	memcpy(&p, (const char *)data + f->at, sizeof(p));
	return p;
}

bool field_lacks(const struct field *f, const void *data, unsigned int i)
{
	uint64_t mask;

	if (!f->masked || i < f->first)
		return false;
	mask = number_load((const char *)data + f->mask, sizeof(uint32_t));
	return mask & 1U << (i - f->first);
}

enum presence field_presence(const struct field *f, const void *data)
{
	enum presence none = f->flags & FIELD_LEFT_OUT ? NO_KEY : NO_VALUE;
	bool there;

	if (f->presence)
		return f->presence(data);
	if (f->known_size)
		there = number_load((const char *)data + f->known, f->known_size) & f->bits;
	else if (f->with_size)
		there = number_load((const char *)data + f->with, f->with_size);
	else if (!(f->flags & (FIELD_NULL | FIELD_LEFT_OUT)))
		there = true;
	else if (f->type == FIELD_CHARS)
		there = *((const char *)data + f->at);
	else if (f->type == FIELD_LIST || f->type == FIELD_NEW_LIST)
		there = number_load((const char *)data + f->n, f->nsize);
	else if (f->type == FIELD_TEXT || f->type == FIELD_POINTER)
		there = field_pointer(f, data);
	else
		there = field_get(f, data);
	return there ? PRESENT : none;
}

static void put_const(struct builder *b, struct json_object *o, const struct field *f)
{
	if (f->words)
		put_text(b, o, f->key, word_of(f->words, 0));
	else
		put_u64(b, o, f->key, f->max);
}

static void put_chars(struct builder *b, struct json_object *o, const struct field *f,
		      const char *at)
{
	char *text = strndup(at, f->size);

	if (!text)
		b->err = -ENOMEM;
	else
		put_text(b, o, f->key, text);
	free(text);
}

static void put_word(struct builder *b, struct json_object *o, const struct field *f,
		     uint64_t value)
{
	put_text(b, o, f->key,
		 value < f->words->n ? word_of(f->words, (unsigned int)value) : "unknown");
}

static void put_bits(struct builder *b, struct json_object *o, const struct field *f, uint64_t mask)
{
	struct json_object *list = put_array(b, o, f->key);
	unsigned int i;

	for (i = 0; i < f->words->n; i++)
		if (mask & 1U << i && word_of(f->words, i))
			put_text(b, list, NULL, word_of(f->words, i));
}

static void put_hist_of(struct builder *b, struct json_object *o, const struct field *f, const struct tlob_hist *h,
			unsigned int i)
{
	if (!f->optional || i < f->optional || h->n)
		put_hist(b, o, word_of(f->words, i), h);
}

static void put_each(struct builder *b, struct json_object *o, const struct field *f,
		     const void *data)
{
	const char *at = (const char *)data + f->at;
	size_t size = f->size / f->words->n;
	unsigned int i;

	o = put_object(b, o, f->key);
	for (i = 0; i < f->words->n; i++) {
		if (field_lacks(f, data, i))
			continue;
		if (f->type == FIELD_HISTS)
			put_hist_of(b, o, f, (struct tlob_hist *)field_pointer(f, data) + i, i);
		else if (!b->page || number_load(at + i * size, size))
			put_u64(b, o, word_of(f->words, i), number_load(at + i * size, size));
	}
}

static void put_list(struct builder *b, struct json_object *o, const struct field *f,
		     const void *data)
{
	size_t n = number_load((const char *)data + f->n, f->nsize), i;
	const char *at = (const char *)data + f->at;
	struct json_object *list = put_array(b, o, f->key);

	if (f->type == FIELD_NEW_LIST)
		at = field_pointer(f, data);
	for (i = 0; i < n; i++)
		record_put(b, put_object(b, list, NULL), f->of, at + i * f->of->size);
}

static void put_value(struct builder *b, struct json_object *o, const struct field *f,
		      const void *data)
{
	const char *at = (const char *)data + f->at;

	switch (f->type) {
	case FIELD_CONST:
		return put_const(b, o, f);
	case FIELD_COUNT:
		return put_u64(b, o, f->key, field_get(f, data));
	case FIELD_NUMBER:
		return put_int(b, o, f->key, (int)field_get(f, data));
	case FIELD_BOOL:
		return put_bool(b, o, f->key, field_get(f, data));
	case FIELD_TIME:
		return put_time(b, o, f->key, (time_t)field_get(f, data));
	case FIELD_TEXT:
		return put_text(b, o, f->key, field_pointer(f, data));
	case FIELD_CHARS:
		return put_chars(b, o, f, at);
	case FIELD_TEXTS:
		return put_texts(b, o, f->key, field_pointer(f, data));
	case FIELD_WORD:
		return put_word(b, o, f, field_get(f, data));
	case FIELD_MASK:
		return put_bits(b, o, f, field_get(f, data));
	case FIELD_ARRAY:
	case FIELD_HISTS:
		return put_each(b, o, f, data);
	case FIELD_HIST:
		return put_hist(b, o, f->key, (const struct tlob_hist *)at);
	case FIELD_RECORD:
		return record_put(b, put_object(b, o, f->key), f->of, at);
	case FIELD_SAME:
		return record_put(b, o, f->of, data);
	case FIELD_POINTER:
		return record_put(b, put_object(b, o, f->key), f->of, field_pointer(f, data));
	case FIELD_LIST:
	case FIELD_NEW_LIST:
		return put_list(b, o, f, data);
	case FIELD_OWN:
		break;
	}
}

/* For a page, which takes a key that it lacks for 0, false or an empty list. */
static bool says_something(const struct field *f, const void *data)
{
	switch (f->type) {
	case FIELD_COUNT:
	case FIELD_BOOL:
	case FIELD_MASK:
		return field_get(f, data);
	case FIELD_TEXTS:
		return field_pointer(f, data);
	case FIELD_LIST:
	case FIELD_NEW_LIST:
		return number_load((const char *)data + f->n, f->nsize);
	default:
		return true;
	}
}

void record_put_rows(struct builder *b, struct json_object *o, const struct fields *r,
		     const void *data, size_t from, size_t to)
{
	const struct field *f = r->field + from;

	for (; f < r->field + to; f++) {
		if (f->flags & (r->without | FIELD_APART | (b->page ? FIELD_OFF_PAGE : 0)))
			continue;
		if (f->put) {
			f->put(b, o, f, data);
			continue;
		}
		switch (field_presence(f, data)) {
		case PRESENT:
			if (!b->page || says_something(f, data))
				put_value(b, o, f, data);
			break;
		case NO_VALUE:
			if (!b->page)
				put_null(b, o, f->key);
			break;
		case NO_KEY:
			break;
		}
	}
}

void record_put(struct builder *b, struct json_object *o, const struct fields *r, const void *data)
{
	record_put_rows(b, o, r, data, 0, r->nfields);
}

size_t record_row(const struct fields *r, const char *key)
{
	size_t i = 0;

	while (!r->field[i].key || strcmp(r->field[i].key, key))
		i++;
	return i;
}

static uint64_t added(unsigned int rule, uint64_t a, uint64_t b)
{
	switch (rule & (FIELD_SUM | FIELD_MAX | FIELD_MIN | FIELD_OR)) {
	case FIELD_SUM:
		return a + b;
	case FIELD_MAX:
		return a > b ? a : b;
	case FIELD_MIN:
		return (int64_t)a < (int64_t)b ? a : b;
	case FIELD_OR:
		return a | b;
	default:
		return a;
	}
}

void record_add(const struct fields *r, void *a, const void *b)
{
	const struct field *f;

	for (f = r->field; f < r->field + r->nfields; f++) {
		if (f->type == FIELD_SAME)
			record_add(f->of, a, b);
		else if (f->type == FIELD_RECORD && !(f->flags & FIELD_NOT_READ))
			record_add(f->of, (char *)a + f->at, (const char *)b + f->at);
		else if (f->flags & (FIELD_SUM | FIELD_MAX | FIELD_MIN | FIELD_OR))
			number_store((char *)a + f->at, f->size,
				     added(f->flags, field_get(f, a), field_get(f, b)));
	}
}

static void free_list(const struct field *f, void *data)
{
	size_t n = number_load((const char *)data + f->n, f->nsize), i;
	char *at = f->type == FIELD_LIST ? (char *)data + f->at : field_pointer(f, data);

	for (i = 0; i < n; i++)
		record_free(f->of, at + i * f->of->size);
	if (f->type == FIELD_NEW_LIST)
		free(at);
}

void record_free(const struct fields *r, void *data)
{
	const struct field *f;

	for (f = r->field; f < r->field + r->nfields; f++) {
		switch (f->type) {
		case FIELD_TEXT:
			free(field_pointer(f, data));
			break;
		case FIELD_TEXTS:
			notes_free(field_pointer(f, data));
			break;
		case FIELD_RECORD:
			record_free(f->of, (char *)data + f->at);
			break;
		case FIELD_POINTER:
			if (field_pointer(f, data))
				record_free(f->of, field_pointer(f, data));
			free(field_pointer(f, data));
			break;
		case FIELD_LIST:
		case FIELD_NEW_LIST:
			free_list(f, data);
			break;
		default:
			break;
		}
	}
}
