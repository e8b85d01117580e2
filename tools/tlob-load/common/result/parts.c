// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <linux/tlob.h>
#include "hist.h"
#include "parts.h"
#include "result/parts.h"

const char *window_flag_name(unsigned int i)
{
	switch (1U << i) {
	case TLOB_WINDOW_VIOLATION:
		return "violation";
	case TLOB_WINDOW_STOPPED:
		return "stopped";
	case TLOB_WINDOW_LAST:
		return "last";
	case TLOB_WINDOW_INEXACT:
		return "inexact";
	case TLOB_WINDOW_KTHREAD:
		return "kthread";
	case TLOB_WINDOW_THROTTLED:
		return "throttled";
	case TLOB_WINDOW_USER:
		return "user";
	case WINDOW_CONTINUED:
		return "continued";
	case WINDOW_CUT:
		return "cut";
	case WINDOW_OPEN:
		return "open";
	case WINDOW_LOCK:
		return "lock";
	case WINDOW_UNCLEAR:
		return "unclear";
	case WINDOW_SOFT_TIMER:
		return "soft_timer";
	default:
		return NULL;
	}
}

const char *const result_metric_names[RESULT_METRICS] = {
	"irq", "wake", "response",
#define METRIC_NAME(PHASE, NAME, phase, name, ...)	#phase "." #name,
	TLOB_PARTS(METRIC_NAME)
	"interval",
};

const char *part_name(unsigned int part)
{
	return tlob_metric_names[TLOB_METRIC_PARTS + part];
}

const char *part_short_name(unsigned int part)
{
	return strchr(part_name(part), '.') + 1;
}

const struct part_kind part_kinds[NR_PART_KINDS] = {
#define PART_KIND(name, ...)	{ #name, __VA_ARGS__ },
	PART_KINDS(PART_KIND)
};

/* A part without a kind does not compile. */
static const struct {
	enum part_kind_id kind;
	const char *meaning;
} parts[] = {
#define PART_ROW(PHASE, NAME, phase, name, meaning) { KIND_##name, meaning },
	TLOB_PARTS(PART_ROW)
};

enum part_kind_id part_kind(unsigned int part)
{
	return parts[part].kind;
}

const char *part_meaning(unsigned int part)
{
	return parts[part].meaning;
}

const char *part_colour(unsigned int part)
{
	return part_kinds[part_kind(part)].colour;
}

const char *noise_kind_name(unsigned int kind)
{
	static const char * const names[TLOB_NR_NOISE] = {
		"irq", "softirq", "nmi", "thread",
	};

	return kind < TLOB_NR_NOISE ? names[kind] : "unknown";
}
