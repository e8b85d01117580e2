// SPDX-License-Identifier: GPL-2.0
/*
 * Waits by BPF programs: makes of their slots what the module's waits_records has.
 *
 * Slots are for tasks that exist. What is known of tasks that exited is kept here.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "machine/bpf_load.h"
#include "machine/timens.h"
#include "util/array.h"
#include "util/error.h"
#include "util/time.h"
#include "waits/source_bpf.h"

#define KEPT_MAX	65536U		/* exited tasks */

static uint64_t clock_now(void)
{
	return timens_kernel_ns(now_ns());
}

static int bpf_open(struct wait_source *s, const struct wait_scope *scope)
{
	struct wait_bpf_run *run = calloc(1, sizeof(*run));

	if (!run)
		return fail(-ENOMEM, "out of memory");
	run->kept.fd = -1;
	run->others = (struct tlob_wait_task){
		.type = TLOB_WAIT_TASK, .size = sizeof(run->others), .id = UINT64_MAX,
		.flags = TLOB_WAIT_EXITED | TLOB_WAIT_OTHERS, .comm = "others",
	};
	s->data = run;
	return wait_bpf_load(run, scope);
}

static int bpf_on(struct wait_source *s, const struct wait_scope *scope)
{
	struct wait_bpf_run *run = s->data;

	if (scope->pid) {
		run->shared->scope = WAIT_BPF_LISTED;
		run->shared->nr_pids = 1;
		run->shared->pid[0] = scope->pid;
	}
	run->since_ns = clock_now();
	return wait_bpf_attach(run);
}

static void fill_task(struct tlob_wait_task *to, const struct wait_bpf_task *t, uint64_t now)
{
	memset(to, 0, sizeof(*to));
	to->type = TLOB_WAIT_TASK;
	to->size = sizeof(*to);
	to->flags = t->flags;
	to->id = t->id;
	to->start_ns = t->start_ns;
	to->tid = t->tid;
	to->tgid = t->tgid;
	to->blocked = t->blocked;
	to->runnable = t->runnable;
	if (t->asleep_ns && t->waking_ns < t->asleep_ns && now > t->asleep_ns)
		to->asleep_ns = now - t->asleep_ns;
	memcpy(to->comm, t->comm, sizeof(to->comm));
}

static int add_stack(struct wait_records *r, const struct wait_bpf_stack *e)
{
	struct tlob_wait_stack to = {
		.type = TLOB_WAIT_STACK, .size = sizeof(to),
		.nr_kernel = (__u16)e->nr_kernel, .nr_code = (__u16)e->nr_code,
		.id = e->id, .task = e->key.task, .blocked = e->blocked, .waker = e->waker,
	};

	memcpy(to.kernel, e->kernel, sizeof(to.kernel));
	memcpy(to.code, e->code, sizeof(to.code));
	return wait_records_add_stack(r, &to);
}

/* Slots up to *@next were used, which may have grown past the @most that there are. */
static uint32_t used(const __u32 *next, uint32_t most)
{
	uint32_t n = __atomic_load_n(next, __ATOMIC_ACQUIRE);

	return n < most ? n : most;
}

/* For programs to use again. */
static void give_back(struct wait_bpf_ring *ring, __u32 *free, uint32_t most, uint32_t slot)
{
	free[ring->put % most] = slot;
	__atomic_store_n(&ring->put, ring->put + 1, __ATOMIC_RELEASE);
}

/*
 * Follows the chain of the longest wait of the task @t, if there is another one, while the nodes are
 * there. Who reads it while it changes, reads it the next time.
 */
static int follow_chain(struct wait_bpf_run *run, const struct wait_bpf_task *t, uint32_t slot)
{
	uint32_t nr = __atomic_load_n(&t->longest_nr, __ATOMIC_ACQUIRE);
	struct chain_segment found[CHAIN_SEGMENTS];
	struct wait_chain *to = &run->chain[slot];
	struct chain_ref ref;
	size_t n;

	if (nr == run->chain_nr[slot] || nr % 2)
		return 0;
	ref = t->longest;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&t->longest_nr, __ATOMIC_RELAXED) != nr)
		return 0;
	run->chain_nr[slot] = nr;
	attach_wait_clear(&to->wait);
	n = chain_walk(&run->ring, &ref, found, CHAIN_SEGMENTS);
	if (!n)
		return 0;
	to->task = t->id;
	to->wait.ns = ref.to - ref.from;
	to->wait.chain = malloc(n * sizeof(*found));
	if (!to->wait.chain)
		return -ENOMEM;
	memcpy(to->wait.chain, found, n * sizeof(*found));
	to->wait.nchain = n;
	return 0;
}

static int follow_chains(struct wait_bpf_run *run)
{
	uint32_t i, n = run->ring.node ? used(&run->shared->next_task, WAIT_BPF_TASKS) : 0;
	int err = 0;

	for (i = 0; !err && i < n; i++)
		if (__atomic_load_n(&run->shared->task[i].id, __ATOMIC_ACQUIRE))
			err = follow_chain(run, &run->shared->task[i], i);
	return err;
}

/* Takes the stacks of tasks in run->gone. */
static int keep_stacks(struct wait_bpf_run *run)
{
	uint32_t i, n = used(&run->shared->next_stack, WAIT_BPF_STACKS);
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		struct wait_bpf_stack *e = &run->shared->stack[i];

		if (!__atomic_load_n(&e->id, __ATOMIC_ACQUIRE) || e->slot >= WAIT_BPF_TASKS ||
		    !run->gone[e->slot])
			continue;
		err = add_stack(&run->kept, e);
		e->id = 0;
		give_back(&run->shared->free_stacks, run->shared->free_stack, WAIT_BPF_STACKS, i);
	}
	return err;
}

static int keep_task(struct wait_bpf_run *run, const struct wait_bpf_task *t, uint32_t slot)
{
	struct wait_chain *chain = &run->chain[slot];
	struct tlob_wait_task to;
	int err;

	if (!t->blocked.count)
		return 0;
	fill_task(&to, t, 0);
	err = wait_records_add_task(&run->kept, &to);
	if (!err)
		err = follow_chain(run, t, slot);
	return err || !chain->wait.nchain ? err : wait_records_add_chain(&run->kept, chain);
}

static void free_task(struct wait_bpf_run *run, uint32_t slot)
{
	run->gone[slot] = false;
	attach_wait_clear(&run->chain[slot].wait);
	run->chain_nr[slot] = 0;
	run->shared->task[slot].id = 0;
	give_back(&run->shared->free_tasks, run->shared->free_task, WAIT_BPF_TASKS, slot);
}

/* Makes room for others: what is known of tasks that exited comes here. */
static int keep_exited(struct wait_bpf_run *run)
{
	uint32_t i, n = used(&run->shared->next_task, WAIT_BPF_TASKS);
	bool any = false;
	int err = 0;

	for (i = 0; !err && i < n; i++) {
		struct wait_bpf_task *t = &run->shared->task[i];

		run->gone[i] = __atomic_load_n(&t->id, __ATOMIC_ACQUIRE) &&
			       __atomic_load_n(&t->flags, __ATOMIC_ACQUIRE) & TLOB_WAIT_EXITED;
		any |= run->gone[i];
		if (run->gone[i])
			err = keep_task(run, t, i);
	}
	if (!any || err)
		return err;
	err = keep_stacks(run);
	for (i = 0; i < n; i++)
		if (run->gone[i])
			free_task(run, i);
	if (run->kept.ntask > KEPT_MAX) {
		run->evicted += run->kept.ntask / 2;
		wait_records_evict(&run->kept, run->kept.ntask / 2, &run->others);
	}
	return err;
}

static void take_copies(struct wait_bpf_run *run, wait_copy_taker take, void *arg)
{
	unsigned int i;

	for (i = 0; i < WAIT_BPF_COPIES; i++) {
		struct wait_bpf_copy *c = &run->shared->copy[i];

		if (__atomic_load_n(&c->state, __ATOMIC_ACQUIRE) != WAIT_COPY_READY)
			continue;
		take(arg, &c->copy);
		explicit_bzero(&c->copy, sizeof(c->copy));
		__atomic_store_n(&c->state, WAIT_COPY_FREE, __ATOMIC_RELEASE);
		__atomic_store_n(&run->shared->freed, run->shared->freed + 1, __ATOMIC_RELAXED);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct chain_node *l = a, *r = b;

	return l->to < r->to ? -1 : l->to > r->to;
}

/* What threads of the critical process did since, in its order, while the nodes are there. */
static int follow_critical(struct wait_bpf_run *run)
{
	struct chain_node node, *to;
	unsigned int cpu;
	size_t i;
	int err = 0;

	run->nmove = 0;
	for (cpu = 0; run->path && cpu < run->ring.ncpus; cpu++)
		while (chain_next(&run->ring, cpu, &run->seen[cpu], &node, &run->path->lost)) {
			if (node.type != CHAIN_CAME && node.type != CHAIN_LEFT)
				continue;
			to = array_add(run->move, run->nmove, run->move_room);
			if (!to)
				return -ENOMEM;
			*to = node;
			run->nmove++;
		}
	if (run->nmove)
		qsort(run->move, run->nmove, sizeof(*run->move), by_time);
	for (i = 0; i < run->nmove && !err; i++)
		err = critical_move(&run->critical, &run->move[i], &run->ring);
	return err;
}

static int bpf_take(struct wait_source *s, wait_copy_taker take, void *arg)
{
	struct wait_bpf_run *run = s->data;

	take_copies(run, take, arg);
	return follow_critical(run) || follow_chains(run) || keep_exited(run) ? fail(-ENOMEM, "out of memory") : 0;
}

/* Stacks first: so the stacks of a task never add up to more than its total. */
static int copy_records(struct wait_bpf_run *run, struct wait_records *r, uint64_t now)
{
	uint32_t i, n = used(&run->shared->next_stack, WAIT_BPF_STACKS);
	struct tlob_wait_task to;
	size_t k;
	int err = 0;

	for (k = 0; !err && k < run->kept.nstack; k++)
		err = wait_records_add_stack(r, &run->kept.stack[k]);
	for (i = 0; !err && i < n; i++)
		if (__atomic_load_n(&run->shared->stack[i].id, __ATOMIC_ACQUIRE))
			err = add_stack(r, &run->shared->stack[i]);
	for (k = 0; !err && k < run->kept.nchain; k++)
		err = wait_records_add_chain(r, &run->kept.chain[k]);
	for (k = 0; !err && k < WAIT_BPF_TASKS; k++)
		if (run->chain[k].wait.nchain)
			err = wait_records_add_chain(r, &run->chain[k]);
	for (k = 0; !err && k < run->kept.ntask; k++)
		err = wait_records_add_task(r, &run->kept.task[k]);
	if (!err && run->evicted)
		err = wait_records_add_task(r, &run->others);
	n = used(&run->shared->next_task, WAIT_BPF_TASKS);
	for (i = 0; !err && i < n; i++) {
		fill_task(&to, &run->shared->task[i], now);
		if (to.id && (to.blocked.count || to.asleep_ns))
			err = wait_records_add_task(r, &to);
	}
	return err;
}

static int by_total(const void *a, const void *b)
{
	const struct tlob_wait_task *l = a, *r = b;

	return l->blocked.total_ns < r->blocked.total_ns ? 1 :
	       -(l->blocked.total_ns > r->blocked.total_ns);
}

static int by_task(const void *a, const void *b)
{
	const struct tlob_wait_stack *l = a, *r = b;

	return l->task < r->task ? -1 : l->task > r->task;
}

static int chains_by_task(const void *a, const void *b)
{
	const struct wait_chain *l = a, *r = b;

	return l->task < r->task ? -1 : l->task > r->task;
}

static int bpf_read(struct wait_source *s, wait_copy_taker take, void *arg)
{
	struct wait_bpf_run *run = s->data;
	const struct wait_bpf *shared = run->shared;
	struct wait_records *r = &s->records;
	uint64_t now = run->until_ns ? run->until_ns : clock_now();
	int err = bpf_take(s, take, arg);

	if (err)
		return err;
	wait_records_clear(r);
	if (copy_records(run, r, now))
		return fail(-ENOMEM, "out of memory");
	if (r->ntask)
		qsort(r->task, r->ntask, sizeof(*r->task), by_total);
	if (r->nstack)
		qsort(r->stack, r->nstack, sizeof(*r->stack), by_task);
	if (r->nchain)
		qsort(r->chain, r->nchain, sizeof(*r->chain), chains_by_task);
	r->skipped = bpf_misses(run->object, wait_bpf_is_of_chain);
	r->unseen = shared->unseen;
	r->status = (struct tlob_wait_status){
		.type = TLOB_WAIT_STATUS, .size = sizeof(r->status), .version = TLOB_WAIT_VERSION,
		.flags = run->until_ns ? 0 : TLOB_WAIT_IS_ON, .now_ns = now,
		.since_ns = run->since_ns, .threshold_ns = shared->threshold_ns,
		.tasks = r->ntask, .stacks = r->nstack,
		.lost_tasks = shared->lost_tasks, .lost_stacks = shared->lost_stacks,
		.evicted = run->evicted, .unreadable = shared->unreadable,
		.uncopied = shared->uncopied,
	};
	return 0;
}

static int bpf_off(struct wait_source *s)
{
	struct wait_bpf_run *run = s->data;

	wait_bpf_detach(run);
	run->until_ns = clock_now();
	if (!run->path)
		return 0;
	if (follow_critical(run) ||
	    critical_end(&run->critical, run->path, run->until_ns, kill((pid_t)run->path->pid, 0) && errno == ESRCH))
		return fail(-ENOMEM, "out of memory");
	return 0;
}

static void bpf_close(struct wait_source *s)
{
	struct wait_bpf_run *run = s->data;
	size_t i;

	wait_records_close(&s->records);
	if (!run)
		return;
	wait_bpf_unload(run);
	for (i = 0; i < WAIT_BPF_TASKS; i++)
		attach_wait_clear(&run->chain[i].wait);
	wait_records_close(&run->kept);
	free(run->move);
	critical_free(&run->critical);
	free(run);
	s->data = NULL;
}

const struct wait_backend wait_backend_bpf = {
	.name = "bpf",
	.open = bpf_open,
	.on = bpf_on,
	.take = bpf_take,
	.read = bpf_read,
	.off = bpf_off,
	.close = bpf_close,
};
