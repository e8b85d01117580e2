// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>

#include "result/assertion.h"
#include "result/result.h"
#include "util/error.h"
#include "util/units.h"

bool assertion_holds(const struct condition *e, enum condition_outcome found, uint64_t v,
		const char *where)
{
	char value[DURATION_LEN];

	if (found == CONDITION_TRUE)
		return true;
	if (found == CONDITION_NO_DATA)
		warning("assertion failed: %s: no data%s", e->text, where);
	else if (e->metric >= 0)
		warning("assertion failed: %s: %s%s", e->text,
			duration_format(value, v), where);
	else
		warning("assertion failed: %s: %" PRIu64 "%s", e->text, v,
			where);
	return false;
}

static bool holds(const struct condition *e, const struct result *r)
{
	char where[32] = "";
	uint64_t v = 0;
	int cpu = -1;
	enum condition_outcome found = condition_result(e, r, &v, &cpu);

	if (cpu >= 0)
		snprintf(where, sizeof(where), " on CPU %d", cpu);
	return assertion_holds(e, found, v, where);
}

bool assertions_hold(const struct condition *list, unsigned int n,
		     const struct result *r)
{
	bool all = true;
	unsigned int i;

	for (i = 0; i < n; i++)
		all = holds(&list[i], r) && all;
	return all;
}
