/* SPDX-License-Identifier: GPL-2.0 */
/* `compare` and `report` of results of waits. */
#ifndef TLOB_PAGE_WAITS_FILES_H
#define TLOB_PAGE_WAITS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct compare_config;

/* Whether one of the results is of waits. */
bool waits_files_any(char *const *file, size_t n);

/*
 * Compares a result with another. 0 or -errno, printed: -EINVAL if one is not of waits, or if
 * scope or threshold differ; -EUSAGE if more is asked for than text and a page.
 */
int  waits_files_compare(const struct compare_config *o);

/*
 * Shows one result or two, as a page or as text. @label[i] (NULL: the file's name) is how the
 * page calls it. 0 or -errno, printed.
 */
int  waits_files_report(FILE *f, char *const *file, const char *const *label, size_t n, bool page);

#endif /* TLOB_PAGE_WAITS_FILES_H */
