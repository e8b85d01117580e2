/* SPDX-License-Identifier: GPL-2.0 */
/* Included by every unit test. */
#ifndef TLOB_UNIT_H
#define TLOB_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Included before cmocka, whose macro fail() would rewrite the declaration of the tool's. */
#include "util/error.h"

#include <cmocka.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* The same numbers in every run, so that a failure can be repeated. */
static inline uint64_t unit_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

enum { UNIT_MOST = 64 };		/* tests of a program */

static struct CMUnitTest unit_tests[UNIT_MOST];
static size_t unit_ntests;

static inline void unit_add(struct CMUnitTest test)
{
	if (unit_ntests == UNIT_MOST)
		abort();
	unit_tests[unit_ntests++] = test;
}

/*
 * Begins a test, with what cmocka calls before and after it. The program runs its tests in the
 * order of its file.
 */
#define TEST_WITH(function, setup, teardown)					\
	static void function(void **state);					\
	__attribute__((constructor)) static void add_##function(void)		\
	{									\
		unit_add((struct CMUnitTest)					\
			 cmocka_unit_test_setup_teardown(function, setup, teardown)); \
	}									\
	static void function(void **state)

#define TEST(function)	TEST_WITH(function, NULL, NULL)

/* @setup and @teardown are called once, before and after all tests; or NULL. The number that failed. */
static inline int unit_run(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	return _cmocka_run_group_tests("tests", unit_tests, unit_ntests, setup, teardown);
}

#define UNIT_MAIN(setup, teardown)						\
	int main(void)								\
	{									\
		return unit_run(setup, teardown);				\
	}

/* Fails with both texts if @text does not contain @part. */
#define assert_contains(text, part) do {				\
	if (!strstr(text, part))					\
		fail_msg("'%s' is not in:\n%s", part, text);		\
} while (0)

#define assert_lacks(text, part) do {					\
	if (strstr(text, part))						\
		fail_msg("'%s' is in:\n%s", part, text);		\
} while (0)

#endif /* TLOB_UNIT_H */
