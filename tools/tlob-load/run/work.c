// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <time.h>

#include "machine/cpus.h"
#include "run/work.h"
#include "util/error.h"

struct tlob_work_env {
	const volatile __u64 *interference;
	const atomic_bool *abort;
	__u64 hw;
};

/* CLOCK_MONOTONIC by the vDSO: no entry into the kernel. */
static inline __u64 tlob_env_clock(struct tlob_work_env *env)
{
	struct timespec ts;

	(void)env;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (__u64)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static inline __u64 tlob_env_interference(struct tlob_work_env *env)
{
	return *env->interference;
}

static inline void tlob_env_hw(struct tlob_work_env *env, __u64 ns)
{
	env->hw += ns;
}

/* Unlike the kernel's, this one gives way to nobody: a user thread is preempted. */
static inline bool tlob_env_relax(struct tlob_work_env *env)
{
	return atomic_load_explicit(env->abort, memory_order_relaxed);
}

#include "workloop.h"

#define CHASE_SEED	1	/* the kernel's too: the same order everywhere */

int work_alloc(struct work *w, int cpu)
{
	int node = w->spec.node;

	if (!tlob_work_needs_memory(&w->spec))
		return 0;
	if (node != TLOB_WORK_NO_NODE && !node_exists(node))
		return fail(-EINVAL, "--work: there is no memory node %d",
			    node);
	if (node == TLOB_WORK_NO_NODE)
		node = cpus_node(cpu);
	w->mem = node_alloc(w->spec.ws, node);
	return w->mem ? 0 : fail(-ENOMEM, "no memory for the work of CPU %d",
				 cpu);
}

void work_free(struct work *w)
{
	node_free(w->mem, w->spec.ws);
	w->mem = NULL;
}

void work_init(struct work *w)
{
	volatile char *mem = w->mem;
	__u64 i;

	if (!mem)
		return;
	for (i = 0; i < w->spec.ws; i += 4096)
		mem[i] = 0;
	if (w->spec.type == TLOB_WORK_CHASE)
		tlob_chase_init(w->mem, w->spec.ws / TLOB_WORK_LINE,
				CHASE_SEED);
}

uint64_t work_run(struct work *w)
{
	struct tlob_work_env env = {
		.interference = (const volatile __u64 *)w->interference,
		.abort = w->abort,
	};

	w->sum = tlob_run_work(&env, &w->spec, w->mem, w->hw_threshold_ns);
	return env.hw;
}
