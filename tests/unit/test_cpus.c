// SPDX-License-Identifier: GPL-2.0
/* CPU lists, on a machine with any CPUs: only CPU 0 is certain. */
#include <errno.h>
#include <unistd.h>

#include "unit.h"
#include "machine/cpus.h"
#include "util/error.h"

static int choose(const char *list)
{
	struct cpus c = { 0 };
	int err;

	alarm(600);		/* a call that takes longer hangs */
	err = cpus_choose(&c, list, "0");
	alarm(0);
	cpus_free(&c);
	return err;
}

TEST(test_lists)
{
	static const struct {
		const char *list;
		int err;
	} t[] = {
		{ "0", 0 }, { "0-0", 0 }, { "0,0", 0 }, { "all", 0 },
		{ "+0", 0 }, { "+all", 0 }, { "!all", -EUSAGE }, { "same", -EUSAGE },
		{ "", -EUSAGE }, { "x", -EUSAGE }, { "0,", -EUSAGE },
		{ "0-", -EUSAGE }, { "0 ", -EUSAGE }, { "0x0", -EUSAGE },
		{ "1-0", -EUSAGE }, { "3-2", -EUSAGE }, { "0,1-0", -EUSAGE },
		{ "!1-0", -EUSAGE }, { "0,10-9,0", -EUSAGE }, { "0-0,0", 0 },
		{ "-1", -EUSAGE }, { "0,all", -EUSAGE }, { "0,!0", -EUSAGE },
		{ "99999999", -ENODEV }, { "0-99999999", -ENODEV },
		{ "1-100000000000000", -ENODEV },
		{ "0,1-0100000000000000", -ENODEV },
		{ "!1-100000000000000", -ENODEV },
		{ "18446744073709551616", -ENODEV },
		{ "0-18446744073709551616", -ENODEV },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		int err = choose(t[i].list);

		if (err != t[i].err)
			fail_msg("'%s': %d, not %d", t[i].list, err, t[i].err);
	}
}

static struct cpulist list(const char *text)
{
	struct cpulist cpus;

	assert_int_equal(cpulist_parse(&cpus, text), 0);
	return cpus;
}

static void expect_list(const struct cpulist *cpus, const char *wanted)
{
	char *text = cpulist_format(cpus);

	assert_string_equal(text, wanted);
	free(text);
}

/* As doctor, validate and try choose: a mask that isolcpus= left was nobody's choice. */
TEST(test_default)
{
	static const struct {
		const char *usable, *isolated, *measured;
	} t[] = {
		{ "0-3", "", "0-3" }, { "0-1", "2-3", "2-3" }, { "0-3", "2-3", "2-3" },
		{ "0", "2-3", "0" }, { "0,2", "2-3", "2" }, { "2-3", "2-3", "2-3" }, { "0-1", "", "0-1" },
		{ "0-3", "4-5", "0-3" },
	};
	const struct cpulist online = list("0-3");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		const struct cpulist usable = list(t[i].usable), isolated = list(t[i].isolated);
		const struct cpulist chosen = cpus_default(&usable, &online, &isolated);

		expect_list(&chosen, t[i].measured);
	}
}

/* A hyper-thread of a measured CPU is left alone while another CPU is free. */
TEST(test_left)
{
	static const struct {
		const char *measured, *siblings, *left;
	} t[] = {
		{ "2-3", "2-3", "0-1" }, { "1", "1,3", "0,2" }, { "1-2", "0-3", "0,3" }, { "0-3", "0-3", "0-3" }, { "1", "", "0,2-3" },
	};
	const struct cpulist usable = list("0-3");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		const struct cpulist measured = list(t[i].measured), siblings = list(t[i].siblings);
		const struct cpulist left = cpus_left(&usable, &measured, &siblings);

		expect_list(&left, t[i].left);
	}
}

/* CPU 0 is measured: is it in the kernel's list, and what is the list with it? */
TEST(test_with)
{
	static const struct {
		const char *list;
		bool covered;
	} t[] = {
		{ "0", true }, { "0-3", true }, { "0,2-5", true },
		{ "0-4095", true }, { "4094-4095,0", true },
		{ "", false }, { "4095", false }, { "4090-4095", false },
		{ "10", false },
	};
	struct cpus c = { 0 };
	bool covered;
	char *with;
	size_t i;

	assert_int_equal(cpus_choose(&c, "0", "0"), 0);
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		with = cpus_with(&c, t[i].list, &covered);
		assert_non_null(with);
		assert_int_equal(with[0], '0');
		if (covered != t[i].covered)
			fail_msg("'%s' covers CPU 0: %d", t[i].list, covered);
		free(with);
	}
	cpus_free(&c);
}

/* The refusal has the value, and says what to give. */
TEST(test_backward_range)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size), *saved = stderr;

	assert_non_null(f);
	stderr = f;
	assert_int_equal(choose("0,3-2"), -EUSAGE);
	stderr = saved;
	fclose(f);
	assert_non_null(strstr(text, "--cpus 0,3-2: the range 3-2 runs backwards: give 2-3\n"));
	free(text);
}

UNIT_MAIN(NULL, NULL)
