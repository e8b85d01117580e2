/* SPDX-License-Identifier: GPL-2.0 */
/* The single windows of a result file, and who was in them. */
#ifndef TLOB_RESULT_READ_WINDOW_H
#define TLOB_RESULT_READ_WINDOW_H

#include "result/result.h"
#include "util/json_read.h"

/* Errors are left in @rd. */
uint32_t read_unavailable(struct reader *rd, struct json_object *o);
void read_worst(struct reader *rd, struct json_object *o, struct result *r);
void read_offenders(struct reader *rd, struct json_object *parent,
		    const char *key, struct offenders *all);

#endif /* TLOB_RESULT_READ_WINDOW_H */
