// SPDX-License-Identifier: GPL-2.0
/* `tlob-load restore`: restores the settings that a killed run has changed. */
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
		snprintf(why, sizeof(why), "extra argument '%.60s'", argv[1]);
		return command_usage(&cmd_restore, why);
	}
	return exit_code_of(knobs_restore());
}

const struct command cmd_restore = {
	.name = "restore",
	.summary = "restore the settings that a killed run has changed",
	.help =
"Usage: tlob-load restore\n"
"Restore the settings that a killed run has changed in the system. The next run\n"
"does the same. The changes are listed in /run/tlob-load.state, or in\n"
"$TLOB_STATE_FILE.\n"
"\n"
"Exit codes\n"
"  0 everything is restored   1 error, or a run is in progress   129 usage\n",
	.run = call,
};
