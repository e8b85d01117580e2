// SPDX-License-Identifier: GPL-2.0
/* All commands. */
#include <string.h>

#include "cmd/command.h"

const struct command * const commands[] = {
	&cmd_run, &cmd_top, &cmd_attach, &cmd_waits, &cmd_report, &cmd_merge,
	&cmd_compare, &cmd_gate, &cmd_plan, &cmd_search, &cmd_lab, &cmd_doctor, &cmd_restore, NULL,
};

const struct command *command_find(const char *name)
{
	const struct command * const *c = commands;

	while (*c && strcmp((*c)->name, name))
		c++;
	return *c;
}
