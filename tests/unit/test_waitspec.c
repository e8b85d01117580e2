// SPDX-License-Identifier: GPL-2.0
/* Lines of the control file `waits` (waitspec.h). */
#include "unit.h"
#include "waitspec.h"

static struct tlob_wait_line parsed(const char *text)
{
	struct tlob_wait_line l;

	memset(&l, 0xff, sizeof(l));
	assert_int_equal(tlob_parse_wait(text, &l), 0);
	return l;
}

TEST(test_accepted)
{
	struct tlob_wait_line l = parsed("on");

	assert_int_equal(l.op, TLOB_WAIT_ON);
	assert_int_equal(l.scope, TLOB_WAIT_ALL);
	assert_int_equal(l.threshold_ns, 50000);
	l = parsed("on threshold=1.5ms");
	assert_int_equal(l.threshold_ns, 1500000);
	assert_int_equal(l.scope, TLOB_WAIT_ALL);
	l = parsed("on windows");
	assert_int_equal(l.scope, TLOB_WAIT_WINDOWS);
	l = parsed("on threshold=1us pids=1,4194303");
	assert_int_equal(l.threshold_ns, 1000);
	assert_int_equal(l.scope, TLOB_WAIT_PIDS);
	assert_int_equal(l.nr_pids, 2);
	assert_int_equal(l.pid[0], 1);
	assert_int_equal(l.pid[1], 4194303);
	l = parsed("on cgroup=/a b/c");
	assert_int_equal(l.scope, TLOB_WAIT_CGROUP);
	assert_string_equal(l.cgroup, "/a b/c");
	assert_int_equal(parsed("off").op, TLOB_WAIT_OFF);
	assert_int_equal(parsed("reset").op, TLOB_WAIT_RESET);
}

TEST(test_refused)
{
	static const struct {
		const char *text;
		int err;
	} lines[] = {
		{ "", -EINVAL }, { "o", -EINVAL }, { "one", -EINVAL }, { "on ", -EINVAL },
		{ "on  windows", -EINVAL }, { "on windows x", -EINVAL }, { "off ", -EINVAL },
		{ "on threshold=", -EINVAL }, { "on threshold=5x", -EINVAL },
		{ "on threshold=-5", -EINVAL }, { "on threshold=999", -ERANGE },
		{ "on threshold=3600.1s", -ERANGE }, { "on threshold=1ms threshold=1ms", -EINVAL },
		{ "on windows threshold=1ms", -EINVAL }, { "on pids=", -EINVAL },
		{ "on pids=0", -ERANGE }, { "on pids=4194304", -ERANGE }, { "on pids=1,", -EINVAL },
		{ "on pids=1,,2", -EINVAL }, { "on pids=99999999999999999999", -ERANGE },
		{ "on cgroup=", -EINVAL }, { "on cgroup=a", -EINVAL }, { "reset all", -EINVAL },
	};
	struct tlob_wait_line l, same;
	unsigned int i;

	memset(&same, 0x5a, sizeof(same));
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		l = same;
		if (tlob_parse_wait(lines[i].text, &l) != lines[i].err)
			fail_msg("'%s' gives %d, not %d", lines[i].text,
				 tlob_parse_wait(lines[i].text, &l), lines[i].err);
		assert_memory_equal(&l, &same, sizeof(l));
	}
}

/* 32 pids fit, 33 do not. */
TEST(test_many_pids)
{
	char text[300] = "on pids=1";
	struct tlob_wait_line l;
	unsigned int i;

	for (i = 1; i < TLOB_WAIT_PIDS_MAX; i++)
		strcat(text, ",7");
	assert_int_equal(parsed(text).nr_pids, TLOB_WAIT_PIDS_MAX);
	strcat(text, ",7");
	assert_int_equal(tlob_parse_wait(text, &l), -ERANGE);
}

UNIT_MAIN(NULL, NULL)
