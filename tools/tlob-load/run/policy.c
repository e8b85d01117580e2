// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>

#include "workspec.h"
#include "run/policy.h"
#include "util/usage.h"

/* The least runtime that the scheduler takes: 1 << DL_SCALE. */
#define POLICY_MIN_RUNTIME	1024

static int parse_priority(struct policy *p, enum policy_type type,
			  const char *name, const char *s, char *err,
			  unsigned int size)
{
	__u64 val;

	if (tlob_parse_u64(&s, &val) || *s || val < 1 || val > 99)
		return usage_error(err, size,
			       "%s needs a priority from 1 to 99, as in %s:95",
			       name, name);
	*p = (struct policy){ .type = type, .priority = (unsigned int)val };
	return 0;
}

static int parse_deadline(struct policy *p, const char *s, char *err,
			  unsigned int size)
{
	struct policy d = { .type = POLICY_DEADLINE };
	__u64 ns[3];
	int i;

	for (i = 0; i < 3; i++) {
		if (tlob_parse_duration(&s, &ns[i]) || *s != (i < 2 ? '/' : 0))
			return usage_error(err, size,
				       "deadline needs RUNTIME/DEADLINE/PERIOD, as in deadline:200us/1ms/1ms");
		s++;
	}
	d.runtime_ns = ns[0];
	d.deadline_ns = ns[1];
	d.period_ns = ns[2];
	if (d.runtime_ns < POLICY_MIN_RUNTIME || d.runtime_ns > d.deadline_ns ||
	    d.deadline_ns > d.period_ns || d.period_ns > INT64_MAX)
		return usage_error(err, size,
			       "deadline needs %dns <= RUNTIME <= DEADLINE <= PERIOD < 2^63ns",
			       POLICY_MIN_RUNTIME);
	*p = d;
	return 0;
}

int policy_parse(struct policy *p, const char *text, char *err,
		 unsigned int size)
{
	const char *s = text;

	if (tlob_skip_word(&s, "fifo:"))
		return parse_priority(p, POLICY_FIFO, "fifo", s, err, size);
	if (tlob_skip_word(&s, "rr:"))
		return parse_priority(p, POLICY_RR, "rr", s, err, size);
	if (tlob_skip_word(&s, "deadline:"))
		return parse_deadline(p, s, err, size);
	if (strcmp(s, "other"))
		return usage_error(err, size,
			       "'%s' is no policy: use fifo:P, rr:P, other or deadline:RUNTIME/DEADLINE/PERIOD",
			       text);
	*p = (struct policy){ .type = POLICY_OTHER };
	return 0;
}

int policy_format(const struct policy *p, char *buf, unsigned int size)
{
	int n;

	if (p->type == POLICY_DEADLINE)
		n = snprintf(buf, size,
			     "deadline:%" PRIu64 "/%" PRIu64 "/%" PRIu64,
			     p->runtime_ns, p->deadline_ns, p->period_ns);
	else if (p->type == POLICY_OTHER)
		n = snprintf(buf, size, "other");
	else
		n = snprintf(buf, size, "%s:%u",
			     p->type == POLICY_FIFO ? "fifo" : "rr",
			     p->priority);
	return n < 0 || (unsigned int)n >= size ? -ENOSPC : 0;
}
