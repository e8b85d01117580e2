// SPDX-License-Identifier: GPL-2.0
/* Starting and stopping the threads of the user workload, and draining their records. */
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "options/run_config.h"
#include "result/result.h"
#include "run/worker_local.h"
#include "run/workers.h"
#include "util/error.h"

#define WORKER_STACK	(256U << 10)
#define LONG_WORK_S	2

static int worker_init(struct workers *ws, size_t i, struct backend_run *b,
		       const struct cgroup *cgroup)
{
	const struct run_config *config = b->config;
	struct worker *w = &ws->at[i];
	int cpu = b->cpus->list[i];

	w->cpu = cpu;
	w->workers = ws;
	w->backend = (struct backend_thread){ .run = b, .index = i, .cpu = cpu };
	w->limit = config->windows ? config->windows + config->warm_up : 0;
	w->config = config;
	w->cgroup = cgroup;
	w->stop = &ws->stop;
	w->work = (struct work){
		.spec = config->work, .phases = config->phases, .hw_threshold_ns = config->hw_threshold_ns,
		.abort = &ws->abort,
	};
	sem_init(&w->ready, 0, 0);
	sem_init(&w->go, 0, 0);
	if (ws->count && b->backend->between) {
		w->backend.ended = worker_between;
	} else {
		w->ring = node_alloc(sizeof(*w->ring), cpus_node(cpu));
		if (!w->ring)
			return fail(-ENOMEM, "CPU %d: out of memory", cpu);
	}
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

/* musl has no pthread_clockjoin_np(): a clock that is set may cut off a long window. */
#ifdef __GLIBC__
#define JOIN_CLOCK	CLOCK_MONOTONIC
#else
#define JOIN_CLOCK	CLOCK_REALTIME
#endif

static int join_until(pthread_t thread, const struct timespec *until)
{
#ifdef __GLIBC__
	return pthread_clockjoin_np(thread, NULL, JOIN_CLOCK, until);
#else
	return pthread_timedjoin_np(thread, NULL, until);
#endif
}

/* Cuts off work that takes longer than LONG_WORK_S. Only its window is lost. */
static void worker_join(struct workers *ws, struct worker *w)
{
	struct timespec until;

	clock_gettime(JOIN_CLOCK, &until);
	until.tv_sec += LONG_WORK_S;
	if (join_until(w->thread, &until)) {
		atomic_store(&ws->abort, true);
		pthread_join(w->thread, NULL);
	}
	w->started = false;
}

/* All memory of now and later: also what a thread allocates must not fault. */
static int lock_memory(void)
{
	if (!mlockall(MCL_CURRENT | MCL_FUTURE))
		return 0;
	return fail(-errno, "cannot lock memory: %s%s", strerror(errno),
		    errno == ENOMEM || errno == EPERM ? " (see ulimit -l)" : "");
}

/*
 * Reads each page of what an object may not write, if it has one of the three addresses. ASan would
 * report what it has put between the constants.
 */
__attribute__((no_sanitize_address))
static int touch_object(struct dl_phdr_info *object, size_t size, void *data)
{
	const uintptr_t *wanted = data;
	const ElfW(Phdr) *p, *end = object->dlpi_phdr + object->dlpi_phnum;
	const volatile char *base;
	bool found = false;
	uintptr_t at;

	(void)size;
	memcpy(&base, &object->dlpi_addr, sizeof(base));
	for (p = object->dlpi_phdr; p < end; p++)
		for (at = 0; p->p_type == PT_LOAD && at < 3; at++)
			found |= wanted[at] - object->dlpi_addr - p->p_vaddr < p->p_memsz;
	for (p = object->dlpi_phdr; found && p < end; p++)
		for (at = 0; p->p_type == PT_LOAD && !(p->p_flags & PF_W) && at < p->p_memsz; at += 4096)
			(void)base[p->p_vaddr + at];
	return 0;
}

/*
 * The tool, the C library and the loader, which a thread enters when it calls a function for the
 * first time. It calls none of the other libraries, which are larger.
 */
static void touch_code(void)
{
	uintptr_t wanted[] = { (uintptr_t)worker_main, (uintptr_t)clock_nanosleep, getauxval(AT_BASE) };

	dl_iterate_phdr(touch_object, wanted);
}

/*
 * Without privilege a limit of some MB is normal. It must not make a later allocation
 * fail, so only memory of now is locked, when the threads have touched theirs. If that is too
 * much the run continues: no page of theirs is missing. What they do not use stays out: to map
 * all that the process could use takes longer than all else that a short run does.
 */
static int lock_if_permitted(struct backend_run *b)
{
	struct rlimit limit = { 0 };
	int err;

	touch_code();
	if (!mlockall(MCL_CURRENT | MCL_ONFAULT))
		return 0;
	getrlimit(RLIMIT_MEMLOCK, &limit);
	err = result_note(b->r, "memory is not locked, so windows may contain page faults: ulimit -l allows %llu KB",
			  (unsigned long long)limit.rlim_cur / 1024);
	return err ? fail(err, "out of memory") : 0;
}

int workers_start(struct workers *ws, struct backend_run *b,
		  const struct cgroup *cgroup)
{
	size_t i;
	int err = 0;

	atomic_init(&ws->stop, false);
	atomic_init(&ws->abort, false);
	ws->at = calloc(b->cpus->n, sizeof(*ws->at));
	if (!ws->at)
		return fail(-ENOMEM, "out of memory");
	ws->n = b->cpus->n;
	ws->ended_fd = eventfd(0, EFD_CLOEXEC);
	if (ws->ended_fd < 0)
		return fail(-errno, "eventfd: %s", strerror(errno));
	for (i = 0; i < ws->n && !err; i++)
		err = worker_init(ws, i, b, cgroup);
	if (err)
		return err;
	/* After all allocations: their pages must get a NUMA policy before they are locked. */
	if (!b->as_permitted)
		err = lock_memory();
	if (err)
		return err;
	for (i = 0; i < ws->n && !err; i++)
		err = worker_spawn(&ws->at[i]);
	for (i = 0; i < ws->n; i++) {
		int err2 = ws->at[i].started ?
			   worker_await(&ws->at[i]) : 0;

		if (!err)
			err = err2;
	}
	return err || !b->as_permitted ? err : lock_if_permitted(b);
}

void workers_go(struct workers *ws)
{
	size_t i;

	for (i = 0; i < ws->n; i++)
		sem_post(&ws->at[i].go);
}

void workers_drain(struct workers *ws, worker_take take, void *data)
{
	struct spsc_slot *slot;
	uint32_t waiting;
	size_t i;

	for (i = 0; i < ws->n; i++)
		for (waiting = ws->at[i].ring ? spsc_count(ws->at[i].ring) : 0; waiting; waiting--) {
			slot = spsc_oldest(ws->at[i].ring);
			take(data, i, &slot->w, slot->hw_ns);
			spsc_release(ws->at[i].ring);
		}
}

int workers_ended_fd(const struct workers *ws)
{
	return ws->at ? ws->ended_fd : -1;
}

bool workers_done(const struct workers *ws, size_t cpu)
{
	return atomic_load(&ws->at[cpu].done);
}

size_t workers_running(const struct workers *ws)
{
	size_t i, n = 0;

	for (i = 0; i < ws->n; i++)
		n += !workers_done(ws, i);
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
	/* from here on a page fault disturbs nobody */
	munlockall();
	return err;
}

uint64_t workers_lost(const struct workers *ws, size_t cpu)
{
	return atomic_load(&ws->at[cpu].lost);
}

uint64_t workers_faults(const struct workers *ws, size_t cpu)
{
	return ws->at[cpu].faults;
}

uint64_t workers_ended_ns(const struct workers *ws, size_t cpu)
{
	return ws->at[cpu].ended_ns;
}

bool workers_policy_changed(const struct workers *ws, size_t cpu, char *found)
{
	const struct worker *w = &ws->at[cpu];

	/* done is stored after policy_found */
	if (!atomic_load(&w->done))
		return sched_changed(w->config, w->tid, found, SCHED_FOUND);
	memcpy(found, w->policy_found, SCHED_FOUND);
	return *found;
}

void workers_free(struct workers *ws)
{
	size_t i;

	if (!ws->at)
		return;
	workers_stop(ws);
	for (i = 0; i < ws->n; i++) {
		if (ws->at[i].ring)
			node_free(ws->at[i].ring, sizeof(*ws->at[i].ring));
		work_free(&ws->at[i].work);
	}
	if (ws->ended_fd >= 0)
		close(ws->ended_fd);
	free(ws->at);
	ws->at = NULL;
	ws->n = 0;
}
