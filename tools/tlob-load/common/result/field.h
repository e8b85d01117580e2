/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One table for each kind of record in a result. A row is a key of the file: where its value is
 * in memory, its type and limits, when it is there, how results add up, and a line for the
 * reference. Writing, adding up and freeing walk the rows here, and so does what writes
 * docs/reference: tests/unit/test_fields.c. Reading and --anonymize walk them in read/fields.h,
 * which no command that measures has.
 *
 * The order of the rows is the order of the keys. What a row cannot say when it is written is a
 * function in it.
 */
#ifndef TLOB_RESULT_FIELD_H
#define TLOB_RESULT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/json_write.h"

enum field_type {
	FIELD_CONST,			/* the one of @words, or the number @max */
	FIELD_COUNT,			/* unsigned, of 1 to 8 bytes, at most @max */
	FIELD_NUMBER,			/* int from @min to @max */
	FIELD_BOOL,
	FIELD_TIME,			/* time_t */
	FIELD_TEXT,			/* char *, from malloc() */
	FIELD_CHARS,			/* char[], not longer */
	FIELD_TEXTS,			/* char **, ends with NULL, as notes_add() makes it; @max */
	FIELD_WORD,			/* unsigned: the index of one of @words */
	FIELD_MASK,			/* uint32_t: a list of @words, one for each bit */
	FIELD_ARRAY,			/* object: a count for each of @words but @mask */
	FIELD_HIST,			/* struct tlob_hist */
	FIELD_HISTS,			/* the same with histograms: struct tlob_hist * */
	FIELD_RECORD,			/* struct of @of */
	FIELD_SAME,			/* the same struct, in the same object: the rows of @of */
	FIELD_POINTER,			/* pointer to a struct of @of, from malloc(); or NULL */
	FIELD_LIST,			/* array with room for @max of @of; @n: their number */
	FIELD_NEW_LIST,			/* the same, and the array is from malloc() */
	FIELD_OWN,			/* @put does it all, and a function of read/fields.h */
};

enum field_flag {
	FIELD_NULL	= 1,		/* nothing (0, "", NULL) is null in the file */
	FIELD_LEFT_OUT	= 2,		/* without a value there is no key */
	FIELD_NOT_READ	= 4,
	FIELD_FIRST	= 8,		/* rows before it need it when they are read */
	FIELD_OF_ONE	= 16,		/* not in the sum of several: see struct fields */
	FIELD_APART	= 32,		/* too large: not written with the others */

	/* How two results add up; without: the first one's value stays. */
	FIELD_SUM	= 128,
	FIELD_MAX	= 256,
	FIELD_MIN	= 512,
	FIELD_OR	= 1024,

	/* For counters: a condition may name it; its unit is ns. */
	FIELD_ASSERT	= 2048,
	FIELD_NS	= 4096,
	FIELD_CUT	= 8192,		/* FIELD_CHARS: what is too long is cut */

	/* --anonymize; each row with a text of its own, or with FIELD_OWN, has one of these. */
	FIELD_PUBLIC	= 16384,	/* stays */
	FIELD_PRIVATE	= 32768,	/* an alias takes its place, equal for equal values ... */
	FIELD_TASK	= 4194304,	/* ... unless it is one of the kernel's own threads */
	FIELD_FREE_TEXT	= 65536,	/* may say anything: goes */

	/* For result/comparable.h: what runs must have in common, a text or ns. */
	FIELD_SETTING	= 131072,	/* to be added up or compared */
	FIELD_CIRCUMSTANCE = 262144,	/* to be compared */

	FIELD_OFF_PAGE	= 524288,	/* not in the data of a page */
	/* For counters: only this command has it. */
	FIELD_OF_RUN	= 1048576,
	FIELD_OF_ATTACH	= 2097152,
};

enum presence { NO_KEY, NO_VALUE, PRESENT };

/* Names by their index: a list, or a function. */
struct words {
	unsigned int n;
	const char *const *list;
	const char *(*find)(unsigned int i);	/* NULL: that one has none */
};

static inline const char *word_of(const struct words *w, unsigned int i)
{
	return w->list ? w->list[i] : w->find(i);
}

/* A text: the key has the meaning that it has elsewhere, and no row in the reference. */
#define NO_ROW	""

struct fields;

struct field {
	const char *key;
	const char *text;		/* for the reference; NULL: the one of the next row */
	const struct fields *of;
	const struct words *words;
	enum field_type type;
	unsigned int flags;		/* enum field_flag */
	size_t	 at, size;		/* of the member */
	size_t	 n, nsize;		/* FIELD_LIST: of the member with the number of elements */
	size_t	 mask;			/* of the uint32_t with what @words lack, from bit 0 ... */
	unsigned int first;		/* ... on, which is this word */
	bool	 masked;
	unsigned int optional;		/* FIELD_HISTS: from this word on, without samples left out; 0: none */
	int64_t	 min;
	uint64_t max;			/* 0: what the type holds */

	/* The value is known if this member has these bits. Reading sets them. */
	size_t	 known, known_size;
	uint32_t bits;
	/* There is a value if this member is not 0. */
	size_t	 with, with_size;

	enum presence (*presence)(const void *data);
	/* Instead of what the type does. */
	void (*put)(struct builder *b, struct json_object *o, const struct field *f,
		    const void *data);
	const char *def;		/* in the schema, instead of what the type says */
};

struct fields {
	const char *name;		/* of its definition in the schema */
	const struct field *field;
	size_t	 nfields;
	size_t	 size;
	unsigned int without;		/* rows with one of these flags do not belong to it */
	const void *init;		/* what it is before it is read; NULL: zeroes */
};

/*
 * A row for @member of struct @tag, whose key is its name or @name. The rest are other members of
 * struct field. ROW_WITHOUT() is for what has no member, or several.
 */
#define ROW(tag, member, how, ...)	ROW_AS(#member, tag, member, how, __VA_ARGS__)
#define ROW_AS(name, tag, member, how, ...)					\
	{ .key = (name), .at = offsetof(struct tag, member),			\
	  .size = sizeof(((struct tag *)0)->member), .type = FIELD_##how, __VA_ARGS__ }
#define ROW_WITHOUT(name, how, ...)	{ .key = (name), .type = FIELD_##how, __VA_ARGS__ }

#define FIELD_N(tag, member)							\
	.n = offsetof(struct tag, member), .nsize = sizeof(((struct tag *)0)->member)
#define FIELD_WITHOUT(tag, member)	.mask = offsetof(struct tag, member), .masked = true
#define FIELD_KNOWN(tag, member, bit)						\
	.known = offsetof(struct tag, member),					\
	.known_size = sizeof(((struct tag *)0)->member), .bits = (bit)
#define FIELD_WITH(tag, member)							\
	.with = offsetof(struct tag, member), .with_size = sizeof(((struct tag *)0)->member)

#define RECORD(tag, called, rows, ...)						\
	{ .name = called, .field = rows, .nfields = sizeof(rows) / sizeof((rows)[0]), \
	  .size = sizeof(struct tag), __VA_ARGS__ }

/* The value of a FIELD_COUNT in @data, or of another number that has no sign. */
uint64_t field_get(const struct field *f, const void *data);

/* Adds the keys of @data to @o: all, or only the rows @from to @to - 1. */
void record_put(struct builder *b, struct json_object *o, const struct fields *r, const void *data);
void record_put_rows(struct builder *b, struct json_object *o, const struct fields *r,
		     const void *data, size_t from, size_t to);

/* The row of @key, which is there. */
size_t record_row(const struct fields *r, const char *key);

/* Adds @b to @a, row by row; what has no rule stays. Texts and lists have none. */
void record_add(const struct fields *r, void *a, const void *b);

/* Frees what the rows have from malloc(), but not @data. */
void record_free(const struct fields *r, void *data);

#endif /* TLOB_RESULT_FIELD_H */
