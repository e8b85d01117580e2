/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads with a name, for --load @NAME: each stresses one part of the machine. They run
 * with the default policy.
 */
#ifndef TLOB_OPTIONS_LOAD_PRESETS_H
#define TLOB_OPTIONS_LOAD_PRESETS_H

/* X(name, what it stresses, what it is made of) */
#define LOAD_PRESETS(X)								\
	X("cpu", "arithmetic on every CPU: frequency, heat, SMT siblings, preemption", \
	  "stress-ng")								\
	X("cache", "the caches: lines that CPUs share, and working sets that evict one another", \
	  "stress-ng")								\
	X("memory", "memory bandwidth, page faults, mmap and munmap", "stress-ng") \
	X("irq", "interrupts between CPUs: TLB shootdowns and membarrier", "stress-ng") \
	X("timer", "timers: signals and timerfd at high rates, many short sleeps", "stress-ng") \
	X("fork", "fork, exit and wake-ups: the scheduler, RCU, page tables",	\
	  "stress-ng, else hackbench")						\
	X("io", "files: writes, fsync, the block layer, kworkers; in $TMPDIR or /tmp", \
	  "stress-ng")								\
	X("net", "the loopback device: TCP and UDP, softirqs", "stress-ng, else hackbench")

/* "@cpu @cache ..." */
#define LOAD_PRESET_WORD(name, stresses, made_of)	" @" name
#define LOAD_PRESET_WORDS	(&LOAD_PRESETS(LOAD_PRESET_WORD)[1])

#define LOAD_STRESS_NG "exec stress-ng --quiet --timeout 0 --temp-path \"${TMPDIR:-/tmp}\""

/* --cpu 0 and the like would count all CPUs of the machine. */
#define LOAD_N "\"$TLOB_LOAD_CPUS\""

/* X(name, program, command): of a preset the first row is used whose program is installed. */
#define LOAD_COMMANDS(X)							\
	X("cpu", "stress-ng", LOAD_STRESS_NG " --cpu " LOAD_N)			\
	X("cache", "stress-ng", LOAD_STRESS_NG " --cache " LOAD_N)		\
	X("memory", "stress-ng",						\
	  LOAD_STRESS_NG " --stream " LOAD_N " --vm " LOAD_N " --vm-bytes 16M")	\
	X("irq", "stress-ng", LOAD_STRESS_NG " --tlb-shootdown " LOAD_N " --membarrier " LOAD_N) \
	X("timer", "stress-ng", LOAD_STRESS_NG " --timer " LOAD_N " --timer-freq 10000" \
	  " --timerfd " LOAD_N " --nanosleep " LOAD_N)				\
	X("fork", "stress-ng", LOAD_STRESS_NG " --fork " LOAD_N " --vfork " LOAD_N) \
	X("fork", "hackbench", "while hackbench --pipe --groups " LOAD_N	\
	  " --loops 100 > /dev/null; do :; done; exit 1")			\
	X("io", "stress-ng", LOAD_STRESS_NG " --hdd " LOAD_N " --hdd-bytes 16M --io " LOAD_N) \
	X("net", "stress-ng", LOAD_STRESS_NG " --sock " LOAD_N " --udp " LOAD_N) \
	X("net", "hackbench", "while hackbench --inet --groups " LOAD_N		\
	  " --loops 100 > /dev/null; do :; done; exit 1")

struct load_preset {
	const char *name;		/* "cpu" */
	const char *option;		/* "@cpu" */
	const char *stresses;		/* for people */
	const char *made_of;		/* "stress-ng, else hackbench" */
};

extern const struct load_preset load_presets[];	/* ends with a row without a name */

/* The preset "cpu", installed or not; NULL: no such preset. */
const struct load_preset *load_preset_find(const char *name);

/*
 * The command of the preset "cpu", for /bin/sh -c, and the *@program that it needs. NULL:
 * no program for it is in PATH.
 */
const char *load_preset_command(const char *name, const char **program);

#endif /* TLOB_OPTIONS_LOAD_PRESETS_H */
