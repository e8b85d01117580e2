// SPDX-License-Identifier: GPL-2.0
/* The thread of the user workload: wait for the window, work, and again. */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "machine/cgroup.h"
#include "machine/cpus.h"
#include "run/sched.h"
#include "run/worker_local.h"
#include "run/workers.h"
#include "util/error.h"
#include "util/file.h"

#define STACK_TOUCHED	(64U << 10)

/* Faults in pages of the stack, so that no window contains a page fault. */
static void touch_stack(void)
{
	volatile char stack[STACK_TOUCHED];
	size_t i;

	for (i = 0; i < sizeof(stack); i += 1024)
		stack[i] = 0;
}

/* The CPUs of a cpuset, as of an isolated partition or a container, are for those in it. */
static int cannot_pin(int cpu, int err)
{
	char dir[PATH_MAX], path[PATH_MAX + 32], cpus[128];

	if (err == -EINVAL && !cgroup_own(dir, sizeof(dir))) {
		snprintf(path, sizeof(path), "%s/cpuset.cpus.effective", dir);
		if (!file_read_line(path, cpus, sizeof(cpus)))
			return fail(err, "CPU %d: cannot pin a thread to it: the cpuset of %s has CPUs %s: choose among those, or give --cgroup with a cgroup that has CPU %d",
				    cpu, dir, cpus, cpu);
	}
	return fail(err, "CPU %d: cannot pin a thread to it: %s%s", cpu, strerror(-err),
		    err == -EINVAL ? ": the cpuset of this process lacks it" : "");
}

/* Does everything that can fail or take long before the first window. */
static int worker_prepare(struct worker *w)
{
	int err;

	w->tid = gettid();
	/* before it is pinned: a real-time task may keep the CPU from others for ever */
	err = sched_apply_policy(w->config);
	if (err)
		return err;
	/* A CPU of a partition can only be had from inside. */
	err = cgroup_enter(w->cgroup);
	if (err)
		return err;
	err = cpus_pin(w->cpu);
	if (err)
		return cannot_pin(w->cpu, err);
	touch_stack();
	if (w->ring)
		memset(w->ring, 0, sizeof(*w->ring));
	work_init(&w->work);
	return 0;
}

static void worker_count(struct worker *w, struct tlob_window *record)
{
	w->workers->count(w->workers->count_data, w->backend.index, record, w->hw_ns);
}

void worker_between(struct backend_thread *t, struct tlob_window *record)
{
	worker_count((struct worker *)((char *)t - offsetof(struct worker, backend)), record);
}

static struct spsc_slot *worker_slot(struct worker *w)
{
	return w->ring ? spsc_reserve(w->ring) : NULL;
}

/* Gives the record in @slot to the collector. If @slot is NULL, counts it here, or as lost. */
static void worker_commit(struct worker *w, struct spsc_slot *slot)
{
	struct tlob_window *record = slot ? &slot->w : &w->scratch.w;

	if (record->flags & TLOB_WINDOW_NONE)
		return;
	if (slot) {
		slot->hw_ns = w->hw_ns;
		spsc_commit(w->ring);
	} else if (w->workers->count) {
		worker_count(w, record);
	} else {
		atomic_fetch_add_explicit(&w->lost, 1, memory_order_relaxed);
	}
}

static const struct backend *worker_backend(const struct worker *w)
{
	return w->backend.run->backend;
}

/* Ends the current window and opens the next. 1; 0: the run is over; -errno. */
static int worker_next(struct worker *w)
{
	struct spsc_slot *slot = worker_slot(w);
	int ret;

	ret = worker_backend(w)->thread_next(&w->backend,
					     slot ? &slot->w : &w->scratch.w);
	if (ret >= 0)
		worker_commit(w, slot);
	return ret;
}

/* Ends the current window and the measurement. 0 or -errno. */
static int worker_last(struct worker *w)
{
	struct spsc_slot *slot = worker_slot(w);
	struct tlob_window *record = slot ? &slot->w : &w->scratch.w;
	int ret;

	ret = worker_backend(w)->thread_last(&w->backend, record);
	if (!ret && record->flags & TLOB_WINDOW_STOPPED)
		w->ended_ns = record->t0_ns + record->response_ns;
	if (!ret)
		worker_commit(w, slot);
	return ret;
}

static int worker_loop(struct worker *w)
{
	uint64_t opened = 0;
	int ret;

	for (;;) {
		ret = worker_next(w);
		if (ret <= 0)
			return ret;
		w->hw_ns = work_run(&w->work);
		if (atomic_load_explicit(w->work.abort, memory_order_relaxed))
			return 0;	/* close() cuts off this window */
		if (++opened == w->limit ||
		    atomic_load_explicit(w->stop, memory_order_relaxed))
			return worker_last(w);
	}
}

static uint64_t own_faults(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return 0;	/* cannot fail with these arguments */
	return (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

void *worker_main(void *arg)
{
	struct worker *w = arg;
	uint64_t faults;

	w->err = worker_prepare(w);
	sem_post(&w->ready);
	if (w->err)
		goto out;
	while (sem_wait(&w->go) && errno == EINTR)
		;
	if (atomic_load(w->stop))
		goto out;
	w->err = worker_backend(w)->thread_open(&w->backend);
	if (w->err == -ENODEV) {
		w->err = 0;		/* over: another CPU had a violation */
	} else if (!w->err) {
		w->work.interference = w->backend.interference;
		faults = own_faults();
		w->err = worker_loop(w);
		w->faults = own_faults() - faults;
	}
	sched_changed(w->config, 0, w->policy_found, sizeof(w->policy_found));
	worker_backend(w)->thread_close(&w->backend);
out:
	atomic_store(&w->done, true);
	/* of two that end at once both may be the last */
	if (!workers_running(w->workers))
		eventfd_write(w->workers->ended_fd, 1);
	return NULL;
}
