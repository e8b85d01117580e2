/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers for the tests of bindings. */
#ifndef BOUND_H
#define BOUND_H

#include <stdbool.h>
#include <stdint.h>

#define HOUR	3600000000000ULL	/* a budget that no test exceeds */

/* A file's regions, as offsets in it and as code that this process can run. */
struct program {
	char	path[4096];
	uint64_t outer[2], inner[2];	/* start, stop */
	void	(*outer_start)(void), (*outer_stop)(void);
	void	(*inner_start)(void), (*inner_stop)(void);
};

/* This program itself. */
void this_program(struct program *p);
/* Copies this program to @path. The copy is not mapped, so its code must not be run. */
void copy_program(struct program *p, const char *path);
/* Maps such a copy, so that its code can run. */
void map_program(struct program *p);
/* Makes BOUND_DIR an empty directory. */
#define BOUND_DIR	"/tmp/tlob-bound"
void fresh_dir(void);

/* Binds a region (p->outer, p->inner); must succeed. @name may be "". */
void bind_region(const char *name, const struct program *p,
		 const uint64_t region[2], uint64_t threshold_ns);
/* The text of `monitor` in a static buffer, and the number of its lines. */
const char *monitor_bindings(void);
unsigned int nr_bindings(void);
/* A number in the line of `monitor_stat` that begins with @binding. */
uint64_t bound(const char *binding, const char *field);
/* Checks these counters of @binding, and that all but `unmatched` add up. */
void check_bound(const char *binding, uint64_t windows, uint64_t nested,
		 uint64_t unmatched);
/* Removes every binding. */
void unbind_all(void);

#endif /* BOUND_H */
