// SPDX-License-Identifier: GPL-2.0
/* tlob-load: finds the command that the first argument names, and runs it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"
#include "util/error.h"

/* In the order of the help. */
static const struct command * const commands[] = {
	&cmd_run, &cmd_attach, &cmd_report, &cmd_merge, &cmd_compare,
	&cmd_gate, &cmd_plan, &cmd_lab, &cmd_restore,
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static enum exit_code help(void)
{
	size_t i;

	puts("Usage: tlob-load COMMAND [OPTION]...\n");
	for (i = 0; i < NR_COMMANDS; i++)
		printf("  %-10s  %s\n", commands[i]->name, commands[i]->summary);
	puts("\nRun tlob-load COMMAND --help for a command, --version for the version.");
	return EXIT_PASS;
}

static enum exit_code call(int argc, char **argv)
{
	size_t i;

	if (argc < 2)
		return exit_code_of(fail(-EUSAGE, "no command given (tlob-load --help)"));
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help();
	if (!strcmp(argv[1], "--version")) {
		puts("tlob-load " TLOB_VERSION);
		return EXIT_PASS;
	}
	for (i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(argv[1], commands[i]->name))
			return commands[i]->run(argc - 1, argv + 1);
	return exit_code_of(fail(-EUSAGE, "unknown command '%s' (tlob-load --help)",
				 argv[1]));
}

/* A run checks stdout itself; other commands, such as --help, only print. */
int main(int argc, char **argv)
{
	enum exit_code code = call(argc, argv);

	if ((fflush(stdout) || ferror(stdout)) && code == EXIT_PASS)
		code = exit_code_of(fail(-EIO, "cannot write to stdout"));
	return code;
}
