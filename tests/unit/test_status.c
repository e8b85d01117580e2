// SPDX-License-Identifier: GPL-2.0
/* `status` and `hist` are read as the kernel writes them; anything else is refused. */
#include <errno.h>

#include "unit.h"
#include "backend/status.h"

static struct tlob_hist hist[TLOB_NR_METRICS];

/* status_parse() keeps the text, which must be allocated. */
static int parse(struct status *s, const char *text)
{
	return status_parse(s, strdup(text));
}

TEST(test_fields)
{
	static const char text[] =
		"state: enabled\n"
		"stopped_by: none\n"
		"workload: kthread\n"
		"noise_source: hooks\n"
		"tracepoints: a b\n"
		"unavailable: wake.softirq work.softirq\n"
		"unavailable_because: softirqs run in threads on PREEMPT_RT: see thread\n"
		"notes: nmi: without\n"
		"ring_bytes: 1150976\n"
		"max_difference_ns: wake.irq=0 work.irq=3\n"
		"cpu0: state=armed windows=1000 violations=3 missed=4 aborted=5 lost=6 sum_failures=7 errors=8 adjusted_ns=9 clock_steps=10 demand_ns=11 demand_spread_ns=12 migrated=13 overhead_ns=14 start_ns=15 first_activation=16 offline=1 pid=17 new=18\n"
		"cpu10: state=x windows=18446744073709551615\n";
	const struct status_cpu *c;
	struct status s;

	assert_int_equal(parse(&s, text), 0);
	assert_string_equal(s.state, "enabled");
	assert_int_equal(s.stopped_cpu, -1);
	assert_string_equal(s.noise_source, "hooks");
	assert_string_equal(s.unavailable_because,
			    "softirqs run in threads on PREEMPT_RT: see thread");
	assert_string_equal(s.notes, "nmi: without");
	assert_string_equal(s.max_difference_ns, "wake.irq=0 work.irq=3");
	assert_int_equal(s.unavailable,
			 1U << TLOB_WAKE_SOFTIRQ | 1U << TLOB_WORK_SOFTIRQ);
	assert_int_equal(s.ncpus, 2);
	c = status_find(&s, 0);
	assert_non_null(c);
	assert_int_equal(c->windows, 1000);
	assert_int_equal(c->violations, 3);
	assert_int_equal(c->missed, 4);
	assert_int_equal(c->aborted, 5);
	assert_int_equal(c->lost, 6);
	assert_int_equal(c->sum_failures, 7);
	assert_int_equal(c->errors, 8);
	assert_int_equal(c->adjusted_ns, 9);
	assert_int_equal(c->clock_steps, 10);
	assert_int_equal(c->demand_ns, 11);
	assert_int_equal(c->demand_spread_ns, 12);
	assert_int_equal(c->migrated, 13);
	assert_int_equal(c->overhead_ns, 14);
	assert_int_equal(c->start_ns, 15);
	assert_int_equal(c->first_activation, 16);
	assert_int_equal(c->offline, 1);
	assert_int_equal(c->pid, 17);
	c = status_find(&s, 10);
	assert_non_null(c);
	assert_true(c->windows == UINT64_MAX);
	assert_int_equal(c->overhead_ns, 0);
	assert_null(status_find(&s, 1));
	status_free(&s);
}

/* The smallest valid status: nothing unavailable, and no source. */
TEST(test_minimal)
{
	struct status s;

	assert_int_equal(parse(&s, "state: disabled\nunavailable: none\nnotes: none\nstopped_by: cpu0 activation 7\n"), 0);
	assert_int_equal(s.unavailable, 0);
	assert_string_equal(s.noise_source, "none");
	assert_int_equal(s.stopped_cpu, 0);
	assert_int_equal(s.stopped_activation, 7);
	assert_null(s.notes);
	assert_null(s.unavailable_because);
	assert_int_equal(s.ncpus, 0);
	status_free(&s);
	status_free(&s);
}

TEST(test_bad_status)
{
	static const char * const bad[] = {
		"", "x", "cpu0: windows=1\n",
		"state: a\ncpu0: windows=1x\n",
		"state: a\ncpu0: windows=1\ncpu0: windows=1\n",
		"state: a\ncpu0: windows\n",
		"state: a\ncpu0: windows=\n",
		"state: a\ncpu0: windows=-1\n",
		"state: a\ncpu0: windows=18446744073709551616\n",
		"state: a\nunavailable: foo\n",
		"state: a\nunavailable: wake\n",
		"state: a\nstopped_by: cpu\n",
		"state: a\nstopped_by: cpu0\n",
		"state: a\nstopped_by: cpu0 activation x\n",
		"state: a\nstopped_by: cpu0 activation 7 8\n",
	};
	struct status s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (parse(&s, bad[i]) != -EINVAL)
			fail_msg("'%s' is accepted", bad[i]);
		status_free(&s);
	}
}

TEST(test_hist)
{
	static const char text[] =
		"wake n=1000 sum=4151000 min=4100 max=5176\n"
		"wake 4096 4159 998\n"
		"wake 5120 5183 2\n"
		"work.hw n=1 sum=0 min=0 max=0\n"
		"work.hw 0 0 1\n";
	const struct tlob_hist *h = &hist[TLOB_METRIC_WAKE];

	assert_int_equal(hist_parse(hist, text, false), 0);
	assert_int_equal(h->n, 1000);
	assert_int_equal(h->sum, 4151000);
	assert_int_equal(h->min, 4100);
	assert_int_equal(h->max, 5176);
	assert_int_equal(h->bucket[tlob_hist_index(4100)], 998);
	assert_int_equal(h->bucket[tlob_hist_index(5176)], 2);
	assert_int_equal(hist[TLOB_METRIC_PARTS + TLOB_WORK_HW].n, 1);
	assert_int_equal(hist[TLOB_METRIC_RESPONSE].n, 0);

	/* an empty file clears the histogram */
	assert_int_equal(hist_parse(hist, "", false), 0);
	assert_int_equal(h->n, 0);
	assert_int_equal(h->bucket[tlob_hist_index(4100)], 0);
}

TEST(test_last_bucket)
{
	unsigned int last = TLOB_HIST_BUCKETS - 1;
	char text[200];

	snprintf(text, sizeof(text), "wake n=2 sum=2 min=%llu max=%llu\nwake %llu %llu 2\n",
		 tlob_hist_lower(last), tlob_hist_upper(last), tlob_hist_lower(last),
		 tlob_hist_upper(last));
	assert_int_equal(hist_parse(hist, text, false), 0);
	assert_int_equal(hist[TLOB_METRIC_WAKE].bucket[last], 2);
}

/* In a run a window may end between two lines, so the buckets give n, min and max. */
TEST(test_running)
{
	static const struct {
		const char *text;
		__u64 n, min, max;
	} texts[] = {
		{ "wake n=2 sum=1 min=3 max=200\nwake 3 3 1\nwake 200 201 2\n", 3, 3, 200 },
		{ "wake n=3 sum=1 min=2 max=200\nwake 3 3 1\nwake 200 201 2\n", 3, 3, 200 },
		{ "wake n=3 sum=1 min=3 max=202\nwake 3 3 1\nwake 200 201 2\n", 3, 3, 201 },
		{ "wake n=3 sum=1 min=9 max=9\nwake 3 3 1\nwake 200 201 2\n", 3, 3, 201 },
		{ "wake n=1 sum=9 min=9 max=9\n", 0, 0, 0 },
	};
	const struct tlob_hist *wake = &hist[TLOB_METRIC_WAKE];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(hist_parse(hist, texts[i].text, false), -EINVAL);
		assert_int_equal(hist_parse(hist, texts[i].text, true), 0);
		assert_int_equal(wake->n, texts[i].n);
		assert_int_equal(wake->min, texts[i].min);
		assert_int_equal(wake->max, texts[i].max);
		assert_true(wake->n || !wake->sum);
	}
}

TEST(test_bad_hist)
{
	static const char * const bad[] = {
		"wake n=1 sum=1 min=1 max=1\n",
		"wake n=1 sum=1 min=1 max=1\nwake 1 2 1\n",
		"wake n=1 sum=1 min=1 max=1\nwake 129 129 1\n",
		"foo n=1 sum=1 min=1 max=1\nfoo 1 1 1\n",
		"wake n=2 sum=1 min=1 max=1\nwake 1 1 1\nwake 1 1 1\n",
		"wake n=1 sum=1 min=1 max=1\nwake 1 1 1",
		"wake n=1 sum=1 min=1 max=1\nwake 1 1 1 1\n",
		"wake n=1 sum=1 min=2 max=1\nwake 1 1 1\n",
		"wake n=0 sum=0 min=0 max=0\n",
		"wake n=1 sum=1 min=1 max=1\nwake 1 1 1\nwake 2 2 0\n",
		"wake", "wake n=1", "\n",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (hist_parse(hist, bad[i], false) != -EINVAL)
			fail_msg("'%s' is accepted", bad[i]);
}

UNIT_MAIN(NULL, NULL)
