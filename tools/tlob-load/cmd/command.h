/* SPDX-License-Identifier: GPL-2.0 */
/* A subcommand. Each is defined in its own file in this folder; main.c lists them. */
#ifndef TLOB_CMD_COMMAND_H
#define TLOB_CMD_COMMAND_H

#include "util/error.h"

struct command {
	const char *name;
	const char *summary;		/* its line in `tlob-load --help` */
	const char *help;		/* the text of `tlob-load NAME --help` */
	/* @argv[0] is the name. Prints every error. */
	enum exit_code (*run)(int argc, char **argv);
};

extern const struct command cmd_run, cmd_attach, cmd_report, cmd_merge,
			    cmd_compare, cmd_gate, cmd_plan, cmd_lab,
			    cmd_restore;

/* Prints the help on stdout. Returns EXIT_PASS. */
enum exit_code command_help(const struct command *c);

/* Prints @why the command line is wrong, and how to get help. Returns EXIT_USAGE. */
enum exit_code command_usage(const struct command *c, const char *why);

#endif /* TLOB_CMD_COMMAND_H */
