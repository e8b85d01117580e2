/* SPDX-License-Identifier: GPL-2.0 */
/* Durations and counts, from text and to text. Pure: no I/O. */
#ifndef TLOB_UTIL_UNITS_H
#define TLOB_UTIL_UNITS_H

#include <stdint.h>

#define DURATION_LEN	32	/* longest text of a duration, with its NUL */

/*
 * Reads all of @s as a duration: a decimal number and ns, us, ms, s, m, h or d.
 * A bare number is refused, because tools of this kind disagree about its unit;
 * only 0 needs none. Returns 0, or -EINVAL with one line in @err. *@ns is set
 * on success.
 *
 * The message about a bare number names the first two units, from us on, that
 * make it @min to @max ns.
 */
int duration_parse_within(const char *s, uint64_t min, uint64_t max, uint64_t *ns,
			  char *err, unsigned int size);

/* Does so for a latency: 1us to 1h are likely. */
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

/*
 * For sentences: three significant digits, a space before the unit ("4.15 ms").
 * Returns @buf.
 */
const char *duration_prose(char buf[DURATION_LEN], uint64_t ns);

/* A setting in a sentence: exact, a space before the unit ("1500 us"). Returns @buf. */
const char *duration_prose_exact(char buf[DURATION_LEN], uint64_t ns);

/* How long something will take: "90 s", "100 min", "2.5 h". Returns @buf. */
const char *duration_about(char buf[DURATION_LEN], double s);

/* A count in a sentence, its digits in groups of three ("60 000"). Returns @buf. */
#define COUNT_LEN	28	/* 2^64 - 1 in groups, with its NUL */
const char *count_prose(char buf[COUNT_LEN], uint64_t n);

/*
 * The share of @part in @whole, in whole percent ("35 %"). A share that is neither
 * nothing nor all never reads as that: "<1 %", ">99 %". @whole is not 0. Returns @buf.
 */
#define PERCENT_LEN	28
const char *percent_prose(char buf[PERCENT_LEN], uint64_t part, uint64_t whole);

/*
 * A small share, 0 ... 1, as percent with two digits ("0.15 %"); near 1 with four, so that it
 * does not read as all. Returns @buf.
 */
#define SHARE_LEN	28
const char *share_prose(char buf[SHARE_LEN], double share);

/*
 * Returns ", 34 s left" in @buf for what has done @done equal parts in @elapsed_ns, and has @left to do;
 * "" as long as that is not known.
 */
#define LEFT_LEN	(DURATION_LEN + 8)
const char *left_text(char buf[LEFT_LEN], uint64_t elapsed_ns, size_t done, size_t left);

#endif /* TLOB_UTIL_UNITS_H */
