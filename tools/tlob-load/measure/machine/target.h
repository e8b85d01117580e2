/* SPDX-License-Identifier: GPL-2.0 */
/* The process that is watched: a running one, or one that we start. */
#ifndef TLOB_MACHINE_TARGET_H
#define TLOB_MACHINE_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

struct attached;

struct target {
	pid_t	pid;			/* 0: none */
	int	pidfd;			/* readable when the process has ended; -1: closed */
	bool	child;			/* we started it and have not waited for it */
	int	go;			/* the child waits for a byte from here; -1: closed */
	int	failed;			/* delivers errno if exec fails; -1: closed */
	char	*program;		/* path of the executed file */
};

#define TARGET_NONE { .pidfd = -1, .go = -1, .failed = -1 }

/*
 * Finds @program, also in $PATH, or the program of process @pid (0: none). 0 or -errno,
 * printed.
 */
int target_find(struct target *t, int pid, const char *program);

/*
 * Finds the places @start and @stop in the program or library @path: they, the file and where its
 * symbols were found go to @r. 0 or -errno, printed.
 */
int target_places(struct attached *r, const char *path, const char *start, const char *stop);

/*
 * Opens process @pid. If it is 0, forks a child that waits before it executes @program
 * with @args, which end with NULL. Call it before signals_catch(), because the child
 * inherits ignored signals. 0 or -errno, printed.
 */
int target_hold(struct target *t, int pid, const char *program, char *const args[]);

/* Lets the child execute the program. 0, or -errno if exec failed, printed. */
int target_go(struct target *t);

/*
 * Ends a process that we started: waits @patience ms, then sends SIGTERM. One that
 * does not end is left alone, with a warning. A process that we did not start is
 * never ended. *@ended: whether the process has ended; *@status, of waitpid(), is
 * set for a child only.
 */
void target_end(struct target *t, int patience, bool *ended, int *status);

void target_free(struct target *t);

#endif /* TLOB_MACHINE_TARGET_H */
