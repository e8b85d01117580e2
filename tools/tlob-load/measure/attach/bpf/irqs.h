/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A part of activations.bpf.c: interrupts, softirqs and nmis.
 */
#ifndef TLOB_ATTACH_BPF_IRQS_H
#define TLOB_ATTACH_BPF_IRQS_H

/* @ctx: of the hook of an irq, which may be looked at; or NULL. */
static NOINLINE int away(void *ctx, struct watch_cpu *c, unsigned int kind, bool begins)
{
	__u64 now = bpf_ktime_get_ns();

	if (!c)
		return 0;
	tlob_away_stolen(&c->turns.away, steal_clock(c));
	if (!begins) {
		tlob_away_leave(&c->turns.away, now);
		return 0;
	}
	if (ctx && now > c->look_at) {
		look_at_irq(ctx, c, now);
		now = bpf_ktime_get_ns();
	}
	tlob_away_enter(&c->turns.away, now, kind);
	return 0;
}

/* Irqs are on: those that come meanwhile are the softirq's. */
static inline void away_softirq(struct watch_cpu *c, bool begins)
{
	ONCE(c->adding) = 1;
	barrier();
	away(NULL, c, TLOB_NOISE_SOFTIRQ, begins);
	barrier();
	ONCE(c->adding) = 0;
}

static NOINLINE int irq(struct watch_cpu *c, __s32 id, bool begins)
{
	struct watch_task *t;
	__u64 now;

	if (!c)
		return 0;
	t = current_window(c);
	if (!t) {
		c->unseen++;
		return 0;
	}
	/* this irq began inside of a hook, and ends there */
	if (c->busy) {
		c->skipped++;
		return 0;
	}
	now = boundary(c, &t->split);
	if (begins)
		tlob_split_enter(&t->split, now, TLOB_NOISE_IRQ, id, NULL, true);
	else
		tlob_split_exit(&t->split, now, TLOB_NOISE_IRQ, id);
	return 0;
}

/*
 * Raw tracepoints without types: each of these programs is attached to many. A vector has a
 * negative id here: an irq may have the same number.
 */
#define IRQ(_name, _sign, _begins)					\
SEC("raw_tp")								\
int _name(struct bpf_raw_tracepoint_args *ctx)				\
{									\
	struct watch_cpu *c = this_cpu();				\
									\
	if (irq_is_nmi())						\
		return 0;						\
	chain_interrupt(c, in_irq, _begins ? _sign (__s32)ctx->args[0] : 0); \
	/* a look is a part of the irq */				\
	if (_begins && c->slot)						\
		irq(c, _sign (__s32)ctx->args[0], true);		\
	if (c->awaited && !ONCE(c->adding))				\
		away(ctx, c, TLOB_NOISE_IRQ, _begins);			\
	return !_begins && c->slot ? irq(c, _sign (__s32)ctx->args[0], false) : 0; \
}

IRQ(irq_entry, +, true)
IRQ(irq_exit, +, false)
IRQ(vector_entry, -, true)
IRQ(vector_exit, -, false)

static NOINLINE int softirq(struct watch_cpu *c, __s32 nr, bool begins)
{
	struct watch_task *t;
	__u64 now;

	if (!c)
		return 0;
	t = current_window(c);
	if (!t) {
		c->unseen++;
		return 0;
	}
	ONCE(c->busy) = 1;
	barrier();
	now = boundary(c, &t->split);
	if (begins)
		tlob_split_enter(&t->split, now, TLOB_NOISE_SOFTIRQ, nr, NULL, true);
	else
		tlob_split_exit(&t->split, now, TLOB_NOISE_SOFTIRQ, nr);
	barrier();
	ONCE(c->busy) = 0;
	return 0;
}

SEC("tp_btf/softirq_entry")
int softirq_entry(__u64 *ctx)
{
	struct watch_cpu *c = this_cpu();

	chain_interrupt(c, in_softirq, ctx[0] + 1);
	if (c->awaited)
		away_softirq(c, true);
	return c->slot ? softirq(c, ctx[0], true) : 0;
}

SEC("tp_btf/softirq_exit")
int softirq_exit(__u64 *ctx)
{
	struct watch_cpu *c = this_cpu();

	chain_softirq_ends(c, ctx[0]);
	if (c->awaited)
		away_softirq(c, false);
	return c->slot ? softirq(c, ctx[0], false) : 0;
}

SEC("tp_btf/nmi_handler")
int nmi_handler(__u64 *ctx)
{
	struct watch_cpu *c = this_cpu();
	__s64 ns = ctx[1];

	if (ns <= 0)
		return 0;
	if (c->awaited)
		tlob_away_nmi(&c->turns.away, ns);
	if (!c->slot)
		return 0;
	c->nmi_ns += ns;
	c->nmi_count += (int)ctx[2] != 0;
	if ((__u64)ns > c->nmi_max)
		c->nmi_max = ns;
	return 0;
}

#endif /* TLOB_ATTACH_BPF_IRQS_H */
