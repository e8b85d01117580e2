// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "facts/findings.h"

#define KEY(name, key, ...)		[MACHINE_##name] = key,
#define TITLE(name, key, title, ...)	[MACHINE_##name] = title,
const char * const machine_count_keys[NR_MACHINE_COUNTS] = { MACHINE_COUNTS(KEY) };
const char * const machine_count_titles[NR_MACHINE_COUNTS] = { MACHINE_COUNTS(TITLE) };

static void finding_clear(struct machine_finding *f)
{
	free(f->id);
	free(f->severity);
	free(f->path);
	free(f->found);
	free(f->wanted);
	free(f->now);
	free(f->for_good);
}

void findings_free(struct findings *f)
{
	size_t i;

	if (!f)
		return;
	for (i = 0; i < f->n; i++)
		finding_clear(&f->at[i]);
	for (i = 0; i < f->nbearings; i++) {
		free(f->bearing[i].id);
		free(f->bearing[i].text);
	}
	free(f->at);
	free(f->count);
	free(f->bearing);
	free(f);
}

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
