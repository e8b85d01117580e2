/* SPDX-License-Identifier: GPL-2.0 */
/* Starts other programs, and the tool itself, and builds their command lines. */
#ifndef TLOB_UTIL_PROCESS_H
#define TLOB_UTIL_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Starts @argv[0], looked up in PATH. Its stdout and stderr go to the new file
 * @log, or where ours go if @log is NULL. Its stdin is /dev/null. Returns the
 * child's pid, or -errno, printed. The child gets SIGTERM if the calling thread dies.
 */
pid_t process_start(char *const argv[], const char *log);

/*
 * Waits for a child. Returns its exit status, 128 + N after signal N, or -errno,
 * printed. A caught signal does not end the wait: the child gets the terminal's SIGINT,
 * too, and ends by itself.
 */
int process_wait(pid_t pid);

/* Starts the program and waits for it. */
int process_call(char *const argv[], const char *log);

/*
 * Closes all files from the descriptor @first on, also where the kernel or a seccomp filter
 * does not know close_range(). For a child after fork().
 */
void close_from(int first);

/*
 * Returns whether @path is a program; the program @name that a shell would start (malloc), or
 * NULL.
 */
bool process_can_start(const char *path);
char *process_find(const char *name);

/* The words of a command line: each printf-like call_add() adds one. */
struct call {
	char	**argv;			/* ends with NULL */
	size_t	 n, room;
	int	 err;			/* of what was added: call_error() reports it */
};

void call_add(struct call *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void call_add_all(struct call *c, char *const words[], int n);
/* Begins a command line of this program with @command, as in "run". */
void call_tool(struct call *c, const char *command);
int  call_error(const struct call *c);	/* 0 or -errno, printed */
void call_free(struct call *c);

/* process_call() of the line, which is freed. */
int  call_make(struct call *c, const char *log);

/* Characters that a shell does not interpret. */
#define SHELL_PLAIN \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,=+-@%"

/* Prints @word, quoted for a POSIX shell where needed. */
void shell_word(FILE *f, const char *word);

/*
 * Adds the words of @line, which shell_word() has quoted, to @c. -EINVAL: a quote is not closed, or
 * what only a shell could read stands outside of quotes. Prints nothing.
 */
int call_add_line(struct call *c, const char *line);

#endif /* TLOB_UTIL_PROCESS_H */
