// SPDX-License-Identifier: GPL-2.0
/* Printing messages, the exit code for an error, and the ends by SIGPIPE and SIGXFSZ. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/error.h"
#include "util/printable.h"
#include "util/wrap.h"

const char *tool_name = "tlob-load";

static void line(const char *fmt, va_list ap)
	__attribute__((format(printf, 1, 0)));

/*
 * Printed in one go, so that lines of several threads do not mix. File names and
 * words from result files are foreign: bytes that printable() would escape become '?'.
 */
static void line(const char *fmt, va_list ap)
{
	char text[2048], *c;
	size_t n = (size_t)snprintf(text, sizeof(text), "%s: ", tool_name);

	/* one byte is left for the newline */
	vsnprintf(text + n, sizeof(text) - 1 - n, fmt, ap);
	for (c = text; *c; c += n) {
		n = printable_char(c, strlen(c));
		if (!n && *c != '\n' && *c != '\t')
			*c = '?';
		n += !n;
	}
	memcpy(c, "\n", sizeof("\n"));
	flockfile(stderr);
	wrap_put(stderr, text);
	funlockfile(stderr);
}

int fail(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(fmt, ap);
	va_end(ap);
	return err;
}

void warning(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(fmt, ap);
	va_end(ap);
}

enum exit_code exit_code_of(int err)
{
	switch (err) {
	case 0:
		return EXIT_PASS;
	case -EOPNOTSUPP:
		return EXIT_UNSUPPORTED;
	case -EUSAGE:
		return EXIT_USAGE;
	default:
		return EXIT_ERROR;
	}
}

static volatile sig_atomic_t seen;

static void on_pipe(int signo)
{
	(void)signo;
	seen = 1;
}

/* A handler, and not SIG_IGN: a program that the tool starts gets the default. */
int broken_pipe_catch(void)
{
	struct sigaction pipe = { .sa_handler = on_pipe, .sa_flags = SA_RESTART }, was;

	if (sigaction(SIGPIPE, NULL, &was))
		return -errno;
	if (was.sa_handler == SIG_IGN)
		return 0;
	return sigaction(SIGPIPE, &pipe, NULL) ? -errno : 0;
}

static void on_file_limit(int signo)
{
	(void)signo;
}

void file_limit_catch(void)
{
	struct sigaction limit = { .sa_handler = on_file_limit, .sa_flags = SA_RESTART };

	sigaction(SIGXFSZ, &limit, NULL);
}

bool broken_pipe_seen(void)
{
	return seen;
}

void broken_pipe_die(void)
{
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
}
