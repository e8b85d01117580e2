/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers for tests of the wait profiler. */
#ifndef WAITS_H
#define WAITS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/tlob.h>

#define WAITS_MAX	9000U
#define COPIES_MAX	2100U

/* One snapshot of waits_records. */
struct waits {
	struct tlob_wait_status status;
	struct tlob_wait_task task[WAITS_MAX];
	struct tlob_wait_stack stack[WAITS_MAX];
	struct tlob_wait_copy copy[COPIES_MAX];
	unsigned int tasks, stacks, copies;
};

int  records_open(void);
/* A new snapshot, checked, in a static buffer. */
struct waits *waits_read(int fd);
/* The first task with this tid; must be there. */
const struct tlob_wait_task *waits_task(const struct waits *w, pid_t tid);
const struct tlob_wait_stack *waits_stacks(const struct waits *w, uint64_t task,
					   unsigned int *nr);
bool waits_has(const struct waits *w, pid_t tid);
/* The rows of @tid in the listing, in a static buffer. */
const char *waits_listed(pid_t tid);
/*
 * In ns. On a busy host a task may come so late that what it waits for is there already, and it
 * does not sleep at all. So all times are longer there: 2 ms outlast a host that stands still for
 * 200 ms.
 */
uint64_t waits_ms(unsigned int n);
/* A process that runs @run and exits with 0. */
pid_t waits_child(void (*run)(void));
/*
 * A process that has run @before and owes a stack, since it sleeps a second time in one system
 * call. The profiler is on, for this process only. waits_let_go() ends it.
 */
pid_t waits_owing(void (*before)(void));
void waits_let_go(pid_t pid);
/* Waits until no task owes a stack. */
void waits_owe_nothing(void);
/*
 * Does to the profiler what somebody else may do meanwhile: 0 switches it off and on, 1 resets
 * it, and all else is for the caller. Returns @what.
 */
unsigned int waits_disturb(unsigned int what);
/* A command of tests/modules/inject/sleep.c. */
void write_sleep(const char *text);

#endif /* WAITS_H */
