/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A noise source is a set of probes on tracepoints, found by name: none of
 * them is exported to modules, and not every kernel has all.
 *
 * Since 7.x a probe may be preempted. Ours may not: either the tracepoint is
 * only ever hit with irqs off (irqs, context switch, wake-up of another task,
 * nmi), or the probe turns them off itself before it looks at its CPU.
 */
#ifndef _TLOB_NOISE_H
#define _TLOB_NOISE_H

#include <linux/tracepoint.h>

#include "tlob.h"

struct tlob_probe {
	const char *name;		/* of the tracepoint */
	void	*fn;
	struct tracepoint *tp;		/* found at load, or NULL */
	bool	not_rt;			/* means nothing on PREEMPT_RT */
	bool	attached;
};

#define TLOB_PROBE(_name, _fn)	{ .name = (_name), .fn = (_fn) }
/* On PREEMPT_RT softirqs run in threads that can be preempted: thread noise. */
#define TLOB_PROBE_NOT_RT(_name, _fn)					\
	{ .name = (_name), .fn = (_fn), .not_rt = true }

/* The parts that a source gives: 1 << enum tlob_noise_kind. */
#define TLOB_GIVES_IRQ		BIT(TLOB_NOISE_IRQ)
#define TLOB_GIVES_SOFTIRQ	BIT(TLOB_NOISE_SOFTIRQ)
#define TLOB_GIVES_NMI		BIT(TLOB_NOISE_NMI)

struct tlob_noise_source {
	const char *name;
	struct tlob_probe *probe;
	unsigned int probes;
	unsigned int users;		/* TLOB_FOR_*; attached while not 0 */
	unsigned int (*gives)(void);	/* what the attached probes can tell */
	const char *note;		/* what its numbers leave out, or NULL */
};

#define TLOB_FOR_RUN		BIT(0)
#define TLOB_FOR_MONITOR	BIT(1)
#define TLOB_FOR_WORDS		BIT(2)	/* enable.c */

extern struct tlob_noise_source tlob_sched_source;
extern struct tlob_noise_source tlob_osnoise_source;
extern struct tlob_noise_source tlob_hooks_source;

/*
 * A set of probes: looks up the tracepoints; attaches the probes of those that this
 * kernel has, all or none (0, -ENOMEM), while there is a user of them (TLOB_FOR_*).
 * After detaching it the caller waits: tracepoint_synchronize_unregister().
 */
void tlob_source_find(struct tlob_noise_source *source);
int  tlob_source_attach(struct tlob_noise_source *source, unsigned int user);
void tlob_source_detach(struct tlob_noise_source *source, unsigned int user);

bool tlob_probe_attached(const struct tlob_noise_source *source,
			 const char *name);

/* As /proc/softirqs names them; NULL beyond. */
const char *tlob_softirq_name(unsigned int nr);

/*
 * In nmi context: @ns of split @i's source have just passed. @count: the nmi
 * counts; one nmi may report several handlers.
 */
void tlob_nmi_ended(struct tlob_cpu *c, unsigned int i, u64 ns, bool count);

#endif /* _TLOB_NOISE_H */
