// SPDX-License-Identifier: GPL-2.0
/* `tlob-load restore`: restores the settings that a killed run has changed. */
#include "cmd/command.h"
#include "cmd/option_value.h"
#include "machine/knobs.h"
#include "series/search.h"

static const char short_options[] = ":h";

static const struct option long_options[] = {
	{ "help", optional_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int set_option(void *data, int val, const struct value *v)
{
	enum help_wanted *help = data;

	(void)val;			/* there is only one */
	return value_help(v, help);
}

static enum exit_code call(int argc, char **argv)
{
	enum help_wanted help = HELP_NOT;
	char why[512];
	struct value v = {
		.options = long_options, .err = why, .size = sizeof(why),
	};
	int ret = options_read(&help, argc, argv, short_options, &v, set_option);

	if (!ret && optind < argc)
		ret = value_error(&v, "extra argument '%.60s'", argv[optind]);
	if (help)
		return command_help(&cmd_restore, help);
	if (ret)
		return command_usage(&cmd_restore, why);
	search_sweep();
	return exit_code_of(knobs_restore());
}

const struct command cmd_restore = {
	.name = "restore",
	.manual = &manual_restore,
	.options = long_options,
	.letters = short_options,
	.run = call,
};
