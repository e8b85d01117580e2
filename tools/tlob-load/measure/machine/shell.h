/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A command of the user next to a measurement. A process of ours keeps it: the parent of the
 * command, and the reaper of all that the command starts (PR_SET_CHILD_SUBREAPER). That process
 * has no threads.
 */
#ifndef TLOB_MACHINE_SHELL_H
#define TLOB_MACHINE_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define SHELL_LINE	256		/* bytes, with the NUL */

struct shell {
	pid_t	pid;			/* of the command and its group; 0: it has ended */
	int	said;			/* what it writes to stderr; -1: closed */
	char	line[SHELL_LINE];	/* the last one that it wrote */
	size_t	n;
	bool	over;			/* the line is complete */
};

/*
 * Forks a keeper: it takes no signal of a terminal, and SIGCHLD only in shell_wait(). It reaps
 * what its descendants leave behind. @name: for /proc. *@fd: the own side of a socket of
 * datagrams between the two, the only file of the caller's that the keeper has. Returns 0 in the
 * keeper, its pid in the caller, or -errno, not printed.
 */
pid_t shell_keeper(const char *name, int *fd);

/*
 * Starts @command with /bin/sh. @in is its stdin; -1: /dev/null, as its stdout. @prepare (or
 * NULL) runs in the child; what it prints to stderr is the reason if it returns false. 0 or -errno,
 * not printed.
 */
int  shell_start(struct shell *s, const char *command, int in,
		 bool (*prepare)(const void *data), const void *data);

/*
 * In the keeper: sleeps until something happens, and hears the command if it has said something.
 * True: the caller has sent something to @fd, has closed its side, or is gone. False: see
 * shell_reap().
 */
bool shell_wait(struct shell *s, int fd);

/* Reaps what has ended. True: the command has, with *@status as of waitpid(). */
bool shell_reap(struct shell *s, int *status);

/* "exit status 2: the last line", of a command that has ended. */
void shell_how_ended(struct shell *s, int status, char *text, size_t size);

/*
 * Ends the process group and every descendant: SIGTERM, SIGKILL after @grace_ms. Returns 0 when
 * none is left but those of earlier calls, or the pid of one that SIGKILL has not ended in two
 * seconds.
 */
pid_t shell_end(struct shell *s, int grace_ms);
#define SHELL_LEFT	"has not ended after SIGKILL and is still running: kill it as root"

/* The end of the keeper: the same, with a warning of what is left. */
void shell_exit(struct shell *s, int grace_ms) __attribute__((noreturn));

#endif /* TLOB_MACHINE_SHELL_H */
