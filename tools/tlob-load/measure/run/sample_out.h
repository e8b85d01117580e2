/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --samples: hands the windows of a run to a process that writes them, on the housekeeping CPUs. A
 * pipe is between both: what finds it full is counted. If all CPUs are measured, the samples stay
 * in memory, and are written after the run.
 */
#ifndef TLOB_RUN_SAMPLE_OUT_H
#define TLOB_RUN_SAMPLE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "result/sample_file.h"

struct cpus;
struct output;
struct result;
struct run_config;
struct tlob_window;

#define SAMPLES_BATCH	(4096 / sizeof(struct sample))	/* a pipe takes it whole, or not at all */

struct sample_out {
	int	 fd;			/* to the process, or memory; -1: no --samples */
	int	 file;			/* of the output */
	pid_t	 writer;		/* 0: none; after the run */
	bool	 gz;
	const struct run_config *config;
	struct sample_counts *counts;	/* shared with the process */
	uint64_t dropped;		/* rows that found no room on the way */
	bool	 held_only;		/* all CPUs are measured */
	uint64_t held;			/* bytes in memory */
	size_t	 n;
	struct sample batch[SAMPLES_BATCH];
};

/* Before the process has threads. @file is open. 0 or -errno, printed; then sample_out_free(). */
int  sample_out_start(struct sample_out *o, const struct run_config *config, const struct cpus *cpus,
		      const struct output *file);

/* A window that belongs to the run; those of the warm-up are left out. */
void sample_out_add(struct sample_out *o, const struct tlob_window *w);

/* Once for each look at the records: what was added goes its way. */
void sample_out_flush(struct sample_out *o);

/* After the measurement: waits until all is written. Counts and notes go to @r. 0 or -ENOMEM, printed. */
int  sample_out_finish(struct sample_out *o, struct result *r);

/* Why rows are missing, other than by the limit: 0 or -errno, printed. */
int  sample_out_error(const struct sample_out *o);

void sample_out_free(struct sample_out *o);

#endif /* TLOB_RUN_SAMPLE_OUT_H */
