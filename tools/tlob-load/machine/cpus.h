/* SPDX-License-Identifier: GPL-2.0 */
/* Which CPUs are measured, which keep house, and memory near a CPU. */
#ifndef TLOB_CPUS_H
#define TLOB_CPUS_H

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
 * CPU lists in numactl's syntax. Without @measured the affinity mask of the
 * process, without @housekeeping what is left of it; if nothing is left, all
 * of it. 0; -EUSAGE: not a list, or an empty one; -ENODEV: a CPU that does not
 * exist or is offline; -errno. Errors have been printed.
 */
int  cpus_choose(struct cpus *c, const char *measured,
		 const char *housekeeping);
void cpus_free(struct cpus *c);

/* A measured CPU that has gone offline since; -1: none. */
int  cpus_offline(const struct cpus *c);

/* "0,2-5" (malloc), or NULL without memory. */
char *cpus_format(const struct bitmask *mask);

/* Moves the calling thread to the CPUs in @mask, to @cpu. 0 or -errno. */
int cpus_confine(const struct bitmask *mask);
int cpus_pin(int cpu);

/* The NUMA node of @cpu; -1: the machine has none, or it is unknown. */
int cpus_node(int cpu);

/* True if memory can come from @node. */
bool node_exists(int node);

/*
 * @size bytes of zeroed memory that will come from @node (-1: from wherever it
 * is touched first). Call it before mlockall(MCL_FUTURE), which would place
 * the pages before they have a policy. NULL and errno on failure.
 */
void *node_alloc(size_t size, int node);
void  node_free(void *mem, size_t size);

#endif /* TLOB_CPUS_H */
