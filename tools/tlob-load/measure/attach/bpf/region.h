/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A part of activations.bpf.c: the windows of a region. One begins as its thread reaches a start, and
 * ends as the same thread reaches a stop. Nothing rests meanwhile: a sleep is a part of it.
 *
 * Programs of uprobes run with irqs on, and since Linux 6.0 other threads preempt them. What comes on
 * this CPU has ended before they go on, and only changes a window that is open. So a window opens last
 * and is closed first.
 */
#ifndef TLOB_ATTACH_BPF_REGION_H
#define TLOB_ATTACH_BPF_REGION_H

#define OPEN_ROUNDS	4	/* irqs and switches may come each time */

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, WATCH_TASKS);
	__type(value, __u32);
} free_slots SEC(".maps");

/* Other processes that came to a stop. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WATCH_OTHERS);
	__type(key, __u32);
	__type(value, __u32);
} others SEC(".maps");

/* The thread of @t is outside of its region, where its time is nobody's. */
static inline bool region_is_left(const struct watch_task *t)
{
	return of_region && !t->open;
}

/* The window of @t begins here and now, in its slot. */
static NOINLINE int region_open(struct watch_task *t, __u32 slot)
{
	struct watch_cpu *c = this_cpu();
	__u32 unseen, i;
	__u64 came;

	if (!t)
		return 0;
	for (i = 0; i < OPEN_ROUNDS; i++) {
		c->slot = slot + 1;
		came = ONCE(t->came_ns);
		unseen = ONCE(c->unseen);
		c->nmi_ns_taken = ONCE(c->nmi_ns);
		c->nmi_count_taken = ONCE(c->nmi_count);
		ONCE(c->nmi_max) = 0;
		c->skipped = 0;
		c->steal = steal_clock(c);
		t->phase = WATCH_RUNS;
		t->other.ns = 0;
		reset_window(t, bpf_ktime_get_ns());
		tlob_split_set_base(&t->split, TLOB_WORK_ON_CPU);
		t->ran = 1;
		barrier();
		set_ordered(&t->open, 1);
		barrier();
		/* else what came in between would be the thread's: the window begins after it */
		if (ONCE(t->came_ns) == came && ONCE(c->unseen) == unseen)
			return 0;
		set_ordered(&t->open, 0);
		barrier();
	}
	set_ordered(&t->open, 1);
	t->split.errors++;
	return 0;
}

/* The kernel did not report the switch to the thread of @t, which runs here. */
static NOINLINE int region_unseen(struct watch_task *t)
{
	struct watch_cpu *c = this_cpu();

	if (!t)
		return 0;
	c->nmi_ns_taken = ONCE(c->nmi_ns);
	c->nmi_count_taken = ONCE(c->nmi_count);
	c->skipped = 0;
	c->steal = steal_clock(c);
	resume(t, bpf_ktime_get_ns());
	unseen(t);
	return 0;
}

/* What the thread of @t, which runs here, had until now is charged, and nothing moves its split any more. */
static NOINLINE int region_charge(struct watch_task *t)
{
	struct watch_cpu *c = this_cpu();
	struct boundary b = { 0 };

	if (!t)
		return 0;
	if (t->phase != WATCH_RUNS)
		region_unseen(t);
	read_boundary(c, &t->split, &b);
	barrier();
	set_ordered(&t->open, 0);
	barrier();
	/* an irq or a switch that came after the clock was read has charged up to a later time: it ends there */
	if (t->split.last <= b.now) {
		take_boundary(c, &t->split, &b);
		tlob_split_charge(&t->split, b.now);
	}
	t->split.errors += c->skipped;
	c->skipped = 0;
	return 0;
}

/* The window of @t, whose thread runs here, ends here and now. */
static NOINLINE int region_close(struct watch_task *t, struct task_struct *task, __u32 flags)
{
	region_charge(t);
	return close_window(t, task, flags);
}

/* Returns the slot of the thread @tid, which runs here; WATCH_TASKS: none. */
static inline __u32 own_slot(__u32 tid)
{
	__u32 slot = ONCE(this_cpu()->slot) - 1;
	const struct watch_task *t = at_slot(slot);

	return t && t->tid == tid ? slot : find_slot(tid);
}

/* The thread @id, of a 32-bit program if @compat, runs and takes a slot. Returns it, or WATCH_TASKS. */
static NOINLINE __u32 take_slot(__u64 id, bool compat)
{
	__u32 tid = id, slot;
	struct watch_task *t;

	if (bpf_map_pop_elem(&free_slots, &slot))
		return WATCH_TASKS;
	t = &watch.task[slot & (WATCH_TASKS - 1)];
	t->tid = tid;
	t->tgid = id >> 32;
	t->compat = compat;
	/* a sleep that restart_syscall() continues may be in any call */
	t->rested = !of_region;
	t->phase = WATCH_RUNS;
	t->left_ns = bpf_ktime_get_ns();
	__sync_fetch_and_add(&watch.hint[tid & (WATCH_HINTS - 1)], 1);
	set_ordered(&t->state, WATCH_ON);
	/* one with this tid may have gone, whose slot the tool has not freed yet */
	if (!bpf_map_update_elem(&slots, &tid, &slot, BPF_ANY))
		return slot;
	set_ordered(&t->state, WATCH_FREE);
	__sync_fetch_and_add(&watch.hint[tid & (WATCH_HINTS - 1)], -1);
	bpf_map_push_elem(&free_slots, &slot, 0);
	return WATCH_TASKS;
}

static inline bool is_watched(__u32 tgid)
{
	return !watch.tgid || watch.tgid == tgid;
}

/* What a program has of its context is read at a distance that the verifier knows: not at one of two. */
#define FROM_CTX(field)							\
({									\
	__u64 from_ctx_ = (field);					\
									\
	__asm__ volatile("" : "+r" (from_ctx_));			\
	from_ctx_;							\
})

static inline __u64 stack_pointer(struct pt_regs *ctx)
{
	struct pt_regs___arm64 *arm64 = (void *)ctx;

	if (bpf_core_field_exists(ctx->orig_ax))
		return FROM_CTX(ctx->sp);
	return FROM_CTX(arm64->sp);
}

static inline bool is_32bit(struct pt_regs___read *ctx)
{
	if (bpf_core_field_exists(ctx->orig_ax))
		return FROM_CTX(ctx->cs) != USER_CS_64;
	return FROM_CTX(ctx->pstate) & PSR_32BIT;
}

#include "attach/bpf/key.h"

/* Returns the slot of the thread @id, which runs here, and takes one if it has none. */
static inline __u32 need_slot(struct pt_regs *ctx, __u64 id)
{
	__u32 slot = own_slot(id);

	return at_slot(slot) ? slot : take_slot(id, is_32bit((void *)ctx));
}

SEC("uprobe")
int region_start(struct pt_regs *ctx)
{
	__u64 sp = stack_pointer(ctx), id = bpf_get_current_pid_tgid();
	struct watch_task *t;
	__u32 slot;

	if (!is_watched(id >> 32))
		return 0;
	slot = need_slot(ctx, id);
	t = at_slot(slot);
	if (!t) {
		__sync_fetch_and_add(&watch.region.no_slot, 1);
		return 0;
	}
	if (HAS_KEY)
		return key_start(t, slot, key_value(ctx, key_at.start), sp);
	if (t->depth && sp < t->sp) {
		t->depth++;
		__sync_fetch_and_add(&watch.region.nested, 1);
		return 0;
	}
	/* not a call inside of the first one: longjmp() or an exception has left that */
	if (t->depth) {
		set_ordered(&t->open, 0);
		t->looked = 0;
		t->looked_ns = 0;
		__sync_fetch_and_add(&watch.region.left, 1);
	}
	t->depth = 1;
	t->sp = sp;
	region_open(t, slot);
	return 0;
}

/* Another process came to a stop. */
static NOINLINE int count_other(__u32 tgid)
{
	__u32 one = 1;

	__sync_fetch_and_add(&watch.region.others, 1);
	bpf_map_update_elem(&others, &tgid, &one, BPF_ANY);
	return 0;
}

/* When the thread that runs here began. */
static inline __u64 thread_began(void)
{
#ifdef TLOB_BPF_OLDER
	const struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, start_time);
#else
	return ((const struct task_struct *)current_task())->start_time;
#endif
}

SEC("uprobe")
int region_stop(struct pt_regs *ctx)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct watch_task *t;
	__u32 slot;

	if (!is_watched(id >> 32))
		return count_other(id >> 32);
	if (HAS_KEY) {
		slot = need_slot(ctx, id);
		return key_stop(at_slot(slot), slot, key_value(ctx, key_at.stop));
	}
	t = at_slot(own_slot(id));
	if (t && t->depth) {
		t->depth--;
		if (!t->depth)
			region_close(t, current_task(), TLOB_TASK_ENDED);
	} else if (t || thread_began() >= watch.began_ns) {
		__sync_fetch_and_add(&watch.region.unmatched, 1);
	} else {
		__sync_fetch_and_add(&watch.region.before, 1);
	}
	return 0;
}

/* The thread of @t has another stack from here on. */
static NOINLINE int region_exec(struct watch_task *t, struct task_struct *task)
{
	if (!t)
		return 0;
	t->depth = 0;
	if (HAS_KEY) {
		t->key = 0;
		set_ordered(&t->open, 0);
	} else if (t->open) {
		region_close(t, task, TLOB_TASK_CUT);
	}
	return 0;
}

/* A thread that is not the first of its process gets the tid of that one, which has gone. */
SEC("tp_btf/sched_process_exec")
int sched_process_exec(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u32 before = ctx[1], tid = task->pid;
	struct watch_task *t = at_slot(find_slot(before));

	region_exec(t, task);
	if (before == tid)
		return 0;
	if (t)
		set_ordered(&t->state, WATCH_GONE);
	region_exec(at_slot(find_slot(tid)), task);
	return 0;
}

#endif /* TLOB_ATTACH_BPF_REGION_H */
