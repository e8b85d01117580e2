/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading by the tables of result/field.h, and --anonymize. What a row cannot say about them is in
 * struct special, beside it: so a command that measures links no parser of files.
 */
#ifndef TLOB_READ_FIELDS_H
#define TLOB_READ_FIELDS_H

#include "result/field.h"
#include "util/json_read.h"

struct aliases;

/* Reads @o into @data, which was zeroed. Errors are left in @rd. */
void record_read(struct reader *rd, struct json_object *o, const struct fields *r, void *data);

/* The same of the object that is the value of @key, and of element @i of the list that is. */
void record_read_in(struct reader *rd, struct json_object *o, const char *key,
		    const struct fields *r, void *data);
void record_read_at(struct reader *rd, struct json_object *list, const char *key, size_t i,
		    const struct fields *r, void *data);

/* Takes out of @data what is not FIELD_PUBLIC. Errors are left in @a. */
void record_hide(const struct fields *r, void *data, struct aliases *a);

struct special {
	const struct fields *of;
	const char *key;		/* NULL: of the record, which has @check */
	/* Instead of what the type does, also for null. */
	void (*read)(struct reader *rd, struct json_object *o, const struct field *f, void *data);
	/* FIELD_PRIVATE, FIELD_FREE_TEXT: instead of what the flag does. */
	void (*hide)(struct aliases *a, const struct field *f, void *data);
	/* After reading; @i: its place in a list. @data may look at those before it. */
	void (*check)(struct reader *rd, void *data, size_t i);
};

/* special_*.c: each of the tables ends with an entry without @of. */
extern const struct special special_run[], special_cpu[], special_window[], special_functions[];
extern const struct special *const specials[];	/* all of them, and NULL */

/* What @r has for @key; without, one with nothing. Records with the same rows are one. */
const struct special *special_of(const struct fields *r, const char *key);

/* The sets of functions of a file (malloc), or NULL: before all that needs them. */
struct function_sets *read_function_sets(struct reader *rd, struct json_object *o);

#endif /* TLOB_READ_FIELDS_H */
