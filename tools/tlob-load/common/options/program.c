// SPDX-License-Identifier: GPL-2.0
/* From the first argument of a program to its command, which runs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "options/command.h"
#include "options/manual_text.h"
#include "util/error.h"
#include "util/file.h"
#include "util/near.h"
#include "util/printable.h"

#define STACK_NEEDED	(1U << 20)

/*
 * The stack of this thread grows up to the limit of that moment, and beyond it the tool would end
 * without a word. 0 or -EINVAL, printed.
 */
static int need_stack(void)
{
	struct rlimit limit, enough = { STACK_NEEDED, STACK_NEEDED };

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK_NEEDED)
		return 0;
	if (limit.rlim_max >= STACK_NEEDED)
		enough.rlim_max = limit.rlim_max;
	if (!setrlimit(RLIMIT_STACK, &enough))
		return 0;
	return fail(-EINVAL, "the stack may have %llu KiB, too few: ulimit -s %u",
		    (unsigned long long)limit.rlim_max / 1024, STACK_NEEDED / 1024);
}

/* The command of that name, or NULL. */
static const struct command *find(const struct program *p, const char *name)
{
	const struct command * const *c = p->commands;

	while (*c && strcmp((*c)->manual->name, name))
		c++;
	return *c;
}

/* The command whose name is nearest to @word, or NULL. */
static const char *nearest(const struct program *p, const char *word)
{
	const struct command * const *c;
	unsigned int best = NEAR_NOT, d;
	const char *name = NULL;

	for (c = p->commands; *c; c++) {
		d = near_edits((*c)->manual->name, word);
		if (d < best) {
			best = d;
			name = (*c)->manual->name;
		}
	}
	return name;
}

#define TYPOS	2		/* --duration is three edits from --version */

static enum exit_code unknown(const struct program *p, const char *word)
{
	const struct manual_entry *e;
	const char *name = nearest(p, word);

	for (e = p->elsewhere; e && e->term; e++)
		if (!strcmp(e->term, word))
			return exit_code_of(fail(-EUSAGE, "'%s' is in a program of its own: %s", word, e->meaning));
	if (near_edits("--version", word) <= TYPOS)
		return exit_code_of(fail(-EUSAGE, "unknown option %s: did you mean --version? (%s --help)",
					 word, p->name));
	if (*word == '-')
		return exit_code_of(fail(-EUSAGE, "unknown option %s: options follow a command, as in %s run %s (%s --help)",
					 word, p->name, word, p->name));
	if (name)
		return exit_code_of(fail(-EUSAGE, "unknown command '%s': did you mean %s? (%s --help)",
					 word, name, p->name));
	return exit_code_of(fail(-EUSAGE, "unknown command '%s' (%s --help)", word, p->name));
}

/* `help [COMMAND]`: @argv[0] is "help". */
static enum exit_code help(const struct program *p, int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		manual_print_list(stdout, &manual_tool);
		return EXIT_PASS;
	}
	if (argc > 2)
		return exit_code_of(fail(-EUSAGE, "extra argument '%s' (%s help COMMAND)",
					 argv[2], p->name));
	c = find(p, argv[1]);
	if (!c)
		return unknown(p, argv[1]);
	manual_print_short(stdout, c->manual);
	return EXIT_PASS;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
	return !strcmp(word, a) || !strcmp(word, b) || !strcmp(word, c);
}

static enum exit_code call(const struct program *p, int argc, char **argv)
{
	const struct command *c;

	if (argc < 2)
		return p->alone ? p->alone() : help(p, 1, argv);
	if (is_one_of(argv[1], "help", "--help", "-h"))
		return help(p, argc - 1, argv + 1);
	if (!strcmp(argv[1], "--help=all")) {
		manual_print_all(stdout, &manual_tool);
		return EXIT_PASS;
	}
	if (is_one_of(argv[1], "version", "--version", "-V")) {
		version_print();
		return EXIT_PASS;
	}
	c = find(p, argv[1]);
	return c ? command_call(c, argc - 1, argv + 1) : unknown(p, argv[1]);
}

/*
 * The tool's own files must not take the numbers 0 to 2: keepers and commands inherit those. The
 * access is the wrong one, so that reading stdin and writing to stdout still fail: as in the
 * check_one_fd() of glibc.
 */
static void open_closed_files(void)
{
	int fd;

	for (fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/*
 * A run checks stdout itself; other commands, such as --help, only print. All of them die
 * of SIGPIPE if the reader of stdout has gone; a run has put back its settings by now.
 */
int program_main(const struct program *p, int argc, char **argv)
{
	enum exit_code code;
	int err;

	tool_name = p->name;
	open_closed_files();
	file_limit_catch();
	err = need_stack();
	code = err ? exit_code_of(err) : call(p, argc, argv);
	if (code == EXIT_PASS && printable_missed())
		code = exit_code_of(fail(-ENOMEM, "out of memory: what was written lacks a text"));
	err = file_write_error(stdout);
	if (!err)
		return code;
	if (broken_pipe_seen())
		broken_pipe_die();
	if (code == EXIT_PASS)
		code = exit_code_of(fail(-EIO, "cannot write to stdout: %s",
					  strerror(-err)));
	return code;
}
