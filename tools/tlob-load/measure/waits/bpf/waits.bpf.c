// SPDX-License-Identifier: GPL-2.0
/*
 * `waits` without the module: kernel/trace/tlob/waits/waits_tasks.c as BPF programs, with
 * the same times at the same tracepoints.
 *
 * The user stack can be read in the context of its task only, and sched_switch comes
 * before it. So a wait over the threshold is noted for this CPU, and the next program
 * on it takes both stacks: at sched_exit_tp (6.17), or at finish_task_switch(). Preemption
 * is off between both.
 *
 * Maps are preallocated: in these places nothing can be allocated on PREEMPT_RT. The
 * keys are addresses of tasks, which are used again only after sched_process_free.
 */
#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <linux/time.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#define inline inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

#define ONCE(x)				(*(volatile __typeof__(x) *)&(x))
#define TLOB_AWAY_SET(field, value)	(ONCE(field) = (value))
#define TLOB_AWAY_GET(field)		(*(const volatile __typeof__(field) *)&(field))

#include "waits/bpf/shared.h"
#include "backend/bpf/no_track.h"
#include "backend/bpf/older.h"
#include "backend/bpf/throttled.h"

/* The fields that are read; their offsets come from the running kernel. */
#define CORE __attribute__((preserve_access_index))

struct mm_struct {
	unsigned long start_code, end_code, mmap_base;
} CORE;

struct thread_info {
	__u32	cpu;
} CORE;

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	__u32	pid, tgid;
	unsigned int on_rq;		/* int; of another size in 7.2.13 */
	int	softirq_disable_cnt;	/* PREEMPT_RT */
	__u64	start_time;
	struct mm_struct *mm;
	char	comm[TLOB_NAME_LEN];
} CORE;

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, ip, sp;
	unsigned short cs;
} CORE;

#define TASK_UNINTERRUPTIBLE	0x2
#define TASK_DEAD		0x80
#define TIMER_SOFTIRQ		1
#define PF_KTHREAD		0x200000
/* PF_KTHREAD, PF_EXITING, PF_IO_WORKER, PF_USER_WORKER (6.4; nothing in 5.19 ... 6.3) */
#define PF_NEVER_USER		(PF_KTHREAD | 0x4 | 0x10 | 0x4000)
#define USER_CS			0x33	/* of 64 bits */

#define PAGE			4096UL
#define LIBRARIES		(1UL << 32)	/* bytes around mmap_base */
#define RAW_FRAMES		32	/* including frames of the programs themselves */
#define COPY_TRIES		8
#define TAKE_TRIES		8

struct wait_bpf waits;

char LICENSE[] SEC("license") = "GPL";

/* A wait over the threshold of the task that this CPU switches to. */
struct pending {
	__u32	wait;			/* 0: none */
	__u32	slot;
	__u64	blocked;
	__u64	stack;			/* the id of what was taken */
};

/* Too large for a program's stack. */
struct scratch {
	struct wait_bpf_key key;
	__u32	inside;			/* __schedule() was seen */
	__u32	nr_kernel, nr_code;
	__u32	length;			/* of the user stack */
	__u64	trace;			/* of threads of this process that wait alike; 0: none */
	__u64	ip, sp;
	__u64	mmap_base, start_code, end_code;
	__u64	kernel[TLOB_WAIT_FRAMES];
	__u64	code[TLOB_WAIT_CODE];
	__u64	raw[RAW_FRAMES];
	/* twice what is read: see wait_bpf.verifier */
	__u64	word[2 * TLOB_WAIT_COPY_MAX / sizeof(__u64)];
};

#define MAP(_name, _type, _max, _key, _value)		\
	struct {					\
		__uint(type, _type);			\
		__uint(max_entries, _max);		\
		__type(key, _key);			\
		__type(value, _value);			\
	} _name SEC(".maps")

MAP(task_slots, BPF_MAP_TYPE_HASH, WAIT_BPF_TASKS, __u64, __u32);
MAP(stack_slots, BPF_MAP_TYPE_HASH, WAIT_BPF_STACKS, struct wait_bpf_key, __u32);
MAP(pendings, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u32, struct pending);
MAP(scratches, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u32, struct scratch);
MAP(cgroups, BPF_MAP_TYPE_CGROUP_ARRAY, 1, __u32, __u32);
/* Those of attach, or unused. */
MAP(slots, BPF_MAP_TYPE_HASH, 1, __u32, __u32);
MAP(longest_waits, BPF_MAP_TYPE_ARRAY, 1, __u32, struct wait_bpf_longest);

static inline void count(__u64 *counter)
{
	__sync_fetch_and_add(counter, 1);
}

static inline void add(struct tlob_wait_total *t, __u64 ns)
{
	t->count++;
	t->total_ns += ns;
	if (ns > t->max_ns)
		t->max_ns = ns;
}

/* Like tlob_wait_mix() in waitstack.h. */
static inline __u64 mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
	return hash ^ hash >> 33;
}

static inline struct wait_bpf_task *find_task(const struct task_struct *p, __u32 *slot)
{
	__u64 key = (__u64)p;
	__u32 *found = bpf_map_lookup_elem(&task_slots, &key);

	if (!found)
		return NULL;
	*slot = *found;
	return *slot < WAIT_BPF_TASKS ? &waits.task[*slot] : NULL;
}

/*
 * Takes a free slot: one that the tool gave back, else one that was never used. Returns @most if
 * all are in use. The tool overwrites a place of the ring only when @taken has passed it.
 */
static inline __u32 take_slot(struct wait_bpf_ring *ring, const __u32 *slot, __u32 most, __u32 *next)
{
	volatile const __u64 *put = &ring->put, *taken = &ring->taken;
	unsigned int i;

	for (i = 0; i < TAKE_TRIES; i++) {
		__u64 n = *taken;
		__u32 found;

		if (n == *put)
			break;
		found = *(volatile const __u32 *)&slot[n % most];
		if (__sync_val_compare_and_swap(&ring->taken, n, n + 1) == n)
			return found;
	}
	return *next < most ? __sync_fetch_and_add(next, 1) : most;
}

/* Makes the slot of a task that sleeps for the first time, on its own CPU. */
static NOINLINE int make_task(struct task_struct *p, __u64 now)
{
	__u64 key = (__u64)p;
	struct wait_bpf_task *t;
	__u32 slot;

	slot = take_slot(&waits.free_tasks, waits.free_task, WAIT_BPF_TASKS, &waits.next_task);
	if (slot >= WAIT_BPF_TASKS) {
		count(&waits.lost_tasks);
		return 0;
	}
	t = &waits.task[slot];
	__builtin_memset(t, 0, sizeof(*t));
	t->start_ns = p->start_time;
	t->tid = p->pid;
	t->tgid = p->tgid;
	t->flags = p->flags & PF_KTHREAD ? TLOB_WAIT_KTHREAD : 0;
	t->asleep_ns = now;
	copy_name(t->comm, p);
	t->id = __sync_fetch_and_add(&waits.last_id, 1) + 1;
	if (bpf_map_update_elem(&task_slots, &key, &slot, BPF_ANY)) {
		/* the tool frees the slot, and drops a task without waits */
		__sync_fetch_and_or(&t->flags, TLOB_WAIT_EXITED);
		count(&waits.lost_tasks);
	}
	return 0;
}

static NOINLINE int listed(struct task_struct *p)
{
	__s32 pid = p->pid, tgid = p->tgid;
	unsigned int i;

	for (i = 0; i < WAIT_BPF_PIDS; i++) {
		if (i >= waits.nr_pids)
			break;
		if (waits.pid[i] == tgid || waits.pid[i] == pid)
			return 1;
	}
	return 0;
}

/* The longest wait of the window of the task @tid; NULL: it is not watched. */
static inline struct wait_bpf_longest *longest_of(__u32 tid)
{
	__u32 *slot = bpf_map_lookup_elem(&slots, &tid);

	return slot ? bpf_map_lookup_elem(&longest_waits, slot) : NULL;
}

/* Returns whether a wait of the current task that begins now counts. */
static inline bool wanted(struct task_struct *p)
{
	switch (waits.scope) {
	case WAIT_BPF_ALL:
		return true;
	case WAIT_BPF_LISTED:
		return listed(p);
	case WAIT_BPF_CGROUP:
		return bpf_current_task_under_cgroup(&cgroups, 0) == 1;
	case WAIT_BPF_WATCHED:
		return longest_of(p->pid);
	}
	return false;
}

static inline void begins(struct task_struct *p, __u64 now)
{
	struct wait_bpf_task *t;
	__u32 slot;

	t = find_task(p, &slot);
	if (!t) {
		make_task(p, now);
		return;
	}
	/* it runs, so it was switched in: some kernels have no event of a few switches */
	if (t->asleep_ns)
		count(&waits.unseen);
	t->asleep_ns = now;
	/* execve() changes both */
	t->tid = p->pid;
	copy_name(t->comm, p);
}

#include "waits/bpf/waker.h"

static inline struct wait_bpf_cpu *this_cpu(void)
{
	return &waits.cpu[bpf_get_smp_processor_id() & (WAIT_BPF_CPUS - 1)];
}

/* For timers.h and chain.h. */
#define CPU_STRUCT		struct wait_bpf_cpu
#define SHARED			waits
#define CPU_REF			const struct wait_bpf_cpu *
#define REF_OF(nr)		(&waits.cpu[(nr) & (WAIT_BPF_CPUS - 1)])
#define REF_OF_THIS(c)		(c)
#define TURNS_OF(ref)		(&(ref)->turns)

#include "backend/bpf/timers.h"
#include "backend/bpf/chain.h"

/* The process, or thread, whose path is asked for; 0: none. The tool says it. */
const volatile __u32 critical SEC(".rodata.critical");

static inline bool is_critical(const struct task_struct *p)
{
	return p->tgid == critical || p->pid == critical;
}

/* After chain_switches(). */
static NOINLINE int note_critical(struct task_struct *p, __u64 now, __u32 type)
{
	struct chain_task *r;

	if (!p)
		return 0;
	r = chain_of(p);
	chain_push(this_cpu(), r, p, type, now)->flags = (r->flags & CHAIN_BLOCKED) |
							 (r->phase == CHAIN_WAITS ? CHAIN_READY : 0);
	return 0;
}

static inline void follow_switch(struct task_struct *prev, struct task_struct *next, unsigned int state, __u64 now)
{
	struct wait_bpf_cpu *c = this_cpu();

	chain_switches(c, prev, next, state, now);
	tlob_turns_note(&c->turns, now, next->pid, next->comm);
	if (critical && is_critical(prev))
		note_critical(prev, now, CHAIN_LEFT);
	if (critical && is_critical(next))
		note_critical(next, now, CHAIN_CAME);
}

/* @p, whose waits count if it has @t, is woken. */
static inline void follow_waking(struct task_struct *p, struct wait_bpf_task *t)
{
	struct wait_bpf_cpu *c = this_cpu();
	__u64 chain = chain_wakes(c, p, t);

	if (t)
		t->woken_chain = chain_waker(c, current_task(), preempt_count()) == CHAIN_BY_TIMER ? 0 : chain;
}

/* The wait of @t, its longest, lasted @blocked from @since on. The tool reads it meanwhile. */
static inline void keep_chain(struct wait_bpf_task *t, __u64 since, __u64 blocked)
{
	ONCE(t->longest_nr) = t->longest_nr + 1;
	barrier();
	t->longest = (struct chain_ref){ .head = t->woken_chain, .from = since, .to = since + blocked };
	barrier();
	ONCE(t->longest_nr) = t->longest_nr + 1;
}

/* A wake-up may be on its way while its task goes to sleep: tlob_wait_ends() has why. */
static NOINLINE int ends(struct wait_bpf_task *t, __u64 now, struct pending *pending)
{
	__u64 blocked = 0, since;

	if (!t || !pending)
		return 0;
	since = t->asleep_ns;
	t->asleep_ns = 0;
	if (t->waking_ns >= since)
		blocked = t->waking_ns - since;
	else
		__builtin_memset(&t->waker, 0, sizeof(t->waker));
	if (has_chain && blocked >= waits.threshold_ns && t->woken_chain && blocked > t->longest.to - t->longest.from)
		keep_chain(t, since, blocked);
	since += blocked;
	add(&t->blocked, blocked);
	add(&t->runnable, now > since ? now - since : 0);
	if (blocked < waits.threshold_ns)
		return 0;
	pending->blocked = blocked;
	pending->wait = 1;
	return 0;
}

SEC("tp_btf/sched_switch")
int sched_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	bool preempt = ctx[0];
	unsigned int state = prev->__state;
	__u64 now = bpf_ktime_get_ns();
	struct wait_bpf_task *t;
	struct pending *pending;
	__u32 zero = 0, slot;

	pending = bpf_map_lookup_elem(&pendings, &zero);
	if (!waits.on || !pending)
		return 0;
	/* the program that takes stacks was skipped */
	if (pending->wait) {
		pending->wait = 0;
		count(&waits.lost_stacks);
	}
	if (has_chain)
		follow_switch(prev, next, preempt ? 0 : state, now);
	if (!preempt && state && !(state & TASK_DEAD) && wanted(prev))
		begins(prev, now);
	if (!next->pid)
		return 0;
	t = find_task(next, &slot);
	if (t && t->asleep_ns) {
		pending->slot = slot;
		ends(t, now, pending);
	}
	return 0;
}

SEC("tp_btf/sched_waking")
int sched_waking(__u64 *ctx)
{
	struct task_struct *p = (void *)ctx[0];
	struct wait_bpf_task *t;
	__u32 slot;

	t = waits.on ? find_task(p, &slot) : NULL;
	if (has_chain && waits.on)
		follow_waking(p, t);
	if (!t)
		return 0;
	t->waking_ns = bpf_ktime_get_ns();
	fill_waker(&t->waker, (void *)bpf_get_current_task_btf(), preempt_count());
	return 0;
}

SEC("tp_btf/sched_migrate_task")
int sched_migrate_task(__u64 *ctx)
{
	chain_migrates((void *)ctx[0]);
	return 0;
}

/* Raw tracepoints without types: each of these programs is attached to many. */
#define INTERRUPT(_section, _name, _is, _id)				\
SEC(_section)								\
int _name(struct bpf_raw_tracepoint_args *ctx)				\
{									\
	chain_interrupt(this_cpu(), _is, _id);				\
	return 0;							\
}

INTERRUPT("raw_tp", irq_entry, in_irq, (__s32)ctx->args[0])
INTERRUPT("raw_tp", irq_exit, in_irq, 0)
INTERRUPT("raw_tp", vector_entry, in_irq, -(__s32)ctx->args[0])
INTERRUPT("raw_tp", vector_exit, in_irq, 0)
INTERRUPT("tp_btf/softirq_entry", softirq_entry, in_softirq, ctx->args[0] + 1)

SEC("tp_btf/softirq_exit")
int softirq_exit(struct bpf_raw_tracepoint_args *ctx)
{
	chain_softirq_ends(this_cpu(), ctx->args[0]);
	return 0;
}

/* The last event of a task. */
SEC("tp_btf/sched_process_free")
int sched_process_free(__u64 *ctx)
{
	struct task_struct *p = (void *)ctx[0];
	struct wait_bpf_task *t;
	__u64 key = (__u64)p;
	__u32 slot;

	t = find_task(p, &slot);
	if (!t)
		return 0;
	bpf_map_delete_elem(&task_slots, &key);
	t->asleep_ns = 0;
	/* the tool may free it from here on */
	__sync_fetch_and_or(&t->flags, TLOB_WAIT_EXITED);
	return 0;
}

#include "waits/bpf/stacks.h"

static inline int switched(void *ctx)
{
	struct wait_bpf_longest *longest;
	struct pending *pending;
	__u32 zero = 0;

	pending = bpf_map_lookup_elem(&pendings, &zero);
	if (!pending || !pending->wait)
		return 0;
	if (waits.scope != WAIT_BPF_WATCHED) {
		take_stacks(ctx, pending);
		return 0;
	}
	longest = longest_of(bpf_get_current_pid_tgid());
	if (longest && longest->wanted) {
		take_stacks(ctx, pending);
		longest->stack = pending->stack;
		longest->wanted = 0;
	}
	pending->wait = 0;
	return 0;
}

SEC("tp_btf/sched_exit_tp")
int sched_exit_tp(__u64 *ctx)
{
	return switched(ctx);
}

SEC("kprobe")
int finish_task_switch(void *ctx)
{
	return switched(ctx);
}
