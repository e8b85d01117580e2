/* SPDX-License-Identifier: GPL-2.0 */
/* Result files back into memory. */
#ifndef TLOB_READ_READ_H
#define TLOB_READ_READ_H

#include <errno.h>

#include "result/result.h"
#include "util/json_read.h"

/*
 * Parses a result file. The file is not trusted: each key that docs/reference/result.md
 * requires must be present, have its type and lie in its range. The numbers must agree:
 * a histogram's counts add up to its n, its extremes lie in its outermost buckets.
 * Unknown keys are ignored. @r->all is computed from the CPUs.
 *
 * 0, or -EINVAL with the reason in @reader; @r is empty then.
 */
int result_parse(struct result *r, const char *text, struct reader *reader);

/*
 * The same without its CPUs: @r->ncpus is 0, and @r->all is what the file says of their sum, which
 * is not compared with them. It takes a tenth of the time for many CPUs.
 */
int result_parse_sum(struct result *r, const char *text, struct reader *reader);

/* Reads a file whole, also one that gzip compressed; *@json is from malloc(). 0 or -errno, printed. */
int result_read_text(const char *path, char **json);

/*
 * Calls @take with the text of each result in the file @path, and its name for messages. "-" is
 * stdin, which has a result in each line. 0, -errno, printed, or the first error of @take.
 */
typedef int (*result_taker)(void *to, const char *json, const char *name);
int result_each(const char *path, result_taker take, void *to);

/* Parses the text of a file, which messages call @name. 0 or -errno, printed. */
int result_parse_named(struct result *r, const char *json, const char *name);

/* Reads and parses a file. 0 or -errno, printed. */
int result_load(struct result *r, const char *path);

/* Reads what doctor has written to @path. 0 or -errno, printed. Free @e in any case. */
int examination_load(struct examination *e, const char *path);

#endif /* TLOB_READ_READ_H */
