/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of CPUs. Not the bitmask of libnuma, which refuses CPUs that this machine does not
 * have: a list may come from another machine.
 */
#ifndef TLOB_UTIL_CPULIST_H
#define TLOB_UTIL_CPULIST_H

#include <stdbool.h>
#include <stdint.h>

#define CPULIST_MAX	8192		/* NR_CPUS of the largest configuration */

struct cpulist {
	uint64_t word[CPULIST_MAX / 64];
};

/* True if @cpu, which may be any number, is in the set. */
bool cpulist_has(const struct cpulist *s, int cpu);

/* Adds @cpu, 0 to CPULIST_MAX - 1. */
void cpulist_add(struct cpulist *s, int cpu);

/*
 * Parses the kernel's list format, as in "0,2-5"; blanks at the end are ignored. "" and
 * "(null)", which Linux 6.12 prints for it, are the empty set. 0, or -EINVAL; a CPU above
 * CPULIST_MAX is invalid.
 */
int cpulist_parse(struct cpulist *s, const char *text);

/* Parses the kernel's mask format, as in "ff,00000003". 0 or -EINVAL. */
int cpulist_parse_mask(struct cpulist *s, const char *text);

bool cpulist_is_empty(const struct cpulist *s);
unsigned int cpulist_count(const struct cpulist *s);

/* The next CPU after @cpu (-1: the first), or -1. */
int cpulist_next(const struct cpulist *s, int cpu);

#define for_each_cpu(cpu, s) \
	for ((cpu) = cpulist_next(s, -1); (cpu) >= 0; (cpu) = cpulist_next(s, cpu))

/* The CPUs of @a that are (not) in @b. */
struct cpulist cpulist_and(const struct cpulist *a, const struct cpulist *b);
struct cpulist cpulist_without(const struct cpulist *a, const struct cpulist *b);
struct cpulist cpulist_or(const struct cpulist *a, const struct cpulist *b);

/* True if @a and @b have a CPU in common; if @all has every CPU of @some. */
bool cpulist_meet(const struct cpulist *a, const struct cpulist *b);
bool cpulist_covers(const struct cpulist *all, const struct cpulist *some);

/* "0,2-5", or "none" (malloc); NULL without memory. The mask is "ff,00000003". */
char *cpulist_format(const struct cpulist *s);
char *cpulist_format_mask(const struct cpulist *s);

#endif /* TLOB_UTIL_CPULIST_H */
