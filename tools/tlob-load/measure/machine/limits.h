/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits on the CPU time of a group of processes (cpu.max and its like), and how often the kernel
 * throttled the group: a thread that may not run is not late because of what ran instead.
 */
#ifndef TLOB_MACHINE_LIMITS_H
#define TLOB_MACHINE_LIMITS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LIMITS_MAX	16		/* groups are nested */

/* Whom a limit holds. */
enum limit_of { LIMIT_OF_FAIR = 1, LIMIT_OF_RT = 2 };

struct cpu_limit {
	char	*group;			/* "/work.slice" */
	char	*dir;			/* where its files are */
	enum limit_of of;
	const char *file;		/* that has the limit: "cpu.max" */
	uint64_t runtime_ns, period_ns;
	/* by cpu.stat when it was read, which counts only ordinary threads */
	uint64_t nr_throttled, throttled_ns;
};

struct cpu_limits {
	size_t	 n;			/* the process's own group first, then its parents */
	struct cpu_limit at[LIMITS_MAX];
};

/*
 * Reads the limits of the groups of the process @pid, 0: of this one, that hold threads of
 * @of, from the files below @root. 0 or -ENOMEM. Without a cgroup there is no limit.
 */
int  limits_read(struct cpu_limits *l, const char *root, pid_t pid, unsigned int of);
void limits_free(struct cpu_limits *l);

/* "cpu.max 20ms per 100ms; ...", without names of groups; malloc(). NULL: no limit, or no memory. */
char *limits_text(const struct cpu_limits *l);

struct result_limits;

/* Writes what is known now: the limits, and what they did since they were read. 0 or -ENOMEM. */
int limits_result(const struct cpu_limits *l, struct result_limits *to);

/* "group /work.slice has 20ms per 100ms (cpu.max)"; malloc(). */
char *limit_text(const struct cpu_limit *limit);

/* "its own runtime 300us/10ms", of a SCHED_DEADLINE thread; malloc() */
char *limit_own_text(uint64_t runtime_ns, uint64_t period_ns);

/* Sets *@by to that text, or to NULL if @tid is no such thread, or has exited. 0 or -ENOMEM. */
int  limit_of_thread(char **by, pid_t tid);

/* The relative deadline of the thread @tid; 0: it is not SCHED_DEADLINE. */
uint64_t limit_deadline(pid_t tid);

#endif /* TLOB_MACHINE_LIMITS_H */
