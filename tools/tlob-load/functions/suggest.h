/* SPDX-License-Identifier: GPL-2.0 */
/* Functions whose name resembles a mistyped one. */
#ifndef TLOB_FUNCTIONS_SUGGEST_H
#define TLOB_FUNCTIONS_SUGGEST_H

#include <stdbool.h>

#include "functions/kernel.h"

#define SUGGEST_LEN	320

/* "mutex_lock, mutex_unlock": at most three that can be traced. False: none is near. */
bool suggest(char buf[SUGGEST_LEN], const struct kernel_functions *k, const char *word);

#endif /* TLOB_FUNCTIONS_SUGGEST_H */
