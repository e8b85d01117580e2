// SPDX-License-Identifier: GPL-2.0
/* Durations and counts from text, and the three forms in which times are shown. */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workspec.h"
#include "util/units.h"
#include "util/usage.h"

struct unit {
	const char *name;
	uint64_t ns;
};

static const struct unit units[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
};

#define LIKELY_LEN	64	/* room for a number in two units */
#define NR_UNITS (sizeof(units) / sizeof(units[0]))

/* "10" or "1.5": a number, and nothing behind it. */
static bool is_bare_number(const char *s)
{
	static const char digits[] = "0123456789";
	size_t n = strspn(s, digits), fraction;

	if (!n || s[n] != '.')
		return n && !s[n];
	fraction = strspn(s + n + 1, digits);
	return fraction && !s[n + 1 + fraction];
}

/*
 * Writes to @text how @s, a number without a unit, is most likely meant: "10us or
 * 10ms". Returns @text.
 */
static const char *likely_units(char text[LIKELY_LEN], const char *s, uint64_t min, uint64_t max)
{
	static const struct unit likely[] = {
		{ "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
		{ "m", 60000000000ULL }, { "h", 3600000000000ULL },
	};
	double number = strtod(s, NULL);
	unsigned int found = 0;
	size_t i, n = 0;

	for (i = 0; i < sizeof(likely) / sizeof(likely[0]) && found < 2; i++) {
		if (number > (double)max / (double)likely[i].ns ||
		    number * (double)likely[i].ns < (double)min)
			continue;
		n += (size_t)snprintf(text + n, LIKELY_LEN - n, "%s%.24s%s",
				      found++ ? " or " : "", s, likely[i].name);
	}
	if (!found)
		snprintf(text, LIKELY_LEN, "%.24sns", s);
	return text;
}

int duration_parse_within(const char *s, uint64_t min, uint64_t max, uint64_t *ns,
			  char *err, unsigned int size)
{
	const char *end = s;
	char text[LIKELY_LEN];
	__u64 val = 0;
	int ret = tlob_parse_duration(&end, &val);

	if (ret == -ERANGE)
		return usage_error(err, size, "duration %s is too long: the limit is 2^64 ns (584 years)",
				   s);
	/* 0 needs no unit */
	if (is_bare_number(s) && (ret || *end || val))
		return usage_error(err, size, "duration %s has no unit: give %s",
				   s, likely_units(text, s, min, max));
	if (ret || *end)
		return usage_error(err, size,
				   "invalid duration '%s': give a number and a unit, ns, us, ms, s, m, h or d, as in 50us",
				   s);
	*ns = val;
	return 0;
}

int duration_parse(const char *s, uint64_t *ns, char *err, unsigned int size)
{
	return duration_parse_within(s, 1000, 3600000000000ULL, ns, err, size);
}

int count_parse(const char *s, uint64_t *n)
{
	__u64 val;
	int err = tlob_parse_u64(&s, &val);

	if (err)
		return err;
	if (*s)
		return -EINVAL;
	*n = val;
	return 0;
}

/* The index of the largest unit that is not above @ns. */
static size_t unit_of(uint64_t ns)
{
	size_t u = NR_UNITS - 1;

	while (u && ns < units[u].ns)
		u--;
	return u;
}

const char *duration_format(char buf[DURATION_LEN], uint64_t ns)
{
	size_t u = unit_of(ns);
	uint64_t unit = units[u].ns;
	uint64_t step = unit / 100;	/* of the third significant digit */
	unsigned int decimals = 2;
	uint64_t whole, rest;

	while (decimals && ns >= step * 1000) {
		step *= 10;
		decimals--;
	}
	if (ns % unit) {
		uint64_t below = ns % step;

		ns -= below;
		if (below >= step - below && ns <= UINT64_MAX - step)
			ns += step;
	}
	/* 999.7us was rounded to 1000us, which is shown as 1ms */
	if (u + 1 < NR_UNITS && ns >= units[u + 1].ns)
		unit = units[++u].ns;
	whole = ns / unit;
	rest = ns % unit;
	if (!rest) {
		snprintf(buf, DURATION_LEN, "%" PRIu64 "%s", whole, units[u].name);
		return buf;
	}
	rest /= step;
	for (; rest % 10 == 0; rest /= 10)
		decimals--;
	snprintf(buf, DURATION_LEN, "%" PRIu64 ".%0*" PRIu64 "%s", whole,
		 (int)decimals, rest, units[u].name);
	return buf;
}

const char *duration_exact(char buf[DURATION_LEN], uint64_t ns)
{
	size_t u = unit_of(ns);

	while (ns % units[u].ns)
		u--;
	snprintf(buf, DURATION_LEN, "%" PRIu64 "%s", ns / units[u].ns,
		 units[u].name);
	return buf;
}

const char *duration_us(char buf[DURATION_LEN], uint64_t ns)
{
	snprintf(buf, DURATION_LEN, "%" PRIu64 ".%03u", ns / 1000,
		 (unsigned int)(ns % 1000));
	return buf;
}

/* Puts a space in front of the unit. */
static const char *space_out(char buf[DURATION_LEN])
{
	size_t n = strspn(buf, "0123456789.");

	memmove(buf + n + 1, buf + n, strlen(buf + n) + 1);
	buf[n] = ' ';
	return buf;
}

const char *duration_prose(char buf[DURATION_LEN], uint64_t ns)
{
	duration_format(buf, ns);
	return space_out(buf);
}

const char *duration_prose_exact(char buf[DURATION_LEN], uint64_t ns)
{
	duration_exact(buf, ns);
	return space_out(buf);
}

const char *duration_about(char buf[DURATION_LEN], double s)
{
	if (s < 120)
		snprintf(buf, DURATION_LEN, "%.0f s", s);
	else if (s < 7200)
		snprintf(buf, DURATION_LEN, "%.0f min", s / 60);
	else
		snprintf(buf, DURATION_LEN, "%.1f h", s / 3600);
	return buf;
}

const char *count_prose(char buf[COUNT_LEN], uint64_t n)
{
	char digits[COUNT_LEN];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n), i;
	char *to = buf;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*to++ = ' ';
		*to++ = digits[i];
	}
	*to = 0;
	return buf;
}

const char *percent_prose(char buf[PERCENT_LEN], uint64_t part, uint64_t whole)
{
	double share = 100.0 * (double)part / (double)whole;

	if (part && share < 1)
		snprintf(buf, PERCENT_LEN, "<1 %%");
	else if (part < whole && share > 99)
		snprintf(buf, PERCENT_LEN, "%s99 %%", share >= 99.5 ? ">" : "");
	else
		snprintf(buf, PERCENT_LEN, "%.0f %%", share);
	return buf;
}

const char *share_prose(char buf[SHARE_LEN], double share)
{
	snprintf(buf, SHARE_LEN, "%.*g %%", share < 0.99 ? 2 : 4, 100 * share);
	return buf;
}

const char *left_text(char buf[LEFT_LEN], uint64_t elapsed_ns, size_t done, size_t left)
{
	char text[DURATION_LEN];

	*buf = 0;
	if (done && left)
		snprintf(buf, LEFT_LEN, ", %s left", duration_about(text, (double)elapsed_ns / done * left / 1e9));
	return buf;
}
