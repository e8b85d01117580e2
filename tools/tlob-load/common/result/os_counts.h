/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counts of the operating system over a whole run: all that a process without
 * privilege can know besides its own clock. Nothing here is part of a window.
 */
#ifndef TLOB_RESULT_OS_COUNTS_H
#define TLOB_RESULT_OS_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#define OS_NAME_LEN	48
#define OS_NAMES	24	/* kept for each list, the most frequent ones */

enum os_known {
	OS_RUN_DELAY	= 1,
	OS_SWITCHES	= 2,
	OS_STEAL	= 4,
	OS_IRQS		= 8,
	OS_SOFTIRQS	= 16,
	OS_GAPS		= 32,
};

struct os_name {
	char	 name[OS_NAME_LEN];
	uint64_t count;
};

struct os_list {
	size_t	 n;
	uint64_t dropped;		/* names that found the list full */
	struct os_name at[OS_NAMES];	/* most frequent first */
};

/* The counts of one measured CPU, or the sum of all. */
struct os_counts {
	unsigned int known;		/* enum os_known; the others are 0 */
	uint64_t run_delay_ns;		/* the thread was runnable and did not run */
	uint64_t voluntary, involuntary; /* context switches of the thread */
	uint64_t steal_ns;		/* the hypervisor ran something else; in ticks */
	/* Gaps in spin work: an interrupt or the hardware took the time. */
	uint64_t gap_windows, gap_ns, gap_max_ns;	/* max: of one window */
	struct os_list irq, softirq;	/* that came to this CPU */
};

/* Adds @count to the entry @name. Zero adds none. */
void os_list_add(struct os_list *list, const char *name, uint64_t count);

/*
 * Adds @b to *@a. If *@a is NULL, it becomes a copy of @b. If @b is NULL, nothing happens.
 * The sum knows only the values that both know. 0 or -ENOMEM.
 */
int os_counts_add(struct os_counts **a, const struct os_counts *b);

#endif /* TLOB_RESULT_OS_COUNTS_H */
