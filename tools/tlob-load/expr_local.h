/* SPDX-License-Identifier: GPL-2.0 */
/* What the parser and the evaluation of conditions share. */
#ifndef TLOB_EXPR_LOCAL_H
#define TLOB_EXPR_LOCAL_H

#include <stddef.h>

#include "expr.h"
#include "result.h"

struct expr_counter {
	const char *name;
	size_t	 offset;		/* of the uint64_t in struct result_cpu */
};

#define EXPR_NR_COUNTERS 10

extern const struct expr_counter expr_counters[EXPR_NR_COUNTERS];

#define expr_is_counter(e, field)					\
	((e)->counter >= 0 &&						\
	 expr_counters[(e)->counter].offset == offsetof(struct result_cpu, field))

bool expr_compare(uint64_t a, enum expr_op op, uint64_t b);

#endif /* TLOB_EXPR_LOCAL_H */
