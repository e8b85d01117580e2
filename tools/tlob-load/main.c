// SPDX-License-Identifier: GPL-2.0
/* tlob-load: its commands. */
#include "options/command.h"

#define COMMAND(name)	&cmd_##name,

static const struct command * const commands[] = { COMMANDS(COMMAND) NULL };

int main(int argc, char **argv)
{
	return program_main(&(const struct program){
		.name = "tlob-load", .commands = commands, .alone = run_here,
	}, argc, argv);
}
