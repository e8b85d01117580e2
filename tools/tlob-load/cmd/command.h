/* SPDX-License-Identifier: GPL-2.0 */
/* A subcommand. Each is defined in its own file in this folder; main.c lists them. */
#ifndef TLOB_CMD_COMMAND_H
#define TLOB_CMD_COMMAND_H

#include <getopt.h>

#include "help/manual.h"
#include "util/error.h"
#include "util/usage.h"

struct command {
	const char *name;
	const struct manual *manual;
	/* What the parser takes, as for getopt_long(). NULL: not in this build. */
	const struct option *options;
	const char *letters;
	/* @argv[0] is the name. Prints every error. */
	enum exit_code (*run)(int argc, char **argv);
};

extern const struct command cmd_run, cmd_top, cmd_attach, cmd_waits, cmd_report, cmd_merge,
			    cmd_compare, cmd_gate, cmd_plan, cmd_search, cmd_lab,
			    cmd_doctor, cmd_validate, cmd_restore;

/*
 * `tlob-load` alone: ten seconds on all CPUs but one, without work. Errors as in
 * cmd_run.
 */
enum exit_code run_here(void);

/* `tlob-load top`: the options of run, a full screen. Errors as in cmd_run. */
enum exit_code run_on_screen(int argc, char **argv);

/* In the order of the help; ends with NULL. */
extern const struct command * const commands[];

/* The command of that name, or NULL. */
const struct command *command_find(const char *name);

/* Prints the help on stdout, @how much of it. Returns EXIT_PASS. */
enum exit_code command_help(const struct command *c, enum help_wanted how);

/* Prints @why the command line is wrong, and how to get help. Returns EXIT_USAGE. */
enum exit_code command_usage(const struct command *c, const char *why);

#endif /* TLOB_CMD_COMMAND_H */
