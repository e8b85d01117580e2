// SPDX-License-Identifier: GPL-2.0
/* Starting and stopping the threads of the user workload, and draining their records. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "machine/control.h"
#include "machine/cpus.h"
#include "run/config.h"
#include "run/worker_local.h"
#include "run/workers.h"
#include "util/error.h"

#define WORKER_STACK	(256U << 10)
#define LONG_WORK_S	2

static int worker_init(struct worker *w, struct workers *ws,
		       const struct run_config *config, int cpu,
		       const struct control *c, const struct cgroup *cgroup)
{
	w->cpu = cpu;
	w->fd = -1;
	w->limit = config->windows ? config->windows + config->warm_up : 0;
	w->config = config;
	w->cgroup = cgroup;
	w->stop = &ws->stop;
	w->work = (struct work){
		.spec = config->work, .hw_threshold_ns = config->hw_threshold_ns,
		.abort = &ws->abort,
	};
	sem_init(&w->ready, 0, 0);
	sem_init(&w->go, 0, 0);
	w->path = control_path(c, cpu, "tlob_fd");
	w->ring = node_alloc(sizeof(*w->ring), cpus_node(cpu));
	if (!w->path || !w->ring)
		return fail(-ENOMEM, "CPU %d: out of memory", cpu);
	return work_alloc(&w->work, cpu);
}

static int worker_spawn(struct worker *w)
{
	pthread_attr_t attr;
	sigset_t all, old;
	char name[16];
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, WORKER_STACK);
	/* The main thread handles signals: they would interrupt a worker's sleep. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&w->thread, &attr, worker_main, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (err)
		return fail(-err, "CPU %d: cannot create a thread: %s", w->cpu,
			    strerror(err));
	w->started = true;
	snprintf(name, sizeof(name), "tlob/%d", w->cpu);
	pthread_setname_np(w->thread, name);
	return 0;
}

static int worker_await(struct worker *w)
{
	while (sem_wait(&w->ready) && errno == EINTR)
		;
	return w->err;
}

/* Cuts off work that takes longer than LONG_WORK_S. Only its window is lost. */
static void worker_join(struct workers *ws, struct worker *w)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += LONG_WORK_S;
	if (pthread_clockjoin_np(w->thread, NULL, CLOCK_MONOTONIC, &until)) {
		atomic_store(&ws->abort, true);
		pthread_join(w->thread, NULL);
	}
	w->started = false;
}

int workers_start(struct workers *ws, const struct run_config *config,
		  const struct cpus *cpus, const struct control *c,
		  const struct cgroup *cgroup)
{
	size_t i;
	int err = 0;

	atomic_init(&ws->stop, false);
	atomic_init(&ws->abort, false);
	ws->at = calloc(cpus->n, sizeof(*ws->at));
	if (!ws->at)
		return fail(-ENOMEM, "out of memory");
	ws->n = cpus->n;
	for (i = 0; i < ws->n && !err; i++)
		err = worker_init(&ws->at[i], ws, config, cpus->list[i], c, cgroup);
	if (err)
		return err;
	/* After all allocations: their pages must get a NUMA policy before they are locked. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return fail(-errno, "cannot lock memory: %s%s",
			    strerror(errno), errno == ENOMEM || errno == EPERM ?
			    " (see ulimit -l)" : "");
	for (i = 0; i < ws->n && !err; i++)
		err = worker_spawn(&ws->at[i]);
	for (i = 0; i < ws->n; i++) {
		int err2 = ws->at[i].started ?
			   worker_await(&ws->at[i]) : 0;

		if (!err)
			err = err2;
	}
	return err;
}

void workers_go(struct workers *ws)
{
	size_t i;

	for (i = 0; i < ws->n; i++)
		sem_post(&ws->at[i].go);
}

void workers_drain(struct workers *ws, worker_take take, void *data)
{
	const struct spsc_slot *slot;
	size_t i;

	for (i = 0; i < ws->n; i++)
		while ((slot = spsc_peek(ws->at[i].ring))) {
			take(data, i, &slot->w, slot->hw_ns);
			spsc_release(ws->at[i].ring);
		}
}

size_t workers_running(const struct workers *ws)
{
	size_t i, n = 0;

	for (i = 0; i < ws->n; i++)
		n += !atomic_load(&ws->at[i].done);
	return n;
}

bool workers_failed(const struct workers *ws)
{
	size_t i;

	/* done is stored after err */
	for (i = 0; i < ws->n; i++)
		if (atomic_load(&ws->at[i].done) && ws->at[i].err)
			return true;
	return false;
}

int workers_stop(struct workers *ws)
{
	size_t i;
	int err = 0;

	atomic_store(&ws->stop, true);
	workers_go(ws);		/* threads that still wait for it */
	for (i = 0; i < ws->n; i++) {
		if (!ws->at[i].started)
			continue;
		worker_join(ws, &ws->at[i]);
		if (!err)
			err = ws->at[i].err;
	}
	return err;
}

uint64_t workers_lost(const struct workers *ws, size_t cpu)
{
	return atomic_load(&ws->at[cpu].lost);
}

void workers_free(struct workers *ws)
{
	size_t i;

	if (!ws->at)
		return;
	workers_stop(ws);
	for (i = 0; i < ws->n; i++) {
		node_free(ws->at[i].ring, sizeof(*ws->at[i].ring));
		work_free(&ws->at[i].work);
		free(ws->at[i].path);
	}
	free(ws->at);
	ws->at = NULL;
	ws->n = 0;
}
