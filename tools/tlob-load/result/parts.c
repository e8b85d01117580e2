// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <linux/tlob.h>
#include "hist.h"
#include "result/parts.h"

const char *part_name(unsigned int part)
{
	return tlob_metric_names[TLOB_METRIC_PARTS + part];
}

const char *part_short_name(unsigned int part)
{
	return strchr(part_name(part), '.') + 1;
}

const char *noise_kind_name(unsigned int kind)
{
	static const char * const names[TLOB_NR_NOISE] = {
		"irq", "softirq", "nmi", "thread",
	};

	return kind < TLOB_NR_NOISE ? names[kind] : "unknown";
}
