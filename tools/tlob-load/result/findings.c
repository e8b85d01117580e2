// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "result/findings.h"

#define TITLE(name, key, title, ...)	[MACHINE_##name] = title,
const char * const machine_count_titles[NR_MACHINE_COUNTS] = { MACHINE_COUNTS(TITLE) };

size_t findings_of(const struct findings *f, const char *severity)
{
	size_t i, n = 0;

	for (i = 0; i < f->n; i++)
		n += !f->at[i].unread && (!severity || !strcmp(f->at[i].severity, severity));
	return n;
}

size_t findings_unread(const struct findings *f)
{
	return f->n - findings_of(f, NULL);
}
