/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of the measured CPUs, read twice: the difference shows what happened. */
#ifndef TLOB_DOCTOR_COUNTS_H
#define TLOB_DOCTOR_COUNTS_H

#include <stdint.h>

#include "machine/proc_counts.h"
#include "util/cpulist.h"

/* A value, or the reason why it could not be read. */
struct count {
	uint64_t value;
	int	 err;			/* -errno */
};

struct cpu_counts {
	int	cpu;
	struct count steal;		/* ticks */
	struct count throttled;		/* times, of the core and of its package */
	struct count smi;
	struct count aperf, mperf;	/* cycles while not idle: real ones, and at the nominal frequency */
	struct count khz;		/* not a counter: the frequency at that moment */
};

struct counts {
	struct cpu_counts *cpu;
	unsigned int n;
	struct proc_table irqs;		/* a column for each of @cpu */
	int	irqs_err;		/* -errno */
	struct count rt_throttled;	/* how often the kernel's log says it; see counts_read_log() */
};

/*
 * On arm64 and RISC-V the timers and performance counters of CPUs have numbers, too. Their drivers,
 * in Linux drivers/clocksource and drivers/perf, give these names to request_percpu_irq().
 */
#define COUNTS_OWN_IRQS	"arch_timer riscv-timer arm-pmu riscv-pmu"

#define COUNTS_THROTTLE	"/sys/devices/system/cpu/cpuN/thermal_throttle/core_throttle_count"
#define COUNTS_MSR	"/dev/cpu/N/msr"
#define COUNTS_KHZ	"/sys/devices/system/cpu/cpuN/cpufreq/scaling_cur_freq"

/* Reads all counters of @cpus below @root. 0 or -ENOMEM. */
int  counts_read(struct counts *c, const char *root, const struct cpulist *cpus);

/*
 * Reads the kernel's log of this machine, in which a kernel before Linux 6.12 says once for
 * each boot that real-time threads were throttled. 0 or -ENOMEM; c->rt_throttled.err says
 * why the log could not be read.
 */
int  counts_read_log(struct counts *c, const char *root);

/*
 * A descriptor at the end of that log, or -1: it cannot be read in this way. counts_log_says()
 * then returns whether a later message says so, at the cost of the later messages only.
 */
int  counts_log_end(const char *root);
bool counts_log_says(int fd);

/* The difference of two readings. A counter with 32 bits may have wrapped. */
uint64_t count_since(const struct count *before, const struct count *after);

/* The interrupts of devices, those with a number, that came to cpu[@i]. 0 or -errno. */
int  counts_interrupts(const struct counts *before, const struct counts *after, unsigned int i,
		       uint64_t *n);

/*
 * The mean frequency between both readings while the CPU was not idle, in percent of the
 * nominal one. -ENODATA: nothing was counted; -errno: not read.
 */
int  counts_cycles(const struct cpu_counts *before, const struct cpu_counts *after);

void counts_free(struct counts *c);

#endif /* TLOB_DOCTOR_COUNTS_H */
