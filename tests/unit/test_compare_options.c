// SPDX-License-Identifier: GPL-2.0
/* The command lines of `compare`, `gate` and `lab`: what they accept and refuse, their help. */
#include "option_line.h"
#include "options/command.h"
#include "compare/config.h"
#include "lab/lab.h"

static int parse(struct compare_config *o, const char *line)
{
	return parse_line(&manual_compare, o, line);
}

static int parse_lab(struct lab_config *o, const char *line)
{
	return parse_line(&manual_lab, o, line);
}

static struct compare_config accepted(const char *line)
{
	struct compare_config o;

	accept_line(&manual_compare, &o, line);
	return o;
}

static struct lab_config lab_accepted(const char *line)
{
	struct lab_config o;

	accept_line(&manual_lab, &o, line);
	return o;
}

TEST(test_defaults)
{
	struct compare_config o = accepted("a1 a2 -- b1");
	int i;

	assert_int_equal(o.na, 2);
	assert_int_equal(o.nb, 1);
	assert_string_equal(o.a[0], "a1");
	assert_string_equal(o.a[1], "a2");
	assert_string_equal(o.b[0], "b1");
	assert_int_equal(o.nstatistics, 0);
	assert_true(o.margin == 0 && o.alpha == 0.05);
	assert_false(o.sequential);
	assert_false(o.force || o.quiet);
	for (i = 0; i < NR_OUTPUTS; i++)
		assert_null(o.out[i]);
	assert_true(!o.append && !o.names.commit && !o.history);
}

TEST(test_all_options)
{
	struct compare_config o = accepted("-m p99(wake) --metric avg(irq) --metric=miss-rate "
		"--margin 2.5% --alpha 1% --sequential --vary smt,policy --vary=period --force -q --json j --junit u --ktap k "
		"--markdown - --html h.html --append c.csv --commit abc a -- b c d");

	assert_int_equal(o.nstatistics, 3);
	assert_string_equal(o.statistic[0].text, "p99(wake)");
	assert_string_equal(o.statistic[1].text, "avg(irq)");
	assert_string_equal(o.statistic[2].text, "miss-rate");
	assert_true(o.margin > 0.02499999 && o.margin < 0.02500001);
	assert_true(o.alpha > 0.00999999 && o.alpha < 0.01000001);
	assert_true(o.sequential);
	assert_true(o.force && o.quiet);
	assert_int_equal(o.vary.n, 3);
	assert_string_equal(o.vary.fact[1], "policy");
	assert_string_equal(o.vary.fact[2], "period");
	assert_string_equal(o.out[OUT_JSON], "j");
	assert_string_equal(o.out[OUT_JUNIT], "u");
	assert_string_equal(o.out[OUT_KTAP], "k");
	assert_string_equal(o.out[OUT_MARKDOWN], "-");
	assert_string_equal(o.out[OUT_HTML], "h.html");
	assert_string_equal(o.append, "c.csv");
	assert_string_equal(o.names.commit, "abc");
	assert_int_equal(o.na, 1);
	assert_int_equal(o.nb, 3);
	assert_string_equal(o.b[2], "d");
	assert_int_equal(parse(&o, "-h"), HELP_SHORT);
	assert_int_equal(parse(&o, "--help --bogus"), HELP_SHORT);
	assert_int_equal(parse(&o, "--help=all --bogus"), HELP_ALL);
	assert_true(accepted("--margin 1000% a -- b").margin == 10);
	assert_true(accepted("--alpha 20% a -- b").alpha == 0.2);
	/* options end at the first result */
	o = accepted("a ./-q -- b ./-v");
	assert_false(o.quiet);
	assert_int_equal(o.na, 2);
	assert_int_equal(o.nb, 2);
}

TEST(test_refused)
{
	static const struct refused_line t[] = {
		{ "", { "-- is missing" } },
		{ "a b", { "-- is missing", "between the results" } },
		{ "a --", { "no results after --" } },
		{ "--", { "no results before --" } },
		{ "a -- b --json c.json", { "--json comes after a result", "./--json" } },
		{ "a -q -- b", { "-q comes after a result", "before the first one" } },
		{ "-- b", { "no results before --" } },
		{ "-q -- b", { "no results before --" } },
		{ "a -- b -- c", { "-- is given twice" } },
		{ "-- b -- c", { "-- is given twice" } },
		{ "-m min(wake) a -- b", { "--metric: ", "an extreme" } },
		{ "--cut-short 1 a -- b", { "--cut-short 1: give two numbers from 0 to 400" } },
		{ "--cut-short 1,401 a -- b", { "--cut-short 1,401: " } },
		{ "--cut-short x,1 a -- b", { "--cut-short x,1: " } },
		{ "--cut-short 1,2,3 a -- b", { "--cut-short 1,2,3: " } },
		{ "-m violations a -- b", { "--metric: ", "counter" } },
		{ "-m wake a -- b", { "--metric: ", "'wake' needs a statistic" } },
		{ "-m p50(wake) -m p50.0(wake) a -- b", { "--metric p50(wake) is given twice" } },
		{ "-m p1(irq) -m p2(irq) -m p3(irq) -m p4(irq) -m p5(irq) -m p6(irq) "
		  "-m p7(irq) -m p8(irq) -m p9(irq) a -- b", { "--metric is given more than 8 times" } },
		{ "--margin 5 a -- b", { "--margin: invalid percentage '5': give one as in 5%" } },
		{ "--margin -5% a -- b", { "invalid percentage '-5%'" } },
		{ "--margin 5%% a -- b", { "invalid percentage" } },
		{ "--margin 0x5% a -- b", { "invalid percentage" } },
		{ "--margin nan% a -- b", { "invalid percentage" } },
		{ "--margin 1e1% a -- b", { "invalid percentage" } },
		{ "--margin % a -- b", { "invalid percentage" } },
		{ "--margin .% a -- b", { "invalid percentage" } },
		{ "--margin 5.0.0% a -- b", { "invalid percentage" } },
		{ "--margin 0% a -- b", { "--margin 0% is out of range: give 0.01% to 1000%" } },
		{ "--margin 1001% a -- b", { "out of range" } },
		{ "--alpha 21% a -- b", { "--alpha 21% is out of range: give 0.01% to 20%" } },
		{ "--alpha 0.001% a -- b", { "out of range" } },
		{ "--json= a -- b", { "--json is empty: give the name of", "- for stdout" } },
		{ "--append= a -- b", { "--append is empty", "the name of a file" } },
		{ "--append - a -- b", { "--append cannot write to stdout: give the name" } },
		{ "--commit= a -- b", { "--commit is empty: give a name" } },
		{ "--vary smt,smt a -- b", { "--vary: smt is given twice" } },
		{ "--vary smt, a -- b", { "--vary: invalid fact ''" } },
		{ "--vary ,smt a -- b", { "--vary: invalid fact ''" } },
		{ "--vary a12345678901234567890123456789012 a -- b", { "invalid fact" } },
		{ "--vary a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q a -- b", { "more than 16 facts" } },
		{ "--ma 5% a -- b", { "ambiguous option --ma: --" } },
		{ "--history h a -- b", { "--history needs the results of one session" } },
		{ "--history h --alpha 1% a", { "--history: leave out --alpha" } },
		{ "--build b a -- b", { "--switch, --build and --label are for --history" } },
		{ "--looks 4 a -- b", { "unknown option --looks", "--sequential" } },
		{ "--looks=4 a -- b", { "unknown option --looks=4", "--sequential" } },
	};
	struct compare_config o;

	refuse_lines(&manual_compare, &o, t, ARRAY_SIZE(t));
}

TEST(test_lab_defaults)
{
	struct lab_config o = lab_accepted("6.12-rt");

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

TEST(test_lab_all_options)
{
	struct lab_config o = lab_accepted("-n 400 6.12 --deterministic --compare "
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
	assert_int_equal(parse_lab(&o, "--help"), HELP_SHORT);
	assert_int_equal(lab_accepted("6.12 --").noptions, 6);
	assert_int_equal(lab_accepted("--compare 6.12 6.12").nkernels, 2);
	o = lab_accepted("6.1 --image ./b+x.ko --modules ./d");
	assert_int_equal(o.nkernels, 2);
	assert_false(o.kernel[0].image);
	assert_true(o.kernel[1].image);
	assert_string_equal(o.kernel[1].name, "./b");
	assert_string_equal(o.kernel[1].modules, "./d");
	assert_string_equal(o.kernel[1].module[0], "x.ko");
	assert_int_equal(lab_accepted("--smp 64 6.12 -- --windows 10").smp, 64);
	/* lab names the source that all kernels have, where there is one to name */
	assert_true(lab_accepted("6.12 -- -d 3s").hooks);
	assert_true(lab_accepted("6.12 -- -d 3s --backend bpf").hooks);
	assert_false(lab_accepted("6.12 -- -d 3s --backend posix").hooks);
	assert_false(lab_accepted("6.12 -- -d 3s --noise-source osnoise").hooks);
}

/* The trace that --explain reads holds some 6300 windows. */
TEST(test_lab_explained)
{
	static const struct {
		const char *line;
		unsigned int windows;
	} t[] = {
		{ "--explain 6.12 6.12-rt", 0 },
		{ "--explain 6.12 -- -d 5s", 0 },
		{ "--explain 6.12 -- -d 10s", 5000 },
		{ "--explain 6.12 -- -d 10s -n 4000", 0 },
		{ "--explain 6.12 -- -n 5001", 5000 },
		{ "--explain 6.12 -- -p 100us -d 1s", 5000 },
		{ "--explain 6.12 -- -d 10s --warm-up 100", 4900 },
		{ "--explain --compare 6.12 6.12-rt", 5000 },
		{ "--compare 6.12 6.12-rt", 0 },
	};
	struct lab_config o;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		o = lab_accepted(t[i].line);
		if (o.windows != t[i].windows)
			fail_msg("%s: %u windows, not %u", t[i].line, (unsigned int)o.windows, t[i].windows);
	}
	o = lab_accepted("--explain 6.12");
	assert_string_equal(o.options[o.noptions - 1], "1s");
	o = lab_accepted("6.12");
	assert_string_equal(o.options[o.noptions - 1], "10s");
}

TEST(test_lab_bisect)
{
	struct lab_config o = lab_accepted("--bisect v6.12 HEAD~1 --tree ./linux");

	assert_true(o.bisect && o.deterministic);
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
	o = lab_accepted("--bisect a+nohz=off b+nohz=off --tree t -m p99.9(wake) --instructions 7 -- -d 20s");
	assert_string_equal(o.kernel[1].arguments, "nohz=off");
	assert_int_equal(o.instructions, 7);
	assert_int_equal(o.windows, 5000);
	o = lab_accepted("--keep --config c ./linux@v6.12 ./b.deb ../built --modules m 6.12");
	assert_true(o.keep);
	assert_string_equal(o.kernel[0].name, "./linux@v6.12");
	assert_string_equal(o.kernel[2].modules, "m");
}

/* The kernel's arguments and one that is tried do not fit into a command line of a kernel together. */
TEST(test_lab_try_room)
{
	static char line[3000], word[2][700];
	struct lab_config o;

	memset(word[0], 'a', sizeof(word[0]) - 1);
	memset(word[1], 'b', sizeof(word[1]) - 1);
	snprintf(line, sizeof(line), "--deterministic --try %s 6.12", word[1]);
	assert_int_equal(parse_lab(&o, line), 0);
	snprintf(line, sizeof(line), "--deterministic --try %s 6.12+%s", word[1], word[0]);
	assert_int_equal(parse_lab(&o, line), -EINVAL);
	assert_contains(message, "with the kernel's arguments it is longer than 1023 bytes: try fewer at once");
}

TEST(test_lab_refused)
{
	static const struct refused_line t[] = {
		{ "", { "no kernel: give one, as in 6.12-rt" } },
		{ "-- -d 3s", { "no kernel" } },
		{ "--bisect a --tree t", { "needs two revisions, GOOD and BAD" } },
		{ "--bisect a b", { "needs --tree LINUX" } },
		{ "--bisect a b+x=1 --tree t", { "the same words after +" } },
		{ "--bisect a --image b --tree t", { "--image is not for --bisect" } },
		{ "--bisect --compare a b --tree t", { "excludes --compare" } },
		{ "--bisect a b --tree t --margin 1% --instructions 2", { "either --margin or --instructions" } },
		{ "--bisect a b --tree t -m p50(wake) -m p99(wake)", { "needs one --metric" } },
		{ "--bisect a b --tree t -m miss-rate", { "miss-rate is not for --bisect" } },
		{ "--bisect a b --tree t -m p99.9(wake) -- -d 1s", { "p99.9(wake) needs 2995 windows, but a run has 1000", "-d 3s" } },
		{ "--bisect a b --tree t -- -d 4s --backend bpf", { "--explain reads the module's trace" } },
		{ "--tree t 6.12", { "need --bisect" } },
		{ "--keep 6.12", { "--config and --keep need --bisect or a revision" } },
		{ "6.12 --modules d", { "--modules d: give it once" } },
		{ "+x.ko", { "invalid kernel '+x.ko'", "6.12-rt+./mine.ko" } },
		{ "--modules d 6.1", { "--modules d: give it once, after its --image" } },
		{ "--symbols m 6.1", { "--symbols m: give it once, after its --image" } },
		{ "6.1 --symbols m", { "--symbols m: give it once, after its --image" } },
		{ "--image b --symbols m --symbols n", { "--symbols n: give it once" } },
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
		{ "--explain 6.1 -- -d 3s --backend posix", { "--backend posix", "the module's trace" } },
		{ "--explain 6.1 -- -d 9s --warm-up 5000", { "--warm-up 5000", "at most 5000 windows" } },
		{ "6.1 -- -b 200us", { "after --: the length of a run is missing: give one, as in -d 3s" } },
	};
	char longer[LAB_NAME + 8] = "";
	struct lab_config o;

	refuse_lines(&manual_lab, &o, t, ARRAY_SIZE(t));
	memset(longer, 'k', LAB_NAME);
	assert_true(parse_lab(&o, longer));
	assert_contains(message, "invalid kernel");
	longer[LAB_NAME - 1] = 0;
	assert_false(parse_lab(&o, longer));
	longer[1] = '+';
	memcpy(longer + 255, ".ko", 4);
	assert_true(parse_lab(&o, longer));
	assert_contains(message, "with names below 256 bytes");
}

UNIT_MAIN(NULL, NULL)
