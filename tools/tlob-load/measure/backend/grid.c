// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "backend/grid.h"
#include "backend/status.h"
#include "machine/cpus.h"
#include "options/run_config.h"
#include "util/error.h"
#include "util/file.h"

static uint64_t start_of(const struct backend_run *b, size_t i, uint64_t start_ns)
{
	return start_ns + i * b->config->align_ns;
}

int grid_thread_open(struct grid_thread *g, const struct backend_thread *t,
		     struct grid_counts *counts, uint64_t start_ns)
{
	*g = (struct grid_thread){
		.grid = {
			.start = start_of(t->run, t->index, start_ns),
			.period = t->run->config->period_ns,
		},
		.counts = &counts[t->index],
		.cpu = t->cpu,
	};
	/* a policy other than real-time has set 50 us */
	if (prctl(PR_SET_TIMERSLACK, 1UL))
		return fail(-errno, "CPU %d: cannot set the timer slack: %s", t->cpu,
			    strerror(errno));
	return 0;
}

void grid_thread_arm(struct grid_thread *g, uint64_t now)
{
	struct grid_counts *c = g->counts;
	uint64_t missed;

	g->t0 = grid_arm(&g->grid, now, &missed);
	grid_count(&c->missed, missed);
	if (!atomic_load_explicit(&c->first_activation, memory_order_relaxed))
		grid_count(&c->first_activation, g->grid.first);
	if (g->ended_at)
		grid_count(&c->overhead_ns, now - g->ended_at);
}

static uint32_t verdict(const struct grid_thread *g, const struct backend_thread *t,
			const struct tlob_window *w)
{
	uint32_t flags = 0;

	if (w->adjusted_ns || w->clock_steps || w->errors)
		flags |= TLOB_WINDOW_INEXACT;
	if (w->response_ns > w->budget_ns)
		flags |= TLOB_WINDOW_VIOLATION;
	if (atomic_load_explicit(&g->counts->windows, memory_order_relaxed) <
	    t->run->config->warm_up)
		flags |= TLOB_WINDOW_WARM_UP;
	return flags;
}

void grid_thread_record(struct grid_thread *g, const struct backend_thread *t,
			struct tlob_window *w, uint64_t t3)
{
	struct grid_counts *c = g->counts;

	g->in_window = false;
	g->ended_at = t3;
	w->version = TLOB_WINDOW_VERSION;
	w->size = sizeof(*w);
	w->cpu = (uint32_t)g->cpu;
	w->activation = g->grid.activation;
	w->t0_ns = g->t0;
	w->response_ns = t3 - g->t0;
	w->budget_ns = t->run->config->budget_ns;
	w->missed = grid_record(&g->grid);
	w->delayed_by_idle_state = -1;
	w->flags |= verdict(g, t, w);

	grid_count(&c->windows, 1);
	grid_count(&c->violations, !!(w->flags & TLOB_WINDOW_VIOLATION));
	grid_count(&c->errors, w->errors);
	grid_count(&c->adjusted_ns, w->adjusted_ns);
	grid_count(&c->clock_steps, w->clock_steps);
}

void grid_thread_drop(struct grid_thread *g, uint64_t now)
{
	if (!g->in_window)
		return;
	g->in_window = false;
	grid_count(&g->counts->aborted, 1);
	grid_count(&g->counts->missed, 1 + grid_end(&g->grid, now));
}

void grid_thread_end(struct grid_thread *g)
{
	grid_count(&g->counts->missed, grid_end(&g->grid, g->ended_at));
}

bool grid_thread_has_left(const struct grid_thread *g)
{
	return sched_getcpu() != g->cpu;
}

int grid_thread_why_left(const struct grid_thread *g)
{
	int err = cpus_why_left(g->cpu);

	if (!err)
		atomic_store_explicit(&g->counts->offline, 1, memory_order_relaxed);
	return err;
}

#define SECOND 1000000000ULL

/* A step of the kernel's clock in ns, as the module would report; 0: not known. */
static uint64_t clock_step(void)
{
#ifdef __aarch64__
	char name[64];
	uint64_t hz;

	if (file_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", name, sizeof(name)) ||
	    strcmp(name, "arch_sys_counter"))
		return 0;
	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
	if (hz)
		return hz < SECOND ? (SECOND + hz / 2) / hz : 1;
#endif
	return 0;
}

int grid_status(const struct backend_run *b, const struct grid_counts *counts,
		uint64_t start_ns, struct status *s)
{
	size_t i;

	s->cpu = calloc(b->cpus->n, sizeof(*s->cpu));
	if (!s->cpu)
		return fail(-ENOMEM, "out of memory");
	s->ncpus = b->cpus->n;
	s->clock_resolution_ns = clock_step();
	for (i = 0; i < s->ncpus; i++)
		s->cpu[i] = (struct status_cpu){
			.cpu = b->cpus->list[i],
			.windows = atomic_load(&counts[i].windows),
			.violations = atomic_load(&counts[i].violations),
			.missed = atomic_load(&counts[i].missed),
			.aborted = atomic_load(&counts[i].aborted),
			.sum_failures = atomic_load(&counts[i].sum_failures),
			.errors = atomic_load(&counts[i].errors),
			.adjusted_ns = atomic_load(&counts[i].adjusted_ns),
			.clock_steps = atomic_load(&counts[i].clock_steps),
			.overhead_ns = atomic_load(&counts[i].overhead_ns),
			.start_ns = start_of(b, i, start_ns),
			.first_activation = atomic_load(&counts[i].first_activation),
			.offline = atomic_load(&counts[i].offline),
		};
	return 0;
}
