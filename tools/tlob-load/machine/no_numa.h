/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What cpus.c uses of libnuma, for a tool that is built without it: CPU masks, and a
 * machine with one memory node. Memory then comes from the node of the thread that
 * touches it first. Functions do and return what numa(3) says.
 */
#ifndef TLOB_MACHINE_NO_NUMA_H
#define TLOB_MACHINE_NO_NUMA_H

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"

#define NO_NUMA_CPUS	8192U		/* NR_CPUS of the largest configuration */

struct bitmask {
	unsigned int size;
	unsigned long word[NO_NUMA_CPUS / (8 * sizeof(long))];
};

/* No node: numa_available() says so, and nothing asks for it. */
static struct bitmask *const numa_all_nodes_ptr;

static inline int numa_available(void)
{
	return -1;
}

static inline int numa_node_of_cpu(int cpu)
{
	(void)cpu;
	return -1;
}

static inline int numa_max_node(void)
{
	return 0;
}

static inline void numa_tonode_memory(void *mem, size_t size, int node)
{
	(void)mem;
	(void)size;
	(void)node;
}

static inline unsigned long no_numa_bit(unsigned int i)
{
	return 1UL << i % (8 * sizeof(long));
}

static inline unsigned int no_numa_word(unsigned int i)
{
	return i / (unsigned int)(8 * sizeof(long));
}

static inline int numa_bitmask_isbitset(const struct bitmask *m, unsigned int i)
{
	return i < m->size && m->word[no_numa_word(i)] & no_numa_bit(i);
}

static inline void numa_bitmask_setbit(struct bitmask *m, unsigned int i)
{
	if (i < m->size)
		m->word[no_numa_word(i)] |= no_numa_bit(i);
}

static inline void numa_bitmask_clearbit(struct bitmask *m, unsigned int i)
{
	if (i < m->size)
		m->word[no_numa_word(i)] &= ~no_numa_bit(i);
}

static inline unsigned int numa_bitmask_weight(const struct bitmask *m)
{
	unsigned int i, n = 0;

	for (i = 0; i < m->size; i++)
		n += !!numa_bitmask_isbitset(m, i);
	return n;
}

static inline void numa_bitmask_free(struct bitmask *m)
{
	free(m);
}

/* Not by sysconf(): some C libraries count only the CPUs that the process may use. */
static inline int numa_num_possible_cpus(void)
{
	char line[256], *last;
	long n;

	if (file_read_line("/sys/devices/system/cpu/possible", line, sizeof(line)))
		return (int)NO_NUMA_CPUS;
	last = line + strlen(line);
	while (last > line && last[-1] >= '0' && last[-1] <= '9')
		last--;
	n = strtol(last, NULL, 10) + 1;
	return n > (long)NO_NUMA_CPUS ? (int)NO_NUMA_CPUS : (int)n;
}

static inline struct bitmask *numa_allocate_cpumask(void)
{
	struct bitmask *m = calloc(1, sizeof(*m));

	if (m)
		m->size = NO_NUMA_CPUS;
	return m;
}

static inline int numa_sched_getaffinity(pid_t pid, struct bitmask *m)
{
	return sched_getaffinity(pid, sizeof(m->word), (cpu_set_t *)m->word);
}

static inline int numa_sched_setaffinity(pid_t pid, struct bitmask *m)
{
	return sched_setaffinity(pid, sizeof(m->word), (const cpu_set_t *)m->word);
}

/* The CPU that + counts: number @n of those that the process may use, or -1. */
static inline long no_numa_relative(const struct bitmask *allowed, unsigned long n)
{
	unsigned int i;

	for (i = 0; i < allowed->size; i++)
		if (numa_bitmask_isbitset(allowed, i) && !n--)
			return (long)i;
	return -1;
}

/* Adds the ranges of @s. False: a CPU is not possible. */
static inline bool no_numa_ranges(struct bitmask *m, const char *s,
				  const struct bitmask *allowed)
{
	unsigned long first, last;
	long cpu;
	char *end;

	for (;; s = end + 1) {
		first = last = strtoul(s, &end, 10);
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last < first || last >= (unsigned long)numa_num_possible_cpus())
			return false;
		for (; first <= last; first++) {
			cpu = allowed ? no_numa_relative(allowed, first) : (long)first;
			if (cpu < 0)
				return false;
			numa_bitmask_setbit(m, (unsigned int)cpu);
		}
		if (!*end)
			return true;
	}
}

/* @s is a list as is_list() in cpus.c checks it, or empty. */
static inline struct bitmask *numa_parse_cpustring_all(const char *s)
{
	struct bitmask *m = numa_allocate_cpumask(), *allowed = NULL;
	bool invert = *s == '!', ok = m;
	unsigned int i, n = (unsigned int)numa_num_possible_cpus();

	s += invert;
	if (*s == '+') {
		s++;
		allowed = numa_allocate_cpumask();
		ok = ok && allowed && numa_sched_getaffinity(0, allowed) >= 0;
	}
	if (ok && !strcmp(s, "all"))
		for (i = 0; i < n; i++)
			numa_bitmask_setbit(m, i);
	else if (ok && *s)
		ok = strcmp(s, "same") && no_numa_ranges(m, s, allowed);
	for (i = 0; ok && invert && i < n; i++)
		m->word[no_numa_word(i)] ^= no_numa_bit(i);
	free(allowed);
	if (ok)
		return m;
	free(m);
	return NULL;
}

#endif /* TLOB_MACHINE_NO_NUMA_H */
