/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the parser and the evaluation of conditions. */
#ifndef TLOB_RESULT_CONDITION_LOCAL_H
#define TLOB_RESULT_CONDITION_LOCAL_H

#include <stddef.h>

#include "result/condition.h"
#include "result/field.h"
#include "result/result.h"

#define condition_is_counter(e, member)					\
	((e)->counter >= 0 && (e)->words == &condition_run_words &&		\
	 (e)->words->counters->field[(e)->counter].at ==			\
	 offsetof(struct result_cpu, member))

bool condition_compare(uint64_t a, enum condition_op op, uint64_t b);

#endif /* TLOB_RESULT_CONDITION_LOCAL_H */
