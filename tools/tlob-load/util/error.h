/* SPDX-License-Identifier: GPL-2.0 */
/* Messages to the user: one line each, on stderr. */
#ifndef TLOB_MSG_H
#define TLOB_MSG_H

/* A mistake in the command line; beyond the kernel's errno values. */
#define EUSAGE		4096

/* What the tool exits with. */
enum exit_code {
	EXIT_PASS	= 0,
	EXIT_ERROR	= 1,
	EXIT_ASSERTION	= 2,	/* or a regression */
	EXIT_INCONCLUSIVE = 3,
	EXIT_UNSUPPORTED = 77,	/* this machine or kernel cannot do it */
	EXIT_USAGE	= 129,
};

/* Prints "tlob-load: ..." and returns @err: `return fail(-EINVAL, ...)`. */
int fail(int err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints "tlob-load: ..." about something that does not end the run. */
void warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * 0, or what a function returned: -EOPNOTSUPP is for what this machine or
 * kernel cannot do, -EUSAGE for the command line, the rest are errors.
 */
enum exit_code exit_code_of(int err);

/* Of several errors the first one counts. */
static inline void keep_error(int *first, int err)
{
	if (!*first)
		*first = err;
}

#endif /* TLOB_MSG_H */
