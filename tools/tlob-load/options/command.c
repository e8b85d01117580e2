// SPDX-License-Identifier: GPL-2.0
/* From the command line of a subcommand to its function. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "options/command.h"
#include "options/option_value.h"
#include "options/screen.h"

static enum exit_code print(const struct manual *m, enum help_wanted what)
{
	if (what == HELP_VERSION)
		puts("tlob-load " TLOB_VERSION);
	else if (what == HELP_ALL)
		manual_print_all(stdout, m);
	else
		manual_print_short(stdout, m);
	return EXIT_PASS;
}

enum exit_code command_call(const struct command *c, int argc, char **argv)
{
	const struct manual *m = c->manual;
	enum exit_code code;
	char why[1024];
	void *config;
	int ret;

	if (c->lacks)
		return exit_code_of(fail(-EOPNOTSUPP, "%s", c->lacks));
	config = malloc(m->size + 1);	/* restore has none */
	if (!config)
		return exit_code_of(fail(-ENOMEM, "out of memory"));
	ret = options_parse(m, config, argc, argv, why, sizeof(why));
	if (ret < 0)
		code = exit_code_of(fail(-EUSAGE, "%s (tlob-load %s --help)", why, m->name));
	else if (ret > 0)
		code = print(m, (enum help_wanted)ret);
	else
		code = c->run(config, argc, argv);
	free(config);
	return code;
}
