/* SPDX-License-Identifier: GPL-2.0 */
/* The keys "functions" of a result file. */
#ifndef TLOB_READ_FUNCTIONS_H
#define TLOB_READ_FUNCTIONS_H

#include "result/functions.h"
#include "util/json_read.h"

/*
 * Each reads the value of the key "functions" of @parent into memory of malloc(). NULL if
 * the key is missing, as without --functions. Errors are left in @rd.
 */
struct function_sets *read_function_sets(struct reader *rd, struct json_object *parent);

/* @sets: those of the file; NULL: the key is ignored. @key: "functions", if not of attach. */
struct function_totals *read_function_totals(struct reader *rd, struct json_object *parent,
					     const struct function_sets *sets, uint64_t windows,
					     const char *key);
struct window_functions *read_window_functions(struct reader *rd, struct json_object *parent,
					       const struct function_sets *sets);

#endif /* TLOB_READ_FUNCTIONS_H */
