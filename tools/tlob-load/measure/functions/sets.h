/* SPDX-License-Identifier: GPL-2.0 */
/* Makes of what matched what a result keeps: the sets, and the times of a window. */
#ifndef TLOB_FUNCTIONS_SETS_H
#define TLOB_FUNCTIONS_SETS_H

#include <linux/tlob.h>

#include "functions/expand.h"

struct result;
struct window_functions;

/* The sets of a result, without counts; function_sets_free() frees them. NULL: no memory. */
struct function_sets *function_sets_new(const struct traced_sets *traced);

/* Puts the longest call into @to, with a name instead of @address. */
void function_time_longest(struct function_time *to, const struct traced_sets *traced,
			   uint64_t max_ns, uint64_t address);

/* Puts the sets into the result, and room for their times. 0 or -ENOMEM. */
int functions_begin(struct result *r, const struct traced_sets *traced);

/* The kernel's record, with names instead of addresses. 0; -EINVAL: another version, or other sets. */
int functions_take(struct window_functions *to, const struct tlob_functions *from,
		   const struct traced_sets *traced);

#endif /* TLOB_FUNCTIONS_SETS_H */
