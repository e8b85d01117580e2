// SPDX-License-Identifier: GPL-2.0
/* The settings of the next run, and the state of this one. window.h has the rules. */
#include "window.h"

struct tlob_config tlob_config = {
	.workload = TLOB_KTHREAD,
	.period_ns = NSEC_PER_MSEC,
	.budget_ns = NSEC_PER_MSEC,
	.phase_ns = TLOB_NO_PHASE,
	.hw_threshold_ns = 5 * NSEC_PER_USEC,
	.policy = { .policy = SCHED_FIFO, .priority = 95 },
	.work = { .type = TLOB_KIND_SPIN, .node = TLOB_WORK_NO_NODE,
		  .amount = 100 * NSEC_PER_USEC },
	.work_text = "spin:100000",
};

struct tlob_run tlob_run = {
	.stopped_cpu = -1,
};
