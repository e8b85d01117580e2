// SPDX-License-Identifier: GPL-2.0
/* `tlob-load lab`. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/command.h"
#include "cmd/lab_options.h"

static enum exit_code call(int argc, char **argv)
{
	struct lab_config *o = calloc(1, sizeof(*o));
	enum exit_code code;
	char why[1024];

	if (!o)
		return exit_code_of(fail(-ENOMEM, "out of memory"));
	if (lab_options_parse(o, argc, argv, why, sizeof(why)))
		code = command_usage(&cmd_lab, why);
	else if (o->help)
		code = command_help(&cmd_lab, o->help);
	else
		code = lab_carry_out(o);
	free(o);
	return code;
}

const struct command cmd_lab = {
	.name = "lab",
	.manual = &manual_lab,
	.options = lab_long_options,
	.letters = lab_short_options,
	.run = call,
};
