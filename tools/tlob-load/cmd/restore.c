// SPDX-License-Identifier: GPL-2.0
/* `tlob-load restore`. */
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"
#include "machine/knobs.h"

static enum exit_code call(int argc, char **argv)
{
	char why[128];

	if (argc == 2 && (!strcmp(argv[1], "--help") ||
			  !strcmp(argv[1], "-h")))
		return command_help(&cmd_restore);
	if (argc > 1) {
		snprintf(why, sizeof(why), "restore takes no '%.60s'", argv[1]);
		return command_usage(&cmd_restore, why);
	}
	return exit_code_of(knobs_restore());
}

const struct command cmd_restore = {
	.name = "restore",
	.summary = "take back what a killed run has changed in the system",
	.help =
"Usage: tlob-load restore\n"
"Take back what a killed run has changed in the system, as the next run would.\n"
"The changes are listed in /run/tlob-load.state, or in $TLOB_STATE_FILE.\n"
"\n"
"Exit codes\n"
"  0 all is restored   1 error, or a run goes on   129 usage\n",
	.run = call,
};
