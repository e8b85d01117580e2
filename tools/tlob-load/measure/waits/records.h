/* SPDX-License-Identifier: GPL-2.0 */
/* A snapshot of waits, and the module's file that has one. */
#ifndef TLOB_WAITS_RECORDS_H
#define TLOB_WAITS_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

#include "machine/control.h"
#include "result/kept.h"

/* The longest wait of a task over the threshold that no timer of its own ended, and what was behind it. */
struct wait_chain {
	uint64_t task;			/* tlob_wait_task.id */
	struct attach_wait wait;	/* its time and its chain, nothing else */
};

/* One snapshot. The arrays are reused by the next one. */
struct wait_records {
	int fd;				/* -1: closed */
	struct tlob_wait_status status;
	struct tlob_wait_task *task;	/* by descending blocked time */
	struct tlob_wait_stack *stack;	/* by task */
	struct wait_chain *chain;	/* by task; BPF only */
	size_t ntask, task_room, nstack, stack_room, nchain, chain_room;
	uint64_t skipped;		/* BPF program invocations: waits may be missing */
	uint64_t unseen;		/* BPF: waits in no total, as their end was no event */
	void *buffer;
};

#define WAIT_RECORDS_NONE { .fd = -1 }

/* Gets each raw copy once. It may hold secrets: unwind it, and keep nothing of it. */
typedef void (*wait_copy_taker)(void *arg, const struct tlob_wait_copy *copy);

/* 0 or -errno, printed. -EBUSY: another tool reads. */
int  wait_records_open(struct wait_records *r, const struct control *c);
/*
 * Takes the copies that came since the last call. Behind a snapshot the file has nothing
 * else; the first call finds one. 0 or -errno, printed.
 */
int  wait_records_take(struct wait_records *r, wait_copy_taker take, void *arg);
/* Takes a snapshot, and the copies that came since the last one. 0 or -errno, printed. */
int  wait_records_read(struct wait_records *r, wait_copy_taker take, void *arg);
/* Append a record to the snapshot. 0 or -ENOMEM. */
int  wait_records_add_task(struct wait_records *r, const struct tlob_wait_task *task);
int  wait_records_add_stack(struct wait_records *r, const struct tlob_wait_stack *stack);
/* Appends a copy of @chain. 0 or -ENOMEM. */
int  wait_records_add_chain(struct wait_records *r, const struct wait_chain *chain);
/* Begins another snapshot. */
void wait_records_clear(struct wait_records *r);
/* Drops the first @n tasks with their stacks and chains, and adds their times to @others. */
void wait_records_evict(struct wait_records *r, size_t n, struct tlob_wait_task *others);
/* Frees all of it. */
void wait_records_close(struct wait_records *r);

#endif /* TLOB_WAITS_RECORDS_H */
