/* SPDX-License-Identifier: GPL-2.0 */
/* Where the splits have their interruptions from. */
#ifndef _TLOB_NOISE_H
#define _TLOB_NOISE_H

#include "probes.h"
#include "tlob.h"

/* The parts that a source gives: 1 << enum tlob_noise_kind. */
#define TLOB_GIVES_IRQ		BIT(TLOB_NOISE_IRQ)
#define TLOB_GIVES_SOFTIRQ	BIT(TLOB_NOISE_SOFTIRQ)
#define TLOB_GIVES_NMI		BIT(TLOB_NOISE_NMI)

struct tlob_noise_source {
	struct tlob_probe_set set;
	unsigned int (*gives)(void);	/* what the attached probes can tell */
	const char *note;		/* what its numbers leave out, or NULL */
};

/* noise_osnoise.c, noise_hooks.c */
extern struct tlob_noise_source tlob_osnoise_source;
extern struct tlob_noise_source tlob_hooks_source;

/* Whether osnoise reports the interrupts of each CPU of @cpus. May sleep. */
bool tlob_osnoise_arrives(const struct cpumask *cpus);

/* sched_hooks.c: what every source needs. */
extern struct tlob_probe_set tlob_sched_probes;
int tlob_sched_check(void);

/* As /proc/softirqs names them, with TLOB_NAME_PAD; "" beyond. */
const char *tlob_softirq_name(unsigned int nr);

/*
 * boundary.c, in nmi context: @ns of split @i's source have just passed. @count: the
 * nmi counts; one nmi may report several handlers.
 */
void tlob_nmi_ended(struct tlob_cpu *c, unsigned int i, u64 ns, bool count);

#endif /* _TLOB_NOISE_H */
