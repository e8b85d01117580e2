// SPDX-License-Identifier: GPL-2.0
/* `tlob-load top`: a run on a full screen. */
#include "cmd/command.h"
#include "cmd/run_options.h"

const struct command cmd_top = {
	.name = "top",
	.manual = &manual_top,
	.options = run_long_options,
	.letters = run_short_options,
	.run = run_on_screen,
};
