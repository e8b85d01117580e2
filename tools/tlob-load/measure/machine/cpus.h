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
};

/*
 * Parses two CPU lists in numactl's syntax; `all` are those online. @measured defaults
 * to the affinity mask of the process. @housekeeping defaults to the rest of that mask,
 * or to all of it if nothing is left. 0; -EUSAGE: not a list, or an empty one; -ENODEV: a
 * CPU does not exist or is offline; -errno. Printed.
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
 * as a list (malloc). NULL: there is only one, or it is not known.
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
