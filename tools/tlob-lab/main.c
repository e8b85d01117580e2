// SPDX-License-Identifier: GPL-2.0
/* tlob-lab: its commands. */
#include "lab/lab.h"
#include "options/command.h"

static const struct command * const commands[] = { &cmd_lab, &cmd_explain, &cmd_bisect, NULL };

int main(int argc, char **argv)
{
	return program_main(&(const struct program){ .name = "tlob-lab", .commands = commands }, argc, argv);
}
