// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>

#include "report/rate.h"
#include "result/result.h"

/* Three digits, and a whole number from 10 on. @round: floor() or ceil(). */
static const char *number(char buf[COUNT_LEN], double x, double (*round)(double))
{
	double unit = x < 10 ? 0.1 : x < 1000 ? 1 : pow(10, floor(log10(x)) - 2);

	x = round(x / unit) * unit;
	if (x < 10)
		snprintf(buf, COUNT_LEN, "%.1f", x);
	else
		count_prose(buf, x < 1e18 ? (uint64_t)llround(x) : UINT64_MAX);
	return buf;
}

const char *rate_number(char buf[COUNT_LEN], double upper)
{
	return number(buf, upper, ceil);
}

const char *rate_prose(char buf[RATE_PROSE], const struct episodes *e)
{
	struct episode_rate rate = episodes_per_hour(e, e->over ? BOUNDS_ALPHA / 2 : BOUNDS_ALPHA);
	char low[COUNT_LEN], high[COUNT_LEN];

	number(high, rate.upper, ceil);
	if (e->over)
		snprintf(buf, RATE_PROSE, "%s to %s episodes an hour", number(low, rate.lower, floor), high);
	else
		snprintf(buf, RATE_PROSE, "fewer than %s episodes an hour", high);
	return buf;
}
