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
