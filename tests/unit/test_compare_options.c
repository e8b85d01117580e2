// SPDX-License-Identifier: GPL-2.0
/* The command lines of `compare`: what it accepts and refuses, its help. */
#include "option_line.h"
#include "options/command.h"
#include "compare/config.h"

static int parse(struct compare_config *o, const char *line)
{
	return parse_line(&manual_compare, o, line);
}

static struct compare_config accepted(const char *line)
{
	struct compare_config o;

	accept_line(&manual_compare, &o, line);
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
		{ "--vary smt, a -- b", { "--vary: invalid setting ''" } },
		{ "--vary ,smt a -- b", { "--vary: invalid setting ''" } },
		{ "--vary a12345678901234567890123456789012 a -- b", { "invalid setting", "give names as in smt or smt,governor" } },
		{ "--vary a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q a -- b", { "more than 16 settings" } },
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

UNIT_MAIN(NULL, NULL)
