/* SPDX-License-Identifier: GPL-2.0 */
/* One thread of the user workload, shared by worker.c and workers.c. */
#ifndef TLOB_RUN_WORKER_LOCAL_H
#define TLOB_RUN_WORKER_LOCAL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "run/spsc.h"
#include "run/work.h"

struct cgroup;
struct run_config;

struct worker {
	int	cpu;
	pthread_t thread;
	bool	started;
	int	err;			/* 0 or -errno that ended it, printed by the thread */
	uint64_t limit;			/* windows, warm-up included; 0: none */
	const struct run_config *config;
	const struct cgroup *cgroup;
	char	*path;			/* of its tlob_fd */
	int	fd;
	struct work work;
	struct spsc *ring;
	struct spsc_slot scratch;	/* for the record when the ring is full */
	_Atomic uint64_t lost;
	atomic_bool done;
	atomic_bool *stop;
	sem_t	ready, go;
};

/*
 * The function of the thread. It prepares, posts ready, waits for go, and measures
 * until stop, its limit or the end of the run. It prints its errors.
 */
void *worker_main(void *worker);

#endif /* TLOB_RUN_WORKER_LOCAL_H */
