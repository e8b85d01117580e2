/* SPDX-License-Identifier: GPL-2.0 */
/* Which CPUs are measured, which are left for housekeeping, and memory near a CPU. */
#ifndef TLOB_MACHINE_CPUS_H
#define TLOB_MACHINE_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/cpulist.h"

struct cpus {
	struct cpulist measured, housekeeping;
	int	*list;			/* the measured ones, ascending */
	size_t	 n;
	bool	 isolated;		/* nobody named them: they are isolated from the scheduler */
};

/*
 * The CPUs to measure if none are named, by what may be used: the isolated ones, if there are any.
 * An affinity mask of all other CPUs is what isolcpus= leaves to every process, so nobody chose it;
 * any other mask without an isolated CPU was chosen, and stays.
 */
struct cpulist cpus_default(const struct cpulist *usable, const struct cpulist *online,
			    const struct cpulist *isolated);

/*
 * The CPUs of @usable that are left beside @measured: without @siblings, their hyper-threads, if
 * others are free; all of @usable if none is.
 */
struct cpulist cpus_left(const struct cpulist *usable, const struct cpulist *measured,
			 const struct cpulist *siblings);

/*
 * Parses two CPU lists in numactl's syntax; `all` are those online. @measured defaults
 * to cpus_default() of the affinity mask, @housekeeping to cpus_left() of it. 0; -EUSAGE: not a
 * list, or an empty one; -ENODEV: a CPU does not exist or is offline; -errno. Printed.
 */
int  cpus_choose(struct cpus *c, const char *measured,
		 const char *housekeeping);
void cpus_free(struct cpus *c);

/*
 * The CPUs for loads: @list in the syntax of cpus_choose(), with the same errors; NULL:
 * all measured and housekeeping CPUs.
 */
int  cpus_of_load(const struct cpus *c, const char *list, struct cpulist *cpus);

/*
 * The CPUs that the process may use but the first, which is left to everything else;
 * as a list (malloc). NULL: there is only one, it is not known, or some are isolated.
 */
char *cpus_but_one(void);

/*
 * Why a thread that was pinned to @cpu is not there any more. 0: the CPU goes offline.
 * Its threads leave it before it says so, so this may wait for a second. -EXDEV,
 * printed: somebody has moved the thread.
 */
int  cpus_why_left(int cpu);

/*
 * The measured CPUs and the CPUs of @list, in the kernel's format, as in "0,2-5"
 * (malloc). *@covered: @list has all measured CPUs. NULL without memory.
 */
char *cpus_with(const struct cpus *c, const char *list, bool *covered);

/* Moves the calling thread to @cpus, or to @cpu. 0 or -errno. */
int cpus_confine(const struct cpulist *cpus);
int cpus_pin(int cpu);

/* The NUMA node of @cpu; -1: unknown, or a machine without NUMA. */
int cpus_node(int cpu);

/* True if memory can come from @node. */
bool node_exists(int node);

/*
 * Maps @size bytes of zeroed memory whose pages will come from @node (-1: from
 * the node that touches them first). Call it before mlockall(MCL_FUTURE), which
 * would place the pages before they have a policy. NULL and errno on failure.
 */
void *node_alloc(size_t size, int node);
void  node_free(void *mem, size_t size);

#endif /* TLOB_MACHINE_CPUS_H */
