// SPDX-License-Identifier: GPL-2.0
/* The thread of the user workload: read() its tlob_fd, work, and again. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/cgroup.h"
#include "machine/cpus.h"
#include "run/sched.h"
#include "run/worker_local.h"
#include "util/error.h"

#define STACK_TOUCHED	(64U << 10)

/* Faults in pages of the stack, so that no window contains a page fault. */
static void touch_stack(void)
{
	volatile char stack[STACK_TOUCHED];
	size_t i;

	for (i = 0; i < sizeof(stack); i += 1024)
		stack[i] = 0;
}

/* Does everything that can fail or take long before the first window. */
static int worker_prepare(struct worker *w)
{
	int err;

	err = cpus_pin(w->cpu);
	if (err)
		return fail(err, "CPU %d: cannot pin a thread to it: %s",
			    w->cpu, strerror(-err));
	err = cgroup_enter(w->cgroup);
	if (err)
		return err;
	err = sched_apply_policy(w->config);
	if (err)
		return err;
	touch_stack();
	work_init(&w->work);
	return 0;
}

static int worker_open(struct worker *w)
{
	void *page;
	int err;

	w->fd = open(w->path, O_RDONLY | O_CLOEXEC);
	if (w->fd < 0) {
		err = -errno;
		return fail(err, "%s: %s", w->path,
			    err == -EBUSY ? "another process measures this CPU" :
			    err == -ENODEV ? "the run is over" :
			    strerror(-err));
	}
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED,
		    w->fd, 0);
	if (page == MAP_FAILED)
		return fail(-errno, "%s: mmap: %s", w->path, strerror(errno));
	w->work.page = page;
	return 0;
}

static void worker_close(struct worker *w)
{
	if (w->work.page)
		munmap((void *)w->work.page, sysconf(_SC_PAGESIZE));
	w->work.page = NULL;
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}

/* Gives the record in @slot to the collector, or counts it as lost if @slot is NULL. */
static void worker_commit(struct worker *w, struct spsc_slot *slot,
			  uint64_t hw_ns)
{
	const struct tlob_window *record = slot ? &slot->w : &w->scratch.w;

	if (record->flags & TLOB_WINDOW_NONE)
		return;
	if (!slot) {
		atomic_fetch_add_explicit(&w->lost, 1, memory_order_relaxed);
		return;
	}
	slot->hw_ns = hw_ns;
	spsc_commit(w->ring);
}

/*
 * Ends the current window and opens the next. @hw_ns belongs to the window that
 * ends. 1; 0: the run is over; -errno.
 */
static int worker_next(struct worker *w, uint64_t hw_ns)
{
	struct spsc_slot *slot = spsc_reserve(w->ring);
	struct tlob_window *record = slot ? &slot->w : &w->scratch.w;
	ssize_t n;

	do {	/* EINTR does not end the window: the same sleep continues */
		n = read(w->fd, record, sizeof(*record));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ENODEV ? 0 : -errno;
	if (n != sizeof(*record) || record->version != TLOB_WINDOW_VERSION)
		return -EPROTO;
	worker_commit(w, slot, hw_ns);
	return !(record->flags & TLOB_WINDOW_LAST);
}

/* Ends the current window and the measurement. 0 or -errno. */
static int worker_last(struct worker *w, uint64_t hw_ns)
{
	struct spsc_slot *slot = spsc_reserve(w->ring);
	int ret;

	if (!ioctl(w->fd, TLOB_IOC_STOP, slot ? &slot->w : &w->scratch.w) ||
	    errno == EOVERFLOW) {
		worker_commit(w, slot, hw_ns);
		return 0;
	}
	if (errno != ENODEV)
		return -errno;
	/* The run ended first, and read() still has its last record. */
	ret = worker_next(w, hw_ns);
	return ret < 0 ? ret : 0;
}

static int worker_loop(struct worker *w)
{
	uint64_t opened = 0, hw_ns = 0;
	int ret;

	for (;;) {
		ret = worker_next(w, hw_ns);
		if (ret <= 0)
			return ret;
		hw_ns = work_run(&w->work);
		if (atomic_load_explicit(w->work.abort, memory_order_relaxed))
			return 0;	/* close() cuts off this window */
		if (++opened == w->limit ||
		    atomic_load_explicit(w->stop, memory_order_relaxed))
			return worker_last(w, hw_ns);
	}
}

static void worker_failed(const struct worker *w)
{
	switch (w->err) {
	case -EXDEV:
		fail(0, "CPU %d: the thread was migrated: another process changed its affinity",
		     w->cpu);
		break;
	case -EPROTO:
		fail(0, "CPU %d: records of another version: the module does not match this tool",
		     w->cpu);
		break;
	default:
		fail(0, "CPU %d: %s: %s", w->cpu, w->path, strerror(-w->err));
	}
}

void *worker_main(void *arg)
{
	struct worker *w = arg;

	w->err = worker_prepare(w);
	sem_post(&w->ready);
	if (w->err)
		goto out;
	while (sem_wait(&w->go) && errno == EINTR)
		;
	if (atomic_load(w->stop))
		goto out;
	w->err = worker_open(w);
	if (!w->err) {
		w->err = worker_loop(w);
		if (w->err)
			worker_failed(w);
	}
	worker_close(w);
out:
	atomic_store(&w->done, true);
	return NULL;
}
