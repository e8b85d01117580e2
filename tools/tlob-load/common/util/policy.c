// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "util/policy.h"
#include "util/usage.h"

/* The grammar says that the text is wrong; its beginning shows what was meant. */
static int explain(const char *text, int error, char *err, unsigned int size)
{
	const char *s = text;

	if (tlob_skip_word(&s, "fifo:") || tlob_skip_word(&s, "rr:"))
		return usage_error(err, size,
			       "%.*s needs a priority from %llu to %llu, as in %.*s:95",
			       (int)(s - text - 1), text, TLOB_PRIORITY_MIN,
			       TLOB_PRIORITY_MAX, (int)(s - text - 1), text);
	if (tlob_skip_word(&s, "deadline:"))
		return error == -ERANGE ?
		       usage_error(err, size,
			       "deadline needs %lluns <= RUNTIME <= DEADLINE <= PERIOD < 2^63ns",
			       TLOB_DEADLINE_MIN) :
		       usage_error(err, size,
			       "deadline needs RUNTIME/DEADLINE/PERIOD, as in deadline:200us/1ms/1ms");
	return usage_error(err, size,
		       "unknown policy '%s': use fifo:P, rr:P, other or deadline:RUNTIME/DEADLINE/PERIOD",
		       text);
}

int policy_parse(struct tlob_policy *p, const char *text, char *err,
		 unsigned int size)
{
	int ret = tlob_parse_policy(text, p);

	return ret ? explain(text, ret, err, size) : 0;
}

int policy_format(const struct tlob_policy *p, char *buf, unsigned int size)
{
	int n;

	if (p->policy == SCHED_DEADLINE)
		n = snprintf(buf, size, "deadline:%llu/%llu/%llu", p->runtime,
			     p->deadline, p->period);
	else if (p->policy == SCHED_NORMAL)
		n = snprintf(buf, size, "other");
	else
		n = snprintf(buf, size, "%s:%u",
			     p->policy == SCHED_FIFO ? "fifo" : "rr",
			     p->priority);
	return n < 0 || (unsigned int)n >= size ? -ENOSPC : 0;
}
