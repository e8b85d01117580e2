/* SPDX-License-Identifier: GPL-2.0 */
/* Time in functions on both sides of a comparison. It is shown, and decides nothing. */
#ifndef TLOB_COMPARE_FUNCTION_SHIFT_H
#define TLOB_COMPARE_FUNCTION_SHIFT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/layout.h"
#include "result/functions.h"

struct builder;
struct campaign;
struct json_object;
struct result;

/* The values of a set in a run, over all CPUs: calls of a mean window, and ns of a window. */
enum function_value {
	FUNCTION_CALLS, FUNCTION_MEAN, FUNCTION_P99, FUNCTION_MAX, NR_FUNCTION_VALUES
};

/* "calls", "mean", "p99", "max". */
extern const char * const function_value_names[NR_FUNCTION_VALUES];

/* A run's number of each of its sets; NAN: not known, as a quantile of few windows. */
struct function_values {
	double at[FUNCTION_SETS][NR_FUNCTION_VALUES];
};

void function_values_take(struct function_values *v, const struct result *r);

/* One set: medians over the pairs, NAN where a run has no value. */
struct function_shift {
	const char *name;
	const char *because;		/* why the sides must not be compared; NULL: they may */
	double	 a[NR_FUNCTION_VALUES], b[NR_FUNCTION_VALUES];
	double	 by[NR_FUNCTION_VALUES]; /* of the differences; NAN also if not compared */
	uint64_t missed[2];		/* calls that were not measured, in all runs of A, of B */
};

/* The sets of the first run of A, then those that only the first run of B has. */
struct function_shifts {
	size_t	 n, pairs;
	struct function_shift at[2 * FUNCTION_SETS];
};

/*
 * Sets are found by their names. They are not compared if their functions differ: other
 * patterns, another number of functions that match them, another kind of probe. 0 or -ENOMEM.
 */
int function_shifts_find(struct function_shifts *s, const struct campaign *c);

/* In each output; nothing if no run has sets. 0, -ENOMEM or -EIO; the builder keeps its error. */
int compare_functions_text(FILE *f, const struct campaign *c);
int compare_functions_list(FILE *f, enum table_form form, const struct campaign *c);
void put_function_shifts(struct builder *b, struct json_object *to, const struct campaign *c);

#endif /* TLOB_COMPARE_FUNCTION_SHIFT_H */
