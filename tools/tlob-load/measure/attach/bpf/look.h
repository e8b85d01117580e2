/* SPDX-License-Identifier: GPL-2.0 */
/* A part of activations.bpf.c: the stacks of late activations, who is looked at, and when. */
#ifndef TLOB_ATTACH_BPF_LOOK_H
#define TLOB_ATTACH_BPF_LOOK_H

const volatile struct bpf_irq_regs_at irq_regs_at SEC(".rodata.irq_regs");

#ifdef TLOB_BPF_OLDER
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, WATCH_LATE);
	__type(value, __u32);
} entries SEC(".maps");
#endif

#ifdef TLOB_BPF_OLDER
#define FLAGS_OF(current)	BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), flags)
#else
#define FLAGS_OF(current)	((current)->flags)
#endif

/* Takes an entry for the stacks of @t, if it has none. */
static NOINLINE int take_entry(struct watch_task *t)
{
#ifdef TLOB_BPF_OLDER
	__u32 n;

	if (t && !t->late_entry && !bpf_map_pop_elem(&entries, &n))
		t->late_entry = n;
	return 0;
#else
	unsigned int i;
	__u64 n;

	if (!t)
		return 0;
	for (i = 0; i < LATE_ROUNDS && !t->late_entry; i++) {
		n = __sync_fetch_and_add(&watch.next_late, 1) & (WATCH_LATE - 1);
		if (!__sync_val_compare_and_swap(&watch.late[n].taken, 0, 1))
			t->late_entry = n + 1;
	}
	return 0;
#endif
}

/* Where the stack of @moment of @t goes to, or NULL. */
static inline struct tlob_late_stack *stack_of(struct watch_task *t, unsigned int moment)
{
	take_entry(t);
	if (!t->late_entry)
		return NULL;
	t->looked |= 1U << moment;
	/* the mask is for the verifier */
	return &watch.late[(t->late_entry - 1) & (WATCH_LATE - 1)].stacks.at[moment];
}

/* So long after its begin the activation of @t goes over its budget, if it has not run by then. */
static inline __u64 over_ns(const struct watch_task *t)
{
	__u64 ran = t->open ? t->split.part[TLOB_WORK_ON_CPU] : 0;
	__u64 left = t->least_ns > ran ? t->least_ns - ran : 0;

	return watch.budget_ns > left ? watch.budget_ns - left : 0;
}

/* A look at @now does not push the activation of @t over its budget. It began at @begins. */
static inline bool may_look(const struct watch_task *t, __u64 begins, __u64 now)
{
	return tlob_late_may_look(now - begins, over_ns(t));
}

/* The same, of a task that waits for a CPU since @from. */
static inline bool may_look_at_wait(const struct watch_task *t, __u64 from, __u64 now)
{
	if (t->open)
		return may_look(t, t->split.t0, now);
	return t->phase == WATCH_RESTS &&
	       may_look(t, begins_at(t, from, t->waking_ns >= t->left_ns), now);
}

/*
 * What an interrupt has met in the wait of @t from @from until @now, while that was for this CPU.
 * Returns its stack if that task had most of the wait, and is not @left, which left the CPU last.
 */
static inline const struct tlob_late_stack *copy_tick(struct watch_task *t, __u64 from, __u64 now,
						      __s32 left)
{
	struct tlob_turns_wait w = wait_here(t, from, now);
	struct tlob_late_stack *to;
	struct watch_tick *tick;
	__u32 key = 0;

	tick = bpf_map_lookup_elem(&ticks, &key);
	if (!tick || tick->at <= w.from)
		return NULL;
	to = stack_of(t, TLOB_LATE_TICK);
	if (to)
		*to = tick->stack;
	return to && tick->stack.pid != left && tlob_turns_was_most(&this_cpu()->turns, &tick->turn, &w) ?
	       &tick->stack : NULL;
}

/*
 * A task leaves its CPU to the one of @t, which has waited since @from: what looking takes is a part
 * of the wait. Of several waits of an activation the longest counts. @blocked: it waits as well.
 */
static NOINLINE int look_at_switch(__u64 *ctx, struct watch_task *t, __u64 from, __u64 now,
				   bool blocked)
{
	struct task_struct *prev = (void *)ctx[1];
	__u32 cpu = bpf_get_smp_processor_id();
	const struct tlob_late_stack *tick;
	struct tlob_late_stack *s;

	if (!t)
		return 0;
	if (looks_again && t->looked & TLOB_LATE_LOOK) {
		t->looked &= ~TLOB_LATE_LOOK;
		/* that of another CPU comes for nothing, once; that of this one, if another task waits */
		if (t->look_cpu == cpu && ONCE(watch.cpu[cpu & (WATCH_CPUS - 1)].awaiting) <= 1)
			interrupt_later(LOOK_NEVER_NS);
	}
	if (!prev->pid || t->phase == WATCH_RUNS || t->throttled || now <= from + watch.late_ns ||
	    now - from <= t->looked_ns || !may_look_at_wait(t, from, now))
		return 0;
	s = stack_of(t, TLOB_LATE_LEFT);
	if (!s)
		return 0;
	t->looked &= ~(1U << TLOB_LATE_TICK);
	tick = copy_tick(t, from, now, prev->pid);
	if (tick)
		tlob_late_left_before(s, tick);
	else
		fill_stack(ctx, s, prev, blocked, &irq_regs_at);
	t->looked_ns = now - from;
	return 0;
}

/* An interrupt comes to this CPU, for which tasks may wait for long: asks the last that began to. */
static NOINLINE int look_at_irq(void *ctx, struct watch_cpu *c, __u64 now)
{
	struct task_struct *running = current_task();
	const struct watch_task *own;
	struct watch_task *t;
	struct watch_tick *tick;
	__u64 from, at;
	__u32 key = 0;

	if (!c || !task_pid(running))
		return 0;
	/* a wait that begins from here on sets its own time */
	at = exchange(&c->look_at, NEVER);
	t = at_slot(find_slot(ONCE(c->awaiter)));
	if (!t || t->away_cpu != bpf_get_smp_processor_id() + 1 || t->phase == WATCH_RUNS ||
	    t->throttled)
		return 0;
	from = waits_since(t);
	own = current_window(c);
	/* what looking takes is an irq of the one that runs; a time that is too early does no harm */
	if (now <= from + watch.late_ns || !may_look_at_wait(t, from, now) ||
	    (own && !may_look(own, own->split.t0, now))) {
		ONCE(c->look_at) = at;
		return 0;
	}
	tick = bpf_map_lookup_elem(&ticks, &key);
	if (!tick)
		return 0;
	tick->at = now;
	tlob_turns_mark(&c->turns, &tick->turn);
	fill_stack(ctx, &tick->stack, running, false, &irq_regs_at);
	return 0;
}

/*
 * Notes the task that the interrupt of the timer has met. Not if a softirq runs the timer, or perhaps
 * does: others ran before it, and note_kept() has who. Nor if it has met user code, which cannot
 * delay it.
 */
static inline void note_met(struct watch_task *t, const struct task_struct *current, int count)
{
	bool hard = count == NO_COUNT ? !bpf_core_field_exists(current->softirq_disable_cnt) :
		    count & PREEMPT_HARDIRQ;

	/* without a count PREEMPT_RT still says that a softirq is served */
	t->soft = t->expiry_ns && !hard &&
		  (count != NO_COUNT || (bpf_core_field_exists(current->softirq_disable_cnt) &&
					 SOFTIRQS_OF(current) & PREEMPT_SOFTIRQ));
	t->met.kind = t->expiry_ns && hard && !percpu_met_user(&irq_regs_at) ?
		      TLOB_NOISE_THREAD : 0;
	if (!t->met.kind)
		return;
	t->met.id = task_pid(current);
	copy_name(t->met.name, current);
	if (!task_pid(current))
		__builtin_memcpy(t->met.name, "idle", sizeof("idle"));
}

/*
 * A softirq that runs the timer of @t is late: notes the task that had this CPU for most of the time
 * since the expiry, if a thread runs the softirq. Which task another softirq has met is chance.
 */
static NOINLINE int note_kept(struct watch_task *t, CPU_REF cpu, __u64 now)
{
	struct tlob_turns_wait w = { .now = now };
	__u64 comm[TLOB_NAME_LEN / 8] = {};
	struct task_struct *current = current_task();

	if (!t || !CPU_OF(cpu))
		return 0;
	w.from = begins_at(t, now, true);
	if (now <= w.from + watch.late_ns || !(FLAGS_OF(current) & PF_KTHREAD) || !task_pid(current))
		return 0;
	tlob_turns_longest(TURNS_OF(cpu), watch.turns_valid, &w, TLOB_TURNS_UNKNOWN, (const char *)comm,
			   &t->met);
	if (!t->met.ns || t->met.ns < (now - w.from) / 2 || !t->met.id ||
	    t->met.id == (__s32)task_pid(current))
		t->met.kind = 0;
	return 0;
}

/*
 * The interrupt of the timer of @t has met a task in the kernel, and is late itself, or that task
 * keeps the CPU: then another interrupt looks once. What looking takes is a part of the delay.
 */
static NOINLINE int look_at_timer(void *ctx, struct watch_task *t, struct task_struct *current,
				  bool here)
{
	struct tlob_late_times times;
	struct tlob_late_stack *s;
	__u64 begins, now;

	if (!t || t->phase != WATCH_RESTS)
		return 0;
	now = bpf_ktime_get_ns();
	begins = begins_at(t, now, true);
	if (now > begins + watch.late_ns && may_look(t, begins, now)) {
		s = stack_of(t, TLOB_LATE_MET);
		if (s)
			fill_stack(ctx, s, current, false, &irq_regs_at);
	}
	if (looks_again && here) {
		t->looked |= TLOB_LATE_LOOK;
		t->look_cpu = bpf_get_smp_processor_id();
		times.late_at = now + watch.late_ns;
		times.over_at = begins + over_ns(t);
		interrupt_later(tlob_late_after(&times, now, now) + LOOK_LATER_NS);
	}
	return 0;
}

#endif /* TLOB_ATTACH_BPF_LOOK_H */
