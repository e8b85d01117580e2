// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>

#include "options.h"
#include "result.h"
#include "units.h"
#include "verdict.h"

bool verdict_is(const struct expr *e, enum expr_verdict found, uint64_t v,
		const char *where)
{
	char value[DURATION_LEN];

	if (found == EXPR_TRUE)
		return true;
	if (found == EXPR_NO_DATA)
		warning("assertion failed: %s: no data%s", e->text, where);
	else if (e->metric >= 0)
		warning("assertion failed: %s: %s%s", e->text,
			duration_format(value, v), where);
	else
		warning("assertion failed: %s: %" PRIu64 "%s", e->text, v,
			where);
	return false;
}

static bool holds(const struct expr *e, const struct result *r)
{
	char where[32] = "";
	uint64_t v = 0;
	int cpu = -1;
	enum expr_verdict found = expr_result(e, r, &v, &cpu);

	if (cpu >= 0)
		snprintf(where, sizeof(where), " on CPU %d", cpu);
	return verdict_is(e, found, v, where);
}

enum exit_code verdict(const struct options *o, const struct result *r)
{
	enum exit_code code = EXIT_PASS;
	unsigned int i;

	for (i = 0; i < o->nassertion; i++)
		if (!holds(&o->assertion[i], r))
			code = EXIT_ASSERTION;
	return code;
}
