/* SPDX-License-Identifier: GPL-2.0 */
/* From the words of --functions to the addresses of functions. */
#ifndef TLOB_FUNCTIONS_EXPAND_H
#define TLOB_FUNCTIONS_EXPAND_H

#include <stdio.h>

#include "functions/kernel.h"
#include "options/function_request.h"

#define FUNCTIONS_MAX	1000		/* of all sets: what the kernel part takes */

struct traced {
	uint64_t address;
	const char *name;
};

struct traced_set {
	const struct function_request *of;
	struct traced *at;		/* by address */
	size_t	 n, room;
};

struct traced_sets {
	struct kernel_functions kernel;
	size_t	 n, total;
	struct traced_set at[FUNCTION_SETS];
	char	**notes;		/* what was left out, and names that several have */
};

/*
 * Expands @requests, which must stay, with the files of the kernel below @root. A name or
 * a pattern without any function is an error; of a preset only some must exist. A
 * function has one address, in one set: the first that names it. More than FUNCTIONS_MAX
 * are an error, but for a list. 0 or -errno, printed; then traced_free(), also after an
 * error.
 */
int  traced_expand(struct traced_sets *t, const struct function_requests *requests,
		   const char *root);
void traced_free(struct traced_sets *t);

/* The name of the function at @address, or NULL. */
const char *traced_name(const struct traced_sets *t, uint64_t address);

/* Prints what each set has; without any request what the presets have. -EIO, or 0. */
int traced_list(FILE *f, const struct traced_sets *t);

/* --functions list: prints on stdout what @requests have. 0 or -errno, printed. */
int functions_list(const struct function_requests *requests);

#endif /* TLOB_FUNCTIONS_EXPAND_H */
