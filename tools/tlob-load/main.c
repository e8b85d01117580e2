// SPDX-License-Identifier: GPL-2.0
/* tlob-load: its commands. */
#include "options/command.h"

#define COMMAND(name)	&cmd_##name,

static const struct command * const commands[] = { COMMANDS(COMMAND) NULL };

#define IN_LAB(command)	command ", built by 'make lab' in the source tree"

static const struct manual_entry * const elsewhere = ENTRIES(
	{ "lab", IN_LAB("tlob-lab run") }, { "explain", IN_LAB("tlob-lab explain") },
	{ "bisect", IN_LAB("tlob-lab bisect") });

int main(int argc, char **argv)
{
	return program_main(&(const struct program){
		.name = "tlob-load", .commands = commands, .alone = run_here,
		.elsewhere = elsewhere,
	}, argc, argv);
}
