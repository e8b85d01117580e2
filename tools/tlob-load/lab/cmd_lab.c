// SPDX-License-Identifier: GPL-2.0
/* `tlob-load lab`. */
#include "lab/lab.h"
#include "options/command.h"

static enum exit_code call(void *config, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return lab_carry_out(config);
}

const struct command cmd_lab = { .manual = &manual_lab, .run = call };
