/* SPDX-License-Identifier: GPL-2.0 */
/* Judges whether a machine is fit for a real-time workload: all rules, on one tree of files. */
#ifndef TLOB_DOCTOR_DOCTOR_H
#define TLOB_DOCTOR_DOCTOR_H

#include <stdint.h>

#include "doctor/check.h"
#include "doctor/counts.h"
#include "doctor/tasks.h"
#include "machine/kconfig.h"
#include "util/cpulist.h"

/* The default of run. */
#define WORKLOAD_PRIORITY	95

/* Some answers are yes, no, or cannot be read. */
enum known { KNOWN_NOT, KNOWN_NO, KNOWN_YES };

struct doctor {
	const char *root;		/* "" is this machine */
	enum pattern pattern;
	/* Lets time pass between two readings of counters. NULL: the counters of a copy stand still. */
	void	(*wait)(void *data);
	void	*wait_data;
	/* For a run: see doctor/run.h. */
	bool	of_run;
	int	priority;		/* of the workload; 0: this process's own */
	bool	has_faults;
	uint64_t faults;		/* of the measured threads */
	uint64_t took_ns;
	/* Facts that several rules need, see doctor_prepare(). */
	struct cpulist measured, online, others;
	enum known rt;			/* PREEMPT_RT */
	char	*rt_path, *cmdline, *other_cpus, *other_mask;
	int	cmdline_err;		/* why cmdline is NULL */
	char	*status, *limits;	/* of this process: NULL until look_read() reads them */
	struct kconfig config;
	struct tasks tasks;
	struct counts before, after;
	int	log_plus_1;		/* counts_log_end() before the run, + 1; 0: none */
	struct examination report;	/* has the names of the kernel and the CPUs from the start */
	int	err;			/* -ENOMEM once an allocation has failed */
};

/*
 * Chooses the CPUs and reads the facts. @cpus is a list, "all" or NULL: the isolated
 * CPUs, or if there are none, all online ones but the first. 0; -EUSAGE: not a list;
 * -ENODEV: a CPU is not online; -errno. Printed. Set root, pattern and wait before, call
 * doctor_free() in any case.
 */
int  doctor_prepare(struct doctor *d, const char *cpus);

/*
 * Applies all rules for the pattern, or @only one of them; findings are sorted, the worst
 * first. 0 or -ENOMEM, printed.
 */
int  doctor_examine(struct doctor *d, const struct check *only);

/*
 * The same in two halves, with of_run: the first reads the counters and applies the
 * quick rules, the second those that need counters. 0 or -ENOMEM, printed.
 */
int  doctor_before(struct doctor *d);
int  doctor_after(struct doctor *d);

void doctor_free(struct doctor *d);

/* For doctor.wait on this machine: one second. A signal shortens it, and ends the tool. */
void doctor_observe(void *data);

/* Applies one rule. 0 or -ENOMEM. */
int  doctor_look(struct doctor *d, const struct check *c, struct finding *f);

#endif /* TLOB_DOCTOR_DOCTOR_H */
