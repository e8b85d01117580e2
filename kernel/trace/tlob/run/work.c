// SPDX-License-Identifier: GPL-2.0
/* Synthetic work in the kernel: the environment of workloop.h. */
#include <linux/error-injection.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "run.h"

#define TLOB_CALIBRATIONS	5

struct tlob_work_env {
	struct tlob_cpu *c;
};

static inline u64 tlob_env_clock(struct tlob_work_env *env)
{
	return tlob_clock();
}

static inline u64 tlob_env_interference(struct tlob_work_env *env)
{
	return READ_ONCE(env->c->page->interference);
}

static inline void tlob_env_hw(struct tlob_work_env *env, u64 ns)
{
	env->c->hw_ns += ns;
}

/*
 * Without this, nothing preempts the work on kernels with voluntary preemption.
 * An hour of work would then delay every waiter for RCU tasks.
 */
static inline bool tlob_env_relax(struct tlob_work_env *env)
{
	cond_resched_tasks_rcu_qs();
	return READ_ONCE(env->c->abort) != TLOB_ABORT_NONE;
}

/* tlob_set_work() refuses these kinds. */
static inline u64 tlob_env_user(struct tlob_work_env *env, const struct tlob_work *w)
{
	return 0;
}

#include "../split/workloop.h"

/*
 * Allocates and sets up the working set of @w on @node. Returns NULL if @w
 * needs none, or ERR_PTR(-ENOMEM).
 */
void *tlob_work_alloc(const struct tlob_work *w, int node)
{
	void *mem;

	if (!tlob_work_needs_memory(w))
		return NULL;
	mem = vzalloc_node(w->ws, w->node == TLOB_WORK_NO_NODE ? node : w->node);
	if (!mem)
		return ERR_PTR(-ENOMEM);
	tlob_memory_add(PAGE_ALIGN(w->ws));
	if (w->type == TLOB_KIND_CHASE)
		tlob_chase_init(mem, w->ws / TLOB_WORK_LINE, 1);
	return mem;
}
ALLOW_ERROR_INJECTION(tlob_work_alloc, ERRNO);

/* @mem is what tlob_work_alloc() returned for @w. */
void tlob_work_free(const struct tlob_work *w, void *mem)
{
	if (mem)
		tlob_memory_sub(PAGE_ALIGN(w->ws));
	vfree(mem);
}

/* Runs the configured work once on @c. Returns its check sum. */
u64 tlob_work_run(struct tlob_cpu *c)
{
	struct tlob_work_env env = { .c = c };

	return tlob_run_work(&env, &tlob_config.work, c->mem,
			     tlob_config.hw_threshold_ns);
}

/*
 * Measures the demand of fixed work: the least on_cpu of TLOB_CALIBRATIONS
 * runs. They run in the thread, at the priority and on the CPU of the windows,
 * by the same split. So a tick in every run is not demand. One more run before
 * them warms the caches.
 */
void tlob_work_calibrate(struct tlob_cpu *c)
{
	u64 min = U64_MAX, max = 0;
	unsigned int i;

	if (!tlob_work_is_fixed(&tlob_config.work))
		return;
	for (i = 0; i < TLOB_CALIBRATIONS + 1; i++) {
		u64 ns;

		tlob_window_measure(c);
		tlob_work_run(c);
		ns = tlob_window_measured(c);
		if (READ_ONCE(c->abort))
			return;
		if (!i)
			continue;
		min = min(min, ns);
		max = max(max, ns);
	}
	WRITE_ONCE(c->stats.demand_ns, min);
	WRITE_ONCE(c->stats.demand_spread_ns, max - min);
}
