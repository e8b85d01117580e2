/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_RESULT_ASSERTION_H
#define TLOB_RESULT_ASSERTION_H

#include <stdbool.h>
#include <stdint.h>

#include "result/condition.h"

struct result;

/*
 * Evaluates the @n assertions; one line on stderr for each that fails. Missing
 * data never passes. Violations alone are no failure.
 */
bool assertions_hold(const struct condition *list, unsigned int n,
		     const struct result *r);

/*
 * Whether one condition was found to be true; a line on stderr if not, with its
 * value and @where.
 */
bool assertion_holds(const struct condition *e, enum condition_outcome found,
		     uint64_t value, const char *where);

#endif /* TLOB_RESULT_ASSERTION_H */
