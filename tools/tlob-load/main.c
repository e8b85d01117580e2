// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "attach.h"
#include "compare.h"
#include "knobs.h"
#include "lab.h"
#include "merge.h"
#include "plan.h"
#include "report.h"
#include "msg.h"
#include "run.h"

static const char help[] =
"Usage: tlob-load COMMAND [OPTION]...\n"
"\n"
"  run         run a real-time workload and account for every nanosecond of it\n"
"  attach      put a budget on a region of any program, and say where the time went\n"
"  report      a page, Markdown, CSV or text from results\n"
"  merge       add results of several runs or machines up into one\n"
"  compare     is B worse than A? a verdict from several runs of each\n"
"  gate        the same for a CI: exit codes, JUnit, KTAP, Markdown\n"
"  plan        the order of the runs of a comparison, or the runs themselves\n"
"  lab         the same runs on several kernels in virtual machines\n"
"  restore     take back what a killed run has changed in the system\n"
"\n"
"tlob-load COMMAND --help describes a command; --version prints the version.\n";

static const char restore_help[] =
"Usage: tlob-load restore\n"
"Take back what a killed run has changed in the system, as the next run would.\n"
"The changes are listed in /run/tlob-load.state, or in $TLOB_STATE_FILE.\n"
"\n"
"Exit codes\n"
"  0 all is restored   1 error, or a run goes on   129 usage\n";

static enum exit_code command_restore(int argc, char **argv)
{
	if (argc == 2 && (!strcmp(argv[1], "--help") ||
			  !strcmp(argv[1], "-h"))) {
		fputs(restore_help, stdout);
		return EXIT_PASS;
	}
	if (argc > 1)
		return exit_code_of(fail(-EUSAGE, "restore takes no '%s'",
					 argv[1]));
	return exit_code_of(knobs_restore());
}

static const struct {
	const char *name;
	enum exit_code (*run)(int argc, char **argv);
} commands[] = {
	{ "run", command_run },
	{ "attach", command_attach },
	{ "report", command_report },
	{ "merge", command_merge },
	{ "compare", command_compare },
	{ "gate", command_gate },
	{ "plan", command_plan },
	{ "lab", command_lab },
	{ "restore", command_restore },
};

static enum exit_code command(int argc, char **argv)
{
	size_t i;

	if (argc < 2)
		return exit_code_of(fail(-EUSAGE, "no command (tlob-load --help)"));
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		fputs(help, stdout);
		return EXIT_PASS;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("tlob-load " TLOB_VERSION);
		return EXIT_PASS;
	}
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return exit_code_of(fail(-EUSAGE, "there is no command '%s' (tlob-load --help)",
				 argv[1]));
}

/* A run reports it itself; the rest, such as --help, may just have printed. */
int main(int argc, char **argv)
{
	enum exit_code code = command(argc, argv);

	if ((fflush(stdout) || ferror(stdout)) && code == EXIT_PASS)
		code = exit_code_of(fail(-EIO, "stdout cannot be written"));
	return code;
}
