// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "result/attach_result.h"
#include "result/counters.h"
#include "result/result.h"

#define COUNTER_ROW(name, flags) { #name, offsetof(STRUCT, name), flags },

static const struct counter of_result[] = {
#define STRUCT struct result_cpu
	RESULT_COUNTERS(COUNTER_ROW)
#undef STRUCT
};

static const struct counter of_attach[] = {
#define STRUCT struct attach_result
	ATTACH_COUNTERS(COUNTER_ROW)
#undef STRUCT
};

const struct counters result_counters = {
	of_result, sizeof(of_result) / sizeof(of_result[0]),
};

const struct counters attach_counters = {
	of_attach, sizeof(of_attach) / sizeof(of_attach[0]),
};

uint64_t counter_get(const struct counter *c, const void *data)
{
	uint64_t value;

	memcpy(&value, (const char *)data + c->offset, sizeof(value));
	return value;
}

void counter_set(const struct counter *c, void *data, uint64_t value)
{
	memcpy((char *)data + c->offset, &value, sizeof(value));
}

void counters_add(const struct counters *list, void *a, const void *b)
{
	const struct counter *c = list->at;

	for (; c < list->at + list->n; c++)
		counter_set(c, a, counter_get(c, a) + counter_get(c, b));
}
