/* SPDX-License-Identifier: GPL-2.0 */
/* Files of `tlob-load waits --json`: reading them, and what compare and report do with them. */
#ifndef TLOB_READ_WAITS_H
#define TLOB_READ_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/waits_result.h"
#include "util/json_read.h"

/* Reads @json. 0, or -EINVAL with the place in @rd->error; then @r is empty. */
int waits_parse(struct waits_result *r, const char *json, struct reader *rd);

/* The same from a file. 0 or -errno, printed. */
int waits_load(struct waits_result *r, const char *path);

/*
 * Returns whether the first key of the file says waits, with any white space. False if it cannot
 * be read.
 */
bool waits_is_file(const char *path);

/* Returns whether any of the files has waits. */
bool waits_files_any(char *const *file, size_t n);

/*
 * Compares two results, as text unless @quiet, and as a page in @html (NULL: none). 0 or
 * -errno, printed: -EINVAL if one has no waits, or if scope or threshold differ.
 */
int  waits_files_compare(const char *const file[2], const char *html, bool quiet);

/*
 * Shows one result or two, as a page or as text. @label[i] (NULL: the file's name) is how the
 * page calls it. 0 or -errno, printed.
 */
int  waits_files_report(FILE *f, char *const *file, const char *const *label, size_t n, bool page);

#endif /* TLOB_READ_WAITS_H */
