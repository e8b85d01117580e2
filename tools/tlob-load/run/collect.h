/* SPDX-License-Identifier: GPL-2.0 */
/* Collects records, histograms and counters into the result. */
#ifndef TLOB_RUN_COLLECT_H
#define TLOB_RUN_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

struct control;
struct run_config;
struct result;
struct workers;

/*
 * User threads calibrate in windows, so that the split removes interruptions. The
 * demand is the smallest on_cpu of the windows after the first. Runs of fixed work
 * have at least this many windows of warm-up.
 */
#define CALIBRATION_WINDOWS	6

struct calibration {
	unsigned int seen;
	uint64_t least, most;		/* ns; valid once all windows are seen */
};

struct collector {
	struct result *r;
	const struct run_config *config;
	const struct control *control;
	struct workers *workers;	/* NULL: kernel threads */
	int	*fd;			/* [ncpus] `windows` files of kernel threads; -1: ended */
	struct calibration *calibration; /* [ncpus], of user threads */
	const struct condition *stopped_by;	/* the --stop-on that a window met, or NULL */
	int	 stopped_cpu;
	uint64_t stopped_activation;
	uint64_t wake_max_ns;		/* without warm-up, for the live line */
};

/* @workers is NULL for kernel threads. 0 or -ENOMEM, printed; then collect_free(). */
int  collect_init(struct collector *c, struct result *r,
		  const struct run_config *config, const struct control *control,
		  struct workers *workers);
void collect_free(struct collector *c);

/* Kernel threads: opens their `windows` files, after enable = 1. 0 or -errno, printed. */
int collect_open(struct collector *c);

/* Takes all waiting records. 0 or -errno, printed. */
int collect_drain(struct collector *c);

/* True once the run has ended on all CPUs, for any reason. */
bool collect_ended(const struct collector *c);

/* True once every CPU has had @n windows after the warm-up. */
bool collect_have(const struct collector *c, uint64_t n);

/* Every user thread has made @n windows or more; records of some may be lost. */
bool collect_made(const struct collector *c, uint64_t n);

/*
 * Read what `status` has only while the run is enabled. At the beginning: the noise
 * source in use (@source is the one that was asked for). At the end: the
 * differences that the source `both` found. 0 or -errno, printed.
 */
int collect_begin(struct collector *c, const char *source);
int collect_end(struct collector *c);

/*
 * After enable = 0 and the last drain: reads the kernel's counters, and for kernel
 * threads its histograms. 0 or -errno, printed.
 */
int collect_finish(struct collector *c);

/* Brings the result up to date during the run, for a table. 0 or -errno, printed. */
int collect_snapshot(struct collector *c);

#endif /* TLOB_RUN_COLLECT_H */
