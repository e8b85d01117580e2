// SPDX-License-Identifier: GPL-2.0
/*
 * A policy: the header that the kernel compiles, and what the tool makes of it. The
 * text that the tool formats is the same policy again.
 */
#include "fuzz.h"
#include "policyspec.h"
#include "util/policy.h"

static void check_ranges(const struct tlob_policy *p)
{
	switch (p->policy) {
	case SCHED_FIFO:
	case SCHED_RR:
		CHECK(p->priority >= 1 && p->priority <= 99);
		CHECK(!p->runtime && !p->deadline && !p->period);
		break;
	case SCHED_DEADLINE:
		CHECK(!p->priority && p->runtime >= 1024);
		CHECK(p->runtime <= p->deadline && p->deadline <= p->period);
		CHECK(p->period <= INT64_MAX);
		break;
	default:
		CHECK(p->policy == SCHED_NORMAL);
		CHECK(!p->priority && !p->runtime && !p->deadline && !p->period);
	}
}

static bool same(const struct tlob_policy *a, const struct tlob_policy *b)
{
	return a->policy == b->policy && a->priority == b->priority &&
	       a->runtime == b->runtime && a->deadline == b->deadline &&
	       a->period == b->period;
}

static void check_tail(const char *text, const char *tail)
{
	char *longer = fuzz_append(text, tail), err[256];
	struct tlob_policy k, p;

	CHECK(tlob_parse_policy(longer, &k) == -EINVAL);
	CHECK(policy_parse(&p, longer, err, sizeof(err)) == -EINVAL);
	free(longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), err[256], buf[80];
	struct tlob_policy k, p, before;
	int ret;

	memset(&before, 0x5a, sizeof(before));
	k = before;
	ret = tlob_parse_policy(text, &k);
	CHECK(!ret || ret == -EINVAL || ret == -ERANGE);
	if (ret) {
		CHECK(!memcmp(&k, &before, sizeof(k)));
	} else {
		check_ranges(&k);
		check_tail(text, "x");
		check_tail(text, "/");
		check_tail(text, " ");
		check_tail(text, "\n");
	}

	memset(err, 0, sizeof(err));
	if (policy_parse(&p, text, err, sizeof(err))) {
		CHECK(*err && !strchr(err, '\n'));
		CHECK(ret);
	} else {
		CHECK(!ret && same(&p, &k));
		CHECK(!policy_format(&p, buf, sizeof(buf)));
		CHECK(!tlob_parse_policy(buf, &k) && same(&p, &k));
		CHECK(policy_format(&p, buf, (unsigned int)strlen(buf)) == -ENOSPC);
	}
	free(text);
	return 0;
}
