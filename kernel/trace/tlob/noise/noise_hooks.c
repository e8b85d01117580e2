// SPDX-License-Identifier: GPL-2.0
/*
 * Noise source "hooks": own probes at the entry and exit of irqs and softirqs,
 * for kernels without osnoise. On x86 the local timer and the IPIs have their
 * own tracepoints (irq_vectors). On other architectures they come by
 * irq_handler_entry, and ipi_entry reports inside of that which kind an IPI is.
 * The names of the timer, softirqs and IPIs are here, for osnoise's events also.
 */
#include <linux/interrupt.h>
#include <trace/events/ipi.h>
#include <trace/events/irq.h>
#include <trace/events/nmi.h>

#include "../monitor/hooks.h"
#include "noise.h"
#include TLOB_VECTOR_EVENTS

#define TLOB_SOFTIRQ_NAME(_name)					\
	[_name##_SOFTIRQ] = #_name TLOB_NAME_PAD

static const char * const tlob_softirq_names[NR_SOFTIRQS] = {
	TLOB_SOFTIRQ_NAME(HI), TLOB_SOFTIRQ_NAME(TIMER),
	TLOB_SOFTIRQ_NAME(NET_TX), TLOB_SOFTIRQ_NAME(NET_RX),
	TLOB_SOFTIRQ_NAME(BLOCK), TLOB_SOFTIRQ_NAME(IRQ_POLL),
	TLOB_SOFTIRQ_NAME(TASKLET), TLOB_SOFTIRQ_NAME(SCHED),
	TLOB_SOFTIRQ_NAME(HRTIMER), TLOB_SOFTIRQ_NAME(RCU),
};

const char *tlob_softirq_name(unsigned int nr)
{
	return nr < NR_SOFTIRQS ? tlob_softirq_names[nr] : TLOB_NAME_PAD;
}

/*
 * The texts are as in arm64 and arm. The kernel has each once, so after its first use
 * the address identifies it. CPUs that find it at the same time store the same value.
 */
static struct tlob_ipi {
	const char *reason, *name;
	const char *seen;
} tlob_ipis[] = {
	{ "Rescheduling interrupts", "reschedule" TLOB_NAME_PAD },
	{ "Function call interrupts", "call_function" TLOB_NAME_PAD },
	{ "IRQ work interrupts", "irq_work" TLOB_NAME_PAD },
	{ "Timer broadcast interrupts", "timer_broadcast" TLOB_NAME_PAD },
	{ "CPU stop interrupts", "cpu_stop" TLOB_NAME_PAD },
	{ "CPU backtrace interrupts", "cpu_backtrace" TLOB_NAME_PAD },
};

const char *tlob_ipi_name(const char *reason)
{
	struct tlob_ipi *ipi;

	for (ipi = tlob_ipis; ipi < tlob_ipis + ARRAY_SIZE(tlob_ipis); ipi++)
		if (READ_ONCE(ipi->seen) == reason)
			return ipi->name;
	for (ipi = tlob_ipis; ipi < tlob_ipis + ARRAY_SIZE(tlob_ipis); ipi++)
		if (!strcmp(ipi->reason, reason)) {
			WRITE_ONCE(ipi->seen, reason);
			return ipi->name;
		}
	return NULL;
}

const char tlob_timer_name[] = TLOB_TIMER_NAME TLOB_NAME_PAD;
const char *tlob_timer_seen = tlob_timer_name;

noinline bool tlob_timer_found(const char *name)
{
	if (!name || strcmp(name, tlob_timer_name))
		return false;
	WRITE_ONCE(tlob_timer_seen, name);
	return true;
}

/* The window of a run, when the case is not plain. */
static noinline void tlob_window_enter(unsigned int kind, s32 id,
				       const char *name, bool lasting)
{
	struct tlob_cpu *c = tlob_this_cpu();
	struct tlob_split *s = c->hooked;

	if (unlikely(!s))
		return;
	tlob_interfere(c);
	tlob_split_enter(s, tlob_boundary(c), kind, id, name, lasting);
}

static noinline void tlob_window_exit_slow(unsigned int kind, s32 id)
{
	struct tlob_cpu *c = tlob_this_cpu();
	struct tlob_split *s = c->hooked;

	if (likely(s))
		tlob_split_exit(s, tlob_boundary(c), kind, id);
}

/*
 * The plain case, inline in each hook. It calls nothing, so the hook saves no
 * registers. Returns false in other cases and then has changed nothing.
 */
static __always_inline bool tlob_plain_enter(unsigned int kind, s32 id,
					     const char *name, bool lasting)
{
	struct tlob_cpu *c = tlob_this_cpu();
	struct tlob_split *s = c->hooked;
	u64 now;

	if (unlikely(!s) || !tlob_boundary_inline(c, &now) ||
	    !tlob_split_enter_plain(s, now, kind, id, name, lasting))
		return false;
	tlob_interfere(c);
	return true;
}

/* One function for all hooks: their arguments stay in registers. */
static noinline void tlob_window_exit(unsigned int kind, s32 id)
{
	struct tlob_cpu *c = tlob_this_cpu();
	struct tlob_split *s = c->hooked;
	u64 now;

	if (unlikely(!s) || !tlob_boundary_inline(c, &now) ||
	    !tlob_split_exit_plain(s, now, kind, id))
		tlob_window_exit_slow(kind, id);
}

/* The current task has windows of the monitor, or one that has waits for this CPU. */
static noinline void tlob_monitored_enter(unsigned int kind, s32 id,
					  const char *name, bool lasting)
{
	if (tlob_active())
		tlob_window_enter(kind, id, name, lasting);
	tlob_monitor_enter(tlob_this_cpu(), kind, id, name, lasting);
}

static noinline void tlob_monitored_exit(unsigned int kind, s32 id)
{
	unsigned long flags;

	if (tlob_active())
		tlob_window_exit(kind, id);
	/* a handler may return with irqs on; genirq warns after this hook */
	local_irq_save(flags);
	tlob_monitor_leave(tlob_this_cpu(), kind, id);
	local_irq_restore(flags);
}

/*
 * Only the choice is inline, so none of the three saves registers for another
 * one.
 */
static __always_inline void tlob_hook_enter(unsigned int kind, s32 id,
					    const char *name, bool lasting)
{
	u32 watched = tlob_watched();

	if (likely(!watched))
		return;
	if (unlikely(watched != TLOB_ONLY_ACTIVE))
		tlob_monitored_enter(kind, id, name, lasting);
	else if (!tlob_plain_enter(kind, id, name, lasting))
		tlob_window_enter(kind, id, name, lasting);
}

static __always_inline void tlob_hook_exit(unsigned int kind, s32 id)
{
	u32 watched = tlob_watched();

	if (likely(!watched))
		return;
	if (likely(watched == TLOB_ONLY_ACTIVE))
		tlob_window_exit(kind, id);
	else
		tlob_monitored_exit(kind, id);
}

static void tlob_irq_entry(void *data, int irq, struct irqaction *action)
{
	const char *name = action->name;
	bool timer = !*TLOB_TIMER_VECTOR && tlob_is_timer(name);

	if (!tlob_irq_is_nmi())
		tlob_hook_enter(TLOB_NOISE_IRQ, irq,
				timer ? tlob_timer_name : name, timer);
}

static void tlob_irq_exit(void *data, int irq, struct irqaction *action,
			  int ret)
{
	if (!tlob_irq_is_nmi())
		tlob_hook_exit(TLOB_NOISE_IRQ, irq);
}

/* Softirqs run with irqs on, so the hook of an irq may interrupt this. */
static void tlob_softirq_entry(void *data, unsigned int nr)
{
	unsigned long flags;

	if (!tlob_watched())
		return;
	local_irq_save(flags);
	tlob_hook_enter(TLOB_NOISE_SOFTIRQ, nr, tlob_softirq_name(nr), true);
	local_irq_restore(flags);
}

static void tlob_softirq_exit(void *data, unsigned int nr)
{
	unsigned long flags;

	if (!tlob_watched())
		return;
	local_irq_save(flags);
	tlob_hook_exit(TLOB_NOISE_SOFTIRQ, nr);
	local_irq_restore(flags);
}

/* A vector without an irq number stands for one, as in osnoise's events. */
#define TLOB_VECTOR(_vector)						\
static void tlob_##_vector##_entry(void *data, int vector)		\
{									\
	tlob_hook_enter(TLOB_NOISE_IRQ, vector, #_vector TLOB_NAME_PAD,	\
			true);	\
}									\
static void tlob_##_vector##_exit(void *data, int vector)		\
{									\
	tlob_hook_exit(TLOB_NOISE_IRQ, vector);				\
}

TLOB_VECTOR(local_timer)
TLOB_VECTOR(reschedule)
TLOB_VECTOR(call_function)
TLOB_VECTOR(call_function_single)
TLOB_VECTOR(irq_work)
TLOB_VECTOR(x86_platform_ipi)
TLOB_VECTOR(spurious_apic)
TLOB_VECTOR(error_apic)
TLOB_VECTOR(thermal_apic)
TLOB_VECTOR(threshold_apic)
TLOB_VECTOR(deferred_error_apic)

/* ipi_exit would report nothing more: the irq ends with irq_handler_exit. */
static void tlob_ipi_entry(void *data, const char *reason)
{
	struct tlob_cpu *c = tlob_this_cpu();
	const char *name;

	if (!tlob_watched() || tlob_irq_is_nmi())
		return;
	name = tlob_ipi_name(reason);
	if (!name)
		return;
	if (tlob_active() && c->hooked)
		tlob_split_name_irq(c->hooked, name);
	if (tlob_monitored())
		tlob_monitor_name_irq(c, name);
}

static void tlob_nmi_handler(TLOB_NMI_PROTO)
{
	struct tlob_cpu *c = tlob_this_cpu();

	if (!tlob_watched() || delta_ns <= 0)
		return;
	if (tlob_active() && c->hooked)
		tlob_nmi_ended(c, c->two, delta_ns, handled);
	if (tlob_monitored() || READ_ONCE(c->awaited))
		tlob_monitor_nmi(c, delta_ns, handled);
}

#define TLOB_VECTOR_PROBES(_vector)					\
	{ .name = #_vector "_entry", .fn = TLOB_VECTOR_PROBE(tlob_##_vector##_entry) }, \
	{ .name = #_vector "_exit", .fn = TLOB_VECTOR_PROBE(tlob_##_vector##_exit) }

static struct tlob_probe tlob_hooks_probe[] = {
	TLOB_PROBE(irq_handler_entry, tlob_irq_entry),
	TLOB_PROBE(irq_handler_exit, tlob_irq_exit),
	{ .name = TLOB_IPI_ENTRY, .fn = TLOB_IPI_PROBE(tlob_ipi_entry) },
	TLOB_VECTOR_PROBES(local_timer),
	TLOB_VECTOR_PROBES(reschedule),
	TLOB_VECTOR_PROBES(call_function),
	TLOB_VECTOR_PROBES(call_function_single),
	TLOB_VECTOR_PROBES(irq_work),
	TLOB_VECTOR_PROBES(x86_platform_ipi),
	TLOB_VECTOR_PROBES(spurious_apic),
	TLOB_VECTOR_PROBES(error_apic),
	TLOB_VECTOR_PROBES(thermal_apic),
	TLOB_VECTOR_PROBES(threshold_apic),
	TLOB_VECTOR_PROBES(deferred_error_apic),
	TLOB_PROBE(nmi_handler, tlob_nmi_handler),
	TLOB_PROBE_NOT_RT(softirq_entry, tlob_softirq_entry),
	TLOB_PROBE_NOT_RT(softirq_exit, tlob_softirq_exit),
};

static unsigned int tlob_hooks_gives(void)
{
	const struct tlob_probe_set *s = &tlob_hooks_source.set;
	unsigned int gives = 0;

	if (!tlob_irqs_are_hidden() && tlob_probe_attached(s, "irq_handler_entry") &&
	    (!*TLOB_TIMER_VECTOR || tlob_probe_attached(s, TLOB_TIMER_VECTOR)))
		gives |= TLOB_GIVES_IRQ;
	if (tlob_probe_attached(s, "softirq_entry"))
		gives |= TLOB_GIVES_SOFTIRQ;
	if (tlob_probe_attached(s, "nmi_handler"))
		gives |= TLOB_GIVES_NMI;
	return gives;
}

struct tlob_noise_source tlob_hooks_source = {
	.set = {
		.probe = tlob_hooks_probe,
		.probes = ARRAY_SIZE(tlob_hooks_probe),
	},
	.gives = tlob_hooks_gives,
	.note = "nmi: the handlers' time, without the entry's and exit's",
};
