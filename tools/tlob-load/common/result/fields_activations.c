// SPDX-License-Identifier: GPL-2.0
/* The threads of a result of attach whose activations were watched. */
#include "result/activations.h"
#include "result/tables.h"

static const struct field waker_fields[] = {
	ROW(activation_waker, name, CHARS, .flags = FIELD_PRIVATE | FIELD_TASK),
	ROW(activation_waker, count, COUNT),
};

static const struct fields waker_record = RECORD(activation_waker, "activation_waker", waker_fields);

static const struct field thread_fields[] = {
	ROW(activation_thread, tid, COUNT),
	ROW(activation_thread, comm, CHARS, .flags = FIELD_PRIVATE | FIELD_TASK),
	ROW(activation_thread, windows, COUNT),
	ROW(activation_thread, violations, COUNT),
	ROW(activation_thread, max_ns, COUNT,
	    .text = "a thread, its activations that ended, and the longest"),
	ROW(activation_thread, gaps, COUNT, .text = "activations whose record was lost"),
	ROW(activation_thread, wake, HIST),
	ROW(activation_thread, interval, HIST,
	    .text = "histograms: from the start until the thread ran, and to the next start"),
	ROW(activation_thread, period_ns, COUNT, .flags = FIELD_NULL,
	    .text = "the mean period, or null if p5 or p95 of the intervals is more than a tenth "
	    "from the median"),
	ROW(activation_thread, skipped, COUNT, .text = "periods without an activation"),
	ROW_AS("woken_by", activation_thread, waker, LIST, FIELD_N(activation_thread, nwaker),
	       .of = &waker_record, .max = ACTIVATION_WAKERS),
	ROW(activation_thread, other_wakers, COUNT,
	    .text = "`name` and `count`: a task, or `timer` (of its own sleep), `irq`, `softirq`, "
	    "`nmi`, `unknown`; how many wake-ups had others"),
};

const struct fields activation_thread_record =
	RECORD(activation_thread, "activation_thread", thread_fields);

static const struct field activations_fields[] = {
	ROW_AS("threads", activations, thread, NEW_LIST, FIELD_N(activations, n),
	       .of = &activation_thread_record, .max = ACTIVATION_THREADS),
	ROW(activations, further, COUNT,
	    .text = "windows of threads for which no room was left, in no thread of the list"),
};

const struct fields activations_record = RECORD(activations, "activations", activations_fields);
