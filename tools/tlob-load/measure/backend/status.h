/* SPDX-License-Identifier: GPL-2.0 */
/* Parses the kernel part's `status` and `hist`. Pure: text in, numbers out. */
#ifndef TLOB_BACKEND_STATUS_H
#define TLOB_BACKEND_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>
#include "hist.h"

/* The fields of a CPU's line that the tool uses; warm-up included. */
#define STATUS_FIELDS(FIELD)						\
	FIELD(windows) FIELD(violations) FIELD(missed) FIELD(aborted)	\
	FIELD(lost) FIELD(sum_failures) FIELD(errors)			\
	FIELD(adjusted_ns) FIELD(clock_steps)				\
	FIELD(demand_ns) FIELD(demand_spread_ns)			\
	FIELD(migrated) FIELD(overhead_ns)				\
	FIELD(start_ns) FIELD(first_activation) FIELD(offline) FIELD(pid)

struct status_cpu {
	int	 cpu;
#define STATUS_FIELD(name)	uint64_t name;
	STATUS_FIELDS(STATUS_FIELD)
#undef STATUS_FIELD
};

struct status {
	char	*text;			/* what the strings point into */
	const char *state;		/* "disabled", "enabled", "stopped" */
	int	stopped_cpu;		/* the CPU of the violation that ended the run; -1: none */
	uint64_t stopped_activation;
	const char *noise_source;
	const char *unavailable_because; /* NULL: nothing to say */
	const char *notes;		/* NULL: none */
	const char *max_difference_ns;	/* NULL: none */
	uint64_t clock_resolution_ns;	/* 0: not known */
	uint32_t unavailable;		/* 1 << enum tlob_part */
	size_t	 ncpus;
	struct status_cpu *cpu;		/* in the order of the file */
};

/*
 * Parses `status`; takes @text over. Keys and fields that are not known are
 * skipped, for the kernel may be newer. 0, -EINVAL (an invalid number or
 * stopped_by, a part that has no name, a CPU twice, no state) or -ENOMEM; call
 * status_free() in any case.
 */
int  status_parse(struct status *s, char *text);
void status_free(struct status *s);
const struct status_cpu *status_find(const struct status *s, int cpu);

/*
 * Parses `hist` into the TLOB_NR_METRICS histograms at @hist, which it clears
 * first. 0, or -EINVAL: a line that the kernel does not write, a bucket that
 * hist.h does not have, or buckets that do not sum up to n. While the run goes
 * on (@running) windows end between the lines, and n is taken from the buckets.
 */
int hist_parse(struct tlob_hist *hist, const char *text, bool running);

#endif /* TLOB_BACKEND_STATUS_H */
