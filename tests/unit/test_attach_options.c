// SPDX-License-Identifier: GPL-2.0
/* The command line of `tlob-load attach`: what it accepts, what it refuses, and its help. */
#include "option_line.h"
#include "options/attach_config.h"
#include "result/attached.h"

#define REGION	"--start a --stop b -b 5ms"

static int parse(struct attach_config *o, const char *line)
{
	return parse_line(&manual_attach, o, line);
}

static struct attach_config accepted(const char *line)
{
	struct attach_config o;

	accept_line(&manual_attach, &o, line);
	return o;
}

TEST(test_defaults)
{
	struct attach_config o = accepted("./prog " REGION);

	assert_string_equal(o.program, "./prog");
	assert_null(o.args[0]);
	assert_string_equal(o.start, "a");
	assert_string_equal(o.stop, "b");
	assert_int_equal(o.budget_ns, 5000000);
	assert_int_equal(o.duration_ns, 0);
	assert_int_equal(o.pid, 0);
	assert_null(o.library);
	assert_null(o.json);
	assert_int_equal(o.nassertion, 0);
	assert_false(o.all || o.quiet);
	assert_float_equal(o.inexact, 0.01, 1e-9);
	assert_float_equal(accepted("./prog " REGION " --inexact 2.5%").inexact, 0.025, 1e-9);
}

/* One word says where the key is at both places, two say it for each. */
TEST(test_key)
{
	static const struct refused_line refused[] = {
		{ "./prog " REGION " --key arg7", { "'arg7' is not arg1 to arg6, ret or goroutine" } },
		{ "./prog " REGION " --key arg1,", { "'' is not arg1" } },
		{ "./prog " REGION " --key arg1,arg2,ret", { "'arg2,ret' is not arg1" } },
		{ "./prog --key arg1 -b 1ms", { "--start is missing" } },
		{ "--tid 5 -b 1ms --key arg1", { "--key is for regions" } },
		{ "./prog " REGION " --key ret --backend tlob", { "--key needs BPF" } },
		{ "./prog --start a+4 --stop b -b 1ms --key arg1", { "a+4 is inside of a function" } },
		{ "./prog --start a --stop p:b -b 1ms --key arg1", { "p:b is a static probe" } },
		{ "./prog --start a --stop p:b -b 1ms --key ret", { "p:b is a static probe" } },
	};
	struct attach_config o = accepted("./prog " REGION), not;

	assert_null(o.key);
	assert_int_equal(o.key_start, TLOB_KEY_NONE);
	o = accepted("./prog " REGION " --key arg6");
	assert_int_equal(o.key_start, 6);
	assert_int_equal(o.key_stop, 6);
	o = accepted("./prog " REGION " --key ret,arg2");
	assert_int_equal(o.key_start, TLOB_KEY_RET);
	assert_int_equal(o.key_stop, 2);
	assert_string_equal(o.key, "ret,arg2");
	accepted("./prog --start p:a --stop p:b -b 1ms --key goroutine");
	accepted("./prog --start a+4 --stop std::b -b 1ms --key ret,arg1");
	refuse_lines(&manual_attach, &not, refused, ARRAY_SIZE(refused));
}

/* Threads instead of a region, and what excludes what. */
TEST(test_threads)
{
	static const struct refused_line refused[] = {
		{ "--tid 5", { "--budget is missing" } },
		{ "4711", { "'4711' is a program here: --pid 4711 is the running process" } },
		{ "--tid 5 --pid 6 -b 1ms", { "exclude each other" } },
		{ "--tid 5 --rt -b 1ms", { "--tid is one thread" } },
		{ "--tid 5 " REGION, { "belongs to a region" } },
		{ "--tid 5 -b 1ms ./prog", { "extra argument './prog'" } },
		{ "--comm x -b 1ms --all", { "--all is for regions" } },
		{ "./prog " REGION " --rt", { "--rt is for activations" } },
		{ "./prog " REGION " --until read", { "--until is for activations" } },
		{ "--tid 5 -b 1ms --backend posix", { "cannot observe other threads" } },
		{ "./prog " REGION " --backend bpf --functions @locks", { "--functions needs the module" } },
		{ "--tid 5 -b 1ms --until nap", { "'nap' is not a system call" } },
		{ "--tid 5 -b 1ms --inexact 101%", { "--inexact 101% is out of range: give 0.01% to 100%" } },
		{ "--tid 5 -b 1ms --on-violation trace", { "attach has no trace" } },
		{ "--pid 5 -b 1ms --on-violation continue", { "attach has no trace" } },
		{ "--tid 5 -b 1ms --at-most 1/1s", { "--at-most limits the actions" } },
		{ "--comm x -b 1ms --on-violation signal:USR1", { "as in signal:USR1:PID" } },
	};
	struct attach_config o = accepted("--pid 6 --rt -b 1ms --until read,futex");

	assert_true(o.rt);
	assert_int_equal(o.nuntil, 2);
	o = accepted("--comm pipe* -b 1ms");
	assert_string_equal(o.comm, "pipe*");
	accepted("--comm x -b 1ms --on-violation signal:USR1:7");
	accepted("--comm x --pid 6 -b 1ms --on-violation signal:USR1");
	refuse_lines(&manual_attach, &o, refused, ARRAY_SIZE(refused));
}

TEST(test_all_options)
{
	struct attach_config o = accepted("--start work+0x4 --stop 0x1234 "
		"--budget 200us --library /lib/l.so --duration 60s --all "
		"--json - --quiet --assert violations==0 "
		"--assert p99(response)<3ms prog");

	assert_string_equal(o.program, "prog");
	assert_string_equal(o.start, "work+0x4");
	assert_string_equal(o.stop, "0x1234");
	assert_string_equal(o.library, "/lib/l.so");
	assert_int_equal(o.budget_ns, 200000);
	assert_int_equal(o.duration_ns, 60000000000ULL);
	assert_true(o.all && o.quiet);
	assert_string_equal(o.json, "-");
	assert_int_equal(o.nassertion, 2);
	assert_int_equal(o.assertion[0].counter, 1);
	assert_int_equal(o.assertion[1].metric, TLOB_METRIC_RESPONSE);
	assert_int_equal(o.assertion[1].ppm, 990000);
	o = accepted("--tid 5 -b 1ms --assert max(interval)<3ms");
	assert_int_equal(o.assertion[0].metric, RESULT_INTERVAL);
	o = accepted("-p 42 -l l.so --start a --stop b -b 1s -d 1ms -a -q");
	assert_int_equal(o.pid, 42);
	assert_null(o.program);
	assert_int_equal(parse(&o, "-h"), HELP_SHORT);
	assert_int_equal(parse(&o, "--version"), HELP_VERSION);
	assert_int_equal(parse(&o, "prog --help --bogus"), HELP_SHORT);
}

/* All arguments behind -- are the program's. */
TEST(test_arguments)
{
	struct attach_config o = accepted("prog " REGION " -- -q --budget x");

	assert_string_equal(o.program, "prog");
	assert_string_equal(o.args[0], "-q");
	assert_string_equal(o.args[2], "x");
	assert_null(o.args[3]);
	assert_false(o.quiet);
	o = accepted(REGION " prog --");
	assert_string_equal(o.program, "prog");
	assert_null(o.args[0]);
	o = accepted(REGION " -- prog -x y");
	assert_string_equal(o.program, "prog");
	assert_string_equal(o.args[0], "-x");
	assert_string_equal(o.args[1], "y");
	assert_null(o.args[2]);
	/* the file with the symbols of a running program */
	o = accepted("-p 7 ./unstripped " REGION);
	assert_string_equal(o.program, "./unstripped");
}

TEST(test_refused)
{
	static const struct refused_line t[] = {
		{ "", { "no program", "--pid" } },
		{ REGION, { "no program", "--pid" } },
		{ "--", { "no program" } },
		{ "a b " REGION, { "'b'", "--" } },
		{ "prog --stop b -b 5ms", { "--start is missing", "begins" } },
		{ "prog --start b -b 5ms", { "--stop is missing", "ends" } },
		{ "prog --start a --stop b", { "--budget is missing", "5ms" } },
		{ "prog --start a --stop a -b 5ms", { "both a" } },
		{ "prog --start= --stop b -b 5ms", { "--start is empty", "SYMBOL+OFFSET" } },
		{ "prog --start a --stop return -b 5ms", { "ret instruction", "objdump" } },
		{ "prog --start a --stop return:a -b 5ms", { "ret instruction" } },
		{ "prog " REGION " -b 5", { "--budget", "5us" } },
		{ "prog " REGION " -b 999ns", { "--budget", "1us to 3600s" } },
		{ "prog " REGION " -b 3601s", { "--budget", "1us to 3600s" } },
		{ "prog " REGION " -d 1us", { "--duration", "1ms" } },
		{ "prog " REGION " -d x", { "--duration", "'x'" } },
		{ "-p 0 " REGION, { "--pid", "1 to" } },
		{ "-p -1 " REGION, { "--pid", "'-1'" } },
		{ "-p 99999999999 " REGION, { "--pid", "range" } },
		{ "-p self " REGION, { "--pid", "'self'" } },
		{ "-p 7 " REGION " -- x y", { "'y'", "no arguments" } },
		{ "-p 7 -l lib prog " REGION, { "prog", "already name process and file" } },
		{ "--library= prog " REGION, { "--library is empty" } },
		{ "prog " REGION " --assert response<5ms", { "--assert", "max(response)" } },
		{ "prog " REGION " --assert p99(wake)<5ms", { "'wake'", "response, wake.(irq_delay), work.(on_cpu" } },
		{ "prog " REGION " --assert startup==0", { "'startup'", "windows, violations, missed" } },
		{ "prog " REGION " --assert p0(response)<5ms", { "p99.9(response)" } },
		{ "prog " REGION " --assert adjusted_ns<5", { "5us" } },
	};
	struct attach_config o;

	refuse_lines(&manual_attach, &o, t, ARRAY_SIZE(t));
}

UNIT_MAIN(NULL, NULL)
