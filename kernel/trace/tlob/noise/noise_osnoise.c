// SPDX-License-Identifier: GPL-2.0
/*
 * Noise source "osnoise": net durations from the events of the osnoise tracer.
 * They come only while that tracer or timerlat is active in some instance.
 *
 * An event's duration is net but its start is gross. So start + duration is not
 * the end; the end is now. thread_noise is not used: the context switch gives
 * the name, and the split gives the duration.
 */
#include <linux/delay.h>
#include <linux/smp.h>
#include <trace/events/ipi.h>
#include <trace/events/osnoise.h>

#include "../window/late.h"
#include "noise.h"

/*
 * The time that osnoise may take to report an interrupt: a virtual CPU may
 * stall.
 */
#define TLOB_NOISE_PING_MS	20

static noinline void tlob_osnoise_noise(unsigned int kind, s32 id,
					const char *name, bool lasting, u64 ns)
{
	struct tlob_cpu *c = tlob_this_cpu();
	unsigned long flags;

	/* a softirq's event comes with irqs on, as may that of a broken irq handler */
	local_irq_save(flags);
	if (tlob_active()) {
		tlob_interfere(c);
		if (unlikely(c->looked_ns) && kind == TLOB_NOISE_IRQ)
			ns = tlob_late_unlooked(c, ns);
		tlob_split_move(&c->split[0], tlob_boundary(c), kind, id, name,
				lasting, ns);
	}
	local_irq_restore(flags);
}

/* The event at the end of an IPI does not report its kind. */
static void tlob_osnoise_ipi_entry(void *data, const char *reason)
{
	if (tlob_active() && !tlob_irq_is_nmi())
		tlob_this_cpu()->ipi_name = tlob_ipi_name(reason);
}

/* Returns the name of the IPI behind @desc: irqs do not nest, so the last IPI that began. */
static const char *tlob_osnoise_ipi(struct tlob_cpu *c, const char *desc)
{
	const char *name = c->ipi_name;

	c->ipi_name = NULL;
	return name && strstarts(desc, "IPI") ? name : NULL;
}

static void tlob_osnoise_irq(void *data, int vector, const char *desc,
			     u64 start, u64 duration)
{
	const char *name = NULL;

	if (tlob_irq_is_nmi())
		return;
	raw_cpu_inc(tlob_cpus.osnoise_events);
	if (!tlob_active())
		return;
	if (*TLOB_IPI_ENTRY)
		name = tlob_osnoise_ipi(tlob_this_cpu(), desc);
	if (!name && likely(tlob_is_timer(desc)))
		name = tlob_timer_name;
	tlob_osnoise_noise(TLOB_NOISE_IRQ, vector, name ? name : desc, name,
			   duration);
}

static void tlob_osnoise_softirq(void *data, int vector, u64 start,
				 u64 duration)
{
	if (tlob_active())
		tlob_osnoise_noise(TLOB_NOISE_SOFTIRQ, vector,
				   tlob_softirq_name(vector), true, duration);
}

static void tlob_osnoise_nmi(void *data, u64 start, u64 duration)
{
	if (tlob_active())
		tlob_nmi_ended(tlob_this_cpu(), 0, duration, true);
}

static struct tlob_probe tlob_osnoise_probe[] = {
	{ .name = TLOB_IPI_ENTRY, .fn = TLOB_IPI_PROBE(tlob_osnoise_ipi_entry) },
	TLOB_PROBE(irq_noise, tlob_osnoise_irq),
	TLOB_PROBE(nmi_noise, tlob_osnoise_nmi),
	TLOB_PROBE_NOT_RT(softirq_noise, tlob_osnoise_softirq),
};

static unsigned int tlob_osnoise_gives(void)
{
	const struct tlob_probe_set *s = &tlob_osnoise_source.set;
	unsigned int gives = 0;

	if (!tlob_irqs_are_hidden() && tlob_probe_attached(s, "irq_noise"))
		gives |= TLOB_GIVES_IRQ;
	if (tlob_probe_attached(s, "softirq_noise"))
		gives |= TLOB_GIVES_SOFTIRQ;
	/* with a generic sched_clock osnoise cannot read the time in an nmi */
	if (tlob_probe_attached(s, "nmi_noise") &&
	    !IS_ENABLED(CONFIG_GENERIC_SCHED_CLOCK))
		gives |= TLOB_GIVES_NMI;
	return gives;
}

struct tlob_noise_source tlob_osnoise_source = {
	.set = {
		.probe = tlob_osnoise_probe,
		.probes = ARRAY_SIZE(tlob_osnoise_probe),
	},
	.gives = tlob_osnoise_gives,
};

static enum hrtimer_restart tlob_osnoise_ping(struct hrtimer *timer)
{
	return HRTIMER_NORESTART;
}

static void tlob_osnoise_ping_start(void *info)
{
	hrtimer_start(info, ns_to_ktime(tlob_clock() + 50 * NSEC_PER_USEC),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Raises one timer interrupt on each CPU of @cpus and checks that osnoise
 * reports it. Its tracer may be off, stopped, or restricted to other CPUs.
 */
bool tlob_osnoise_arrives(const struct cpumask *cpus)
{
	struct hrtimer timer;
	unsigned int ms;
	u64 before;
	int cpu;

	if (!tlob_probe_attached(&tlob_osnoise_source.set, "irq_noise"))
		return false;
	for_each_cpu(cpu, cpus) {
		before = READ_ONCE(tlob_cpu(cpu)->osnoise_events);
		tlob_hrtimer_setup_on_stack(&timer, tlob_osnoise_ping);
		if (!smp_call_function_single(cpu, tlob_osnoise_ping_start,
					      &timer, true))
			for (ms = 0; ms < TLOB_NOISE_PING_MS &&
			     READ_ONCE(tlob_cpu(cpu)->osnoise_events) == before;
			     ms++)
				usleep_range(1000, 1500);
		hrtimer_cancel(&timer);
		destroy_hrtimer_on_stack(&timer);
		if (READ_ONCE(tlob_cpu(cpu)->osnoise_events) == before)
			return false;
	}
	return true;
}
