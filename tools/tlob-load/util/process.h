/* SPDX-License-Identifier: GPL-2.0 */
/* Other programs, and the tool itself, as children. */
#ifndef TLOB_PROCESS_H
#define TLOB_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Starts @argv[0] (found in PATH), with stdout and stderr going to @log (created)
 * or, if NULL, where ours go. The child's pid, or -errno, printed.
 */
pid_t process_start(char *const argv[], const char *log);

/*
 * Waits. The exit status, 128 + N after signal N, or -errno, printed. While it
 * waits SIGINT and SIGTERM are the child's: it ends, and so do we after it.
 */
int process_wait(pid_t pid);

/* Both. */
int process_call(char *const argv[], const char *log);

/* The words of a command line. call_add() is printf-like; each call adds one word. */
struct call {
	char	**argv;			/* ends with NULL, as exec wants it */
	size_t	 n, room;
	bool	 failed;		/* memory ran out: see call_error() */
};

void call_add(struct call *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int  call_error(const struct call *c);	/* 0, or -ENOMEM, printed */
void call_free(struct call *c);

/* @word as a shell must have it. */
void shell_word(FILE *f, const char *word);

/* This program, or one in the directory of the tree it was built in. */
int process_self(char *path, size_t size);
int process_script(char *path, size_t size, const char *script);

#endif /* TLOB_PROCESS_H */
