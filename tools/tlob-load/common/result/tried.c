// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/tried.h"
#include "util/file.h"
#include "util/text.h"
#include "util/tree.h"

const char *tried_path(void)
{
	const char *path = getenv("TLOB_TRIED_FILE");

	return path && *path ? path : TRIED_FILE;
}

bool tried_is_about(const char *line, const char *rule)
{
	size_t n = strlen(rule);

	return !strncmp(line, rule, n) && line[n] == '\t';
}

/* RULE, DATE, KERNEL and TEXT of a line, which is cut up. False: damaged. */
static bool cut(char *line, char *word[4])
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		word[i] = line;
		line = line ? strchr(line, '\t') : NULL;
		if (!line && i < 3)
			return false;
		if (line && i < 3)
			*line++ = 0;
	}
	return true;
}

char *tried_text(const char *root, const char *rule)
{
	char *text, *rest, *line, *word[4], *found = NULL;

	/* a copy of another machine has its own */
	if (*root ? tree_read(root, TRIED_FILE, &text) : file_read(tried_path(), &text))
		return NULL;
	for (rest = text; !found && (line = text_line(&rest)); )
		if (tried_is_about(line, rule) && cut(line, word) &&
		    asprintf(&found, "%s (%s, Linux %s)", word[3], word[1], word[2]) < 0)
			found = NULL;
	free(text);
	return found;
}
