// SPDX-License-Identifier: GPL-2.0
/* The grammar of --on-violation and --at-most, the limit over time, and what counts as what. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/actions_local.h"
#include "machine/cpus.h"
#include "result/result.h"
#include "result/tables.h"
#include "unit.h"
#include "util/action.h"
#include "util/file.h"

#define HANGS_NS	600000000000ULL	/* ends a test that hangs; no other test waits so long */

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
	a.runner = 0;
	assert_false(actions_want(&a, 200));
	assert_int_equal(counts.met, 9);
}

/* The other side of @a, whose runner is this test. */
static int be_runner(struct actions *a)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	a->fd = pair[0];
	a->runner = 1;
	return pair[1];
}

/* A window that comes while actions are under way is busy, even if it is also over the limit. */
TEST(test_busy)
{
	static const struct action_config c = {
		.n = 1, .at = { { .kind = ACTION_SHELL, .command = ":" } }, .most = 1, .per_ns = 100,
	};
	const struct answer answer = { .failed = 1, .killed = 2, .reason = "no luck" };
	const struct answer second = { .failed = 1, .reason = "again" };
	struct action_counts counts = { 0 };
	struct actions a = ACTIONS_NONE;
	char text[ACTIONS_NEWS];
	int runner;

	a.set.config = &c;
	a.set.counts = &counts;
	runner = be_runner(&a);
	assert_string_equal(actions_news(&a, text), "");
	assert_true(actions_want(&a, 100));
	assert_string_equal(actions_news(&a, text), "the actions were taken at 1 of 1 windows that met the condition");
	a.busy = true;
	assert_false(actions_want(&a, 110));
	assert_false(actions_want(&a, 300));
	assert_string_equal(actions_news(&a, text), "the actions were taken at 1 of 3 windows that met the condition; "
			    "2 came while one was under way");
	assert_int_equal(send(runner, &answer, sizeof(answer), 0), sizeof(answer));
	assert_false(actions_want(&a, 199));
	assert_string_equal(actions_news(&a, text), "the actions were taken at 1 of 4 windows that met the condition; "
			    "2 came while one was under way; 1 were over --at-most; 1 action failed: no luck; "
			    "2 still ran and were killed");
	assert_true(actions_want(&a, 200));
	assert_int_equal(counts.met, 5);
	assert_int_equal(counts.taken, 2);
	assert_int_equal(counts.busy, 2);
	assert_int_equal(counts.limited, 1);
	assert_int_equal(counts.failed, 1);
	assert_int_equal(counts.killed, 2);
	/* the reason is the first one's */
	a.busy = true;
	assert_int_equal(send(runner, &second, sizeof(second), 0), sizeof(second));
	assert_true(actions_want(&a, 300));
	assert_contains(actions_news(&a, text), "2 actions failed: no luck;");
	close(runner);
	close(a.fd);
}

/* Windows that come after somebody killed the runner are counted, and each is in one count only. */
TEST(test_runner_killed)
{
	static const struct action_config c = { .n = 1, .at = { { .kind = ACTION_SHELL, .command = ":" } } };
	struct action_counts counts = { 0 };
	struct actions a = ACTIONS_NONE;
	char text[ACTIONS_NEWS];
	unsigned int i;
	int runner;

	a.set.config = &c;
	a.set.counts = &counts;
	runner = be_runner(&a);
	assert_true(actions_want(&a, 1));
	a.busy = true;
	close(runner);
	for (i = 0; i < 3; i++)
		assert_false(actions_want(&a, 2));
	assert_int_equal(counts.not_run, 3);
	assert_int_equal(counts.met, counts.taken + counts.busy + counts.limited + counts.not_run);
	assert_int_equal(counts.failed, 1);
	assert_string_equal(actions_news(&a, text), "the actions were taken at 1 of 4 windows that met the condition; "
			    "3 came after their process was killed; 1 action failed: the process that takes the actions has ended");
}

/* Without a CPU for them the actions of 16 windows are held, and the next windows are busy. */
TEST(test_held)
{
	static const struct action_config c = { .n = 1, .at = { { .kind = ACTION_SHELL, .command = ":" } } };
	struct action_counts counts = { 0 };
	struct actions a = ACTIONS_NONE;
	char text[ACTIONS_NEWS];
	int runner;

	a.set.config = &c;
	a.set.counts = &counts;
	a.later = true;
	runner = be_runner(&a);
	for (a.nheld = 0; a.nheld < ACTIONS_HELD; a.nheld++)
		assert_true(actions_want(&a, 1));
	assert_false(actions_want(&a, 1));
	assert_int_equal(counts.met, 17);
	assert_int_equal(counts.taken, 16);
	assert_int_equal(counts.busy, 1);
	assert_int_equal(counts.limited, 0);
	assert_string_equal(actions_news(&a, text), "the actions were taken at 16 of 17 windows that met the condition, "
			    "after the run: all CPUs were measured; 1 came while 16 waited");
	close(runner);
	close(a.fd);
}

static char file[] = "/tmp/tlob-unit.XXXXXX";

static int has_file(void **state)
{
	int fd = mkstemp(file);

	return fd < 0 || close(fd) || setenv("TLOB_TEST", file, 1);
}

static int no_file(void **state)
{
	return unlink(file) || unsetenv("TLOB_TEST");
}

static const struct action_counts given = { .asked = true, .met = 7, .taken = 3 };

/* A result, for --on-end. */
static int counts_write(FILE *f, const void *data)
{
	return data == &given && fputs("the end\n", f) >= 0 ? 0 : -EIO;
}

/* Starts @c, takes it at @windows windows, and ends. Returns what was counted. */
static struct action_counts taken(const struct action_config *c, unsigned int windows, bool later, int *end)
{
	struct action_counts counts = { 0 };
	struct actions a;
	const struct actions_setup set = { .config = c, .counts = &counts };
	char **notes = NULL;

	assert_int_equal(actions_start(&a, &set), 0);
	a.later = later;
	while (windows--)
		assert_int_equal(actions_at(&a, &actions_record, &given, NULL, "NAME=%d\nOTHER=5", 4), 0);
	assert_int_equal(actions_finish(&a, &notes), 0);
	assert_int_equal(!!notes, counts.met > 0);
	notes_free(notes);
	*end = actions_end(&a, counts_write, &given);
	actions_free(&a);
	assert_int_equal(a.fd, -1);
	return counts;
}

TEST_WITH(test_run, has_file, no_file)
{
	struct action_config c = {
		.wait_ns = HANGS_NS, .n = 3, .nend = 1,
		.at = {
			{ .kind = ACTION_SHELL, .text = "a", .command = "tr -d ' \n' < /dev/stdin >> $TLOB_TEST; echo \" $NAME $OTHER\" >> $TLOB_TEST" },
			{ .kind = ACTION_SHELL, .text = "b", .command = "echo why >&2; exit 3" },
			{ .kind = ACTION_SHELL, .text = "c", .command = "echo after >> $TLOB_TEST" },
		},
		.end = { { .kind = ACTION_SHELL, .text = "d", .command = "cat >> $TLOB_TEST" } },
	};
	static const char once[] = "{\"met\":7,\"taken\":3,\"busy\":0,\"limited\":0,\"not_run\":0,\"failed\":0,\"killed\":0} 4 5\nafter\n";
	struct action_counts counts;
	char *text, expected[500];
	int end;

	counts = taken(&c, 1, false, &end);
	assert_int_equal(end, 0);
	assert_true(counts.asked);
	assert_int_equal(counts.taken, 1);
	assert_int_equal(counts.failed, 1);
	assert_int_equal(counts.killed, 0);
	assert_int_equal(file_read(file, &text), 0);
	snprintf(expected, sizeof(expected), "%sthe end\n", once);
	assert_string_equal(text, expected);
	free(text);

	/* held ones are all taken, after the run */
	assert_int_equal(truncate(file, 0), 0);
	counts = taken(&c, 2, true, &end);
	assert_int_equal(counts.taken, 2);
	assert_int_equal(counts.failed, 2);
	assert_int_equal(file_read(file, &text), 0);
	snprintf(expected, sizeof(expected), "%s%sthe end\n", once, once);
	assert_string_equal(text, expected);
	free(text);

	/* an end that fails */
	c.n = 0;
	c.end[0].command = "exit 5";
	counts = taken(&c, 0, false, &end);
	assert_false(counts.asked);
	assert_int_equal(end, -EIO);
}

/* A command that still runs after the wait is killed. */
TEST(test_kill)
{
	struct action_config c = {
		.wait_ns = 1000000, .n = 1, .at = { { .kind = ACTION_SHELL, .text = "a", .command = "exec sleep 86399" } },
	};
	struct action_counts counts;
	int end;

	counts = taken(&c, 1, false, &end);
	assert_int_equal(end, 0);
	assert_int_equal(counts.killed, 1);
	assert_int_equal(counts.failed, 0);
	c.n = 0;
	c.nend = 1;
	c.end[0] = c.at[0];
	taken(&c, 0, false, &end);
	assert_int_equal(end, -EIO);
}

TEST(test_targets)
{
	struct action_config c = { .n = 1, .at = { { .kind = ACTION_SIGNAL, .text = "signal:USR1", .signo = SIGUSR1 } } };
	struct action_counts counts = { 0 };
	struct actions_setup set = { .config = &c, .counts = &counts };
	struct actions a;

	/* no process by default, init, and one that is gone */
	assert_int_equal(actions_start(&a, &set), -ESRCH);
	actions_free(&a);
	set.pid = 1;
	assert_int_equal(actions_start(&a, &set), -ESRCH);
	actions_free(&a);
	set.pid = fork();
	if (!set.pid)
		_exit(0);
	assert_int_equal(waitpid(set.pid, NULL, 0), set.pid);
	assert_int_equal(actions_start(&a, &set), -ESRCH);
	actions_free(&a);
	set.pid = getpid();
	assert_int_equal(actions_start(&a, &set), 0);
	assert_true(a.runner > 0);
	actions_free(&a);
	/* the tool itself stops */
	c.at[0].kind = ACTION_STOP;
	assert_int_equal(actions_start(&a, &set), 0);
	assert_int_equal(a.runner, 0);
	assert_true(counts.asked);
}

/* The actions wait for the end of the run if no housekeeping CPU is left. */
TEST(test_later)
{
	static const struct action_config c = { .n = 1, .at = { { .kind = ACTION_SHELL, .command = ":" } } };
	struct action_counts counts = { 0 };
	struct cpus cpus = { 0 };
	const struct actions_setup set = { .config = &c, .counts = &counts, .cpus = &cpus };
	struct actions a;

	cpulist_add(&cpus.housekeeping, 0);
	assert_int_equal(actions_start(&a, &set), 0);
	assert_false(a.later);
	actions_free(&a);
	cpulist_add(&cpus.measured, 0);
	assert_int_equal(actions_start(&a, &set), 0);
	assert_true(a.later);
	actions_free(&a);
}

UNIT_MAIN(NULL, NULL)
