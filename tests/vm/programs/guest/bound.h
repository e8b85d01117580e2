/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of bindings share. */
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
/* A copy of it at @path, which nothing has mapped: its code is not to be run. */
void copy_program(struct program *p, const char *path);
/* Maps such a copy, and its code can run. */
void map_program(struct program *p);
/* An empty directory to play in, and its name. */
#define BOUND_DIR	"/tmp/tlob-bound"
void fresh_dir(void);

/* Binds a region (p->outer, p->inner); must succeed. @name may be "". */
void bind_region(const char *name, const struct program *p,
		 const uint64_t region[2], uint64_t threshold_ns);
/* All of `monitor`, a static buffer, and how many lines it has. */
const char *bindings(void);
unsigned int nr_bindings(void);
/* A number of the line of `monitor_stat` that begins with @binding. */
uint64_t bound(const char *binding, const char *field);
/* All but `unmatched` add up, and these are what @binding has. */
void check_bound(const char *binding, uint64_t windows, uint64_t nested,
		 uint64_t unmatched);
/* Every binding is removed. */
void unbind_all(void);

#endif /* BOUND_H */
