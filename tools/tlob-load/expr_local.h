/* SPDX-License-Identifier: GPL-2.0 */
/* What the parser and the evaluation of conditions share. */
#ifndef TLOB_EXPR_LOCAL_H
#define TLOB_EXPR_LOCAL_H

#include <stddef.h>

#include "expr.h"
#include "result.h"

#define expr_is_counter(e, field)					\
	((e)->counter >= 0 && (e)->words == &expr_run_words &&		\
	 (e)->words->counters[(e)->counter].offset ==			\
	 offsetof(struct result_cpu, field))

bool expr_compare(uint64_t a, enum expr_op op, uint64_t b);

#endif /* TLOB_EXPR_LOCAL_H */
