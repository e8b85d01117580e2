/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the file of `tlob-load waits --json`. */
#ifndef TLOB_REPORT_WAITS_READ_H
#define TLOB_REPORT_WAITS_READ_H

#include <stdbool.h>

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

#endif /* TLOB_REPORT_WAITS_READ_H */
