/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads: commands that run next to a measurement. Each has a keeper, a process that ends
 * the command and all that it has started when the tool asks for it, and also when the
 * tool is gone. With root they are all in one cgroup, which is a knob: if the keepers
 * are also killed, the next start or `tlob-load restore` ends what is left.
 */
#ifndef TLOB_TUNING_LOAD_H
#define TLOB_TUNING_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct cpus;
struct knobs;

#define LOADS_MAX	16

struct load {
	char	*spec;			/* as asked for: "@cpu", or a command */
	const char *command;		/* what the shell gets */
	const char *program;		/* of a preset; NULL: a command */
	pid_t	 keeper;		/* 0: not started, or ended */
	int	 fd;			/* to the keeper; -1 */
	char	*ended;			/* how the command ended early, for people; NULL: it runs */
};

struct loads {
	size_t	 n;
	struct load at[LOADS_MAX];
	char	*cpus;			/* CPU list of all of them */
	char	*cgroup;		/* their cgroup v2; NULL: none */
	const char *no_cgroup;		/* why not, for people */
	struct knobs *knobs;		/* has cgroup; NULL: the loads have none */
};

/*
 * Starts the @n <= LOADS_MAX commands or presets of @spec on the CPUs @list in
 * numactl's syntax (NULL: all that the measured threads and the tool may use). Call it
 * before the process has threads. @k: a table that has begun, for the cgroup; NULL, or
 * one that has not begun: without a cgroup.
 * Returns when all commands have been started. 0; -EUSAGE: no such preset, or a wrong
 * list; -EOPNOTSUPP: no program for a preset is installed; -errno. Printed. Call
 * loads_end() in any case.
 */
int loads_start(struct loads *l, const char *const spec[], size_t n,
		const char *list, const struct cpus *cpus, struct knobs *k);

/* Checks that all still run, without waiting. 0; -ECHILD: one has ended by itself, printed. */
int loads_check(struct loads *l);

/*
 * Ends all: SIGTERM, SIGKILL after two seconds. When it returns, no process of them is
 * left, and so is no cgroup. May be called again. 0, or -errno, printed.
 */
int loads_end(struct loads *l);

/*
 * The text for a result: "@cpu" or a command, separated by " + ", and behind a
 * preset its program in brackets, unless that is stress-ng. malloc(); NULL: no memory.
 */
char *loads_text(const struct loads *l);

#endif /* TLOB_TUNING_LOAD_H */
