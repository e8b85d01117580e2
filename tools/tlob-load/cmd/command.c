// SPDX-License-Identifier: GPL-2.0
/* The help and the usage errors of all commands. */
#include <stdio.h>

#include "cmd/command.h"
#include "help/screen.h"

enum exit_code command_help(const struct command *c, enum help_wanted how)
{
	if (how == HELP_ALL)
		manual_print_all(stdout, c->manual);
	else
		manual_print_short(stdout, c->manual);
	return EXIT_PASS;
}

enum exit_code command_usage(const struct command *c, const char *why)
{
	return exit_code_of(fail(-EUSAGE, "%s (tlob-load %s --help)", why,
				 c->name));
}
