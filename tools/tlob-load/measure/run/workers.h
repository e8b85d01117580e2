/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The user workload: one thread on each measured CPU. It waits for its window, does
 * its work, and repeats. Nothing else happens in a window. The record of the window
 * before is stored in a ring, which the main thread drains, or the thread counts it itself.
 */
#ifndef TLOB_RUN_WORKERS_H
#define TLOB_RUN_WORKERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

struct backend_run;
struct cgroup;
struct worker;

/*
 * A record of the CPU with that index, and the length of the hardware gaps in its work, in ns.
 * It is the callee's to change.
 */
typedef void (*worker_take)(void *data, size_t cpu, struct tlob_window *w, uint64_t hw_ns);

struct workers {
	size_t	n;
	struct worker *at;		/* in the order of cpus->list */
	/*
	 * Set before workers_start(); NULL: records go to the ring, and those that find it full are
	 * lost. Else the threads call it instead: between two windows where the backend can, and
	 * there is no ring then, or for what finds the ring full.
	 */
	worker_take count;
	void	*count_data;
	int	ended_fd;		/* valid after workers_start(): readable once all threads have ended */
	atomic_bool stop;		/* end after the current window */
	atomic_bool abort;		/* end within the current window */
};

/*
 * Starts the threads and returns when all are ready to measure. Locks
 * the memory of the process. 0; -EPERM: the policy or locking the memory is not
 * permitted; -errno. Printed. Call workers_free() also after an error.
 */
int  workers_start(struct workers *ws, struct backend_run *b,
		   const struct cgroup *cgroup);

/* Lets the threads measure. Call it after the backend's start(). */
void workers_go(struct workers *ws);

/* Gives every waiting record to @take. */
void workers_drain(struct workers *ws, worker_take take, void *data);

/* The number of threads that still measure. */
size_t workers_running(const struct workers *ws);

/* A descriptor that poll() finds readable once all threads have ended; -1: no thread was started. */
int workers_ended_fd(const struct workers *ws);

/* Returns whether the thread at index @cpu has ended: all its records are in its ring. */
bool workers_done(const struct workers *ws, size_t cpu);

/* The number of records of the thread at index @cpu that found its ring full, and were lost. */
uint64_t workers_lost(const struct workers *ws, size_t cpu);

/*
 * After workers_stop(): when the thread at index @cpu ended its last window, ns,
 * CLOCK_MONOTONIC. 0: it did not end by itself.
 */
uint64_t workers_ended_ns(const struct workers *ws, size_t cpu);

/*
 * Returns whether the thread at index @cpu has, or had at its end, another policy than
 * --policy says. @found, of SCHED_FOUND bytes, then has it.
 */
bool workers_policy_changed(const struct workers *ws, size_t cpu, char *found);

/* After workers_stop(): the page faults of the thread at index @cpu while it measured. */
uint64_t workers_faults(const struct workers *ws, size_t cpu);

/* True if a thread has ended with an error. */
bool workers_failed(const struct workers *ws);

/*
 * Stops and joins the threads. Each completes its current window, unless its work
 * takes seconds: such a window is cut off and counts as aborted. 0 or the first
 * error of a thread, printed. workers_drain() then takes the last records.
 */
int  workers_stop(struct workers *ws);

void workers_free(struct workers *ws);

#endif /* TLOB_RUN_WORKERS_H */
