/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads foreign JSON: each value must have its type and lie in its range, and no
 * key may occur twice. The reader keeps the first error with its place, as in
 * "cpu[3].hist.wake.n: not a count". After an error every value reads as 0, so
 * a caller checks for an error once, at the end.
 */
#ifndef TLOB_UTIL_JSON_READ_H
#define TLOB_UTIL_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

struct pair_lists;

#define READER_DEPTH	16		/* of nested objects and lists */
#define READER_ERROR	400

struct reader {
	char	 error[READER_ERROR];	/* "": none yet */
	char	 place[READER_ERROR / 2]; /* where in the file the reader is */
	const struct pair_lists *taken;	/* out of the text: see read/pairs.h; or NULL */
	const void *about;		/* what the functions of result/tables.h need */
};

/* Keeps the first error. Returns -EINVAL. */
int reader_fail(struct reader *r, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Parses @text, @n bytes, as one object. NULL after an error: not JSON, cut off,
 * nested too deeply, or a key occurs twice.
 */
struct json_object *reader_parse(struct reader *r, const char *text, size_t n);

/* Walks over the text: its next character, or '"' for a whole string; 0: its end. */
struct json_scan {
	const char *at, *end;
};
char json_next(struct json_scan *s);

/*
 * Adds "cpu[3]" (@key with @index) or "hist" (@index -1) to the place in error
 * messages. Returns what reader_leave() needs to go back to the place before.
 */
size_t reader_enter(struct reader *r, const char *key, int index);
void   reader_leave(struct reader *r, size_t before);

/* The value of @key, which must exist and have the type. */
uint64_t reader_u64(struct reader *r, struct json_object *o, const char *key);
int	 reader_int(struct reader *r, struct json_object *o, const char *key,
		    int min, int max);
bool	 reader_bool(struct reader *r, struct json_object *o, const char *key);
struct json_object *reader_object(struct reader *r, struct json_object *o,
				  const char *key);
struct json_object *reader_list(struct reader *r, struct json_object *o,
				const char *key, size_t max);

/* Refuses a file of another @version than the one that this tool reads. */
void	 reader_version(struct reader *r, struct json_object *o, int version);

/* 0 for null. */
uint64_t reader_known(struct reader *r, struct json_object *o, const char *key);

/* A copy (malloc) of a text that printable() escaped; NULL for null, which is an error unless @null. */
char	*reader_escaped(struct reader *r, struct json_object *o, const char *key,
			bool null);
/* The string itself: lives as long as @o. "" after an error. */
const char *reader_word(struct reader *r, struct json_object *o,
			const char *key);

/* Elements of lists: @i is below their length. */
uint64_t reader_u64_at(struct reader *r, struct json_object *list, size_t i);
const char *reader_word_at(struct reader *r, struct json_object *list,
			   size_t i);
struct json_object *reader_object_at(struct reader *r,
				     struct json_object *list, size_t i);

/* The value of a key; NULL: null, or missing. */
struct json_object *reader_find(struct json_object *o, const char *key);

#endif /* TLOB_UTIL_JSON_READ_H */
