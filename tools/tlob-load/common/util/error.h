/* SPDX-License-Identifier: GPL-2.0 */
/* Errors and warnings on stderr, one line each, the exit codes, SIGPIPE and SIGXFSZ. */
#ifndef TLOB_UTIL_ERROR_H
#define TLOB_UTIL_ERROR_H

#include <stdbool.h>

/* A mistake on the command line. The value lies above all of the kernel's errno values. */
#define EUSAGE		4096

/* The exit statuses of the tool. */
enum exit_code {
	EXIT_PASS	= 0,
	EXIT_ERROR	= 1,
	EXIT_ASSERTION	= 2,	/* or a regression */
	EXIT_INCONCLUSIVE = 3,
	EXIT_UNSUPPORTED = 77,	/* this machine or kernel cannot do it */
	EXIT_USAGE	= 129,
};

/* Returns whether a run that ended with this status has a complete result: --assert decides more. */
static inline bool exit_has_result(int status)
{
	return status == EXIT_PASS || status == EXIT_ASSERTION || status == EXIT_INCONCLUSIVE;
}

/* "tlob-load", unless another program sets it before it prints. */
extern const char *tool_name;

/* Prints "tlob-load: ..." and returns @err: `return fail(-EINVAL, ...)`. */
int fail(int err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same for something that does not end the run. */
void warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * The exit code for @err, 0 or a negative error: -EOPNOTSUPP means that this
 * machine or kernel cannot do it, -EUSAGE a wrong command line.
 */
enum exit_code exit_code_of(int err);

/* Keeps the first of several errors in *@first. */
static inline void keep_error(int *first, int err)
{
	if (!*first)
		*first = err;
}

/*
 * SIGPIPE. A command without settings to put back dies of it, as other programs do. One
 * that changes the system catches it, completes its files, and then also dies of it.
 */

/* Catches the signal, unless the parent has it ignored. 0 or -errno, not printed. */
int broken_pipe_catch(void);

/*
 * The signal was caught: a write to a pipe without a reader failed, and needs no
 * message. False if the parent has it ignored: then a failed write is an error.
 */
bool broken_pipe_seen(void);

/* Dies of the signal that was caught. */
void broken_pipe_die(void);

/*
 * A file that reaches the limit of `ulimit -f` must not kill the tool without a word: the write
 * fails instead. Programs that the tool starts have the default again.
 */
void file_limit_catch(void);

#endif /* TLOB_UTIL_ERROR_H */
