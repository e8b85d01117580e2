/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A part of activations.bpf.c: who waits for a CPU, and what interrupts it meanwhile. Interrupts are
 * timed only on a CPU for which somebody waits.
 */
#ifndef TLOB_ATTACH_BPF_AWAIT_H
#define TLOB_ATTACH_BPF_AWAIT_H

/* Returns since when the task of @t, which gets the CPU or waits for it, has waited. */
static inline __u64 waits_since(const struct watch_task *t)
{
	return t->phase == WATCH_WAITS || t->waking_ns < t->left_ns ? t->left_ns : t->waking_ns;
}

/* Returns the wait of the task of @t for this CPU from @from until @now. */
static inline struct tlob_turns_wait wait_here(const struct watch_task *t, __u64 from, __u64 now)
{
	struct tlob_turns_wait w = { .from = from < t->moved_ns ? t->moved_ns : from, .now = now };

	if (t->away_cpu == bpf_get_smp_processor_id() + 1)
		w.away = t->away[TLOB_NOISE_IRQ] + t->away[TLOB_NOISE_SOFTIRQ] +
			 t->away[TLOB_NOISE_NMI] + t->away_stolen;
	return w;
}

static inline void awaits_none(struct watch_task *t)
{
	if (t->away_cpu)
		__sync_fetch_and_add(&watch.cpu[(t->away_cpu - 1) & (WATCH_CPUS - 1)].awaiting, -1);
	t->away_cpu = 0;
}

/*
 * The task of @t begins to wait for @cpu, at @now. Of an interrupt that wakes it from another CPU the
 * part before is not known; of one here it is charged.
 */
static inline void awaits(struct watch_task *t, __u32 cpu, __u64 now)
{
	struct watch_cpu *c = &watch.cpu[cpu & (WATCH_CPUS - 1)];
	unsigned int kind;

	if (cpu == bpf_get_smp_processor_id() && !ONCE(c->adding)) {
		tlob_away_stolen(&c->turns.away, steal_clock(c));
		tlob_away_charge(&c->turns.away, bpf_ktime_get_ns());
	}
	for (kind = 0; kind < TLOB_NOISE_THREAD; kind++)
		t->away[kind] = ONCE(c->turns.away.ns[kind]);
	t->away_stolen = steal_clock(c);
	awaits_none(t);
	__sync_fetch_and_add(&c->awaiting, 1);
	t->away_cpu = cpu + 1;
	ONCE(c->awaiter) = t->tid;
	/* after both: who takes it reads them */
	exchange(&c->look_at, now + watch.late_ns);
	set_ordered(&c->awaited, 1);
}

/* The wait of the task of @t from @from until @now, which is charged, has ended on this CPU. */
static NOINLINE int interrupted(struct watch_task *t, const struct watch_cpu *c, __u64 from, __u64 now)
{
	__u64 left = now > from ? now - from : 0, ns;
	unsigned int kind;

	if (!t || !c || t->away_cpu != bpf_get_smp_processor_id() + 1)
		return 0;
	/* some of it may have been stolen before */
	ns = c->steal - t->away_stolen;
	ns = ns < left ? ns : left;
	left -= ns;
	t->split.part[TLOB_WORK_THREAD] -= ns;
	t->split.part[TLOB_WORK_STEAL] += ns;
	for (kind = 0; kind < TLOB_NOISE_THREAD; kind++) {
		ns = c->turns.away.ns[kind] - t->away[kind];
		ns = ns < left ? ns : left;
		left -= ns;
		t->split.part[TLOB_WORK_THREAD] -= ns;
		t->split.part[TLOB_WORK_IRQ + kind] += ns;
	}
	awaits_none(t);
	return 0;
}

/*
 * The last one that waited for this CPU may have got it or moved. Nobody waits for a CPU that goes
 * idle, also if a task that did has gone unseen.
 */
static NOINLINE int still_awaited(struct watch_cpu *c, __u32 coming)
{
	if (!c || (coming && ONCE(c->awaiting)))
		return 0;
	ONCE(c->awaited) = 0;
	c->turns.away.depth = 0;
	/* one may begin to wait meanwhile: awaits() counts it before it sets awaited */
	if (read_ordered(&c->awaiting))
		ONCE(c->awaited) = 1;
	return 0;
}

#endif /* TLOB_ATTACH_BPF_AWAIT_H */
