/* SPDX-License-Identifier: GPL-2.0 */
/* What the benchmarks inside a guest share: ns, which are instructions there. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdint.h>

#define CONTROL	"/sys/kernel/debug/tlob_load/"

/* Ends the program with @what and errno. */
void die(const char *what) __attribute__((noreturn));
void put(const char *path, const char *text);
uint64_t now_ns(void);
/* The calling thread: to CPU 0; SCHED_FIFO. */
void pin(void);
void be(int priority);

/*
 * ns for a switch between two threads that yield to each other. Both call @begin
 * first and @end last, outside of what is measured; NULL: nothing.
 */
double one_switch(void (*begin)(void), void (*end)(void));

/* The least ns of an interrupt and a loop, the same each time. Needs tests/modules/inject. */
double one_irq(void);

#endif /* MEASURE_H */
