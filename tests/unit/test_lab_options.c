// SPDX-License-Identifier: GPL-2.0
/* The command lines of tlob-lab: what its commands accept and refuse. */
#include "lab/lab.h"
#include "option_line.h"

static struct lab_config accepted(const struct manual *m, const char *line)
{
	struct lab_config o;

	accept_line(m, &o, line);
	return o;
}

TEST(test_defaults)
{
	struct lab_config o = accepted(&manual_lab, "6.12-rt");

	assert_int_equal(o.nkernels, 1);
	assert_string_equal(o.kernel[0].text, "6.12-rt");
	assert_string_equal(o.kernel[0].name, "6.12-rt");
	assert_int_equal(o.kernel[0].nmodules, 0);
	assert_int_equal(o.pairs, 10);
	assert_int_equal(o.jobs, 1);
	assert_int_equal(o.smp, 1);
	assert_int_equal(o.timeout, 300);
	assert_string_equal(o.dir, "tlob-lab");
	assert_true(o.seed <= UINT32_MAX);
	assert_false(o.deterministic || o.compare || o.quiet);
	assert_int_equal(o.noptions, 6);
	assert_string_equal(o.options[0], "--work");
	assert_string_equal(o.options[5], "10s");
	assert_null(o.options[6]);
}

TEST(test_all_options)
{
	struct lab_config o = accepted(&manual_lab, "-n 400 6.12 --deterministic --compare "
		"-m p50(wake) --metric p99(wake) --margin 5% --dir d --seed 4294967295 --smp 1 "
		"./b+x.ko+nohz=off+/y/z.ko+init=/bin/sh -j 64 --timeout 3600 -q 6.1 -- -d 5s -b 200us");

	assert_int_equal(o.nkernels, 3);
	assert_string_equal(o.kernel[0].name, "6.12");
	assert_string_equal(o.kernel[1].text, "./b+x.ko+nohz=off+/y/z.ko+init=/bin/sh");
	assert_string_equal(o.kernel[1].arguments, "nohz=off init=/bin/sh");
	assert_string_equal(o.kernel[0].arguments, "");
	assert_string_equal(o.kernel[1].name, "./b");
	assert_int_equal(o.kernel[1].nmodules, 2);
	assert_string_equal(o.kernel[1].module[0], "x.ko");
	assert_string_equal(o.kernel[1].module[1], "/y/z.ko");
	assert_string_equal(o.kernel[2].name, "6.1");
	assert_int_equal(o.pairs, 400);
	assert_int_equal(o.nmetrics, 2);
	assert_string_equal(o.metric[1].text, "p99(wake)");
	assert_string_equal(o.margin, "5%");
	assert_string_equal(o.dir, "d");
	assert_int_equal(o.seed, UINT32_MAX);
	assert_int_equal(o.jobs, 64);
	assert_int_equal(o.timeout, 3600);
	assert_true(o.deterministic && o.compare && o.quiet);
	assert_int_equal(o.noptions, 4);
	assert_string_equal(o.options[0], "-d");
	assert_string_equal(o.options[3], "200us");
	assert_int_equal(parse_line(&manual_lab, &o, "--help"), HELP_SHORT);
	assert_int_equal(accepted(&manual_lab, "6.12 --").noptions, 6);
	assert_int_equal(accepted(&manual_lab, "--compare 6.12 6.12").nkernels, 2);
	o = accepted(&manual_lab, "6.1 --image ./b+x.ko --modules ./d");
	assert_int_equal(o.nkernels, 2);
	assert_false(o.kernel[0].image);
	assert_true(o.kernel[1].image);
	assert_string_equal(o.kernel[1].name, "./b");
	assert_string_equal(o.kernel[1].modules, "./d");
	assert_string_equal(o.kernel[1].module[0], "x.ko");
	assert_int_equal(accepted(&manual_lab, "--smp 64 6.12 -- --windows 10").smp, 64);
	/* lab names the source that all kernels have, where there is one to name */
	assert_true(accepted(&manual_lab, "6.12 -- -d 3s").hooks);
	assert_true(accepted(&manual_lab, "6.12 -- -d 3s --backend bpf").hooks);
	assert_false(accepted(&manual_lab, "6.12 -- -d 3s --backend posix").hooks);
	assert_false(accepted(&manual_lab, "6.12 -- -d 3s --noise-source osnoise").hooks);
}

/* The trace that explain reads holds some 6300 windows. */
TEST(test_explained)
{
	static const struct {
		const char *line;
		unsigned int windows;
	} t[] = {
		{ "6.12 6.12-rt", 0 },
		{ "6.12 -- -d 5s", 0 },
		{ "6.12 -- -d 10s", 5000 },
		{ "6.12 -- -d 10s -n 4000", 0 },
		{ "6.12 -- -n 5001", 5000 },
		{ "6.12 -- -p 100us -d 1s", 5000 },
		{ "6.12 -- -d 10s --warm-up 100", 4900 },
			};
	struct lab_config o;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		o = accepted(&manual_explain, t[i].line);
		if (o.windows != t[i].windows)
			fail_msg("%s: %u windows, not %u", t[i].line, (unsigned int)o.windows, t[i].windows);
	}
	o = accepted(&manual_explain, "6.12");
	assert_true(o.deterministic && o.pairs == 1);
	assert_string_equal(o.explain, "p50");
	assert_string_equal(o.options[o.noptions - 1], "1s");
	o = accepted(&manual_lab, "6.12");
	assert_string_equal(o.options[o.noptions - 1], "10s");
}

TEST(test_bisect)
{
	struct lab_config o = accepted(&manual_bisect, "v6.12 HEAD~1 --tree ./linux");

	assert_true(o.deterministic);
	assert_int_equal(o.nkernels, 2);
	assert_string_equal(o.kernel[0].name, "v6.12");
	assert_string_equal(o.kernel[1].name, "HEAD~1");
	/* so that the same command continues */
	assert_int_equal(o.seed, 1);
	assert_int_equal(o.pairs, 1);
	assert_string_equal(o.metric[0].text, "avg(wake)");
	assert_string_equal(o.options[o.noptions - 1], "4s");
	assert_int_equal(o.windows, 0);
	/* the explanation has fewer windows */
	o = accepted(&manual_bisect, "a+nohz=off b+nohz=off --tree t -m p99.9(wake) --instructions 7 -- -d 20s");
	assert_string_equal(o.kernel[1].arguments, "nohz=off");
	assert_int_equal(o.instructions, 7);
	assert_int_equal(o.windows, 5000);
	o = accepted(&manual_lab, "--keep --config c ./linux@v6.12 ./b.deb ../built --modules m 6.12");
	assert_true(o.keep);
	assert_string_equal(o.kernel[0].name, "./linux@v6.12");
	assert_string_equal(o.kernel[2].modules, "m");
}

/* The kernel's arguments and one that is tried do not fit into a command line of a kernel together. */
TEST(test_try_room)
{
	static char line[3000], word[2][700];
	struct lab_config o;

	memset(word[0], 'a', sizeof(word[0]) - 1);
	memset(word[1], 'b', sizeof(word[1]) - 1);
	snprintf(line, sizeof(line), "--deterministic --try %s 6.12", word[1]);
	assert_int_equal(parse_line(&manual_lab, &o, line), 0);
	snprintf(line, sizeof(line), "--deterministic --try %s 6.12+%s", word[1], word[0]);
	assert_int_equal(parse_line(&manual_lab, &o, line), -EINVAL);
	assert_contains(message, "with the kernel's arguments it is longer than 1023 bytes: try fewer at once");
}

TEST(test_refused)
{
	static const struct refused_line t[] = {
		{ "", { "no kernel: give one, as in 6.12-rt" } },
		{ "-- -d 3s", { "no kernel" } },
		{ "--tree t 6.12", { "unknown option --tree" } },
		{ "6.12 -- attach ./p", { "extra argument 'attach'" } },
		{ "--keep 6.12", { "--config and --keep need a revision" } },
		{ "6.12 --modules d", { "--modules d: give it once" } },
		{ "+x.ko", { "invalid kernel '+x.ko'", "6.12-rt+./mine.ko" } },
		{ "--modules d 6.1", { "--modules d: give it once, after its --image" } },
		{ "6.1 --modules d", { "--modules d: give it once, after its --image" } },
		{ "--image b --modules d --modules e", { "--modules e: give it once" } },
		{ "6.1+", { "invalid kernel '6.1+': put the .ko file of a module or a kernel argument after each +" } },
		{ "6.1++x", { "after each +" } },
		{ "6.1+./mine+x=1", { "put the .ko file of a module" } },
		{ "6.1+1.ko+2.ko+3.ko+4.ko+5.ko+6.ko+7.ko+8.ko+9.ko", { "at most 8" } },
		{ "1 2 3 4 5 6 7 8 9", { "extra kernel 9: give at most 8" } },
		{ "--compare 6.12", { "--compare needs two kernels" } },
		{ "-m p50(wake) 6.1 6.12", { "--metric and --margin need --compare" } },
		{ "--margin 5% 6.1 6.12", { "need --compare" } },
		{ "--deterministic --smp 2 6.1", { "--deterministic needs one CPU" } },
		{ "-n 0 6.1", { "--pairs 0 is out of range: give 1 to 400" } },
		{ "-n 401 6.1", { "--pairs 401" } },
		{ "-j 65 6.1", { "--jobs 65", "1 to 64" } },
		{ "--smp 65 6.1", { "--smp 65", "1 to 64" } },
		{ "--timeout 9 6.1", { "--timeout 9", "10 to 3600" } },
		{ "--seed 4294967296 6.1", { "--seed", "0 to 4294967295" } },
		{ "--seed -1 6.1", { "--seed: invalid number '-1'" } },
		{ "--dir= 6.1", { "--dir is empty: give the name of a directory" } },
		{ "6.1 -- --bogus", { "after --: ", "--bogus" } },
		{ "6.1 -- -d 3", { "after --: --duration" } },
		{ "6.1 -- -b 200us", { "after --: the length of a run is missing: give one, as in -d 3s" } },
	};
	char longer[LAB_NAME + 8] = "";
	struct lab_config o;

	refuse_lines(&manual_lab, &o, t, ARRAY_SIZE(t));
	memset(longer, 'k', LAB_NAME);
	assert_true(parse_line(&manual_lab, &o, longer));
	assert_contains(message, "invalid kernel");
	longer[LAB_NAME - 1] = 0;
	assert_false(parse_line(&manual_lab, &o, longer));
	longer[1] = '+';
	memcpy(longer + 255, ".ko", 4);
	assert_true(parse_line(&manual_lab, &o, longer));
	assert_contains(message, "with names below 256 bytes");
}

TEST(test_explain_refused)
{
	static const struct refused_line t[] = {
		{ "", { "no kernel" } },
		{ "--window p90 6.1", { "--window", "p50, p99, max or mean" } },
		{ "--symbols m 6.1", { "--symbols m: give it once, after its --image" } },
		{ "6.1 --symbols m", { "--symbols m: give it once, after its --image" } },
		{ "--image b --symbols m --symbols n", { "--symbols n: give it once" } },
		{ "--compare 6.1 6.12", { "unknown option --compare" } },
		{ "--dir a,b 6.1", { "--dir a,b: explain passes the name to QEMU" } },
		{ "6.1 -- -d 3s --backend posix", { "--backend posix: explain reads the module's trace" } },
		{ "6.1 -- -d 9s --warm-up 5000", { "--warm-up 5000", "at most 5000 windows" } },
		{ "6.1 -- attach ./p --start a --stop b -b 1s --json x", { "after --: --json is not for explain" } },
	};
	struct lab_config o;

	refuse_lines(&manual_explain, &o, t, ARRAY_SIZE(t));
}

TEST(test_bisect_refused)
{
	static const struct refused_line t[] = {
		{ "a --tree t", { "two revisions are needed: give GOOD and BAD" } },
		{ "a b", { "--tree LINUX is missing" } },
		{ "a b+x=1 --tree t", { "differ in the words after +" } },
		{ "a --image b --tree t", { "unknown option --image" } },
		{ "a b --tree t --margin 1% --instructions 2", { "--margin and --instructions" } },
		{ "a b --tree t -m p50(wake) -m p99(wake)", { "needs one --metric" } },
		{ "a b --tree t -m miss-rate", { "miss-rate is not for bisect" } },
		{ "a b --tree t -m p99.9(wake) -- -d 1s", { "p99.9(wake) needs 2995 windows, but a run has 1000", "-d 3s" } },
		{ "a b --tree t -- -d 4s --backend bpf", { "bisect reads the module's trace" } },
	};
	struct lab_config o;

	refuse_lines(&manual_bisect, &o, t, ARRAY_SIZE(t));
}

UNIT_MAIN(NULL, NULL)
