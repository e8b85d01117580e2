// SPDX-License-Identifier: GPL-2.0
/*
 * Writes what is installed beside tlob-load, from the tables of its help. It runs where
 * tlob-load is built, which need not be where tlob-load runs.
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
	char name[40];

	for (m = manuals; *m; m++) {
		snprintf(name, sizeof(name), "tlob-load%s%s", *(*m)->name ? "-" : "", (*m)->name);
		if (!strcmp(name, page))
			return *m;
	}
	return NULL;
}

static int list(void)
{
	const struct manual *const *m;

	for (m = manuals; *m; m++)
		printf("tlob-load%s%s\n", *(*m)->name ? "-" : "", (*m)->name);
	return 0;
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
