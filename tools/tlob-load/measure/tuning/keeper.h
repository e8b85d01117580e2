/* SPDX-License-Identifier: GPL-2.0 */
/* The keeper of one load: see load.h. */
#ifndef TLOB_TUNING_KEEPER_H
#define TLOB_TUNING_KEEPER_H

#include <sys/types.h>

struct cpulist;

#define LOAD_MESSAGE	512		/* bytes, with the NUL */

/*
 * A keeper's messages, one datagram each: LOAD_STARTED once the command is under way, then
 * LOAD_FAILED or LOAD_ENDED with a text for people. The tool asks for the end by
 * closing its side.
 */
enum load_message { LOAD_STARTED = 's', LOAD_FAILED = 'f', LOAD_ENDED = 'e' };

/* The task of a keeper. */
struct load_task {
	const char *command;		/* for /bin/sh -c */
	const struct cpulist *cpus;	/* where the command may run */
	const char *procs;		/* cgroup.procs of its cgroup, or NULL */
	unsigned int ncpus;		/* $TLOB_LOAD_CPUS */
};

/* Forks a keeper. *@fd: our side. Its pid, or -errno, not printed. */
pid_t load_keeper_start(const struct load_task *task, int *fd);

#endif /* TLOB_TUNING_KEEPER_H */
