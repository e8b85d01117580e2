// SPDX-License-Identifier: GPL-2.0
/*
 * Writes what is installed with a program, from the tables of its help. It runs where
 * the program is built, which need not be where that runs.
 *
 *	tlob-manual man NAME DATE	a manual page; NAME is tlob-load or tlob-load-COMMAND
 *	tlob-manual bash|zsh|fish	completion
 *	tlob-manual list		the names of all pages
 */
#include <string.h>

#include "format.h"

static const struct manual *find(const char *page)
{
	const struct manual *const *m;

	if (strncmp(page, TOOL, strlen(TOOL)))
		return NULL;
	page += strlen(TOOL);
	if (!*page)
		return &manual_tool;
	for (m = manual_tool.commands; *m; m++)
		if (*page == '-' && !strcmp((*m)->name, page + 1))
			return *m;
	return NULL;
}

static void list(void)
{
	const struct manual *const *m;

	puts(TOOL);
	for (m = manual_tool.commands; *m; m++)
		printf(TOOL "-%s\n", (*m)->name);
}

static int usage(void)
{
	fputs("usage: tlob-manual man NAME DATE | bash | zsh | fish | list\n", stderr);
	return 129;
}

int main(int argc, char **argv)
{
	const struct manual *m = argc == 4 ? find(argv[2]) : NULL;

	if (m && !strcmp(argv[1], "man"))
		format_man(stdout, m, argv[3]);
	else if (argc != 2)
		return usage();
	else if (!strcmp(argv[1], "list"))
		list();
	else if (!strcmp(argv[1], "bash"))
		format_bash(stdout);
	else if (!strcmp(argv[1], "zsh"))
		format_zsh(stdout);
	else if (!strcmp(argv[1], "fish"))
		format_fish(stdout);
	else
		return usage();
	return fflush(stdout) || ferror(stdout);
}
