// SPDX-License-Identifier: GPL-2.0
/*
 * What the probe of a call costs, measured on this machine before each run, as the module
 * does it: a system call that does nearly nothing is made with a probe and without. A window
 * is open meanwhile, on a measured CPU, so the programs do what they do in one.
 */
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "backend/bpf.h"
#include "hooks/bpf/shared.h"
#include "functions/kernel.h"
#include "machine/cpus.h"

#define COST_CALLS	16		/* between two readings of the clock */
#define COST_ROUNDS	32		/* the shortest counts: the others were disturbed */
#define COST_BUDGET_NS	(3600ULL * 1000000000)

struct cost {
	struct bpf *bpf;
	int	 cpu;
	struct bpf_program *enter, *leave;
	uint64_t ns;			/* 0: not measured */
};

/* The function of getppid(). Its name depends on the architecture. */
uint64_t bpf_functions_cost_address(const struct kernel_functions *k)
{
	static const char * const names[] = { "__x64_sys_getppid", "__arm64_sys_getppid" };
	size_t i, n;

	for (i = 0; i < k->n; i++)
		for (n = 0; n < sizeof(names) / sizeof(names[0]); n++)
			if (!*k->at[i].module && !strcmp(k->at[i].name, names[n]))
				return k->at[i].address;
	return 0;
}

static uint64_t round_ns(void)
{
	uint64_t began = now_ns();
	unsigned int i;

	for (i = 0; i < COST_CALLS; i++)
		syscall(SYS_getppid);
	return now_ns() - began;
}

/* Opens a window that is past its t2. Nobody else measures on this CPU yet. */
static void open_window(struct tlob_cell *c)
{
	uint64_t now;

	tlob_cell_arm(c, tlob_cell_clock(), COST_BUDGET_NS, 0);
	TLOB_CELL_ONCE(c->active) = 0;
	tlob_cell_barrier();
	now = tlob_cell_clock();
	tlob_split_t1(&c->split, now);
	tlob_split_t2(&c->split, now);
	tlob_cell_barrier();
	TLOB_CELL_ONCE(c->active) = 1;
}

static uint64_t shortest_ns(struct tlob_cell *c)
{
	uint64_t shortest = UINT64_MAX, ns;
	unsigned int i;

	open_window(c);
	for (i = 0; i < COST_ROUNDS; i++) {
		ns = round_ns();
		if (ns < shortest)
			shortest = ns;
	}
	tlob_cell_end(c);
	return shortest;
}

static uint64_t probed_ns(struct tlob_cell *c, const struct cost *cost)
{
	struct bpf_link *leave = bpf_program__attach(cost->leave), *enter = NULL;
	uint64_t ns = 0;

	if (!libbpf_get_error(leave))
		enter = bpf_program__attach(cost->enter);
	if (enter && !libbpf_get_error(enter)) {
		ns = shortest_ns(c);
		bpf_link__destroy(enter);
	}
	if (!libbpf_get_error(leave))
		bpf_link__destroy(leave);
	return ns;
}

static void *measure(void *arg)
{
	struct cost *cost = arg;
	struct tlob_cell *c = &cost->bpf->cells[cost->cpu];
	uint64_t bare, probed;

	if (cpus_pin(cost->cpu) || bpf_object_introduce(cost->bpf, cost->cpu, false))
		return NULL;
	c->sets = 1;
	c->calls = &cost->bpf->calls[cost->cpu];
	tlob_calls_init(c->calls, 0);
	bare = shortest_ns(c);
	probed = probed_ns(c, cost);
	c->calls = NULL;
	if (probed > bare)
		cost->ns = (probed - bare) / COST_CALLS;
	return NULL;
}

uint64_t bpf_functions_cost(struct bpf *bpf, int cpu, struct bpf_program *enter,
			    struct bpf_program *leave)
{
	struct cost cost = { .bpf = bpf, .cpu = cpu, .enter = enter, .leave = leave };
	pthread_t thread;

	/* a thread of its own: the caller stays where it may run */
	if (!pthread_create(&thread, NULL, measure, &cost))
		pthread_join(thread, NULL);
	return cost.ns;
}
