/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers for tests of the wait profiler. */
#ifndef WAITS_H
#define WAITS_H

#include <stdint.h>
#include <sys/types.h>
#include <linux/tlob.h>

#define WAITS_MAX	9000U
#define COPIES_MAX	256U

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
/* A command of tests/modules/inject/sleep.c. */
void write_sleep(const char *text);

#endif /* WAITS_H */
