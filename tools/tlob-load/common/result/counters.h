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

/* For a measured CPU, or for all windows of attach, in struct result_cpu. */
#define RESULT_COUNTERS(COUNTER)					\
	COUNTER(windows, FIELD_ASSERT, NULL)				\
	COUNTER(violations, FIELD_ASSERT,				\
		"measured windows, and those with a response over their budget") \
	COUNTER(missed, FIELD_ASSERT, \
		"expiries after the warm-up that became no window; of attach: windows over the " \
		"budget that did not end, since they were cut or are `open`") \
	COUNTER(lost, FIELD_ASSERT, \
		"records that did not reach the tool: the ring was full, or another process " \
		"migrated the thread. Worst windows and names lack them; histograms as well, " \
		"with user threads or `--stop-on`. Of attach all counts are too low then") \
	COUNTER(aborted, FIELD_ASSERT | FIELD_OF_RUN, \
		"windows cut off by the end of the run; part of `missed`") \
	COUNTER(warm_up, 0, NULL)					\
	COUNTER(warm_up_missed, 0, NULL)				\
	COUNTER(warm_up_violations, 0, "those of the warm-up; nothing else contains them") \
	COUNTER(due, 0, "the expiries until the end of the CPU's run") \
	COUNTER(startup, FIELD_ASSERT | FIELD_OF_RUN, \
		"those before the first arming. If there are no others, `run` fails, unless " \
		"stopped early") \
	COUNTER(unaccounted, FIELD_ASSERT | FIELD_OF_RUN, \
		"those that were neither a window nor missed: the CPU left the run early. Then " \
		"`run` exits with 1") \
	COUNTER(inexact, FIELD_ASSERT, \
		"windows whose parts are [in doubt](../explanation/split.md#the-parts)") \
	COUNTER(sum_failures, FIELD_ASSERT, "windows whose parts did not add up: a defect") \
	COUNTER(adjusted_ns, FIELD_ASSERT | FIELD_NS, NULL) \
	COUNTER(clock_steps, FIELD_ASSERT, NULL) \
	COUNTER(errors, FIELD_ASSERT, "what made windows inexact") \
	/* Of attach only. */						\
	COUNTER(cut, FIELD_ASSERT | ATTACH_COUNTER, NULL) \
	COUNTER(open, FIELD_ASSERT | ATTACH_COUNTER, \
		"of attach, as are the next, and left out if 0: windows ended by something else " \
		"than their stop, such as the exit of their thread; violations that continued " \
		"at the end") \
	COUNTER(unclear, FIELD_ASSERT | ATTACH_COUNTER, \
		"activations that may have ended in the middle of a cycle: in a sleep that may have " \
		"been for a lock, or elsewhere than most of their thread") \
	COUNTER(unmeasured, FIELD_ASSERT | ATTACH_COUNTER, \
		"windows in which events of their thread are missing, doubled or out of order: a sleep " \
		"may count as running. Nothing else counts them") \
	COUNTER(skipped, FIELD_ASSERT | ATTACH_COUNTER, \
		"periods without an activation, of all threads with a period") \
	COUNTER(others, FIELD_ASSERT | ATTACH_COUNTER, \
		"windows of other processes that ended; nothing else counts them") \
	COUNTER(starts, ATTACH_COUNTER, "how often any thread reached the start") \
	COUNTER(nested, ATTACH_COUNTER, NULL) \
	COUNTER(no_slot, ATTACH_COUNTER, \
		"starts while the thread had a window already (with `bpf`: deeper in its stack), and " \
		"without a free slot in the kernel or for a key") \
	COUNTER(left, ATTACH_COUNTER, \
		"with `bpf`: windows whose thread, or key, came to the start again, not deeper in its " \
		"stack, instead of the stop") \
	COUNTER(unmatched, ATTACH_COUNTER, \
		"how often any thread reached the stop without a window. With `bpf` not the threads " \
		"that were there before and have reached no start") \
	COUNTER(unfinished, ATTACH_COUNTER, \
		"windows of any process that had not ended within their budget. If no record " \
		"was lost, `starts` is the sum of `windows`, `unmeasured`, `cut`, `open`, " \
		"`unfinished`, `nested`, `left`, `no_slot` and `others`")

#define ATTACH_COUNTER	(FIELD_OF_ATTACH | FIELD_LEFT_OUT)

#define COUNTER_MEMBER(name, ...)	uint64_t name;

struct fields;

extern const struct fields result_counters;	/* of struct result_cpu */

#endif /* TLOB_RESULT_COUNTERS_H */
