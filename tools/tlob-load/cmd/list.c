// SPDX-License-Identifier: GPL-2.0
/* All commands, and the one that only is another face of run. */
#include <string.h>

#include "cmd/command.h"
#include "cmd/run_options.h"

const struct command cmd_top = {
	.name = "top",
	.manual = &manual_top,
	.options = run_long_options,
	.letters = run_short_options,
	.run = run_on_screen,
};

const struct command * const commands[] = {
	&cmd_run, &cmd_top, &cmd_attach, &cmd_waits, &cmd_report, &cmd_merge,
	&cmd_compare, &cmd_gate, &cmd_plan, &cmd_search, &cmd_lab, &cmd_doctor, &cmd_validate,
	&cmd_restore, NULL,
};

const struct command *command_find(const char *name)
{
	const struct command * const *c = commands;

	while (*c && strcmp((*c)->name, name))
		c++;
	return *c;
}
