// SPDX-License-Identifier: GPL-2.0
/* Durations and counts from text, and the three forms in which times are shown. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "workspec.h"
#include "util/units.h"
#include "util/usage.h"

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
};

#define NR_UNITS (sizeof(units) / sizeof(units[0]))

int duration_parse(const char *s, uint64_t *ns, char *err, unsigned int size)
{
	const char *end = s;
	const char *digits = s;
	__u64 val, number;
	int ret = tlob_parse_duration(&end, &val);

	if (ret == -ERANGE)
		return usage_error(err, size, "duration %s is too long: the limit is 2^64 ns (584 years)",
				   s);
	if (ret || *end)
		return usage_error(err, size,
				   "invalid duration '%s': give a whole number and a unit, ns, us, ms or s, as in 50us",
				   s);
	tlob_parse_u64(&digits, &number);
	if (!*digits && number)
		return usage_error(err, size,
				   "duration %s has no unit: add ns, us, ms or s, as in %sus",
				   s, s);
	*ns = val;
	return 0;
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
