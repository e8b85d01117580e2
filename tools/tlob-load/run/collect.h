/* SPDX-License-Identifier: GPL-2.0 */
/* Records, histograms and counters on their way into the result. */
#ifndef TLOB_COLLECT_H
#define TLOB_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

struct control;
struct run_config;
struct result;
struct workers;

/*
 * User threads calibrate in windows, so that the kernel's split takes what
 * interrupted them out: the least on_cpu of the five windows after the first
 * is the demand. Runs of fixed work have at least so many windows of warm-up.
 */
#define CALIBRATION_WINDOWS	6

struct calibration {
	unsigned int seen;
	uint64_t least, most;		/* ns; valid once all are seen */
};

struct collector {
	struct result *r;
	const struct run_config *o;
	const struct control *control;
	struct workers *workers;	/* NULL: kernel threads */
	int	*fd;			/* kernel threads: their `windows` files */
	struct calibration *calibration; /* user threads; [ncpus] */
	const struct condition *stopped_by;	/* the --stop-on that a window has met */
	int	 stopped_cpu;
	uint64_t stopped_activation;
	uint64_t wake_max_ns;		/* of the measured windows, for progress */
};

int  collect_init(struct collector *c, struct result *r,
		  const struct run_config *o, const struct control *control,
		  struct workers *workers);
void collect_free(struct collector *c);

/* Kernel threads: opens their records, after enable = 1. 0 or -errno, printed. */
int collect_open(struct collector *c);

/* Takes all records that have come. 0 or -errno, printed. */
int collect_drain(struct collector *c);

/* Nothing more will come: all runs have ended, whoever ended them. */
bool collect_ended(const struct collector *c);

/* Every CPU has had @n windows after the warm-up. */
bool collect_have(const struct collector *c, uint64_t n);

/*
 * What the kernel tells of the run only while it is enabled: at its beginning
 * the noise source in force (@source is what it was told to take), at its end
 * what noise source `both` has found. 0 or -errno, printed.
 */
int collect_begin(struct collector *c, const char *source);
int collect_end(struct collector *c);

/*
 * After enable = 0 and the last drain: the kernel's counters, and for kernel
 * threads its histograms. 0 or -errno, printed.
 */
int collect_finish(struct collector *c);

/* A running total in the result, for a table in between. 0 or -errno, printed. */
int collect_snapshot(struct collector *c);

#endif /* TLOB_COLLECT_H */
