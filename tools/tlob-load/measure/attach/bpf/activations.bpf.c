// SPDX-License-Identifier: GPL-2.0
/*
 * Activations of threads: result/activation.h has the rules. Times are charged by the split of a run,
 * and at the same tracepoints. Instead of activations, the windows may be those of a region: region.h.
 *
 * - A window is opened when its thread is switched in, back to the wake-up, which is in the
 *   mailbox. So only the CPU of a switch changes a window.
 * - A wake-up that comes while the thread is on its way to a rest is over before the rest has
 *   begun. The activation then begins with that rest's switch.
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

#include "attach/bpf/shared.h"
#include "attach/bpf/stopped.h"
#include "backend/bpf/no_track.h"
#include "backend/bpf/older.h"
#include "backend/bpf/stack.h"
#include "backend/bpf/steal.h"
#include "backend/bpf/throttled.h"
#include "waits/bpf/shared.h"

/* The fields that are read; their offsets come from the running kernel. */
#define CORE __attribute__((preserve_access_index))

struct thread_info {
	__u32	cpu;
} CORE;

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state, flags;
	__u32	pid, tgid;
	unsigned int on_rq;		/* int; of another size in 7.2.13 */
	unsigned int policy;
	int	softirq_disable_cnt;	/* PREEMPT_RT */
	__u64	start_time;
	char	comm[TLOB_NAME_LEN];
} CORE;

#define TASK_UNINTERRUPTIBLE	0x2
#define TASK_DEAD		0x80
#define TASK_WAKING		0x200
#define TASK_IDLE		0x402
#define PF_KTHREAD		0x00200000
#define TIMER_SOFTIRQ		1
#define CLOCK_ROUNDS		3	/* readings, until no nmi came */
#define INDEX_ROUNDS		8	/* other CPUs may take an index first */
#define LATE_ROUNDS		4	/* entries that may be taken */
#define NEVER			(~0ULL)
#define LOOK_LATER_NS		5000	/* the wait begins a little after it was asked for */

struct watch_bpf watch;

char LICENSE[] SEC("license") = "GPL";

/* The slot of each watched task, by tid. Only the tool takes one away. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WATCH_TASKS);
	__type(key, __u32);
	__type(value, __u32);
} slots SEC(".maps");

/* With --waits, by slot: where waits.bpf.c leaves the stack of the longest wait in a window. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WATCH_TASKS);
	__type(key, __u32);
	__type(value, struct wait_bpf_longest);
} longest_waits SEC(".maps");

/* The tool says it. */
const volatile bool names_waits SEC(".rodata.names_waits");

/* What an interrupt has met on this CPU at @at, when a task that waited for it was late. */
struct watch_tick {
	__u64	at;
	struct tlob_turn_mark turn;
	struct tlob_late_stack stack;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct watch_tick);
} ticks SEC(".maps");

/* Windows are of a region, not activations. The tool says it. */
const volatile bool of_region SEC(".rodata.of_region");

/* Where the keys of its windows are. The tool says it. */
const volatile struct watch_key_at key_at SEC(".rodata.key_at");

#define HAS_KEY	(key_at.start != TLOB_KEY_NONE)

/* Tasks are preempted at certain points only, and programs may start timers. The tool says it. */
const volatile bool looks_again SEC(".rodata.looks_again") = true;

static inline struct watch_cpu *this_cpu(void)
{
	return &watch.cpu[bpf_get_smp_processor_id() & (WATCH_CPUS - 1)];
}

/* For timers.h and chain.h. */
#define CPU_STRUCT		struct watch_cpu
#define SHARED			watch

/* A CPU as an argument, with its log of turns. */
#ifdef TLOB_BPF_OLDER
#define CPU_REF			__u32
#define REF_OF(nr)		(nr)
#define REF_OF_THIS(c)		bpf_get_smp_processor_id()
#define CPU_OF(ref)		(&watch.cpu[(ref) & (WATCH_CPUS - 1)])
#define TURNS_OF(ref)		(ref)

static inline const struct tlob_turns *tlob_turns_of(__u32 cpu)
{
	const struct tlob_turns *t = &CPU_OF(cpu)->turns;

	/* else the compiler keeps the address of each field on the stack */
	__asm__ volatile("" : "+r" (t));
	return t;
}
#else
#define CPU_REF			const struct watch_cpu *
#define REF_OF(nr)		(&watch.cpu[(nr) & (WATCH_CPUS - 1)])
#define REF_OF_THIS(c)		(c)
#define CPU_OF(ref)		(ref)
#define TURNS_OF(ref)		(&(ref)->turns)
#endif

static inline __u32 find_slot(__u32 tid)
{
	__u32 *slot;

	if (!watch.hint[tid & (WATCH_HINTS - 1)])
		return WATCH_TASKS;
	slot = bpf_map_lookup_elem(&slots, &tid);
	return slot ? *slot : WATCH_TASKS;
}

static inline struct watch_task *at_slot(__u32 slot)
{
	struct watch_task *t;

	if (slot >= WATCH_TASKS)
		return NULL;
	t = &watch.task[slot];
	return t->state == WATCH_ON ? t : NULL;
}

const volatile struct bpf_steal_at steal_at SEC(".rodata.steal");

/* Returns how much time of the CPU of @c is stolen so far. */
static inline __u64 steal_clock(const struct watch_cpu *c)
{
	return steal_at.known && c->steal_at ? steal_read(&steal_at, c->steal_at, 0) : 0;
}

/* The tool runs it on each CPU, before the others are attached. */
SEC("raw_tp")
int find_steal(__u64 *ctx)
{
	this_cpu()->steal_at = steal_find(&steal_at);
	return 0;
}

/* The window of the task that runs on this CPU; NULL: none is open. */
static inline struct watch_task *current_window(const struct watch_cpu *c)
{
	struct watch_task *t = at_slot(c->slot - 1);

	return t && t->open ? t : NULL;
}

#include "attach/bpf/call.h"

/* Whether the call @nr may end an activation. */
static inline bool ends_in(__u32 nr)
{
	bool is_one = !watch.nr_until;
	unsigned int i;

	for (i = 0; i < TLOB_WATCH_UNTIL; i++)
		if (i < watch.nr_until && watch.until[i] == nr)
			is_one = true;
	return is_one;
}

static NOINLINE int is_rest(struct watch_task *t, struct task_struct *task, unsigned int state)
{
	struct tlob_sleep_call c;
	bool until;

	if (!t)
		return 0;
	t->lock = 0;
	if (task_stopped(task, state))
		return 0;
	if (!(state & TASK_INTERRUPTIBLE) && (state & TASK_IDLE) != TASK_IDLE)
		return 0;
	if (task->flags & PF_KTHREAD)
		return 1;
	read_call(&c, task);
	/* a stop has interrupted a sleep with a timeout, which continues: it is what it was */
	if (c.nr != watch.restart) {
		until = !t->compat && tlob_sleep_is_until(&c, watch.clock_nanosleep);
		t->call = c.nr;
		t->call_stack = (__u32)c.stack | until;
		t->sleep = t->compat ? TLOB_SLEEP_UNCLEAR : tlob_sleep_for(&c, watch.futex);
		t->rested = (!of_region || HAS_KEY) && ends_in(c.nr) && (watch.nr_until || t->sleep != TLOB_SLEEP_LOCK);
		/* an exec may have left the cycle of a 64-bit program */
		if (!of_region && !t->compat && !until && (!watch.nr_until || c.nr == watch.clock_nanosleep) &&
		    tlob_cycle_continues(&t->cycle, &c, watch.clock_nanosleep, bpf_ktime_get_ns()))
			t->rested = 0;
	}
	t->lock = !t->rested && t->sleep == TLOB_SLEEP_LOCK;
	return t->rested;
}

/*
 * A SCHED_DEADLINE task that yields leaves its job done. It stays runnable, and is off the CPU until its
 * runtime is filled up: at that timer's expiry the next job begins, for which no wake-up comes. If
 * that should have been already, it begins at once.
 */
static NOINLINE int job_ends(struct watch_task *t, struct task_struct *task)
{
	const struct task_struct___read *job = (void *)task;
	struct tlob_sleep_call c;
	__u64 release;

	if (!t || of_region || !BPF_CORE_READ_BITFIELD(job, dl.dl_yielded) ||
	    !ends_in(watch.sched_yield))
		return 0;
	read_call(&c, task);
	t->call = c.nr;
	t->call_stack = (__u32)c.stack;
	t->rested = 1;
	t->lock = 0;
	t->throttled = 0;
	t->met.kind = 0;
	t->soft = 0;
	t->stolen_ns = 0;
	release = job->dl.dl_timer._softexpires;
	t->waking_ns = release > t->left_ns ? release : t->left_ns;
	t->expiry_ns = t->waking_ns;
	__builtin_memset(&t->waking, 0, sizeof(t->waking));
	t->waking.kind = TLOB_WAKER_IRQ;
	return 1;
}

static NOINLINE int key_wakes(struct watch_task *t, __u64 woken);

#include "attach/bpf/window.h"
#include "attach/bpf/await.h"
#include "attach/bpf/holder.h"
#include "attach/bpf/region.h"
#include "attach/bpf/born.h"

/* @task leaves this CPU. @state: 0 if it is not blocked. */
static NOINLINE int leaves(struct watch_task *t, struct task_struct *task, unsigned int state)
{
	struct watch_cpu *c = this_cpu();
	struct tlob_split *s;
	__u64 now;

	if (!t || (!(state & TASK_DEAD) && region_is_left(t)))
		return 0;
	s = &t->split;
	now = boundary(c, s);
	/* it ran, so it was switched in */
	if (t->phase != WATCH_RUNS && t->phase != WATCH_UNSEEN && resume(t, now)) {
		unseen(t);
		tlob_split_set_base(s, TLOB_WORK_ON_CPU);
	}
	if (t->open) {
		s->errors += c->skipped;
		tlob_split_charge(s, now);
		if (s->depth)
			tlob_split_unwind(s);
		now = s->last;
	}
	t->left_ns = now;
	if (state & TASK_DEAD) {
		if (HAS_KEY)
			key_rests(t);
		else if (t->open)
			close_window(t, task, TLOB_TASK_CUT);
		/* a switch that was not seen may have ended its wait */
		awaits_none(t);
		/* the tool may free it from here on */
#ifdef TLOB_BPF_OLDER
		barrier();
		ONCE(t->state) = WATCH_GONE;
#else
		__sync_lock_test_and_set(&t->state, WATCH_GONE);
#endif
		return 0;
	}
	if (state ? is_rest(t, task, state) : job_ends(t, task)) {
		if (HAS_KEY)
			key_rests(t);
		else if (t->open)
			close_window(t, task, TLOB_TASK_ENDED |
				     (state && !watch.nr_until && t->sleep == TLOB_SLEEP_UNCLEAR ?
				      TLOB_TASK_UNCLEAR : 0));
		t->phase = WATCH_RESTS;
		return 0;
	}
	changes(t);
	if (!state)
		awaits(t, bpf_get_smp_processor_id(), now);
	else
		find_holder(t, task);
	t->stopped = state ? task_stopped(task, state) : TLOB_KEPT_NOT;
	t->phase = state ? WATCH_SLEEPS : WATCH_WAITS;
	changes(t);
	s->switches++;
	tlob_split_set_base(s, state ? TLOB_WORK_SLEEP : TLOB_WORK_THREAD);
	return 0;
}

/* The task of @t begins to wait for a CPU. */
static inline void throttles(struct watch_task *t, const struct task_struct *task, bool throttled)
{
	t->throttled = throttled;
	if (throttled)
		t->throttled_ns = throttled_clock(task);
}

/*
 * The task of @t waited for @cpu until @now. @pid and @comm, on the stack: the task that
 * has that CPU, or TLOB_TURNS_UNKNOWN. Under the lock of the CPU's run queue.
 */
static NOINLINE int waited(struct watch_task *t, CPU_REF cpu, __u64 now, __s32 pid, const char *comm)
{
	struct tlob_noise longest, kept = {};
	struct tlob_turns_wait w;

	if (!t || !CPU_OF(cpu))
		return 0;
	w = wait_here(t, waits_since(t), now);
	if (pid == TLOB_TURNS_UNKNOWN)
		w.away = 0;
	if (t->throttled) {
		__u64 until = throttled_until(w.from, now, t->throttled_ns);

		tlob_turns_kept(TLOB_KEPT_THROTTLED, w.from, until, &kept);
		w.from = until;
		w.away = 0;
	}
	tlob_turns_longest(TURNS_OF(cpu), watch.turns_valid, &w, pid, comm, &longest);
	if (kept.ns > longest.ns)
		longest = kept;
	/* a task that moves may run */
	t->throttled = 0;
	if (longest.ns > t->other.ns)
		t->other = longest;
	return 0;
}

#include "waits/bpf/waker.h"
#include "attach/bpf/look.h"
#include "backend/bpf/timers.h"
#include "backend/bpf/chain.h"

/*
 * The kernel calls no program while the same one runs on the CPU: of a wake-up in an interrupt that
 * came then nothing is known. Returns whether the one of @t was such. How long it waited is not known.
 */
static NOINLINE int woken_unseen(struct watch_task *t, __u64 now)
{
	if (!t || (t->phase != WATCH_RESTS && t->phase != WATCH_SLEEPS) || t->waking_ns >= t->came_ns)
		return 0;
	t->waking_ns = now;
	t->expiry_ns = 0;
	t->stolen_ns = 0;
	t->met.kind = 0;
	t->soft = 0;
	__builtin_memset(&t->waking, 0, sizeof(t->waking));
	return 1;
}

/*
 * The task of @t comes to this CPU in the switch of @ctx, which began at @switched. @blocked: the one
 * that leaves waits for something.
 */
static NOINLINE int comes(__u64 *ctx, struct watch_task *t, __u32 slot, __u64 switched, bool blocked)
{
	const struct task_struct *prev = (void *)ctx[1];
	struct watch_cpu *c = this_cpu();
	__u64 now, from, comm[TLOB_NAME_LEN / 8];
	bool waited_for_it, kept, missed;
	struct tlob_split *s;

	if (!t)
		return 0;
	s = &t->split;
	kept = t->throttled;
	if (kept)
		t->throttled_ns = throttled_clock((void *)ctx[2]) - t->throttled_ns;
	/* its nmis begin here */
	c->nmi_ns_taken = ONCE(c->nmi_ns);
	c->nmi_count_taken = ONCE(c->nmi_count);
	ONCE(c->nmi_max) = 0;
	c->skipped = 0;
	c->slot = slot + 1;
	if (region_is_left(t)) {
		t->came_ns = switched;
		return 0;
	}
	missed = woken_unseen(t, switched);
	from = waits_since(t);
	if (switched > from + watch.late_ns || t->looked)
		look_at_switch(ctx, t, from, switched, blocked);
	c->steal = steal_clock(c);
	now = bpf_ktime_get_ns();
	if (t->phase != WATCH_RUNS) {
		/* the log's names are in a map; the verifier wants one kind of memory, or the stack */
		__builtin_memcpy(comm, __builtin_assume_aligned(prev->comm, 8), sizeof(comm));
		waited(t, REF_OF_THIS(c), switched, prev->pid, (const char *)comm);
	}
	waited_for_it = t->phase != WATCH_RUNS && !kept;
	if (resume(t, now)) {
		if (missed)
			unseen(t);
		tlob_split_charge(s, now);
		if (waited_for_it)
			interrupted(t, c, from, s->last);
		tlob_split_largest(s, TLOB_NOISE_THREAD, t->other.id, t->other.name, false,
				   t->other.ns);
		tlob_split_set_base(s, TLOB_WORK_ON_CPU);
		if (!t->ran)
			t->wake_ns = s->last - s->t0;
		t->ran = 1;
	}
	t->other.ns = 0;
	t->came_ns = now;
	awaits_none(t);
	return 0;
}

/* A task that waits for a CPU is about to be moved to another one; not while it is woken. */
static NOINLINE int migrates(struct watch_task *t, struct task_struct *p)
{
	__u64 now, comm[TLOB_NAME_LEN / 8] = {};

	if (!t || !p->on_rq || t->phase == WATCH_RUNS ||
	    (t->phase != WATCH_WAITS && t->waking_ns < t->left_ns))
		return 0;
	now = bpf_ktime_get_ns();
	if (t->throttled)
		t->throttled_ns = throttled_clock(p) - t->throttled_ns;
	waited(t, REF_OF(task_cpu(p)), now, TLOB_TURNS_UNKNOWN,
	       (const char *)comm);
	t->moved_ns = now;
	awaits_none(t);
	return 0;
}

SEC("tp_btf/sched_migrate_task")
int sched_migrate_task(__u64 *ctx)
{
	struct task_struct *p = (void *)ctx[0];

	if (has_chain)
		chain_migrates(p);
	migrates(at_slot(find_slot(p->pid)), p);
	return 0;
}

SEC("tp_btf/sched_switch")
int sched_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	__u32 leaving = find_slot(prev->pid), coming = find_slot(next->pid);
	struct watch_cpu *c = this_cpu();
	unsigned int state = left_in(ctx, prev);
	bool preempt = ctx[0];
	/* before leaves() reads the clock, so the wait that begins there has only turns of others */
	__u64 now = bpf_ktime_get_ns();
	struct watch_task *t;

	tlob_away_stolen(&c->turns.away, steal_clock(c));
	t = at_slot(leaving);
	if (chosen.on && !t && may_be_chosen(prev))
		t = at_slot(born(prev, state));
	if (preempt || !task_state(prev))
		state = 0;
#ifdef TLOB_BPF_OLDER
	if (t && state == TASK_WAKING)
		state = t->woken_in;
#endif
	/* before the clock is read for either: what it takes differs from switch to switch */
	if (has_chain)
		chain_switches(c, prev, next, state, now);
	if (t) {
		leaves(t, prev, state);
		if (!state && t->phase != WATCH_RESTS)
			throttles(t, prev, leaves_throttled(prev, next));
	}
	if (c->slot)
		c->slot = 0;
	t = at_slot(coming);
	if (t)
		comes(ctx, t, coming, now, state);
	tlob_turns_note(&c->turns, now, next->pid, next->comm);
	if (c->awaited)
		still_awaited(c, next->pid);
	return 0;
}

/* In the waker's context. It may come for a task that is still on its way to sleep. */
SEC("tp_btf/sched_waking")
int sched_waking(__u64 *ctx)
{
	struct task_struct *current, *p = (void *)ctx[0];
	struct watch_task *t = at_slot(find_slot(p->pid));
	const struct watch_timer *expiring;
	struct watch_cpu *c;
	__u64 now, chain = 0;
	int count;

	if (has_chain)
		chain = chain_wakes(this_cpu(), p, t);
	if (!t)
		return 0;
	t->woken_chain = chain;
#ifdef TLOB_BPF_OLDER
	/* on its way to sleep it may leave its CPU after its state was overwritten */
	t->woken_in = task_state(p);
#endif
	c = this_cpu();
	count = preempt_count();
	current = current_task();
	fill_waker(&t->waking, current, count);
	/* on PREEMPT_RT another task may preempt the one that runs the timer */
	expiring = expiring_at(c, count);
	t->expiry_ns = expiring->timer && expiring->pid == (__u32)task_pid(current) ?
		       expiring->expiry_ns : 0;
	if (HAS_KEY && t->waking.kind == TLOB_WAKER_TASK)
		key_hands(c);
	note_met(t, current, count);
	if (t->met.kind && t->met.id)
		look_at_timer(ctx, t, current, task_cpu(p) == bpf_get_smp_processor_id());
	now = bpf_ktime_get_ns();
	if (t->soft)
		note_kept(t, REF_OF_THIS(c), now);
	t->stolen_ns = t->expiry_ns ? tlob_turns_stolen(&c->turns, watch.turns_valid, t->expiry_ns, now,
							steal_clock(c)) : 0;
	if (t->phase == WATCH_UNSEEN)
		t->rests = is_rest(t, p, task_state(p));
	if (t->phase != WATCH_WAITS)
		throttles(t, p, task_throttled(p));
	t->waking_ns = now;
	/* it may come to another one, and then the interrupts of neither are known */
	if (t->phase != WATCH_WAITS && t->phase != WATCH_RUNS)
		awaits(t, task_cpu(p), t->waking_ns);
	return 0;
}

#include "attach/bpf/irqs.h"
