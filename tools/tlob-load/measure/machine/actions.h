/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Takes the actions of --on-violation and --on-end. A process of its own does it, the runner,
 * which is forked before the tool has threads: a fork during the measurement would make the pages
 * of the measuring threads fault. It stays on the housekeeping CPUs. If there are none, windows
 * wait here until the measurement is over.
 *
 * One window has its actions at a time. Those that come meanwhile are counted.
 */
#ifndef TLOB_MACHINE_ACTIONS_H
#define TLOB_MACHINE_ACTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "result/action_counts.h"
#include "util/action.h"

struct cpus;
struct fields;

#define ACTIONS_HELD	16		/* windows that wait for the end */
#define ACTIONS_ENV	2048		/* bytes of variables, with a NUL */
#define ACTIONS_REASON	400
#define ACTIONS_NEWS	(ACTIONS_REASON + 400)

struct actions_setup {
	const struct action_config *config;
	const struct cpus *cpus;	/* NULL: any CPU of the process */
	pid_t	 pid;			/* the default of signal:SIG */
	const char *trace_dir;		/* the tracing instance, for ACTION_TRACE */
	const char *trace;		/* files get this name, a dot and a number */
	struct action_counts *counts;
};

struct actions {
	struct actions_setup set;
	pid_t	 runner;		/* 0: none is needed */
	int	 fd;			/* to it */
	bool	 busy;
	bool	 later;			/* no CPU is left: after the measurement */
	uint64_t taken_ns[ACTIONS_MOST]; /* for --at-most: when, in turn */
	struct held_action {
		int	fd;
		char	env[ACTIONS_ENV];
	} held[ACTIONS_HELD];
	unsigned int nheld;
	char	 reason[ACTIONS_REASON]; /* of the first action that failed, or "" */
};

#define ACTIONS_NONE	{ .fd = -1 }

/*
 * Starts the runner, if an action needs one. Call it before the process has threads. 0; -ESRCH: a
 * process of signal: does not exist; -errno. Printed. actions_free() also after an error.
 */
int  actions_start(struct actions *a, const struct actions_setup *setup);

/* Counts a window that met the condition. Returns whether it gets the actions. */
bool actions_want(struct actions *a, uint64_t now_ns);

/*
 * A window met the condition: takes the actions at it, or counts it. @data as @record writes it,
 * where @about is what it needs, is stdin of the commands; each line of @fmt, NAME=VALUE, is a
 * variable of theirs. 0 or -ENOMEM, printed.
 */
int  actions_at(struct actions *a, const struct fields *record, const void *data, const void *about,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* What failed, and what was left out. Returns @buf, which is empty without news. */
const char *actions_news(const struct actions *a, char buf[ACTIONS_NEWS]);

/*
 * After the measurement: takes what was held, and waits for what is under way, but not longer than
 * config->wait_ns. Then it is killed. The news are a note. 0 or -ENOMEM, printed.
 */
int  actions_finish(struct actions *a, char ***notes);

/*
 * Takes the actions of --on-end, if there are any; what @write writes of @data is their stdin. 0 or
 * -errno, printed.
 */
int  actions_end(struct actions *a, int (*write)(FILE *f, const void *data), const void *data);

/* Kills what still runs, with all that it started. */
void actions_free(struct actions *a);

#endif /* TLOB_MACHINE_ACTIONS_H */
