// SPDX-License-Identifier: GPL-2.0
/* Options that come from TLOB_OPT_NAME: which count, what is refused, and how it is named. */
#include <errno.h>
#include <unistd.h>

#include "unit.h"
#include "options/environment.h"
#include "options/option_value.h"
#include "options/run_config.h"

static char err[1000];
static struct environment e;
static struct run_config o;

/* Parses "run" with the words of @line, which one space separates, and @env. */
static int parse(const char *line, char **env)
{
	static char copy[400];
	char *argv[20] = { "run" }, *word, *rest = copy;
	int argc = 1, bad = 0, ret;

	environment_free(&e);
	snprintf(copy, sizeof(copy), "%s", line);
	while (*line && (word = strsep(&rest, " ")))
		argv[argc++] = word;
	err[0] = 0;
	ret = environment_read(&e, &manual_run, env, argc, argv, err, sizeof(err));
	if (ret)
		return ret;
	assert_null(e.argv[e.argc]);
	ret = options_parse_at(&manual_run, &o, e.argc, e.argv, err, sizeof(err), &bad);
	if (ret < 0)
		environment_explain(&e, &manual_run, bad, err, sizeof(err));
	return ret;
}

#define ENV(...)	((char *[]){ __VA_ARGS__, NULL })

TEST(test_all)
{
	char **env = ENV("PATH=/bin", "TLOB_OPT_CPUS=0,2", "TLOB_OPT_HOUSEKEEPING=1", "TLOB_OPT_PERIOD=2ms",
			 "TLOB_OPT_BUDGET=500us", "TLOB_OPT_WORK=loops:7", "TLOB_OPT_POLICY=rr:3",
			 "TLOB_OPT_DURATION=3s", "TLOB_OPT_WINDOWS=9", "TLOB_OPT_BACKEND=posix",
			 "TLOB_OPT_LOAD=@cpu\n\nsleep 9 & wait\n", "TLOB_OPT_JSON=a b=c.json",
			 "TLOB_OPT_ASSERT=missed==0\nmax(wake)<1ms");

	assert_int_equal(parse("", env), 0);
	assert_string_equal(o.cpus, "0,2");
	assert_string_equal(o.housekeeping, "1");
	assert_int_equal(o.period_ns, 2000000);
	assert_int_equal(o.budget_ns, 500000);
	assert_string_equal(o.work_text, "loops:7");
	assert_string_equal(o.policy, "rr:3");
	assert_true(o.has_policy);
	assert_int_equal(o.duration_ns, 3000000000);
	assert_int_equal(o.windows, 9);
	assert_string_equal(o.backend, "posix");
	assert_int_equal(o.nload, 2);
	assert_string_equal(o.load[1], "sleep 9 & wait");
	assert_string_equal(o.json, "a b=c.json");
	assert_int_equal(o.nassertion, 2);
	assert_string_equal(o.assertion[1].text, "max(wake)<1ms");
}

/* By any of its names; also a list is replaced as a whole. */
TEST(test_command_line_first)
{
	static const char *const lines[] = { "--period 3ms", "--period=3ms", "-p 3ms", "-p3ms", "-qp 3ms", "--peri=3ms" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		/* what does not count is not read */
		assert_int_equal(parse(lines[i], ENV("TLOB_OPT_PERIOD=5", "TLOB_OPT_WINDOWS=7")), 0);
		assert_int_equal(o.period_ns, 3000000);
		assert_int_equal(o.windows, 7);
		assert_int_equal(e.n, 1);
	}
	assert_int_equal(parse("--assert windows>1", ENV("TLOB_OPT_ASSERT=missed==0\nlost==0")), 0);
	assert_int_equal(o.nassertion, 1);
	assert_string_equal(o.assertion[0].text, "windows>1");
}

TEST(test_empty)
{
	assert_int_equal(parse("", ENV("TLOB_OPT_PERIOD=", "TLOB_OPT_LOAD=", "TLOB_OPT_ASSERT=\n\n")), 0);
	assert_int_equal(e.n, 0);
	assert_int_equal(o.period_ns, 1000000);
}

static void refused(const char *line, char **env, const char *part, const char *other)
{
	assert_int_equal(parse(line, env), -EINVAL);
	assert_contains(err, part);
	assert_contains(err, other);
	assert_null(strchr(err, '\n'));
}

TEST(test_refused)
{
	char many[] = "TLOB_OPT_ASSERT=a\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\n"
		      "a\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\na\n";

	refused("", ENV("TLOB_OPT_WORK=none", "TLOB_OPT_PERIOD=5"), "--period: duration 5 has no unit", "; from the environment: TLOB_OPT_PERIOD");
	assert_null(strstr(err, "TLOB_OPT_WORK"));
	refused("", ENV("TLOB_OPT_LOAD=@cpu\n@none"), "unknown preset '@none'", "TLOB_OPT_LOAD");
	/* several options: all that came from there */
	refused("-d 1ms", ENV("TLOB_OPT_PERIOD=2ms", "TLOB_OPT_WORK=none"), "--duration 1ms is shorter", "TLOB_OPT_PERIOD, TLOB_OPT_WORK");
	refused("", ENV("TLOB_OPT_PERIODE=1ms"), "TLOB_OPT_PERIODE: no option", "--help=all");
	refused("", ENV("TLOB_OPT_=1ms"), "TLOB_OPT_: no option", "");
	refused("", ENV("TLOB_OPT_period=1ms"), "TLOB_OPT_period: no option", "");
	/* an option, but not one of those */
	refused("", ENV("TLOB_OPT_QUIET=1"), "TLOB_OPT_QUIET: no option", "");
	refused("", ENV(many), "TLOB_OPT_ASSERT: the environment has more than 64 options", "");
	/* the command line's own errors do not blame it */
	refused("--perio", ENV("TLOB_OPT_WORK=none"), "--period needs a value", "");
	assert_null(strstr(err, "TLOB_OPT_"));
	refused("-p 5", ENV("TLOB_OPT_WORK=none"), "--period: duration 5", "");
	assert_null(strstr(err, "TLOB_OPT_"));
}

TEST(test_forget)
{
	char **v;

	setenv("TLOB_OPT_WORK", "none", 1);
	setenv("TLOB_OPT_PERIOD", "1ms", 1);
	/* longer than the name of any option */
	setenv("TLOB_OPT_ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLM", "1", 1);
	setenv("TLOB_OPTION", "kept", 1);
	environment_forget();
	for (v = environ; *v; v++)
		assert_null(strstr(*v, "TLOB_OPT_"));
	assert_null(getenv("TLOB_OPT_WORK"));
	assert_null(getenv("TLOB_OPT_PERIOD"));
	assert_string_equal(getenv("TLOB_OPTION"), "kept");
}

static int end(void **state)
{
	environment_free(&e);
	return 0;
}

UNIT_MAIN(NULL, end)
