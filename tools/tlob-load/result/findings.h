/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The findings of doctor on the machine of a run, and the counts of the machine while it ran.
 * These are circumstances: compare does not look at them.
 */
#ifndef TLOB_RESULT_FINDINGS_H
#define TLOB_RESULT_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FINDINGS_MAX	128		/* as many as a reader takes of each list */

/* A rule that was not kept, or that could not be read. */
struct machine_finding {
	char	*id, *severity, *path;
	char	*found;			/* the value, or why there is none */
	char	*wanted;
	char	*now, *for_good;	/* how to mend it, or NULL */
	bool	 unread;
};

/* Counts of one CPU over the run: COUNT(enumerator, key, head of a column, meaning). */
#define MACHINE_COUNTS(COUNT) \
	COUNT(SMI, "smi", "SMIs", "system management interrupts") \
	COUNT(THROTTLED, "throttled", "throttled", "times of throttling because of heat") \
	COUNT(INTERRUPTS, "device_interrupts", "device irqs", "interrupts of devices") \
	COUNT(FAULTS, "page_faults", "page faults", "page faults of the measured thread") \
	COUNT(STEAL, "steal_ticks", "stolen ticks", "ticks that a hypervisor gave to others") \
	COUNT(KHZ_BEFORE, "khz_before", "kHz before", "the frequency before the run") \
	COUNT(KHZ_AFTER, "khz_after", "kHz after", "the frequency after it") \
	COUNT(CYCLES, "nominal_percent", "% of nominal", "the mean frequency while not idle, by APERF and MPERF")

#define MACHINE_COUNT_ENUM(name, ...)	MACHINE_##name,
enum machine_count { MACHINE_COUNTS(MACHINE_COUNT_ENUM) NR_MACHINE_COUNTS };
#undef MACHINE_COUNT_ENUM

extern const char * const machine_count_titles[NR_MACHINE_COUNTS];

struct machine_counts {
	int	 cpu;
	unsigned int known;		/* 1 << enum machine_count; the others are 0 */
	uint64_t value[NR_MACHINE_COUNTS];
};

/* How a finding bears on a window over its budget. */
struct bearing {
	int	 cpu;
	uint64_t activation;		/* of the window */
	char	*id;			/* of the finding */
	char	*text;			/* a sentence without a full stop */
};

enum rt_throttled { RT_THROTTLED_UNKNOWN, RT_THROTTLED_NO, RT_THROTTLED_YES };

struct findings {
	unsigned int rules;		/* that were applied */
	uint64_t took_ns;		/* all of it, before and after the run */
	enum rt_throttled rt_throttled;	/* the kernel said so during the run */
	struct machine_finding *at;	/* what was found, the worst first; then what is unread */
	size_t	 n;
	struct machine_counts *count;
	size_t	 ncounts;
	struct bearing *bearing;	/* the longest response first */
	size_t	 nbearings;
};

void findings_free(struct findings *f);	/* NULL does nothing */

/* The findings of @severity, which may be NULL for all, without what is unread. */
size_t findings_of(const struct findings *f, const char *severity);
size_t findings_unread(const struct findings *f);

#endif /* TLOB_RESULT_FINDINGS_H */
