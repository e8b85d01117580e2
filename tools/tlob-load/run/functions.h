/* SPDX-License-Identifier: GPL-2.0 */
/* The sets of --functions in the result, and the records of the kernel part. */
#ifndef TLOB_RUN_FUNCTIONS_H
#define TLOB_RUN_FUNCTIONS_H

#include <linux/tlob.h>

struct result;
struct traced_sets;
struct window_functions;

/* Puts the sets into the result, and room for their times. 0 or -ENOMEM. */
int functions_begin(struct result *r, const struct traced_sets *traced);

/* With names instead of addresses. 0; -EINVAL: another version, or other sets. */
int functions_take(struct window_functions *to, const struct tlob_functions *from,
		   const struct traced_sets *traced);

#endif /* TLOB_RUN_FUNCTIONS_H */
