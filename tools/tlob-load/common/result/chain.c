// SPDX-License-Identifier: GPL-2.0
#include "result/chain.h"

const char *const chain_kinds[SEGMENT_KINDS] = {
	[SEGMENT_UNKNOWN] = "unknown", [SEGMENT_RUN] = "run", [SEGMENT_WAIT] = "wait",
	[SEGMENT_THROTTLED] = "throttled", [SEGMENT_SLEEP] = "sleep", [SEGMENT_TIMER_LATE] = "timer_late",
};

const char *const chain_ends[CHAIN_ENDS] = {
	[END_UNKNOWN] = "unknown", [END_TIMER] = "timer", [END_IRQ] = "irq", [END_SOFTIRQ] = "softirq",
	[END_NMI] = "nmi", [END_MEASURED] = "end",
};
