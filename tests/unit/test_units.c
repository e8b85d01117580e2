// SPDX-License-Identifier: GPL-2.0
/* Durations and names, from text and to text. */
#include <errno.h>

#include "unit.h"
#include "run/policy.h"
#include "util/printable.h"
#include "util/units.h"
#include "util/usage.h"

static void test_duration_parse(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "0", 0 }, { "0us", 0 }, { "00", 0 }, { "1ns", 1 },
		{ "250us", 250000 }, { "1500us", 1500000 }, { "1ms", 1000000 },
		{ "30s", 30000000000ULL }, { "18446744073709551615ns", UINT64_MAX },
	};
	static const struct {
		const char *text, *part;
	} bad[] = {
		{ "1000", "no unit: add ns" }, { "", "invalid duration" },
		{ "us", "invalid duration" }, { "1.5ms", "whole number" },
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

static void test_count_parse(void **state)
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

static void test_duration_format(void **state)
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

static void test_printable(void **state)
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
	/* a name without a NUL, and a character cut by the end */
	assert_string_equal(printable(out, "abcdef", 3), "abc");
	assert_string_equal(printable(out, "ab\xc3\xa9", 3), "ab\\xc3");
}

static void test_policy(void **state)
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

static void test_usage_error(void **state)
{
	char err[8] = "before";

	assert_int_equal(usage_error(err, sizeof(err), "a\nb\x1b%s", "cdefgh"), -EINVAL);
	assert_string_equal(err, "a?b?cde");
	assert_int_equal(usage_error(NULL, 0, "x"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_duration_parse),
		cmocka_unit_test(test_count_parse),
		cmocka_unit_test(test_duration_format),
		cmocka_unit_test(test_printable),
		cmocka_unit_test(test_policy),
		cmocka_unit_test(test_usage_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
