/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ranges of the settings, with both ends included. The control files and
 * the tool's options refuse values outside. Pure C: compiled in the kernel, in
 * the tool and in the tests. Times in ns.
 */
#ifndef _TLOB_RANGES_H
#define _TLOB_RANGES_H

#define TLOB_NSEC_PER_HOUR	3600000000000ULL

#define TLOB_PERIOD_MIN		50000ULL
#define TLOB_PERIOD_MAX		1000000000ULL
/* From the expiry, or from the start of a window of the monitor. */
#define TLOB_BUDGET_MIN		1000ULL
#define TLOB_BUDGET_MAX		TLOB_NSEC_PER_HOUR
#define TLOB_ALIGN_MAX		1000000000ULL
#define TLOB_PHASE_MAX		1000000000ULL
#define TLOB_WARM_UP_MAX	1000000ULL	/* windows */
/* A shorter gap would be the time that reading the clock takes. */
#define TLOB_HW_THRESHOLD_MIN	100ULL
#define TLOB_HW_THRESHOLD_MAX	1000000000ULL

#define TLOB_PRIORITY_MIN	1ULL		/* fifo, rr */
#define TLOB_PRIORITY_MAX	99ULL
#define TLOB_DEADLINE_MIN	1024ULL		/* 1 << DL_SCALE */
#define TLOB_DEADLINE_MAX	(~0ULL >> 1)

#define TLOB_WORK_TIME_MAX	TLOB_NSEC_PER_HOUR
#define TLOB_WORK_ROUNDS_MAX	1000000000000ULL
#define TLOB_WORK_WS_MIN	4096ULL		/* bytes */
#define TLOB_WORK_WS_MAX	1073741824ULL
#define TLOB_WORK_NODE_MAX	1023ULL

#endif /* _TLOB_RANGES_H */
