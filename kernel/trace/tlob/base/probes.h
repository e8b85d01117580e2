/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A probe set: probes on tracepoints that are attached together. The
 * tracepoints are found by name, because modules cannot name them and some
 * kernels lack some of them.
 *
 * Since 7.x a probe may be preempted. Probes of tlob-load must not be. Either
 * their tracepoint is only hit with irqs off (irqs, context switch, wake-up of
 * another task, nmi), or the probe turns irqs off before it looks at its CPU.
 */
#ifndef _TLOB_PROBES_H
#define _TLOB_PROBES_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/tracepoint.h>

#include "compat.h"

struct tlob_probe {
	const char *name;		/* of the tracepoint */
	void	*fn;
	struct tracepoint *tp;		/* found at load, or NULL */
	bool	last;			/* runs after those that are not */
	bool	not_rt;			/* means nothing on PREEMPT_RT */
	bool	attached;
};

/*
 * The address of a probe, which must have the type that the kernel calls: kernels change
 * that, and by name any function can be attached. The file includes the header of the event.
 */
#define TLOB_PROBE_OF(_event, _fn)						\
	((void *)(_fn) +							\
	 BUILD_BUG_ON_ZERO(!__same_type(&check_trace_callback_type_##_event,	\
					(void (*)(typeof(_fn) *))NULL)))

#define TLOB_PROBE(_event, _fn)							\
	{ .name = #_event, .fn = TLOB_PROBE_OF(_event, _fn) }
/* On PREEMPT_RT softirqs run in preemptible threads, which are thread noise. */
#define TLOB_PROBE_NOT_RT(_event, _fn)						\
	{ .name = #_event, .fn = TLOB_PROBE_OF(_event, _fn), .not_rt = true }

struct tlob_probe_set {
	struct tlob_probe *probe;
	unsigned int probes;
	unsigned int users;		/* TLOB_FOR_*; attached while not 0 */
};

#define TLOB_FOR_RUN		BIT(0)
#define TLOB_FOR_MONITOR	BIT(1)
#define TLOB_FOR_WORDS		BIT(2)	/* bits.c */
#define TLOB_FOR_WAITS		BIT(3)	/* waits_tasks.c */
#define TLOB_FOR_COST		BIT(4)	/* functions_probe.c: the clock only */

/* Looks up the tracepoints. */
void tlob_probes_find(struct tlob_probe_set *set);

/*
 * Attaches the probes of all tracepoints that this kernel has, in the order of
 * the set. Each takes a while, and tasks run meanwhile. Detaching goes the
 * other way. So a probe of the set may rely on those before it. Returns 0, or
 * -ENOMEM with none attached.
 */
int  tlob_probes_attach(struct tlob_probe_set *set, unsigned int user);

/* After the last user the caller calls tracepoint_synchronize_unregister(). */
void tlob_probes_detach(struct tlob_probe_set *set, unsigned int user);

bool tlob_probe_attached(const struct tlob_probe_set *set, const char *name);

#endif /* _TLOB_PROBES_H */
