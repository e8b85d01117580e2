// SPDX-License-Identifier: GPL-2.0
/*
 * Noise source "osnoise": net durations from the events of the osnoise tracer.
 * They come only while that tracer or timerlat is active in some instance.
 *
 * An event's duration is net, but its start is gross, so start + duration is
 * not the end; the end is now. thread_noise is not used: the context switch
 * itself tells the name, and the split the duration.
 */
#include "noise.h"

static noinline void tlob_osnoise_noise(unsigned int kind, s32 id,
					const char *name, u64 ns)
{
	struct tlob_cpu *c = tlob_this_cpu();
	unsigned long flags;

	/* a softirq's event comes with irqs on */
	local_irq_save(flags);
	if (tlob_active()) {
		tlob_interfere(c);
		tlob_split_move(&c->split[0], tlob_boundary(c), kind, id, name,
				ns);
	}
	local_irq_restore(flags);
}

static void tlob_osnoise_irq(void *data, int vector, const char *desc,
			     u64 start, u64 duration)
{
	raw_cpu_inc(tlob_cpus.osnoise_events);
	if (tlob_active())
		tlob_osnoise_noise(TLOB_NOISE_IRQ, vector, desc, duration);
}

static void tlob_osnoise_softirq(void *data, int vector, u64 start,
				 u64 duration)
{
	if (tlob_active())
		tlob_osnoise_noise(TLOB_NOISE_SOFTIRQ, vector,
				   tlob_softirq_name(vector), duration);
}

static void tlob_osnoise_nmi(void *data, u64 start, u64 duration)
{
	if (tlob_active())
		tlob_nmi_ended(tlob_this_cpu(), 0, duration, true);
}

static struct tlob_probe tlob_osnoise_probes[] = {
	TLOB_PROBE("irq_noise", tlob_osnoise_irq),
	TLOB_PROBE("nmi_noise", tlob_osnoise_nmi),
	TLOB_PROBE_NOT_RT("softirq_noise", tlob_osnoise_softirq),
};

static unsigned int tlob_osnoise_gives(void)
{
	const struct tlob_noise_source *s = &tlob_osnoise_source;
	unsigned int gives = 0;

	if (tlob_probe_attached(s, "irq_noise"))
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
	.name = "osnoise",
	.probe = tlob_osnoise_probes,
	.probes = ARRAY_SIZE(tlob_osnoise_probes),
	.gives = tlob_osnoise_gives,
};
