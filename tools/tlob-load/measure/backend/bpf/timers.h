/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A part of BPF programs: timers that expire, of any clock. The includer has CPU_STRUCT, of which each CPU
 * has one, with expiring[2], and SHARED, a variable with clock[WATCH_CLOCKS].
 */
#ifndef TLOB_BACKEND_BPF_TIMERS_H
#define TLOB_BACKEND_BPF_TIMERS_H

struct hrtimer {
	__s64	_softexpires;
	struct hrtimer_clock_base *base;
} CORE;

struct hrtimer_clock_base {
	__s32	clockid;
	__s64	offset;			/* of its clock from CLOCK_MONOTONIC */
} CORE;

/*
 * On PREEMPT_RT only real-time tasks have timers that expire in the interrupt. Those of others do
 * with irqs on, so such an interrupt may come meanwhile.
 */
static inline struct watch_timer *expiring_at(CPU_STRUCT *c, int count)
{
	return &c->expiring[count != NO_COUNT && count & PREEMPT_HARDIRQ];
}

/*
 * Returns the expiry of @timer on CLOCK_MONOTONIC. 0: not known, because its clock may have been set
 * since. The first timer of a clock tells how far that is ahead, and its own expiry is before.
 */
static inline __u64 expiry_of(const struct hrtimer *timer)
{
	const struct hrtimer_clock_base *base = timer->base;
	__u64 expiry = timer->_softexpires, ahead;
	struct watch_clock *k;

	if (base->clockid == CLOCK_MONOTONIC)
		return expiry;
	if (!bpf_core_field_exists(base->offset))
		return 0;
	k = &SHARED.clock[base->clockid & (WATCH_CLOCKS - 1)];
	ahead = base->offset;
	if (ONCE(k->ahead_ns) != ahead || !ONCE(k->since_ns)) {
		/* first, for a CPU that reads both meanwhile */
		ONCE(k->since_ns) = bpf_ktime_get_ns();
		barrier();
		ONCE(k->ahead_ns) = ahead;
	}
	expiry -= ahead;
	return expiry > ONCE(k->since_ns) ? expiry : 0;
}

/* Whatever its handler does. */
SEC("tp_btf/hrtimer_expire_entry")
int hrtimer_expire_entry(__u64 *ctx)
{
	struct watch_timer *expiring = expiring_at(this_cpu(), preempt_count());
	__u64 expiry = expiry_of((void *)ctx[0]);

	expiring->pid = task_pid((struct task_struct *)current_task());
	expiring->expiry_ns = expiry;
	ONCE(expiring->timer) = expiry ? ctx[0] : 0;
	return 0;
}

SEC("tp_btf/hrtimer_expire_exit")
int hrtimer_expire_exit(__u64 *ctx)
{
	CPU_STRUCT *c = this_cpu();

	/* a timer expires in one place only */
	if (c->expiring[0].timer == ctx[0])
		c->expiring[0].timer = 0;
	if (c->expiring[1].timer == ctx[0])
		c->expiring[1].timer = 0;
	return 0;
}

#endif /* TLOB_BACKEND_BPF_TIMERS_H */
