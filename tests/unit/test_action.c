// SPDX-License-Identifier: GPL-2.0
/* The grammar of --on-violation and --at-most, and the limit over time. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "machine/actions.h"
#include "unit.h"
#include "util/action.h"

static char why[200];

static struct action parsed(const char *text)
{
	struct action a;

	assert_int_equal(action_parse(&a, text, why, sizeof(why)), 0);
	assert_ptr_equal(a.text, text);
	return a;
}

static void refused(const char *text, const char *because)
{
	struct action a;

	assert_int_equal(action_parse(&a, text, why, sizeof(why)), -EINVAL);
	if (!strstr(why, because))
		fail_msg("%s: %s", text, why);
}

TEST(test_words)
{
	(void)state;
	assert_int_equal(parsed("stop").kind, ACTION_STOP);
	assert_int_equal(parsed("continue").kind, ACTION_CONTINUE);
	assert_int_equal(parsed("trace").kind, ACTION_TRACE);
	refused("", "unknown action");
	refused("stop ", "unknown action");
	refused("shellx", "unknown action");
}

TEST(test_signals)
{
	(void)state;
	assert_int_equal(parsed("signal:USR1").signo, SIGUSR1);
	assert_int_equal(parsed("signal:sigterm").signo, SIGTERM);
	assert_int_equal(parsed("signal:9:42").signo, SIGKILL);
	assert_int_equal(parsed("signal:9:42").pid, 42);
	assert_int_equal(parsed("signal:STOP").pid, 0);
	assert_int_equal(parsed("signal:64").signo, 64);
	refused("signal:65", "unknown signal '65'");
	refused("signal:0", "unknown signal '0'");
	refused("signal:", "unknown signal ''");
	refused("signal:SIG", "unknown signal 'SIG'");
	refused("signal:99999999999999999999999999:1", "unknown signal");
	refused("signal:USR1:", "invalid process ''");
	refused("signal:USR1:0", "invalid process '0'");
	refused("signal:USR1:2147483648", "invalid process");
	refused("signal:USR1:1:2", "invalid process '1:2'");
}

TEST(test_commands)
{
	(void)state;
	assert_string_equal(parsed("shell:a:b c").command, "a:b c");
	refused("shell:", "empty");
}

static void limit_refused(const char *text, const char *because)
{
	struct action_config c = { .most = 7 };

	assert_int_equal(action_limit_parse(&c, text, why, sizeof(why)), -EINVAL);
	if (!strstr(why, because))
		fail_msg("%s: %s", text, why);
	assert_int_equal(c.most, 7);
}

TEST(test_limits)
{
	struct action_config c = { 0 };

	(void)state;
	assert_int_equal(action_limit_parse(&c, "5/1m", why, sizeof(why)), 0);
	assert_int_equal(c.most, 5);
	assert_int_equal(c.per_ns, 60000000000);
	assert_int_equal(action_limit_parse(&c, "1000/1ms", why, sizeof(why)), 0);
	limit_refused("5", "no time");
	limit_refused("/1s", "invalid number ''");
	limit_refused("0/1s", "invalid number '0'");
	limit_refused("1001/1s", "1 to 1000");
	limit_refused("5/1us", "too short");
	limit_refused("5/1000", "");
	limit_refused("123456789012345678901234567890/1s", "invalid number");
}

TEST(test_what_is_needed)
{
	struct action_config c = { .n = 2, .at = { { .kind = ACTION_STOP }, { .kind = ACTION_CONTINUE } } };

	(void)state;
	assert_false(action_needs_runner(&c));
	assert_true(action_has(&c, ACTION_STOP));
	assert_false(action_has(&c, ACTION_SHELL));
	c.at[1].kind = ACTION_SHELL;
	assert_true(action_needs_runner(&c));
	c.n = 0;
	assert_false(action_needs_runner(&c));
	c.nend = 1;
	assert_true(action_needs_runner(&c));
}

/* Two in ten: no eleventh of a second may have three, wherever it begins. */
TEST(test_most)
{
	static const struct action_config c = {
		.n = 1, .at = { { .kind = ACTION_SHELL, .command = ":" } }, .most = 2, .per_ns = 10,
	};
	struct action_counts counts = { 0 };
	struct actions a = ACTIONS_NONE;
	uint64_t at[] = { 100, 105, 109, 110, 112, 115, 119, 120 };
	bool want[] = { true, true, false, true, false, true, false, true };
	unsigned int i;

	(void)state;
	a.set.config = &c;
	a.set.counts = &counts;
	a.runner = 1;
	a.fd = 0;
	for (i = 0; i < sizeof(want); i++)
		assert_int_equal(actions_want(&a, at[i]), want[i]);
	assert_int_equal(counts.met, 8);
	assert_int_equal(counts.taken, 5);
	assert_int_equal(counts.limited, 3);
	assert_int_equal(counts.busy, 0);
	a.busy = true;		/* and nothing to read: the actions are under way */
	a.fd = -1;
	a.runner = 0;
	assert_false(actions_want(&a, 200));
	assert_int_equal(counts.met, 9);
}

UNIT_MAIN(NULL, NULL)
