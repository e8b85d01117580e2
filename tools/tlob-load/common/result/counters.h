/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters next to the histograms, each one once: the fields of the
 * results, their sums, the JSON, the reference, conditions and messages come from these lists.
 *
 *	COUNTER(name, flags, text)	a uint64_t, in the order of the JSON
 *
 * @flags and @text have the meaning that they have in struct field: see field.h.
 */
#ifndef TLOB_RESULT_COUNTERS_H
#define TLOB_RESULT_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

/* For a measured CPU, in struct result_cpu. */
#define RESULT_COUNTERS(COUNTER)					\
	COUNTER(windows, FIELD_ASSERT, NULL)				\
	COUNTER(violations, FIELD_ASSERT,				\
		"measured windows, and those with a response over their budget") \
	COUNTER(missed, FIELD_ASSERT, "expiries after the warm-up that became no window") \
	COUNTER(lost, FIELD_ASSERT, \
		"records that did not reach the tool: the ring was full, or another process " \
		"migrated the thread. Worst windows and names lack them; histograms as well, " \
		"with user threads or `--stop-on`") \
	COUNTER(aborted, FIELD_ASSERT, \
		"windows cut off by the end of the run; part of `missed`") \
	COUNTER(warm_up, 0, NULL)					\
	COUNTER(warm_up_missed, 0, NULL)				\
	COUNTER(warm_up_violations, 0, "those of the warm-up; nothing else contains them") \
	COUNTER(due, 0, "the expiries until the end of the CPU's run") \
	COUNTER(startup, FIELD_ASSERT, \
		"those before the first arming. If there are no others, `run` fails, unless " \
		"stopped early") \
	COUNTER(unaccounted, FIELD_ASSERT, \
		"those that were neither a window nor missed: the CPU left the run early. Then " \
		"`run` exits with 1") \
	COUNTER(inexact, FIELD_ASSERT, \
		"windows whose parts are [in doubt](../explanation/split.md#the-parts)") \
	COUNTER(sum_failures, FIELD_ASSERT, "windows whose parts did not add up: a defect") \
	COUNTER(adjusted_ns, FIELD_ASSERT | FIELD_NS, NULL) \
	COUNTER(clock_steps, FIELD_ASSERT, NULL) \
	COUNTER(errors, FIELD_ASSERT, "what made windows inexact")

/* For the windows of attach, in struct attach_result. */
#define ATTACH_COUNTERS(COUNTER)					\
	COUNTER(windows, FIELD_ASSERT, "windows that ended. Only they are in `hist`") \
	COUNTER(violations, FIELD_ASSERT,				\
		"windows over the budget, whether ended, cut or open")	\
	COUNTER(cut, FIELD_ASSERT, NULL) \
	COUNTER(open, FIELD_ASSERT, \
		"windows ended by the exit of their thread, and violations that continued at " \
		"the end") \
	COUNTER(lost, FIELD_ASSERT, \
		"records dropped because the ring buffer was full; all counts are too low then") \
	COUNTER(unclear, FIELD_ASSERT | FIELD_LEFT_OUT, \
		"activations that may have ended in the middle of a cycle: in a sleep that may have " \
		"been for a lock, or elsewhere than most of their thread; left out if 0") \
	COUNTER(starts, 0, "how often any thread reached the start") \
	COUNTER(nested, 0, NULL) \
	COUNTER(no_slot, 0, \
		"starts while the thread had a window already, and without a free slot in the " \
		"kernel") \
	COUNTER(unmatched, 0, "how often any thread reached the stop without a window") \
	COUNTER(unfinished, 0, \
		"windows of any process that had not ended within their budget. If no record " \
		"was lost, `starts` is the sum of `windows`, `cut`, `open`, `unfinished`, " \
		"`nested`, `no_slot` and `others`") \
	COUNTER(others, FIELD_ASSERT, \
		"windows of other processes that ended; nothing else counts them") \
	COUNTER(inexact, FIELD_ASSERT, NULL)				\
	COUNTER(sum_failures, FIELD_ASSERT, NULL)			\
	COUNTER(adjusted_ns, FIELD_ASSERT | FIELD_NS, NULL)		\
	COUNTER(clock_steps, FIELD_ASSERT, NULL)			\
	COUNTER(errors, FIELD_ASSERT, NO_ROW)

#define COUNTER_MEMBER(name, ...)	uint64_t name;

struct fields;

extern const struct fields result_counters;	/* of struct result_cpu */
extern const struct fields attach_counters;	/* of struct attach_result */

#endif /* TLOB_RESULT_COUNTERS_H */
