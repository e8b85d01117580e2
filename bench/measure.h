/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the benchmarks in a guest. In a deterministic guest a ns is an instruction. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdint.h>

#define CONTROL	"/sys/kernel/debug/tlob_load/"

/* Ends the program with @what and errno. */
void die(const char *what) __attribute__((noreturn));
void put(const char *path, const char *text);
uint64_t now_ns(void);
/* Put the calling thread on CPU 0, and under SCHED_FIFO. */
void pin(void);
void be(int priority);

/*
 * ns for a switch between two threads that yield to each other. Both call @begin before and
 * @end after the measured time; NULL: nothing.
 */
double one_switch(void (*begin)(void), void (*end)(void));

/* The least ns of a system call that wakes a thread of lower priority. */
double one_wakeup(void);

/* The least ns of an interrupt and the loop around it. Needs tests/modules/inject. */
double one_irq(void);

#endif /* MEASURE_H */
