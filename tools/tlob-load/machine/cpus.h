/* SPDX-License-Identifier: GPL-2.0 */
/* Which CPUs are measured, which are left for housekeeping, and memory near a CPU. */
#ifndef TLOB_MACHINE_CPUS_H
#define TLOB_MACHINE_CPUS_H

#include <stdbool.h>
#include <stddef.h>

struct bitmask;

struct cpus {
	struct bitmask *measured, *housekeeping;
	int	*list;			/* the measured ones, ascending */
	size_t	 n;
	bool	 shared;		/* housekeeping had to include measured CPUs */
};

/*
 * Parses two CPU lists in numactl's syntax. @measured defaults to the affinity
 * mask of the process. @housekeeping defaults to the rest of that mask, or to all
 * of it if nothing is left. 0; -EUSAGE: not a list, or an empty one; -ENODEV: a
 * CPU does not exist or is offline; -errno. Printed.
 */
int  cpus_choose(struct cpus *c, const char *measured,
		 const char *housekeeping);
void cpus_free(struct cpus *c);

/* A measured CPU that is offline now; -1: none. */
int  cpus_offline(const struct cpus *c);

/* "0,2-5" (malloc), or NULL without memory. */
char *cpus_format(const struct bitmask *mask);

/* Moves the calling thread to the CPUs in @mask, or to @cpu. 0 or -errno. */
int cpus_confine(const struct bitmask *mask);
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
