/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers for tests of functions. All of them fail the test by themselves. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/tlob.h>

/* tests/modules/inject/functions.c */
#define INJECT	"/sys/kernel/debug/tlob_inject/functions"

/* The last window and its record; the file of the window and the file of the records. */
struct functions_run {
	struct tlob_window w;
	struct tlob_functions f;
	int fd, records;
};

extern struct functions_run run;

/* Skips the test on a kernel without a mechanism, and removes all sets. */
void needs_functions(void);
/* Also where sizes mean nothing. */
void needs_sized_functions(void);
/* The whole file `functions`, in a static buffer. */
const char *function_sets(void);
/* A number of the set @set in the file: "calls", "open", ... */
uint64_t function_total(const char *set, const char *field);
void functions_clear(void);
/* Adds a set of the functions in @names of tlob_inject. Returns 0 or -errno. */
int  functions_add(const char *set, const char *names);
/* The address of a function of tlob_inject, or the number "cost". */
uint64_t function_of_inject(const char *name);
/* The address of a function of the kernel, or 0. */
unsigned long long function_of_kernel(const char *name);
/* @ns are @expected, and what the probes of @calls calls may add. */
void functions_is_about(const char *what, uint64_t ns, uint64_t expected, uint64_t calls);
/* What holds for each window and its functions. */
void check_functions(void);
/* ns of a set in the last window. */
uint64_t functions_net(unsigned int set);

/* A run with a user thread, this one, on CPU 0. next() ends a window and reads its record. */
void functions_begin(uint64_t period);
void functions_next(void);
void functions_end(void);

/*
 * functions_life.c. Another thread on @cpu gives tlob_inject @what, in a window on the file
 * @device of /dev/tlob, or in none if that is -1. A `wait` lasts until end().
 */
void functions_other_start(int cpu, const char *what, int device);
void functions_other_end(void);

/* functions_life.c. A new process group of tasks that wake each other, move, are born and die. */
int  functions_disturb(void);
void functions_disturb_end(int pid);

#endif /* FUNCTIONS_H */
