/* SPDX-License-Identifier: GPL-2.0 */
/* Durations and counts, from text and to text. Pure: no I/O. */
#ifndef TLOB_UTIL_UNITS_H
#define TLOB_UTIL_UNITS_H

#include <stdint.h>

#define DURATION_LEN	32	/* longest text of a duration, with its NUL */

/*
 * Reads all of @s as a duration: digits and ns, us, ms or s. A bare number is
 * refused, because tools of this kind disagree about its unit; only 0 needs
 * none. Returns 0, or -EINVAL with one line in @err. *@ns is set on success.
 */
int duration_parse(const char *s, uint64_t *ns, char *err, unsigned int size);

/* Reads all of @s as a decimal count. Returns 0, -EINVAL or -ERANGE (beyond 2^64-1). */
int count_parse(const char *s, uint64_t *n);

/*
 * A measured duration for people: a whole number where its unit allows one
 * ("600us"), else three significant digits ("4.15us"). Returns @buf.
 */
const char *duration_format(char buf[DURATION_LEN], uint64_t ns);

/* A setting, exactly: in the largest unit that divides it ("1500us", "1ms"). Returns @buf. */
const char *duration_exact(char buf[DURATION_LEN], uint64_t ns);

/*
 * For columns: microseconds with three decimals, so that no nanosecond is lost.
 * There is no unit and no thousands separator: digits align, and scripts can
 * read them. Returns @buf.
 */
const char *duration_us(char buf[DURATION_LEN], uint64_t ns);

#endif /* TLOB_UTIL_UNITS_H */
