/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A part of activations.bpf.c: with --key a window may begin on one thread and end on another.
 *
 * A thread that has come to a start or stop is watched from then on. Its split runs in stretches: one
 * ends at a start, at a stop, and as the thread rests, by the rules of activations. A window has
 *
 * - of the thread of its start what that had until it rested, came to the next start or stop, or woke
 *   another thread that is watched (the last one before it rested);
 * - of the thread of its stop what that had since it began to work after its last stop, or since its
 *   last start; if that was before the window began, since its last rest;
 * - between the two the time elsewhere, in which nobody is known to have worked for it. If both
 *   threads worked at a time, that counts for the second.
 *
 * On one thread that comes to no other start or stop meanwhile, a window has all of its time.
 *
 * What the first thread had is read on another CPU, without a lock. If it does not add up, it is just
 * written, and counts as elsewhere.
 */
#ifndef TLOB_ATTACH_BPF_KEY_H
#define TLOB_ATTACH_BPF_KEY_H

#include "attach/bpf/key_meet.h"

/* A stop without a start is no surprise at first, if the program runs already. */
#define KEY_BEFORE_NS	1000000000ULL

/* Which are open, by key. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WATCH_KEYS);
	__type(key, struct watch_key_name);
	__type(value, __u32);
} open_keys SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, WATCH_KEYS);
	__type(key, __u32);
	__type(value, struct watch_key);
} keys SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, WATCH_KEYS);
	__type(value, __u32);
} free_keys SEC(".maps");

#define ADD_SPLIT(to, from)						\
do {									\
	unsigned int i_;						\
									\
	for (i_ = 0; i_ < TLOB_NR_PARTS; i_++)				\
		(to)->part[i_] += (from)->part[i_];			\
	for (i_ = 0; i_ < TLOB_NR_NOISE; i_++)				\
		(to)->count[1][i_] += (from)->count[1][i_];		\
	if ((from)->largest.ns > (to)->largest.ns)			\
		(to)->largest = (from)->largest;			\
	(to)->adjusted += (from)->adjusted;				\
	(to)->switches += (from)->switches;				\
	(to)->steps += (from)->steps;					\
	(to)->errors += (from)->errors;					\
} while (0)

/* Returns whether the longest sleep is that of @from. */
#define ADD_SLEEPS(to, from)						\
({									\
	bool longer_ = (from)->longest_ns > (to)->longest_ns;		\
									\
	if (longer_) {							\
		(to)->longest_ns = (from)->longest_ns;			\
		(to)->longest_waker = (from)->longest_waker;		\
		(to)->longest_chain = (from)->longest_chain;		\
	}								\
	(to)->lock_ns += (from)->lock_ns;				\
	if ((from)->longest_lock_ns > (to)->longest_lock_ns) {		\
		(to)->longest_lock_ns = (from)->longest_lock_ns;	\
		(to)->lock_waker = (from)->lock_waker;			\
		(to)->lock_holder = (from)->lock_holder;		\
		(to)->lock_chain = (from)->lock_chain;			\
	}								\
	longer_;							\
})

/* @to gets the present stretch of @t as well. */
static NOINLINE int stretch_keep(struct watch_stretch *to, const struct watch_task *t)
{
	if (!to || !t)
		return 0;
	ADD_SPLIT(to, &t->split);
	return ADD_SLEEPS(to, t);
}

/* The present stretch of @t gets @from as well. */
static NOINLINE int stretch_take(struct watch_task *t, const struct watch_stretch *from)
{
	if (!t || !from)
		return 0;
	ADD_SPLIT(&t->split, from);
	/* nobody knows its stack any more */
	if (ADD_SLEEPS(t, from))
		want_stack(true);
	return 0;
}

/* The window that the thread of @t began last, if that is open and is not left; or NULL. */
static inline struct watch_key *own_key(const struct watch_task *t)
{
	__u32 n = t->key - 1;
	struct watch_key *k = t->key ? bpf_map_lookup_elem(&keys, &n) : NULL;

	return k && k->start_ns == t->key_ns && k->tid == t->tid ? k : NULL;
}

/* So long the thread of @t, whose split is charged, has worked for @k. @last: it rests, or goes on. */
static NOINLINE int key_works(struct watch_key *k, struct watch_task *t, bool last)
{
	if (!k || !t || k->rested)
		return 0;
	k->rested = last;
	/* it had woken somebody before */
	if (last && k->until_ns)
		return 0;
	exchange(&k->until_ns, 0);
	__builtin_memset(&k->first, 0, sizeof(k->first));
	stretch_keep(&k->first, t);
	exchange(&k->until_ns, t->split.last);
	return 0;
}

/* The thread of @t leaves its CPU for a rest. Its split is charged. */
static NOINLINE int key_rests(struct watch_task *t)
{
	struct watch_key *k;

	if (!t)
		return 0;
	k = own_key(t);
	if (k)
		key_works(k, t, true);
	else
		t->key = 0;
	t->split.switches++;
	if (t->key || t->anchored)
		stretch_keep(&t->before, t);
	return 0;
}

/* The stacks that were taken are of something else. */
static inline void key_looks_anew(struct watch_task *t)
{
	t->looked = 0;
	t->looked_ns = 0;
}

/* The rest of the thread of @t has ended at @woken. */
static NOINLINE int key_wakes(struct watch_task *t, __u64 woken)
{
	struct watch_stretch *before;
	__u64 ns;

	if (!t)
		return 0;
	before = &t->before;
	ns = woken - t->left_ns;
	reset_window(t, woken);
	t->ran = 1;
	if (!t->key && !t->anchored) {
		key_looks_anew(t);
		__builtin_memset(before, 0, sizeof(*before));
		t->anchored = 1;
		t->anchor_ns = woken;
		return 0;
	}
	before->part[TLOB_WORK_SLEEP] += ns;
	if (ns > before->longest_ns) {
		before->longest_ns = ns;
		before->longest_waker = t->waking;
		before->longest_chain.head = t->woken_chain;
		before->longest_chain.from = t->left_ns;
		before->longest_chain.to = woken;
	}
	return 0;
}

/* The task that runs here wakes another one that is watched: what it has begun may go on there. */
static NOINLINE int key_hands(struct watch_cpu *c)
{
	struct watch_key *k;
	struct watch_task *t;

	if (!c)
		return 0;
	t = current_window(c);
	if (!t || !t->key || t->split.depth || c->busy)
		return 0;
	k = own_key(t);
	if (!k || k->rested)
		return 0;
	tlob_split_charge(&t->split, boundary(c, &t->split));
	return key_works(k, t, false);
}

static inline __u64 key_value(struct pt_regs *ctx, __u32 at)
{
	struct pt_regs___arm64 *arm64 = (void *)ctx;
	bool is_x86 = bpf_core_field_exists(ctx->orig_ax);

	switch (at) {
	case 1:
		return is_x86 ? FROM_CTX(ctx->di) : FROM_CTX(arm64->regs[0]);
	case 2:
		return is_x86 ? FROM_CTX(ctx->si) : FROM_CTX(arm64->regs[1]);
	case 3:
		return is_x86 ? FROM_CTX(ctx->dx) : FROM_CTX(arm64->regs[2]);
	case 4:
		return is_x86 ? FROM_CTX(ctx->cx) : FROM_CTX(arm64->regs[3]);
	case 5:
		return is_x86 ? FROM_CTX(ctx->r8) : FROM_CTX(arm64->regs[4]);
	case 6:
		return is_x86 ? FROM_CTX(ctx->r9) : FROM_CTX(arm64->regs[5]);
	case TLOB_KEY_RET:
		return is_x86 ? FROM_CTX(ctx->ax) : FROM_CTX(arm64->regs[0]);
	default:
		return is_x86 ? FROM_CTX(ctx->r14) : FROM_CTX(arm64->regs[28]);
	}
}

/* The window of the key @n begins here and now, on the thread of @t, which has the slot @slot. */
static NOINLINE int key_begin(struct watch_task *t, __u32 slot, __u32 n, __u64 sp)
{
	struct watch_key *k = bpf_map_lookup_elem(&keys, &n), *own;

	if (!t || !k)
		return 0;
	own = own_key(t);
	if (t->open)
		region_charge(t);
	if (own)
		key_works(own, t, true);
	t->key = 0;
	key_looks_anew(t);
	region_open(t, slot);
	__builtin_memset(&t->before, 0, sizeof(t->before));
	t->anchored = 0;
	t->anchor_ns = t->split.t0;
	t->key_ns = t->split.t0;
	k->until_ns = 0;
	k->rested = 0;
	k->tid = t->tid;
	k->tgid = t->tgid;
	k->slot = slot;
	k->sp = sp;
	k->depth = 1;
	exchange(&k->start_ns, t->split.t0);
	set_ordered(&t->key, n + 1);
	return 0;
}

/* The thread of @t, which has the slot @slot, has come to a start with the key @value. */
static NOINLINE int key_start(struct watch_task *t, __u32 slot, __u64 value, __u64 sp)
{
	struct watch_key_name name = { .value = value, .tgid = bpf_get_current_pid_tgid() >> 32 };
	__u32 *at = bpf_map_lookup_elem(&open_keys, &name), n;
	struct watch_key *k;

	if (!t)
		return 0;
	if (at) {
		n = *at;
		k = bpf_map_lookup_elem(&keys, &n);
		/* a goroutine takes its stack with it */
		if (k && sp < k->sp && (k->tid == t->tid || key_at.start == TLOB_KEY_GOROUTINE)) {
			k->depth++;
			__sync_fetch_and_add(&watch.region.nested, 1);
			return 0;
		}
		__sync_fetch_and_add(&watch.region.left, 1);
		return key_begin(t, slot, n, sp);
	}
	if (bpf_map_pop_elem(&free_keys, &n)) {
		__sync_fetch_and_add(&watch.region.no_slot, 1);
		return 0;
	}
	key_begin(t, slot, n, sp);
	if (bpf_map_update_elem(&open_keys, &name, &n, BPF_NOEXIST)) {
		__sync_fetch_and_add(&watch.region.no_slot, 1);
		t->key = 0;
		k = bpf_map_lookup_elem(&keys, &n);
		if (k)
			k->start_ns = 0;
		bpf_map_push_elem(&free_keys, &n, 0);
	}
	return 0;
}

/* Until when the first thread of @k has worked for it. What does not add up is just written: not known. */
static inline __u64 key_until(const struct watch_key *k)
{
	__u64 until = k->until_ns, sum = 0;
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		sum += k->first.part[i];
	return until && sum == until - k->start_ns ? until : k->start_ns;
}

/* The split of @t, which is charged, becomes that of the window @k, which ends on its thread. */
static NOINLINE int key_joins(struct watch_task *t, const struct watch_key *k)
{
	struct key_times times;
	struct key_meet m;
	struct tlob_split *s;

	if (!t || !k)
		return 0;
	s = &t->split;
	t->begun_by = k->tid;
	t->elsewhere_ns = 0;
	if (own_key(t) == k) {
		stretch_take(t, &t->before);
		s->t0 = k->start_ns;
		return 0;
	}
	times.start = k->start_ns;
	times.end = s->last;
	times.until = key_until(k);
	times.on_cpu = k->first.part[TLOB_WORK_ON_CPU];
	times.anchor = t->anchor_ns;
	times.stretch = s->t0;
	key_meet(&m, &times);
	if (!m.second)
		reset_window(t, s->last);
	if (m.before)
		stretch_take(t, &t->before);
	if (m.first)
		stretch_take(t, &k->first);
	s->part[TLOB_WORK_ON_CPU] -= m.both;
	s->part[TLOB_WORK_SLEEP] += m.elsewhere;
	t->elsewhere_ns = m.elsewhere;
	s->t0 = times.start;
	return 0;
}

/* The window of the key @n has ended on the thread of @t, which runs here and has the slot @slot. */
static NOINLINE int key_end(struct watch_task *t, __u32 slot, __u32 n, struct task_struct *task)
{
	struct watch_key *k = bpf_map_lookup_elem(&keys, &n), *own;

	if (!t || !k)
		return 0;
	if (!t->open) {
		region_open(t, slot);
		t->anchor_ns = t->split.t0;
	}
	region_charge(t);
	own = own_key(t);
	if (own && own != k)
		key_works(own, t, true);
	key_joins(t, k);
	close_window(t, task, TLOB_TASK_ENDED);
	exchange(&k->start_ns, 0);
	bpf_map_push_elem(&free_keys, &n, 0);
	t->key = 0;
	t->anchored = 0;
	__builtin_memset(&t->before, 0, sizeof(t->before));
	region_open(t, slot);
	t->anchor_ns = t->split.t0;
	return 0;
}

/* The same of a stop. @t: NULL if no slot is free. */
static NOINLINE int key_stop(struct watch_task *t, __u32 slot, __u64 value)
{
	struct watch_key_name name = { .value = value, .tgid = bpf_get_current_pid_tgid() >> 32 };
	__u32 *at = bpf_map_lookup_elem(&open_keys, &name), n;
	struct watch_key *k;

	if (at && t) {
		n = *at;
		k = bpf_map_lookup_elem(&keys, &n);
		if (k && k->depth > 1) {
			k->depth--;
			return 0;
		}
		if (!bpf_map_delete_elem(&open_keys, &name))
			return key_end(t, slot, n, current_task());
	}
	if (watch.began_ns && bpf_ktime_get_ns() < watch.began_ns + KEY_BEFORE_NS)
		__sync_fetch_and_add(&watch.region.before, 1);
	else
		__sync_fetch_and_add(&watch.region.unmatched, 1);
	return 0;
}

#endif /* TLOB_ATTACH_BPF_KEY_H */
