// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <linux/tlob.h>
#include "hist.h"
#include "parts.h"
#include "result/parts.h"

const struct window_flag window_flags[] = {
	{ TLOB_WINDOW_VIOLATION, "violation" },
	{ TLOB_WINDOW_STOPPED, "stopped" },
	{ TLOB_WINDOW_LAST, "last" },
	{ TLOB_WINDOW_INEXACT, "inexact" },
	{ TLOB_WINDOW_KTHREAD, "kthread" },
};

const size_t nwindow_flags = sizeof(window_flags) / sizeof(window_flags[0]);

const char *part_name(unsigned int part)
{
	return tlob_metric_names[TLOB_METRIC_PARTS + part];
}

const char *part_short_name(unsigned int part)
{
	return strchr(part_name(part), '.') + 1;
}

static const struct {
	const char *colour, *meaning;
} parts[] = {
#define PART_ROW(PHASE, NAME, phase, name, colour, meaning) { colour, meaning },
	TLOB_PARTS(PART_ROW)
};

const char *part_meaning(unsigned int part)
{
	return parts[part].meaning;
}

const char *part_colour(unsigned int part)
{
	return parts[part].colour;
}

const char *noise_kind_name(unsigned int kind)
{
	static const char * const names[TLOB_NR_NOISE] = {
		"irq", "softirq", "nmi", "thread",
	};

	return kind < TLOB_NR_NOISE ? names[kind] : "unknown";
}
