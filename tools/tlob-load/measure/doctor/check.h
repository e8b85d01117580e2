/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A rule of `tlob-load doctor`: where it looks, what it wants and why. Rules are rows of
 * const tables, one for each subject. --why, the reports and docs/reference/doctor.md
 * come from these rows.
 */
#ifndef TLOB_DOCTOR_CHECK_H
#define TLOB_DOCTOR_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "result/findings.h"

struct cpu_look;
struct doctor;
struct task;

/* The meaning of missing paths, while the directory @witness has entries. */
enum missing {
	MISSING_UNKNOWN,	/* nothing: the default */
	MISSING_GOOD,		/* STATUS_ABSENT; check.missing_why says why */
	MISSING_BAD,		/* STATUS_FINDING; check.missing_why says what is found */
};

/* A rule may need more than some files. A run has no time for the first three. */
enum check_needs {
	NEEDS_TASKS	= 1,		/* the list of all threads */
	NEEDS_CONFIG	= 2,		/* the kernel's configuration */
	NEEDS_SEARCH	= 4,		/* a walk through directories */
	NEEDS_COUNTS	= 8,		/* two readings of counters, with time in between */
};

/*
 * {cpus}, {others} and {mask} in @now and @for_good become the measured CPUs, the online
 * ones besides them, and these as a mask.
 */
struct check {
	const char *id;			/* of --why and of the JSON */
	const char *title;
	enum severity severity;
	enum pattern only;		/* 0: a rule for both */
	const char *path;		/* where it looks, N is a CPU; several: one blank between */
	const char *wanted;
	const char *why;
	const char *now;		/* NULL: not without a new boot */
	const char *for_good;		/* NULL: there is no setting for it */
	const char *source;		/* whose rule it is, with file and version */
	unsigned int needs;		/* enum check_needs */
	bool isolates;			/* the advice sets CPUs apart, so others must be left */
	/* Decides; fills @f. */
	void (*look)(struct doctor *d, struct finding *f);
	/* For look_each_cpu(), what a CPU has: see look.h. NULL: the value of the file at path. */
	int (*read)(struct doctor *d, struct finding *f, int cpu, struct cpu_look *l);
	/* For look_tasks(): the threads that should not be there. @priority is the workload's. */
	bool (*unwanted)(const struct task *t, int priority);
	/* For the shared readers of look.h: */
	const char *words;		/* values that are as wanted, one blank between */
	long long at_least, at_most;
	size_t counter;			/* offset in struct cpu_counts */
	const char *unit;		/* of the counter, with a blank; NULL: none */
	enum missing missing;
	const char *missing_why;
	const char *witness;		/* a directory that has entries if the tree can be read */
};

struct checks {
	const struct check *at;
	size_t n;
};

extern const struct checks checks_kernel, checks_isolation, checks_tasks, checks_power,
			   checks_hardware, checks_memory;

/* All tables, in the order of the documentation; ends with NULL. */
extern const struct checks * const check_tables[];

/* The rule @id for @pattern, or NULL. */
const struct check *check_find(const char *id, enum pattern pattern);

/* The sources of the rules. The hash is the file's commit in tuned's repository. */
#define FROM_LINUX	"Linux 7.3, Documentation/"
#define FROM_REALTIME	"tuned (0257e1c671ef), profiles/realtime/tuned.conf"
#define FROM_PARTITIONING "tuned (07f903bf8f19), profiles/cpu-partitioning/tuned.conf"
#define FROM_LATENCY	"tuned (3747701d1c72), profiles/network-latency/tuned.conf"
#define FROM_CONFIGURATION FROM_LINUX "core-api/real-time/kernel-configuration.rst"
#define FROM_HARDWARE	FROM_LINUX "core-api/real-time/hardware.rst"
#define FROM_ISOLATION	FROM_LINUX "admin-guide/cpu-isolation.rst"
#define FROM_ARGUMENTS	FROM_LINUX "admin-guide/kernel-parameters.txt"

#define CPU_DIR		"/sys/devices/system/cpu"
#define FAIR_SERVER(cpu) "/sys/kernel/debug/sched/fair_server/cpu" cpu "/runtime"

/* A sysctl, where it is read and how it is set: SYSCTL("vm", "stat_interval", "10"). */
#define SYSCTL(dir, name, value) \
	.path = "/proc/sys/" dir "/" name, .now = "sysctl " dir "." name "=" value, \
	.for_good = "a line " dir "." name " = " value " in /etc/sysctl.d/"

#endif /* TLOB_DOCTOR_CHECK_H */
