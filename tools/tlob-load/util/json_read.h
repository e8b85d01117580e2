/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Foreign JSON, read with suspicion: what is there must be of its type and in
 * its range, and nothing may be there twice. The first thing that is wrong is
 * kept with its place ("cpu[3].hist.wake.n: not a count"), and all that is asked
 * for afterwards reads as nothing, so that a caller looks at the end only.
 */
#ifndef TLOB_READ_JSON_H
#define TLOB_READ_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#define READER_DEPTH	16		/* of nested objects and lists */
#define READER_ERROR	400

struct reader {
	char	 error[READER_ERROR];	/* "" : none yet */
	char	 place[READER_ERROR / 2]; /* of what is being read */
};

/* Keeps the first error. Returns -EINVAL. */
int reader_fail(struct reader *r, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * @text, @n bytes, as one object. NULL after an error: not JSON, cut off,
 * nested too deeply, or with a key twice.
 */
struct json_object *reader_parse(struct reader *r, const char *text, size_t n);

/*
 * The same for an object with a long list of objects under @key: the list
 * comes back empty, and its elements as pieces of @text, to be parsed one by
 * one: one json_object for each number of a large file needs twenty times its
 * size. *@piece is from malloc().
 */
struct piece {
	const char *text;
	size_t n;
};

struct json_object *reader_parse_but(struct reader *r, const char *text,
				     const char *key, struct piece **piece,
				     size_t *npieces);

/*
 * The place that is read from here on: "cpu[3]" (@key with @index) or "hist"
 * (@index -1) within the one before, to which reader_leave() goes back.
 */
size_t reader_enter(struct reader *r, const char *key, int index);
void   reader_leave(struct reader *r, size_t before);

/* The value of @key, which must be there and of its type. */
uint64_t reader_u64(struct reader *r, struct json_object *o, const char *key);
uint32_t reader_u32(struct reader *r, struct json_object *o, const char *key);
int	 reader_int(struct reader *r, struct json_object *o, const char *key,
		    int min, int max);
bool	 reader_bool(struct reader *r, struct json_object *o, const char *key);
struct json_object *reader_object(struct reader *r, struct json_object *o,
				  const char *key);
struct json_object *reader_list(struct reader *r, struct json_object *o,
				const char *key, size_t max);

/* 0 for null. */
uint64_t reader_known(struct reader *r, struct json_object *o, const char *key);

/* A copy (malloc); NULL for null, which is an error unless @null. */
char	*reader_text(struct reader *r, struct json_object *o, const char *key,
		     bool null);
/* The string itself: lives as long as @o. "" after an error. */
const char *reader_word(struct reader *r, struct json_object *o,
			const char *key);
/* Which of the @n @words it is; one that is none of them is an error. */
unsigned int reader_choice(struct reader *r, struct json_object *o,
			   const char *key, const char * const *words,
			   unsigned int n);

/* Elements of lists: @i is below their length. */
uint64_t reader_u64_at(struct reader *r, struct json_object *list, size_t i);
const char *reader_word_at(struct reader *r, struct json_object *list,
			   size_t i);
struct json_object *reader_object_at(struct reader *r,
				     struct json_object *list, size_t i);

/* As above, for a key that an older file does not have: NULL. */
struct json_object *reader_find(struct json_object *o, const char *key);

#endif /* TLOB_READ_JSON_H */
