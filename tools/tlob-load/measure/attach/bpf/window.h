/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A part of activations.bpf.c: the window of an activation, how it begins, continues after a sleep,
 * and ends.
 */
#ifndef TLOB_ATTACH_BPF_WINDOW_H
#define TLOB_ATTACH_BPF_WINDOW_H

/* A reading of the clocks of this CPU. */
struct boundary {
	__u64	now, steal, nmi_ns;
	__u32	nmi_count;
};

/* Changes nothing. */
static inline void read_boundary(const struct watch_cpu *c, const struct tlob_split *s, struct boundary *b)
{
	unsigned int i;

	for (i = 0; i < CLOCK_ROUNDS; i++) {
		b->nmi_ns = ONCE(c->nmi_ns);
		b->nmi_count = ONCE(c->nmi_count);
		barrier();
		b->now = bpf_ktime_get_ns();
		barrier();
		if (ONCE(c->nmi_ns) == b->nmi_ns)
			break;
	}
	/* if it has not moved, nothing was stolen until that reading of the clock */
	b->steal = tlob_split_is_long(s, b->now) ? steal_clock(c) : c->steal;
	if (b->steal != c->steal)
		b->now = bpf_ktime_get_ns();
}

/* The split gets the nmis before @b, and the time stolen. */
static inline void take_boundary(struct watch_cpu *c, struct tlob_split *s, const struct boundary *b)
{
	if (b->steal != c->steal) {
		tlob_split_stolen(s, b->steal - c->steal);
		c->steal = b->steal;
	}
	if (b->nmi_ns == c->nmi_ns_taken)
		return;
	tlob_split_nmi(s, b->nmi_ns - c->nmi_ns_taken, b->nmi_count - c->nmi_count_taken, ONCE(c->nmi_max));
	c->nmi_ns_taken = b->nmi_ns;
	c->nmi_count_taken = b->nmi_count;
	ONCE(c->nmi_max) = 0;
}

/* Returns the time of a boundary of the task that runs here. The split gets what came before it. */
static inline __u64 boundary(struct watch_cpu *c, struct tlob_split *s)
{
	struct boundary b = { 0 };

	read_boundary(c, s, &b);
	take_boundary(c, s, &b);
	return b.now;
}

static inline void fill_window(struct tlob_task_window *w, const struct watch_task *t,
			       const struct task_struct *task, __u32 flags)
{
	const struct tlob_split *s = &t->split;

	w->flags = flags;
	w->tid = task_pid(task);
	w->tgid = task_tgid(task);
	w->state = TLOB_TASK_RUNNING;
	w->switches = s->switches;
	w->start_ns = s->t0;
	w->elapsed_ns = s->last - s->t0;
	w->threshold_ns = watch.budget_ns;
	w->part_ns[TLOB_TASK_PART_RUNNING] = s->part[TLOB_WORK_ON_CPU];
	w->part_ns[TLOB_TASK_PART_IRQ] = s->part[TLOB_WORK_IRQ];
	w->part_ns[TLOB_TASK_PART_SOFTIRQ] = s->part[TLOB_WORK_SOFTIRQ];
	w->part_ns[TLOB_TASK_PART_NMI] = s->part[TLOB_WORK_NMI];
	w->part_ns[TLOB_TASK_PART_HW] = 0;
	w->part_ns[TLOB_TASK_PART_WAITING] = s->part[TLOB_WORK_THREAD];
	w->part_ns[TLOB_TASK_PART_SLEEPING] = s->part[TLOB_WORK_SLEEP];
	w->part_ns[TLOB_TASK_PART_TIMER] = s->part[TLOB_WAKE_IRQ_DELAY];
	w->part_ns[TLOB_TASK_PART_STEAL] = s->part[TLOB_WORK_STEAL];
	__builtin_memcpy(w->count, s->count[1], sizeof(w->count));
	w->count[TLOB_NOISE_THREAD] = 0;
	w->cpu = bpf_get_smp_processor_id();
	if (t->lock_ns > s->part[TLOB_WORK_SLEEP] / 2)
		w->flags |= TLOB_TASK_LOCK;
	if (t->late_soft)
		w->flags |= TLOB_TASK_SOFT_TIMER;
	w->largest = t->late.ns > s->largest.ns ? t->late : s->largest;
	w->adjusted_ns = s->adjusted;
	w->clock_steps = s->steps;
	w->errors = s->errors;
	copy_name(w->comm, task);
	if (w->elapsed_ns > w->threshold_ns)
		w->flags |= TLOB_TASK_VIOLATION;
	if (w->adjusted_ns || w->clock_steps || w->errors)
		w->flags |= TLOB_TASK_INEXACT;
}

#ifdef TLOB_BPF_OLDER
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, WATCH_RECORDS);
	__type(value, struct watch_record);
} records SEC(".maps");

/* The stack has no room for it. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct watch_record);
} scratch SEC(".maps");
#else
/* Takes an index of the ring. WATCH_RECORDS: it is full. */
static inline __u64 take_index(void)
{
	unsigned int i;
	__u64 n;

	for (i = 0; i < INDEX_ROUNDS; i++) {
		n = ONCE(watch.next);
		if (n - ONCE(watch.tail) >= WATCH_RECORDS)
			break;
		if (__sync_val_compare_and_swap(&watch.next, n, n + 1) == n)
			return n & (WATCH_RECORDS - 1);
	}
	__sync_fetch_and_add(&watch.dropped, 1);
	return WATCH_RECORDS;
}
#endif

/* The record of the window of @t has its stacks from here on. */
static NOINLINE int give_stacks(struct watch_record *r, struct watch_task *t)
{
	if (!r || !t)
		return 0;
	r->late_entry = t->late_entry;
	r->looked = t->looked;
	t->late_entry = 0;
	t->looked = 0;
	t->looked_ns = 0;
	return 0;
}

/* The longest wait of the window of the thread that runs here; NULL: without --waits. */
static inline struct wait_bpf_longest *longest_wait(void)
{
	__u32 slot = this_cpu()->slot - 1;

	return names_waits ? bpf_map_lookup_elem(&longest_waits, &slot) : NULL;
}

/* A wait inside of the window has ended, or a window begins. @wanted: no other one was as long. */
static inline void want_stack(bool wanted)
{
	struct wait_bpf_longest *l = longest_wait();

	if (!l)
		return;
	l->wanted = wanted;
	if (wanted)
		l->stack = 0;
}

/* The window ends here and now. */
static NOINLINE int close_window(struct watch_task *t, struct task_struct *task, __u32 flags)
{
	struct wait_bpf_longest *l;
	struct watch_record *r;
#ifdef TLOB_BPF_OLDER
	__u32 key = 0;
#else
	__u64 n;
#endif

	if (!t)
		return 0;
	t->open = 0;
	if (!t->least_ns || t->split.part[TLOB_WORK_ON_CPU] < t->least_ns)
		t->least_ns = t->split.part[TLOB_WORK_ON_CPU];
#ifdef TLOB_BPF_OLDER
	r = bpf_map_lookup_elem(&scratch, &key);
	if (!r)
		return 0;
#else
	n = take_index();
	if (n >= WATCH_RECORDS) {
		t->looked = 0;
		t->looked_ns = 0;
		return 0;
	}
	r = &watch.record[n];
#endif
	r->late_entry = 0;
	if (t->looked)
		give_stacks(r, t);
	fill_window(&r->a.window, t, task, flags);
	l = longest_wait();
	r->a.wait.stack = l ? l->stack : 0;
	if (!names_waits && r->a.window.flags & TLOB_TASK_LOCK) {
		r->a.wait.ns = t->longest_lock_ns;
		r->a.wait.waker = t->lock_waker;
		r->chain = t->lock_chain;
	} else {
		r->a.wait.ns = t->longest_ns;
		r->a.wait.waker = t->longest_waker;
		r->chain = t->longest_chain;
	}
	r->a.holder = t->lock_holder;
	r->a.waker = t->waker;
	r->a.nr = t->nr;
	r->a.wake_ns = t->wake_ns;
	r->a.timer_ns = t->timer_ns;
	r->a.call = t->call;
	r->a.call_stack = t->call_stack;
	r->a.elsewhere_ns = HAS_KEY ? t->elsewhere_ns : 0;
	r->a.begun_by = HAS_KEY ? t->begun_by : 0;
#ifdef TLOB_BPF_OLDER
	if (bpf_map_push_elem(&records, r, 0)) {
		__sync_fetch_and_add(&watch.dropped, 1);
		/* the entry of an earlier window may still be there */
		if (r->late_entry)
			t->late_entry = r->late_entry;
	}
#else
	__sync_lock_test_and_set(&r->state, WATCH_READY);
#endif
	return 0;
}

/* Some kernels do not report a few switches. How the time since the last one was spent is unknown. */
static inline void unseen(struct watch_task *t)
{
	__sync_fetch_and_add(&watch.unseen, 1);
	t->split.errors++;
}

/* Returns when the activation of a thread begins that was woken at @woken. */
static inline __u64 begins_at(const struct watch_task *t, __u64 woken, bool known)
{
	__u64 expiry = t->expiry_ns;

	if (!known || !expiry || expiry >= woken)
		return woken;
	return expiry > t->left_ns ? expiry : t->left_ns;
}

/* A window begins at @begins, but is not open yet. */
static inline void reset_window(struct watch_task *t, __u64 begins)
{
	struct tlob_split *s = &t->split;

	tlob_split_arm(s, begins, begins, t->tid, false);
	tlob_split_set_phase(s, TLOB_PHASE_WORK);
	s->fired = true;
	tlob_split_has_steal(s);
	t->nr++;
	t->timer_ns = 0;
	t->late.ns = 0;
	t->late_soft = 0;
	t->wake_ns = 0;
	t->longest_ns = 0;
	t->lock_ns = 0;
	t->longest_lock_ns = 0;
	t->ran = 0;
	want_stack(false);
	__builtin_memset(&t->longest_waker, 0, sizeof(t->longest_waker));
	__builtin_memset(&t->lock_waker, 0, sizeof(t->lock_waker));
	__builtin_memset(&t->lock_holder, 0, sizeof(t->lock_holder));
	__builtin_memset(&t->waker, 0, sizeof(t->waker));
}

/* Opens the window of an activation whose thread was woken at @woken; @known: who did it is. */
static NOINLINE int open_window(struct watch_task *t, __u64 woken, bool known)
{
	__u64 begins, expiry, stolen;
	struct tlob_split *s;

	if (!t)
		return 0;
	s = &t->split;
	expiry = t->expiry_ns;
	begins = begins_at(t, woken, known);
	if (known && expiry && t->call_stack & 1)
		tlob_cycle_expired(&t->cycle, expiry);
	reset_window(t, begins);
	tlob_split_set_base(s, TLOB_WAKE_IRQ_DELAY);
	t->timer_ns = woken - begins;
	stolen = t->stolen_ns < t->timer_ns ? t->stolen_ns : t->timer_ns;
	tlob_split_stolen(s, stolen);
	t->late = t->met;
	t->late.ns = t->met.kind ? t->timer_ns - stolen : 0;
	t->late_soft = known && t->soft;
	if (known)
		t->waker = t->waking;
	t->open = 1;
	return 0;
}

/* Before and after a change. Before 5.18 only the compiler keeps the order. */
static inline void changes(struct watch_task *t)
{
#ifdef TLOB_BPF_OLDER
	barrier();
	ONCE(t->changing) = t->changing + 1;
	barrier();
#else
	/* one with a result is a barrier */
	__sync_lock_test_and_set(&t->changing, t->changing + 1);
#endif
}

/* A sleep for a lock inside of a window has ended after @ns. */
static inline void gets_lock(struct watch_task *t, __u64 ns, const struct chain_ref *chain)
{
	t->lock_ns += ns;
	if (ns <= t->longest_lock_ns)
		return;
	t->longest_lock_ns = ns;
	t->lock_waker = t->waking;
	t->lock_chain = *chain;
	t->lock_holder = t->holder;
}

/* A sleep inside of a window ends at @woken. */
static inline void wakes_inside(struct watch_task *t, __u64 woken)
{
	const struct chain_ref chain = { .head = t->woken_chain, .from = t->left_ns, .to = woken };
	__u64 ns = woken - t->left_ns;
	struct tlob_noise stop;

	if (t->stopped) {
		tlob_turns_kept(t->stopped, t->left_ns, woken, &stop);
		if (stop.ns > t->other.ns)
			t->other = stop;
	}
	if (t->lock)
		gets_lock(t, ns, &chain);
	want_stack(ns > t->longest_ns);
	if (ns <= t->longest_ns)
		return;
	t->longest_ns = ns;
	t->longest_waker = t->waking;
	t->longest_chain = chain;
}

/*
 * The task of @t runs again, and was found so at @now. Until when it slept is in the mailbox.
 * Returns whether it has a window; its time is charged up to the wake-up.
 */
static NOINLINE int resume(struct watch_task *t, __u64 now)
{
	__u32 phase;
	__u64 woken;

	if (!t)
		return 0;
	woken = t->waking_ns > t->left_ns ? t->waking_ns : t->left_ns;
	if (woken > now)
		woken = now;
	phase = t->phase;
	if (phase == WATCH_UNSEEN && t->rests)
		phase = WATCH_RESTS;
	changes(t);
	t->phase = WATCH_RUNS;
	if (phase == WATCH_RESTS && HAS_KEY)
		key_wakes(t, woken);
	else if (phase == WATCH_RESTS)
		open_window(t, woken, t->waking_ns >= t->left_ns);
	else if (phase == WATCH_SLEEPS)
		wakes_inside(t, woken);
	changes(t);
	if (!t->open)
		return 0;
	if (phase == WATCH_RUNS) {
		unseen(t);
	} else if (phase != WATCH_WAITS) {
		tlob_split_charge(&t->split, woken);
		tlob_split_set_base(&t->split, TLOB_WORK_THREAD);
	}
	return 1;
}

#endif /* TLOB_ATTACH_BPF_WINDOW_H */
