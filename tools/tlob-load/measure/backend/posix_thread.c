// SPDX-License-Identifier: GPL-2.0
/*
 * A window in user space. t0 is the time that the thread sleeps until, t2 its first
 * reading of the clock, t3 the one after the work. There is no t1.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "backend/grid.h"
#include "backend/posix.h"
#include "machine/timens.h"
#include "result/os_counts.h"
#include "result/result.h"
#include "util/error.h"
#include "util/time.h"

/* The kernel's counts for the thread so far. */
struct own_counts {
	bool	 has_delay;
	uint64_t delay_ns;
	uint64_t voluntary, involuntary;
};

struct posix_thread {
	struct grid_thread grid;	/* by the kernel's clock */
	uint64_t ahead_ns;		/* our clock, of it */
	uint64_t t2;
	struct own_counts before;
};

/* Nothing sees interruptions here, so this counter never changes. */
static const volatile uint64_t unseen;

/* All records have the kernel's clock, and in a time namespace ours is another one. */
static uint64_t kernel_now(const struct posix_thread *own)
{
	return now_ns() - own->ahead_ns;
}

static void read_own(struct own_counts *c)
{
	struct rusage usage;

	*c = (struct own_counts){ 0 };
	c->has_delay = !proc_own_run_delay(&c->delay_ns);
	if (getrusage(RUSAGE_THREAD, &usage))
		return;		/* cannot fail with these arguments */
	c->voluntary = (uint64_t)usage.ru_nvcsw;
	c->involuntary = (uint64_t)usage.ru_nivcsw;
}

int posix_thread_open(struct backend_thread *t)
{
	struct posix_thread *own = calloc(1, sizeof(*own));
	struct posix *p = posix_of(t->run);
	int err;

	if (!own)
		return fail(-ENOMEM, "CPU %d: out of memory", t->cpu);
	t->data = own;
	t->interference = &unseen;
	err = grid_thread_open(&own->grid, t, p->counts, p->grid_start);
	if (err)
		return err;
	own->ahead_ns = (uint64_t)timens_ahead_ns();
	read_own(&own->before);
	return 0;
}

/* Takes t3 first. Then fills the record. */
static void end_window(struct backend_thread *t, struct tlob_window *w, uint32_t flags)
{
	struct posix_thread *own = t->data;
	uint64_t t3 = kernel_now(own), t0 = own->grid.t0;
	bool stepped = own->t2 < t0 || t3 < own->t2;

	/* The clock cannot be behind; if it is, the window says that it is inexact. */
	if (own->t2 < t0)
		own->t2 = t0;
	if (t3 < own->t2)
		t3 = own->t2;
	*w = (struct tlob_window){
		.flags = flags,
		.wake_ns = own->t2 - t0,
		.unavailable = t->run->backend->never,
		.clock_steps = stepped,
	};
	grid_thread_record(&own->grid, t, w, t3);
}

int posix_thread_next(struct backend_thread *t, struct tlob_window *w)
{
	struct posix_thread *own = t->data;
	int err;

	w->flags = TLOB_WINDOW_NONE;
	if (grid_thread_has_left(&own->grid))
		return grid_thread_why_left(&own->grid);
	if (own->grid.in_window) {
		end_window(t, w, 0);
		grid_thread_ended(t, w);
	}
	grid_thread_arm(&own->grid, kernel_now(own));
	err = grid_thread_sleep(&own->grid, own->ahead_ns);
	own->t2 = kernel_now(own);
	if (err)
		return fail(-err, "CPU %d: clock_nanosleep: %s", t->cpu, strerror(err));
	own->grid.in_window = true;
	return 1;
}

int posix_thread_last(struct backend_thread *t, struct tlob_window *w)
{
	struct posix_thread *own = t->data;

	end_window(t, w, TLOB_WINDOW_STOPPED);
	grid_thread_end(&own->grid);
	return 0;
}

/* A window that is open now was cut off, and its expiry is missed. */
void posix_thread_close(struct backend_thread *t)
{
	struct os_counts *os = t->run->r->cpu[t->index].os;
	struct posix_thread *own = t->data;
	struct own_counts now;

	if (!own)
		return;
	read_own(&now);
	if (now.has_delay && own->before.has_delay) {
		os->known |= OS_RUN_DELAY;
		os->run_delay_ns = now.delay_ns - own->before.delay_ns;
	}
	os->known |= OS_SWITCHES;
	os->voluntary = now.voluntary - own->before.voluntary;
	os->involuntary = now.involuntary - own->before.involuntary;
	grid_thread_drop(&own->grid, kernel_now(own));
	free(own);
	t->data = NULL;
}
