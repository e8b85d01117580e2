// SPDX-License-Identifier: GPL-2.0
/* Durations and names, from text and to text; messages. */
#include <errno.h>
#include <unistd.h>

#include "unit.h"
#include "util/error.h"
#include "util/policy.h"
#include "util/printable.h"
#include "util/units.h"
#include "util/usage.h"

TEST(test_duration_parse)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "0", 0 }, { "0us", 0 }, { "00", 0 }, { "1ns", 1 },
		{ "250us", 250000 }, { "1500us", 1500000 }, { "1ms", 1000000 },
		{ "30s", 30000000000ULL }, { "18446744073709551615ns", UINT64_MAX },
		{ "1.5ms", 1500000 }, { "0.05us", 50 }, { "2.500us", 2500 },
		{ "1.000ns", 1 }, { "0.0", 0 }, { "5m", 300000000000ULL },
		{ "1.5m", 90000000000ULL }, { "8h", 28800000000000ULL },
		{ "2d", 172800000000000ULL }, { "0.0000000001m", 6 },
		{ "18446744073.709551615s", UINT64_MAX },
	};
	static const struct {
		const char *text, *part;
	} bad[] = {
		{ "1000", "no unit: give 1000us or 1000ms" },
		{ "4000000000", "no unit: give 4000000000ns" },
		{ "", "invalid duration" }, { "1.5", "no unit" },
		{ "us", "invalid duration" }, { "1.5ns", "invalid duration" },
		{ "1.ms", "invalid duration" }, { ".5ms", "invalid duration" },
		{ "1.0000000001s", "invalid duration" }, { "1e3us", "invalid duration" },
		{ "0.00000000001m", "invalid duration" },
		{ "18446744073.709551616s", "584 years" },
		{ "213504d", "584 years" },
		{ "-1us", "invalid duration" }, { "1us ", "invalid duration" },
		{ " 1us", "invalid duration" }, { "1min", "invalid duration" },
		{ "18446744073709551616ns", "584 years" },
		{ "18446744074s", "584 years" },
	};
	char err[200];
	uint64_t ns;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(duration_parse(good[i].text, &ns, err, sizeof(err)), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		ns = 42;
		assert_int_equal(duration_parse(bad[i].text, &ns, err, sizeof(err)),
				 -EINVAL);
		assert_contains(err, bad[i].part);
		assert_int_equal(ns, 42);
	}
}

TEST(test_likely_units)
{
	static const struct {
		const char *text;
		uint64_t min, max;
		const char *likely;
	} t[] = {
		{ "10", 1000000000, UINT64_MAX, "10s or 10m" },
		{ "10", 50000, 1000000000, "10ms" },
		{ "100", 50000, 1000000000, "100us or 100ms" },
		{ "5", 0, 2000, "5ns" },
		{ "1.5", 50000, 1000000000, "1.5ms" },
		{ "0.5", 1000000000, UINT64_MAX, "0.5m or 0.5h" },
		{ "12.25", 1000, 1000000000, "12.25us or 12.25ms" },
	};
	char err[200];
	uint64_t ns;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		assert_int_equal(duration_parse_within(t[i].text, t[i].min, t[i].max,
						       &ns, err, sizeof(err)), -EINVAL);
		assert_string_equal(strstr(err, "give ") + 5, t[i].likely);
	}
}

TEST(test_count_parse)
{
	uint64_t n = 42;

	assert_int_equal(count_parse("18446744073709551615", &n), 0);
	assert_true(n == UINT64_MAX);
	assert_int_equal(count_parse("18446744073709551616", &n), -ERANGE);
	assert_int_equal(count_parse("", &n), -EINVAL);
	assert_int_equal(count_parse("1 ", &n), -EINVAL);
	assert_int_equal(count_parse("-1", &n), -EINVAL);
	assert_true(n == UINT64_MAX);
}

TEST(test_duration_format)
{
	static const struct {
		uint64_t ns;
		const char *people, *exact, *us;
	} t[] = {
		{ 0, "0ns", "0ns", "0.000" },
		{ 1, "1ns", "1ns", "0.001" },
		{ 999, "999ns", "999ns", "0.999" },
		{ 1000, "1us", "1us", "1.000" },
		{ 4151, "4.15us", "4151ns", "4.151" },
		{ 4155, "4.16us", "4155ns", "4.155" },
		{ 12345, "12.3us", "12345ns", "12.345" },
		{ 123456, "123us", "123456ns", "123.456" },
		{ 600000, "600us", "600us", "600.000" },
		{ 999499, "999us", "999499ns", "999.499" },
		{ 999500, "1ms", "999500ns", "999.500" },
		{ 1000000, "1ms", "1ms", "1000.000" },
		{ 1500000, "1.5ms", "1500us", "1500.000" },
		{ 1050000, "1.05ms", "1050us", "1050.000" },
		{ 1000001, "1ms", "1000001ns", "1000.001" },
		{ 30000000000ULL, "30s", "30s", "30000000.000" },
		{ 30123456789ULL, "30.1s", "30123456789ns", "30123456.789" },
		{ 3600000000000ULL, "3600s", "3600s", "3600000000.000" },
		{ 3600700000000ULL, "3601s", "3600700ms", "3600700000.000" },
		{ UINT64_MAX, "18446744073s", "18446744073709551615ns",
		  "18446744073709551.615" },
	};
	char buf[DURATION_LEN];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		assert_string_equal(duration_format(buf, t[i].ns), t[i].people);
		assert_string_equal(duration_exact(buf, t[i].ns), t[i].exact);
		assert_string_equal(duration_us(buf, t[i].ns), t[i].us);
	}
}

TEST(test_printable)
{
	static const struct {
		const char *in, *out;
		size_t width;
	} t[] = {
		{ "", "", 0 },
		{ "kworker/0:1", "kworker/0:1", 11 },
		{ "a\"b", "a\"b", 3 },
		{ "a\nb\x7f", "a\\x0ab\\x7f", 10 },
		{ "\x1b[2J", "\\x1b[2J", 7 },
		{ "a\\b", "a\\b", 3 },
		{ "\\x41", "\\x5cx41", 7 },
		{ "\\", "\\", 1 },
		{ "caf\xc3\xa9", "caf\xc3\xa9", 4 },
		{ "\xe2\x82\xac", "\xe2\x82\xac", 1 },
		{ "\xf0\x9f\x90\xa7", "\xf0\x9f\x90\xa7", 1 },
		{ "\xff\xfe", "\\xff\\xfe", 8 },
		{ "\xc3", "\\xc3", 4 },			/* cut off */
		{ "\xc3(", "\\xc3(", 5 },
		{ "\xc0\x80", "\\xc0\\x80", 8 },	/* overlong */
		{ "\xe0\x80\x80", "\\xe0\\x80\\x80", 12 },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80", 12 }, /* surrogate */
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", 16 },
		{ "\xc2\x9b", "\\xc2\\x9b", 8 },	/* C1: CSI */
		{ "a\xe2\x80\xae" "b", "a\\xe2\\x80\\xae" "b", 14 },	/* U+202E: right to left */
		{ "\xe2\x81\xa6", "\\xe2\\x81\\xa6", 12 },	/* U+2066: isolate */
		{ "\xe2\x80\xa8", "\\xe2\\x80\\xa8", 12 },	/* U+2028: end of line */
		{ "\xe2\x80\x8b", "\\xe2\\x80\\x8b", 12 },	/* U+200B: no width */
		{ "\xd8\x9c", "\\xd8\\x9c", 8 },		/* U+061C: Arabic mark */
		{ "\xef\xbb\xbf", "\\xef\\xbb\\xbf", 12 },	/* U+FEFF */
		{ "\xf3\xa0\x81\xa1", "\\xf3\\xa0\\x81\\xa1", 16 }, /* U+E0061: tag */
		{ "\xe2\x80\x90\xe2\x80\xaf", "\xe2\x80\x90\xe2\x80\xaf", 2 }, /* beside those */
		{ "\xd7\xa9\xd9\x85", "\xd7\xa9\xd9\x85", 2 },	/* letters written right to left */
	};
	char *dup, out[200];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		assert_string_equal(printable(out, t[i].in, 100), t[i].out);
		assert_int_equal(printable_width(out), t[i].width);
		dup = printable_dup(t[i].in);
		assert_string_equal(dup, t[i].out);
		free(dup);
	}
	/* what was escaped is escaped again, to be undone, or stays, to be shown */
	dup = printable_once("\x1b\\x41");
	assert_string_equal(dup, "\\x1b\\x41");
	free(dup);
	/* a name without a NUL, and a character cut by the end */
	assert_string_equal(printable(out, "abcdef", 3), "abc");
	assert_string_equal(printable(out, "ab\xc3\xa9", 3), "ab\\xc3");
}

TEST(test_policy)
{
	static const struct {
		const char *text, *kernel;
	} good[] = {
		{ "fifo:1", "fifo:1" }, { "fifo:99", "fifo:99" },
		{ "rr:50", "rr:50" }, { "other", "other" },
		{ "deadline:200us/1ms/1ms", "deadline:200000/1000000/1000000" },
		{ "deadline:1024/1024/1024", "deadline:1024/1024/1024" },
	};
	static const struct {
		const char *text, *part;
	} bad[] = {
		{ "", "fifo:P" }, { "idle", "fifo:P" }, { "others", "fifo:P" },
		{ "fifo", "fifo:P" }, { "fifo:", "1 to 99" },
		{ "fifo:0", "1 to 99" }, { "fifo:100", "1 to 99" },
		{ "rr:1x", "1 to 99" }, { "rr:-1", "1 to 99" },
		{ "fifo:99999999999999999999", "1 to 99" },
		{ "deadline:", "RUNTIME/DEADLINE/PERIOD" },
		{ "deadline:1ms/1ms", "RUNTIME/DEADLINE/PERIOD" },
		{ "deadline:1ms/1ms/1ms/", "RUNTIME/DEADLINE/PERIOD" },
		{ "deadline:2ms/1ms/1ms", "RUNTIME <= DEADLINE" },
		{ "deadline:1ms/2ms/1ms", "DEADLINE <= PERIOD" },
		{ "deadline:1023/1ms/1ms", "1024ns <= RUNTIME" },
	};
	char err[200], text[80];
	struct tlob_policy p, before;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(policy_parse(&p, good[i].text, err, sizeof(err)), 0);
		assert_int_equal(policy_format(&p, text, sizeof(text)), 0);
		assert_string_equal(text, good[i].kernel);
	}
	assert_int_equal(policy_format(&p, text, 5), -ENOSPC);
	memset(&before, 0x5a, sizeof(before));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		p = before;
		assert_int_equal(policy_parse(&p, bad[i].text, err, sizeof(err)), -EINVAL);
		assert_contains(err, bad[i].part);
		assert_memory_equal(&p, &before, sizeof(p));
	}
}

TEST(test_prose)
{
	static const struct { uint64_t n; const char *text; } counts[] = {
		{ 0, "0" }, { 999, "999" }, { 1000, "1 000" }, { 60000, "60 000" },
		{ 1234567, "1 234 567" }, { UINT64_MAX, "18 446 744 073 709 551 615" },
	};
	static const struct { uint64_t part, whole; const char *text; } shares[] = {
		{ 0, 7, "0 %" }, { 7, 7, "100 %" }, { 1, 3, "33 %" }, { 1, 1000, "<1 %" },
		{ 999, 1000, ">99 %" }, { 991, 1000, "99 %" }, { 7, 2, "350 %" },
		{ UINT64_MAX / 2, UINT64_MAX, "50 %" },
	};
	char count[COUNT_LEN], percent[PERCENT_LEN], buf[DURATION_LEN], left[LEFT_LEN];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts); i++)
		assert_string_equal(count_prose(count, counts[i].n), counts[i].text);
	for (i = 0; i < ARRAY_SIZE(shares); i++)
		assert_string_equal(percent_prose(percent, shares[i].part, shares[i].whole),
				    shares[i].text);
	assert_string_equal(duration_prose(buf, 4312345), "4.31 ms");
	assert_string_equal(duration_prose(buf, 0), "0 ns");
	assert_string_equal(duration_prose_exact(buf, 600000), "600 us");
	assert_string_equal(duration_prose_exact(buf, 600001), "600001 ns");
	assert_non_null(strchr(duration_prose(buf, UINT64_MAX), ' '));
	assert_string_equal(duration_about(buf, 119), "119 s");
	assert_string_equal(duration_about(buf, 6000), "100 min");
	assert_string_equal(duration_about(buf, 9000), "2.5 h");
	assert_string_equal(left_text(left, 30000000000, 3, 4), ", 40 s left");
	assert_string_equal(left_text(left, 30000000000, 0, 4), "");
	assert_string_equal(left_text(left, 30000000000, 3, 0), "");
}

TEST(test_usage_error)
{
	char err[8] = "before";

	assert_int_equal(usage_error(err, sizeof(err), "a\nb\x1b%s", "cdefgh"), -EINVAL);
	assert_string_equal(err, "a?b?cde");
	assert_int_equal(usage_error(NULL, 0, "x"), -EINVAL);
}

/* A foreign word in a message may do nothing to a terminal. */
TEST(test_message)
{
	char said[200] = "";
	int saved = dup(STDERR_FILENO);
	FILE *f = tmpfile();

	assert_non_null(f);
	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	warning("a\tb \x1b[2J caf\xc3\xa9 \xc2\x9b \x9b %s\nc", "x\xe2\x80\xae" "y");
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	assert_true(fread(said, 1, sizeof(said) - 1, f) > 0);
	assert_string_equal(said, "tlob-load: a\tb ?[2J caf\xc3\xa9 ?? ? x???y\nc\n");
	fclose(f);
}

UNIT_MAIN(NULL, NULL)
