/* SPDX-License-Identifier: GPL-2.0 */
/* Writes JSON with json-c and remembers every failure. */
#ifndef TLOB_UTIL_JSON_WRITE_H
#define TLOB_UTIL_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <json-c/json.h>
#include <linux/tlob.h>

/*
 * json-c uses NULL both for JSON's null and for "out of memory". So values go
 * through put(), which remembers a failure in @err: 0 or -ENOMEM. All functions
 * accept a NULL @to; in a list the @key is not used.
 */
struct builder {
	int err;
	bool page;			/* for a page: without what says nothing, histograms in steps */
	const void *about;		/* what the functions of result/tables.h need */
};

/* Adds @val and takes over its reference. Returns it, or NULL after a failure. */
struct json_object *put(struct builder *b, struct json_object *to,
			const char *key, struct json_object *val);

struct json_object *put_object(struct builder *b, struct json_object *to,
			       const char *key);
struct json_object *put_array(struct builder *b, struct json_object *to,
			      const char *key);
void put_null(struct builder *b, struct json_object *to, const char *key);
void put_u64(struct builder *b, struct json_object *to, const char *key,
	     uint64_t val);
void put_int(struct builder *b, struct json_object *to, const char *key,
	     int val);
void put_bool(struct builder *b, struct json_object *to, const char *key,
	      bool val);

/* null for what is not a number, and for what is infinite. */
void put_double(struct builder *b, struct json_object *to, const char *key,
		double val);

/* @val, or null if it is not @known. */
void put_known(struct builder *b, struct json_object *to, const char *key,
	       bool known, uint64_t val);

/* Foreign text, escaped by printable(); a NULL @text becomes null. */
void put_text(struct builder *b, struct json_object *to, const char *key,
	      const char *text);
/* A text that was made for it, and is freed; NULL: there was no memory for it. */
void put_made(struct builder *b, struct json_object *to, const char *key, char *text);
/* The same of a text that is printable already: put_text() would escape its escapes again. */
void put_printed(struct builder *b, struct json_object *to, const char *key, char *text);
void put_name(struct builder *b, struct json_object *to, const char *key,
	      const char name[TLOB_NAME_LEN]);
void put_time(struct builder *b, struct json_object *to, const char *key,
	      time_t t);

/* A list: @texts ends with NULL. */
void put_texts(struct builder *b, struct json_object *to, const char *key,
	       char * const *texts);

/* Prints @o on one line. 0, -ENOMEM or -EIO. */
int  json_print(FILE *f, struct json_object *o);

/* The same at the end of the builder, which @o is taken over from. Also -ENOMEM if @b failed. */
int  json_end(struct builder *b, FILE *f, struct json_object *o);

/*
 * For an object that is too large to be in memory at once: prints @o as an element of
 * a list, or without @braces its members. 0, -ENOMEM or -EIO.
 */
int  json_print_part(FILE *f, struct json_object *o, bool braces);

#endif /* TLOB_UTIL_JSON_WRITE_H */
