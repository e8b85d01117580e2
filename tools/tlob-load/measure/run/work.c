// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "run/phases.h"
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

/* Unlike the kernel's, this one never yields: a user thread is preempted. */
static inline bool tlob_env_relax(struct tlob_work_env *env)
{
	return atomic_load_explicit(env->abort, memory_order_relaxed);
}

static inline __u64 tlob_env_user(struct tlob_work_env *env, const struct tlob_work *w);

#include "workloop.h"

#define FPU_CHUNK	64U
#define SYSCALL_CHUNK	4U	/* one may take 250 ns */

/* The compiler must not drop a round, nor keep x out of a register of the FPU. */
static double fpu_round(double x)
{
	x = x * 0.9999999 + 1.0000001;
#if defined(__x86_64__)
	asm volatile("" : "+x" (x));
#elif defined(__aarch64__)
	asm volatile("" : "+w" (x));
#else
	asm volatile("" : "+m" (x));
#endif
	return x;
}

static __u64 run_fpu(struct tlob_work_env *env, __u64 n)
{
	double x = 1;
	unsigned int chunk;

	while (n) {
		chunk = n < FPU_CHUNK ? (unsigned int)n : FPU_CHUNK;
		n -= chunk;
		while (chunk--)
			x = fpu_round(x);
		if (tlob_env_relax(env))
			break;
	}
	return (__u64)x;
}

/* getppid() is in no vDSO and no cache of the C library: each one enters the kernel. */
static __u64 run_syscalls(struct tlob_work_env *env, __u64 n)
{
	unsigned int chunk;
	__u64 sum = 0;

	while (n) {
		chunk = n < SYSCALL_CHUNK ? (unsigned int)n : SYSCALL_CHUNK;
		n -= chunk;
		while (chunk--)
			sum += (__u64)syscall(SYS_getppid);
		if (tlob_env_relax(env))
			break;
	}
	return sum;
}

/* In pieces, so that the end of the run need not wait for an hour of sleep. */
static __u64 run_sleep(struct tlob_work_env *env, __u64 ns)
{
	const __u64 piece = 100000000;
	struct timespec until;
	__u64 at = tlob_env_clock(env), end = at + ns;

	while (at < end && !tlob_env_relax(env)) {
		at = end - at > piece ? at + piece : end;
		until = (struct timespec){ .tv_sec = (time_t)(at / 1000000000), .tv_nsec = (long)(at % 1000000000) };
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
			;
	}
	return at;
}

static inline __u64 tlob_env_user(struct tlob_work_env *env, const struct tlob_work *w)
{
	switch (w->type) {
	case TLOB_KIND_FPU:
		return run_fpu(env, w->amount);
	case TLOB_KIND_SYSCALL:
		return run_syscalls(env, w->amount);
	case TLOB_KIND_SLEEP:
		return run_sleep(env, w->amount);
	default:
		return 0;	/* phases: work_run() */
	}
}

#define CHASE_SEED	1	/* the kernel's too: the same order everywhere */

/* *@mem for @spec near @cpu, or NULL if it needs none. */
static int alloc_mem(void **mem, const struct tlob_work *spec, int cpu)
{
	int node = spec->node;

	*mem = NULL;
	if (!tlob_work_needs_memory(spec))
		return 0;
	if (node != TLOB_WORK_NO_NODE && !node_exists(node))
		return fail(-EINVAL, "--work: memory node %d does not exist",
			    node);
	if (node == TLOB_WORK_NO_NODE)
		node = cpus_node(cpu);
	*mem = node_alloc(spec->ws, node);
	return *mem ? 0 : fail(-ENOMEM, "no memory for the work of CPU %d",
			       cpu);
}

int work_alloc(struct work *w, int cpu)
{
	size_t i;
	int err = 0;

	if (!w->phases)
		return alloc_mem(&w->mem, &w->spec, cpu);
	w->phase_mem = calloc(w->phases->n, sizeof(*w->phase_mem));
	if (!w->phase_mem)
		return fail(-ENOMEM, "no memory for the work of CPU %d", cpu);
	for (i = 0; i < w->phases->n && !err; i++)
		err = alloc_mem(&w->phase_mem[i], &w->phases->at[i], cpu);
	return err;
}

void work_free(struct work *w)
{
	size_t i;

	for (i = 0; w->phase_mem && i < w->phases->n; i++)
		node_free(w->phase_mem[i], w->phases->at[i].ws);
	free(w->phase_mem);
	w->phase_mem = NULL;
	node_free(w->mem, w->spec.ws);
	w->mem = NULL;
}

static void init_mem(void *at, const struct tlob_work *spec)
{
	volatile char *mem = at;
	__u64 i;

	if (!mem)
		return;
	for (i = 0; i < spec->ws; i += 4096)
		mem[i] = 0;
	if (spec->type == TLOB_KIND_CHASE)
		tlob_chase_init(at, spec->ws / TLOB_WORK_LINE,
				CHASE_SEED);
}

void work_init(struct work *w)
{
	size_t i;

	init_mem(w->mem, &w->spec);
	for (i = 0; w->phase_mem && i < w->phases->n; i++)
		init_mem(w->phase_mem[i], &w->phases->at[i]);
}

uint64_t work_run(struct work *w)
{
	struct tlob_work_env env = {
		.interference = (const volatile __u64 *)w->interference,
		.abort = w->abort,
	};
	size_t i;

	if (!w->phases)
		w->sum = tlob_run_work(&env, &w->spec, w->mem, w->hw_threshold_ns);
	for (i = 0; w->phases && i < w->phases->n && !tlob_env_relax(&env); i++)
		w->sum += tlob_run_work(&env, &w->phases->at[i], w->phase_mem[i], w->hw_threshold_ns);
	return env.hw;
}
