/* SPDX-License-Identifier: GPL-2.0 */
/* One thread of the user workload, shared by worker.c and workers.c. */
#ifndef TLOB_RUN_WORKER_LOCAL_H
#define TLOB_RUN_WORKER_LOCAL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "backend/backend.h"
#include "run/sched.h"
#include "run/spsc.h"
#include "run/work.h"

struct cgroup;
struct run_config;
struct workers;

struct worker {
	const struct workers *workers;
	int	cpu;
	pthread_t thread;
	pid_t	tid;			/* valid once ready is posted */
	bool	started;
	int	err;			/* 0 or -errno that ended it, printed by the thread */
	uint64_t limit;			/* windows, warm-up included; 0: none */
	const struct run_config *config;
	const struct cgroup *cgroup;
	struct backend_thread backend;
	struct work work;
	struct spsc *ring;		/* NULL: each record is counted between two windows */
	struct spsc_slot scratch;	/* for the record that has no slot */
	uint64_t hw_ns;			/* of the window that ends */
	_Atomic uint64_t lost;
	uint64_t ended_ns;		/* t3 of the window that the thread ended itself; 0: none */
	uint64_t faults;		/* page faults from its first to its last window */
	char	policy_found[SCHED_FOUND];	/* at its end, if it was changed; else "" */
	atomic_bool done;
	atomic_bool *stop;
	sem_t	ready, go;
};

/*
 * The function of the thread. It prepares, posts ready, waits for go, and measures
 * until stop, its limit or the end of the run. It prints its errors.
 */
void *worker_main(void *worker);

/* The thread's backend.ended: counts the record. */
void worker_between(struct backend_thread *t, struct tlob_window *record);

#endif /* TLOB_RUN_WORKER_LOCAL_H */
