/* SPDX-License-Identifier: GPL-2.0 */
/* A subcommand. Each has a cmd_NAME; COMMANDS() of options/manual.h lists them. */
#ifndef TLOB_OPTIONS_COMMAND_H
#define TLOB_OPTIONS_COMMAND_H

#include "options/manual.h"
#include "util/error.h"

struct command {
	const struct manual *manual;
	/*
	 * Does it, as @config says, which manual->check has accepted. The command line is for those
	 * that record it. Prints every error.
	 */
	enum exit_code (*run)(void *config, int argc, char **argv);
	void (*release)(void *config);	/* frees what its options hold, also those of a refused line; or NULL */
	const char *lacks;		/* NULL; else what this build lacks for it */
};

#define DECLARE_COMMAND(name)	extern const struct command cmd_##name;
COMMANDS(DECLARE_COMMAND)

/*
 * `tlob-load` alone: ten seconds on all CPUs but one, without work. Errors as in
 * cmd_run.
 */
enum exit_code run_here(void);

/* A program of subcommands. It has a manual_tool. */
struct program {
	const char *name;
	const struct command * const *commands;	/* in the order of the help; ends with NULL */
	enum exit_code (*alone)(void);		/* without arguments; NULL: prints the list */
	const struct manual_entry *elsewhere;	/* words that are commands of another program; NULL: none */
};

/* Runs the command that @argv names, with all that begins and ends the life of the process. */
int program_main(const struct program *p, int argc, char **argv);

/* Prints the version, and a line for each part that this build lacks, with what it lacked. */
void version_print(void);

/*
 * Reads the options and runs the command, or prints its help, the version, or why the command
 * line is wrong. @argv[0] is the name of the command.
 */
enum exit_code command_call(const struct command *c, int argc, char **argv);

#endif /* TLOB_OPTIONS_COMMAND_H */
