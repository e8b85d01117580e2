/* SPDX-License-Identifier: GPL-2.0 */
/* Noise sources: they report interruptions to the splits. */
#ifndef _TLOB_NOISE_H
#define _TLOB_NOISE_H

#include "../base/probes.h"
#include "../window/window.h"

/* The parts that a source measures: 1 << enum tlob_noise_kind. */
#define TLOB_GIVES_IRQ		BIT(TLOB_NOISE_IRQ)
#define TLOB_GIVES_SOFTIRQ	BIT(TLOB_NOISE_SOFTIRQ)
#define TLOB_GIVES_NMI		BIT(TLOB_NOISE_NMI)

struct tlob_noise_source {
	struct tlob_probe_set set;
	unsigned int (*gives)(void);	/* TLOB_GIVES_* of attached probes */
	const char *note;		/* what the numbers lack, or NULL */
};

/* noise_osnoise.c, noise_hooks.c */
extern struct tlob_noise_source tlob_osnoise_source;
extern struct tlob_noise_source tlob_hooks_source;

/*
 * Returns whether osnoise reports interrupts of every CPU in @cpus. May sleep.
 */
bool tlob_osnoise_arrives(const struct cpumask *cpus);

/* sched_hooks.c: every source needs these */
extern struct tlob_probe_set tlob_sched_probes;
int tlob_sched_check(void);

/*
 * noise_hooks.c has the names. Returns the name as in /proc/softirqs with TLOB_NAME_PAD, or ""
 * for other numbers.
 */
const char *tlob_softirq_name(unsigned int nr);

/*
 * Returns the name of a kind of IPI with TLOB_NAME_PAD, the same as on x86. @reason is
 * the text of the tracepoint ipi_entry. Returns NULL for a text that is not known. With
 * irqs off.
 */
const char *tlob_ipi_name(const char *reason);

/*
 * The timer's interrupt is the largest one of most windows, and copying its name at its
 * end took more than all else there. The name is a constant of the kernel, so after its
 * first use the address identifies it. Before that it is our own.
 */
extern const char tlob_timer_name[];
extern const char *tlob_timer_seen;
bool tlob_timer_found(const char *name);

/* Returns whether @name is the timer's: then tlob_timer_name is the same, and lasts. */
static __always_inline bool tlob_is_timer(const char *name)
{
	const char *seen;

	if (!*TLOB_TIMER_NAME)
		return false;
	seen = READ_ONCE(tlob_timer_seen);
	return name == seen || (unlikely(seen == tlob_timer_name) &&
				tlob_timer_found(name));
}

/* noise.c: attach and detach run under tlob_mutex and may sleep */
int  tlob_noise_init(void);
int  tlob_noise_attach(enum tlob_source wanted, const struct cpumask *cpus);
void tlob_noise_detach(void);
/* Returns whether the CPUs have a clock of stolen time. */
bool tlob_has_steal(void);

/* Called in the hotplug thread of a CPU that comes up. */
int tlob_noise_online(unsigned int cpu);
struct seq_file;
void tlob_noise_show(struct seq_file *m);

#endif /* _TLOB_NOISE_H */
