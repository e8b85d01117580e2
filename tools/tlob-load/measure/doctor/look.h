/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The readers that rules share, one for each kind of source, and what a rule's own reader
 * needs. A reader never passes what it has not read: see look_missing().
 */
#ifndef TLOB_DOCTOR_LOOK_H
#define TLOB_DOCTOR_LOOK_H

#include <stdio.h>

#include "doctor/doctor.h"

/* ---- readers for the column `look` ---- */

/* Each path has one value; all must be as wanted. A file may be missing if another is not. */
void look_value(struct doctor *d, struct finding *f);
/*
 * Has check.read look at each measured CPU: 0; CPU_LACKS_IT; -errno: l->path is unreadable. One
 * bad CPU is a finding whatever the others are. The row says what it means if all lack it.
 */
#define CPU_LACKS_IT	1
void look_each_cpu(struct doctor *d, struct finding *f);
/* The options of the kernel's configuration in @words are off. */
void look_config_off(struct doctor *d, struct finding *f);
/* The kernel's arguments have all of @words. */
void look_arguments(struct doctor *d, struct finding *f);
/* The masks at the paths have no measured CPU. */
void look_outside(struct doctor *d, struct finding *f);
/* The counter at check.counter stood still on the measured CPUs. */
void look_counter(struct doctor *d, struct finding *f);

/* ---- for readers of one rule ---- */

#define LOOK_PATH_LEN	192

/* When counters moved: "while doctor ran" or "during the run". */
const char *while_what(const struct doctor *d);

/* Gives the finding its status and a text. */
void found(struct doctor *d, struct finding *f, enum finding_status status, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* STATUS_PASS if @good; else STATUS_FINDING, or for SEVERITY_INFO always STATUS_NOTED. */
void found_if(struct doctor *d, struct finding *f, bool good, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* STATUS_UNKNOWN: @path could not be read, for -errno @err. */
void found_unreadable(struct doctor *d, struct finding *f, const char *path, int err);
/* found_if() with @what and a list of CPUs. */
void found_list(struct doctor *d, struct finding *f, bool good, const char *what,
		const struct cpulist *cpus);
/* The path that counted. */
void found_path(struct doctor *d, struct finding *f, const char *path);

/*
 * Reads a file. False: it could not be read, and @f has its status. That is UNKNOWN,
 * unless the file does not exist, the rule says what that means, and its witness shows
 * that the tree around the file can be read.
 */
bool look_read(struct doctor *d, struct finding *f, const char *path, char **text);
void look_missing(struct doctor *d, struct finding *f, const char *path, int err);
/* The same for a file in list format, with mask format if @mask. */
bool look_list(struct doctor *d, struct finding *f, const char *path, bool mask,
	       struct cpulist *cpus);

/* Counters were read twice; false: a copy of a machine does not move, and @f is UNKNOWN. */
bool look_twice(struct doctor *d, struct finding *f);

/* The state of one CPU, and the file that says so. */
struct cpu_look {
	char	path[LOOK_PATH_LEN];	/* the last file */
	char	line[160];
	bool	bad;			/* of any CPU */
};

/*
 * All threads; false: /proc does not show them, and @f is UNKNOWN. It shows all if kernel
 * threads are among them: another PID namespace has none, and hidepid hides them.
 */
bool look_processes(struct doctor *d, struct finding *f);
/* The kernel's configuration; false: unknown. */
bool look_config(struct doctor *d, struct finding *f);
/* The kernel's arguments; false: unknown. */
bool look_cmdline(struct doctor *d, struct finding *f);

/*
 * "yes" or more words for "no": whether the process of /proc/self/status, whose text is @status, has
 * the capability. NULL: the text does not say so.
 */
const char *look_capability(struct doctor *d, const char *status, int cap);

/* The last value of all, which mostly is the one that counts: see cmdline_next(). */
const char *cmdline_value(const struct doctor *d, const char *name, char *buf, size_t size);

/* The CPUs of isolcpus=, and those of the partitions that can be seen. 0 or -errno. */
int read_isolated(struct doctor *d, struct cpulist *cpus);

/* The CPUs of rcu_nocbs= and nohz_full=. The arguments must have been read. 0 or -EINVAL. */
int look_offloaded(const struct doctor *d, struct cpulist *cpus);

/* @path with N replaced by @cpu. */
const char *cpu_path(char buf[LOOK_PATH_LEN], const char *path, int cpu);

/* CPUs by what they have in common: "powersave on CPUs 2-3, performance on CPU 4". */
#define GROUPS_MAX	16
struct groups {
	char	*text[GROUPS_MAX];
	struct cpulist cpus[GROUPS_MAX];
	unsigned int n;
	bool	 more;			/* further texts were left out */
};
void  groups_add(struct doctor *d, struct groups *g, int cpu, const char *text);
char *groups_format(struct doctor *d, struct groups *g);	/* malloc; empties @g */
/* found_if() with the groups, or with @none without any; empties @g. */
void  found_groups(struct doctor *d, struct finding *f, bool good, struct groups *g,
		   const char *none);

/* Ends a text that was written to @mem by open_memstream(); remembers -ENOMEM. */
char *text_end(struct doctor *d, FILE *mem, char **text);

#endif /* TLOB_DOCTOR_LOOK_H */
