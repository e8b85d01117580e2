/* SPDX-License-Identifier: GPL-2.0 */
/* The process that attach watches: one that runs, or one that it starts. */
#ifndef TLOB_TARGET_H
#define TLOB_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

struct attach_config;

struct target {
	pid_t	pid;			/* 0: there is none */
	int	pidfd;			/* readable when it has ended; -1 */
	bool	child;			/* we started it, and its end is not known yet */
	int	go;			/* it waits for a byte here; -1 */
	int	failed;			/* errno comes from here if exec fails; -1 */
	char	*program;		/* what it executes */
};

#define TARGET_NONE { .pidfd = -1, .go = -1, .failed = -1 }

/* Finds the program, in $PATH too, or what the process executes. 0 or -errno, printed. */
int target_find(struct target *t, const struct attach_config *o);

/*
 * Makes the process of the program, which waits before its first instruction, or
 * takes hold of the one that runs. Before signals are caught: it inherits what is
 * done with them. 0 or -errno, printed.
 */
int target_hold(struct target *t, const struct attach_config *o);

/* Lets the program begin. 0, or -errno: it cannot be executed; printed. */
int target_go(struct target *t);

/*
 * Ends what we started, with SIGTERM, after @patience ms in which it may end by itself.
 * One that goes on is left alone, with a line. *@ended: its *@status is known.
 */
void target_end(struct target *t, int patience, bool *ended, int *status);

void target_free(struct target *t);

#endif /* TLOB_TARGET_H */
