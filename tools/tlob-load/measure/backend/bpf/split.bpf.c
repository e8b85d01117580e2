// SPDX-License-Identifier: GPL-2.0
/*
 * The hooks of the backend `bpf`: the tracepoints of the module's noise source
 * `hooks`, and the expiry of the measuring thread's timer instead of one of its
 * own. cell.h has what they do.
 *
 * Only helpers that lockdown=confidentiality allows are called. Memory of the
 * kernel is read by typed pointers, not by bpf_probe_read_kernel(). So names of
 * threads come from here, names of irqs from the tool.
 */
#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <linux/time.h>
#include <linux/types.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/* BPF functions have at most five arguments, and calls cost. */
#define inline inline __attribute__((always_inline))

static inline __u64 tlob_cell_clock(void)
{
	return bpf_ktime_get_ns();
}

#include "backend/bpf/cell.h"
#include "backend/bpf/older.h"
#include "backend/bpf/preempt.h"

/* The tool says it before it loads the programs. What a run has not is not in them then. */
const volatile struct tlob_cell_with with = {
	.tracks = true, .calls = true, .look_again = true,
};

#include "backend/bpf/stacks.h"
#include "backend/bpf/steal.h"
#include "backend/bpf/throttled.h"

/* The fields that are read, with offsets of the running kernel. */
#define TLOB_CORE __attribute__((preserve_access_index))

struct thread_info {
	__u32	cpu;
} TLOB_CORE;

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	void	*stack;
	__s32	pid;
	char	comm[TLOB_NAME_LEN];
} TLOB_CORE;

struct hrtimer {
	__s64	_softexpires;
} TLOB_CORE;

struct irqaction;

struct tlob_cell cells[TLOB_CELL_CPUS];

#ifdef TLOB_BPF_OLDER
static inline struct tlob_cell *tlob_cell_here(void)
{
	/* a hook has found it by that CPU */
	struct tlob_cell *c = &cells[bpf_get_smp_processor_id() & (TLOB_CELL_CPUS - 1)];

	/* else the compiler keeps the address of each field on the stack */
	__asm__ volatile("" : "+r" (c));
	return c;
}
#endif

static inline __u64 tlob_cell_steal(const struct tlob_cell *c)
{
	return steal_read(&with.steal, c->steal_at, c->steal);
}

/* The tool makes room for the measured CPUs if it wants timelines. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tlob_track);
} tracks SEC(".maps");

/* A cursor moves on its own CPU only. */
static inline struct tlob_track *tlob_split_find_track(const struct tlob_split *s)
{
	__u32 cpu;

	if (!with.tracks || !s->track)
		return NULL;
	cpu = bpf_get_smp_processor_id();
	return bpf_map_lookup_elem(&tracks, &cpu);
}

/* The tool makes room for the measured CPUs if it has sets of functions. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tlob_calls);
} calls SEC(".maps");

static inline struct tlob_calls *tlob_split_find_calls(const struct tlob_split *s)
{
	__u32 cpu;

	if (!with.calls || !s->calls)
		return NULL;
	cpu = bpf_get_smp_processor_id();
	return bpf_map_lookup_elem(&calls, &cpu);
}

/* @comm runs on this CPU from here on. */
static inline void runs(const struct tlob_cell *c, const char *comm)
{
	struct tlob_track *track = TLOB_SPLIT_TRACK(&c->split);

	if (track)
		tlob_track_task(track, comm);
}

/*
 * No ring: before 6.12 its lock sleeps on PREEMPT_RT, which an interrupt must not. That of a queue
 * spins.
 */
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 1024);
	__type(value, struct tlob_cell_violation);
} violations SEC(".maps");

/* The stack has no room for it. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tlob_cell_violation);
} scratch SEC(".maps");

char LICENSE[] SEC("license") = "GPL";

/* The cell of this CPU if it is measured now, else NULL. */
static inline struct tlob_cell *active_cell(void)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct tlob_cell *c;

	if (cpu >= TLOB_CELL_CPUS)
		return NULL;
	c = &cells[cpu];
	/* else the compiler computes it anew for each field */
	__asm__ volatile("" : "+r" (c));
	return c->active ? c : NULL;
}

/* The irq is none yet: what looking costs is the time of the task that it meets. */
static TLOB_NOINLINE int look_at_irq(void *ctx, struct tlob_cell *c)
{
	if (!tlob_cell_in_work(c) && !(c->looked & 1U << TLOB_LATE_TICK) &&
	    tlob_cell_is_late(c, tlob_cell_clock()))
		take_stack(ctx, c, current_task(), TLOB_LATE_TICK, false);
	return 0;
}

/*
 * Raw tracepoints without types: each of these programs is attached to many. A vector has a
 * negative id here: an irq may have the same number.
 */
#define TLOB_IRQ(_name, _function, _sign, _looks)			\
SEC("raw_tp")								\
int _name(struct bpf_raw_tracepoint_args *ctx)				\
{									\
	struct tlob_cell *c = active_cell();				\
									\
	if (!c || irq_is_nmi())						\
		return 0;						\
	if (_looks && c->split.fired)					\
		look_at_irq(ctx, c);					\
	_function(c, TLOB_NOISE_IRQ, _sign (__s32)ctx->args[0]);	\
	return 0;							\
}

TLOB_IRQ(irq_entry, tlob_cell_enter, +, true)
TLOB_IRQ(irq_exit, tlob_cell_exit, +, false)
TLOB_IRQ(vector_entry, tlob_cell_enter, -, true)
TLOB_IRQ(vector_exit, tlob_cell_exit, -, false)

SEC("tp_btf/softirq_entry")
int BPF_PROG(softirq_entry, unsigned int nr)
{
	struct tlob_cell *c = active_cell();

	if (c)
		tlob_cell_open(c, TLOB_CELL_ENTER, TLOB_NOISE_SOFTIRQ, nr);
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(softirq_exit, unsigned int nr)
{
	struct tlob_cell *c = active_cell();

	if (c)
		tlob_cell_open(c, TLOB_CELL_EXIT, TLOB_NOISE_SOFTIRQ, nr);
	return 0;
}

SEC("tp_btf/nmi_handler")
int BPF_PROG(nmi_handler, void *handler, __s64 delta_ns, int handled)
{
	struct tlob_cell *c = active_cell();

	if (c && delta_ns > 0)
		tlob_cell_nmi(c, delta_ns, handled);
	return 0;
}

#define TASK_DEAD	0x80

/* @pid has run for the last time: what it called does not return. */
static inline void dies(struct tlob_cell *c, __s32 pid)
{
	struct tlob_calls *of = TLOB_SPLIT_CALLS(&c->split);

	if (of && !c->busy)
		tlob_calls_exited(of, &c->split, pid);
}

/* @prev leaves the CPU to the thread: after a while, or an interrupt was asked for. 1: that took time. */
static TLOB_NOINLINE int look_at_switch(void *ctx, struct tlob_cell *c, struct task_struct *prev,
					bool blocked)
{
	if (c->looked & TLOB_LATE_LOOK)
		look_again(c, LOOK_NEVER_NS);
	if (!tlob_cell_is_late(c, c->split.last) || !prev->pid)
		return 0;
	take_stack(ctx, c, prev, TLOB_LATE_LEFT, blocked);
	return 1;
}

static TLOB_NOINLINE int switched(struct tlob_cell *c, __u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	bool preempt = ctx[0];
	unsigned int prev_state = left_in(ctx, prev);
	bool blocked = !preempt && prev_state && task_state(prev);

	if (prev->pid == c->split.own && !blocked && c->split.fired && leaves_throttled(prev, next))
		c->split.throttled = true;
	tlob_cell_switch(c, prev->pid, prev->comm, blocked, next->pid);
	/* the kernel allows eight frames, with the program's own, so it is no call of look_at_switch() */
	if (c->split.last > c->look_at && next->pid == c->split.own &&
	    look_at_switch(ctx, c, prev, blocked))
		tlob_cell_charge_thread(c);
	runs(c, next->comm);
	if (prev_state & TASK_DEAD)
		dies(c, prev->pid);
	return 0;
}

SEC("tp_btf/sched_switch")
int sched_switch(__u64 *ctx)
{
	struct tlob_cell *c = active_cell();

	return c ? switched(c, ctx) : 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(sched_wakeup, struct task_struct *p)
{
	__u32 cpu = task_cpu(p);
	struct tlob_cell *c;

	if (cpu >= TLOB_CELL_CPUS)
		return 0;
	c = &cells[cpu];
	if (!c->active || c->split.own != p->pid)
		return 0;
	if (task_throttled(p))
		c->split.throttled = true;
	tlob_cell_wakeup(c, cpu == bpf_get_smp_processor_id());
	return 0;
}

/* The thread is about to leave its CPU. */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(sched_migrate_task, struct task_struct *p, int dest_cpu)
{
	__u32 cpu = task_cpu(p);

	if (cpu < TLOB_CELL_CPUS && cells[cpu].pid == p->pid &&
	    (__u32)dest_cpu != cpu)
		cells[cpu].migrated = 1;
#ifndef TLOB_BPF_OLDER
	if (with.calls && cpu < TLOB_CELL_CPUS && cells[cpu].calls && (__u32)dest_cpu != cpu) {
		struct tlob_calls *of = bpf_map_lookup_elem(&calls, &cpu);

		if (of)
			tlob_cell_call_migrated(of, p->pid);
	}
#endif
	return 0;
}

/* It has met a task. User code is preempted at once. */
static TLOB_NOINLINE int look_when_late(struct tlob_cell *c)
{
	if (!percpu_met_user(&with.irq_regs))
		look_again(c, tlob_late_after(&c->times, c->split.t0, c->t1));
	return 0;
}

/* Returns whether it came late, and not in user code. */
static TLOB_NOINLINE int expired(struct tlob_cell *c)
{
	struct task_struct *current = current_task();
	int late_kernel = 0;

	if (c->split.fired || c->timer - c->stack >= TLOB_CELL_STACK)
		return 0;
	tlob_cell_open(c, TLOB_CELL_T1, 0, 0);
	if (c->t1 - c->split.t0 > TLOB_SHORT_NS) {
		c->met_user = percpu_met_user(&with.irq_regs);
		late_kernel = tlob_late_is(&c->times, c->t1) && task_pid(current) && !c->met_user;
	}
	if (with.look_again && task_pid(current))
		look_when_late(c);
	c->delayed_by_pid = task_pid(current);
	copy_name(c->delayed_by, current);
	runs(c, name_of(current, c->delayed_by));
	return late_kernel;
}

/* The watcher's timer: the budget is over, and the window still runs. */
static TLOB_NOINLINE int over(struct tlob_cell *c)
{
	struct tlob_cell_violation *v;
	__u32 key = 0;
	__u64 now;

	if (c->busy || c->exceeded || c->timer - c->watch_stack >= TLOB_CELL_STACK)
		return 0;
	now = tlob_cell_settle(c);
	tlob_split_charge(&c->split, now);
	/* the timer's clock may be a little ahead; the end of the window reports */
	if (now < c->deadline)
		return 0;
	v = bpf_map_lookup_elem(&scratch, &key);
	if (!v)
		return 0;
	v->cpu = bpf_get_smp_processor_id();
	v->pid = c->split.own;
	v->activation = c->activation;
	v->t0_ns = c->split.t0;
	v->elapsed_ns = now - c->split.t0;
	__builtin_memcpy(v->part_ns, c->split.part, sizeof(v->part_ns));
	v->switches = c->split.switches;
	v->base = c->split.base;
	v->fired = c->split.fired;
	c->exceeded = 1;
	c->unqueued += !!bpf_map_push_elem(&violations, v, 0);
	return 0;
}

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(hrtimer_expire_entry, struct hrtimer *timer)
{
	struct tlob_cell *c = active_cell();
	__u64 expires;

	if (!c)
		return 0;
	expires = timer->_softexpires;
	if (expires != c->split.t0 && expires != c->deadline)
		return 0;
	/* the verifier computes with addresses only once they were in memory */
	TLOB_CELL_ONCE(c->timer) = (__u64)timer;
	if (expires == c->split.t0) {
		if (expired(c))
			take_stack(ctx, c, current_task(), TLOB_LATE_MET, false);
		return 0;
	}
	over(c);
	return 0;
}

/* Where the kernel stack of the running thread begins, or some stacks before: it is aligned to its size. */
static inline void note_stack(__u64 *to, const struct task_struct *current)
{
#ifdef TLOB_BPF_OLDER
	__u64 here = 0;

	/* the verifier computes with addresses only once they were in memory */
	TLOB_CELL_ONCE(*to) = (__u64)&here;
	TLOB_CELL_ONCE(*to) = TLOB_CELL_ONCE(*to) & ~(TLOB_CELL_STACK - 1ULL);
#else
	*to = (__u64)current->stack;
#endif
}

/*
 * Run by BPF_PROG_TEST_RUN in the thread that it is about: gives the cell of CPU
 * ctx[1] its pid in the initial namespace, its stack, and the clock of the hooks.
 * ctx[0] is 0 for the measuring thread, 1 for the watcher.
 */
SEC("raw_tp")
int introduce(__u64 *ctx)
{
	struct task_struct *current = current_task();
	__u64 cpu = ctx[1];
	struct tlob_cell *c;

	if (cpu >= TLOB_CELL_CPUS)
		return 1;
	c = &cells[cpu];
	if (ctx[0]) {
		note_stack(&c->watch_stack, current);
		return 0;
	}
	c->pid = task_pid(current);
	note_stack(&c->stack, current);
	c->t1 = bpf_ktime_get_ns();
	c->steal_at = steal_find(&with.steal);
	c->steal = tlob_cell_steal(c);
	return 0;
}

/* Run in the same way by the measuring thread: returns in its cell how far the steal clock is. */
SEC("raw_tp")
int ask_steal(__u64 *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();

	if (cpu < TLOB_CELL_CPUS)
		cells[cpu].steal_asked = tlob_cell_steal(&cells[cpu]);
	return 0;
}
