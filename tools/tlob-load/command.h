/* SPDX-License-Identifier: GPL-2.0 */
/* Other programs, and the tool itself, as children. */
#ifndef TLOB_COMMAND_H
#define TLOB_COMMAND_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Starts @argv[0] (found in PATH), with stdout and stderr going to @log (created)
 * or, if NULL, where ours go. The child's pid, or -errno, printed.
 */
pid_t command_start(char *const argv[], const char *log);

/*
 * Waits. The exit status, 128 + N after signal N, or -errno, printed. While it
 * waits SIGINT and SIGTERM are the child's: it ends, and so do we after it.
 */
int command_wait(pid_t pid);

/* Both. */
int command_call(char *const argv[], const char *log);

/* This program, or one in the directory of the tree it was built in. */
int command_self(char *path, size_t size);
int command_script(char *path, size_t size, const char *script);

#endif /* TLOB_COMMAND_H */
