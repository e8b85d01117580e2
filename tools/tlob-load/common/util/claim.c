// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/claim.h"
#include "util/file.h"

void claim_identify(struct claim *c, const char *text)
{
	snprintf(c->id, sizeof(c->id), "%016" PRIx64, file_fingerprint(text));
}

static const char *path_of(char path[PATH_MAX], const struct claim *c)
{
	snprintf(path, PATH_MAX, "%.4000s/%.80s", c->dir, c->file);
	return path;
}

enum claim_of claim_read(struct claim *c)
{
	char path[PATH_MAX], was[64];
	size_t n = strlen(c->id);

	if (file_read_line(path_of(path, c), was, sizeof(was)))
		return CLAIM_NOBODY;
	if (strncmp(was, c->id, n) || was[n] != ' ')
		return CLAIM_OTHER;
	c->seed = strtoull(was + n, NULL, 10);
	return CLAIM_OURS;
}

int claim_take(const struct claim *c)
{
	char path[PATH_MAX], text[64];

	snprintf(text, sizeof(text), "%s %" PRIu64 "\n", c->id, c->seed);
	return file_replace(path_of(path, c), text);
}
