/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduling policy of the workload, as text. Pure C: compiled in the
 * kernel, in the tool and in the tests.
 *
 *	fifo:P, rr:P				P 1 ... 99
 *	other
 *	deadline:RUNTIME/DEADLINE/PERIOD	1024 ns <= RUNTIME <= DEADLINE <=
 *						PERIOD < 2^63 ns: what
 *						sched_setattr(2) takes. Units
 *						as in workspec.h
 */
#ifndef _TLOB_POLICYSPEC_H
#define _TLOB_POLICYSPEC_H

#ifdef __KERNEL__
#include <uapi/linux/sched.h>
#else
#include <linux/sched.h>
#endif

#include "ranges.h"
#include "workspec.h"

struct tlob_policy {
	int	policy;			/* SCHED_* */
	__u32	priority;		/* fifo, rr: 1 ... 99 */
	__u64	runtime, deadline, period;	/* deadline: ns */
};

static inline int tlob_parse_deadline(const char *s, struct tlob_policy *p)
{
	int err = tlob_parse_duration(&s, &p->runtime);

	if (!err && !tlob_skip_word(&s, "/"))
		err = -EINVAL;
	if (!err)
		err = tlob_parse_duration(&s, &p->deadline);
	if (!err && !tlob_skip_word(&s, "/"))
		err = -EINVAL;
	if (!err)
		err = tlob_parse_duration(&s, &p->period);
	if (err)
		return err;
	if (*s)
		return -EINVAL;
	if (p->runtime < TLOB_DEADLINE_MIN || p->runtime > p->deadline ||
	    p->deadline > p->period || p->period > TLOB_DEADLINE_MAX)
		return -ERANGE;
	return 0;
}

static inline int tlob_parse_priority(const char *s, struct tlob_policy *p)
{
	__u64 priority;
	int err = tlob_parse_u64(&s, &priority);

	if (err)
		return err;
	if (*s)
		return -EINVAL;
	if (priority < TLOB_PRIORITY_MIN || priority > TLOB_PRIORITY_MAX)
		return -ERANGE;
	p->priority = (__u32)priority;
	return 0;
}

/*
 * Parses all of @s. Returns 0, -EINVAL or -ERANGE. *@policy is written on
 * success only.
 */
static inline int tlob_parse_policy(const char *s, struct tlob_policy *policy)
{
	struct tlob_policy p = { .policy = SCHED_NORMAL };
	int err;

	if (tlob_skip_word(&s, "deadline:")) {
		p.policy = SCHED_DEADLINE;
		err = tlob_parse_deadline(s, &p);
	} else if (tlob_skip_word(&s, "rr:")) {
		p.policy = SCHED_RR;
		err = tlob_parse_priority(s, &p);
	} else if (tlob_skip_word(&s, "fifo:")) {
		p.policy = SCHED_FIFO;
		err = tlob_parse_priority(s, &p);
	} else {
		err = strcmp(s, "other") ? -EINVAL : 0;
	}
	if (!err)
		*policy = p;
	return err;
}

#endif /* _TLOB_POLICYSPEC_H */
