/* SPDX-License-Identifier: GPL-2.0 */
/* From what matched to what a result keeps of it. */
#ifndef TLOB_FUNCTIONS_SETS_H
#define TLOB_FUNCTIONS_SETS_H

#include "functions/expand.h"

/* The sets of a result, without counts; function_sets_free() frees them. NULL: no memory. */
struct function_sets *function_sets_new(const struct traced_sets *traced);

/* Puts the longest call into @to, with a name instead of @address. */
void function_time_longest(struct function_time *to, const struct traced_sets *traced,
			   uint64_t max_ns, uint64_t address);

#endif /* TLOB_FUNCTIONS_SETS_H */
