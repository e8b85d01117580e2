/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What to do at a violation and at the end of a run, as the options say it. Pure: no I/O.
 *
 *	action  = stop | continue | trace | signal:SIG[:PID] | shell:COMMAND     --on-violation
 *	end     = shell:COMMAND                                                  --on-end
 *	SIG     = a name, with or without SIG, or a number from 1 to 64
 *	limit   = N/T                                                            --at-most
 */
#ifndef TLOB_UTIL_ACTION_H
#define TLOB_UTIL_ACTION_H

#include <stdbool.h>
#include <stdint.h>

#define ACTIONS_MAX	16		/* of one kind in a command line */
#define ACTIONS_MOST	1000		/* N of --at-most */

enum action_kind { ACTION_STOP, ACTION_CONTINUE, ACTION_TRACE, ACTION_SIGNAL, ACTION_SHELL };

struct action {
	enum action_kind kind;
	const char *text;		/* as given */
	const char *command;		/* of ACTION_SHELL, for /bin/sh -c */
	int	 signo;			/* of ACTION_SIGNAL */
	int	 pid;			/* the same; 0: none is named */
};

/* Init gets no signal unless it is named. Its two values are the action's text. */
#define ACTION_OF_INIT	"--on-violation %s: it would go to init: name the process, as in %s:PID"

struct action_config {
	struct action at[ACTIONS_MAX];	/* --on-violation, in order */
	unsigned int n;
	struct action end[ACTIONS_MAX];	/* --on-end */
	unsigned int nend;
	uint64_t most, per_ns;		/* --at-most; 0: no limit */
	uint64_t wait_ns;		/* how long a command may take after the end of the run */
};

#define ACTION_WAIT_NS	5000000000ULL	/* the default */

/* The text stays the caller's. 0, or -EINVAL with one line in @err. */
int action_parse(struct action *a, const char *text, char *err, unsigned int size);
int action_limit_parse(struct action_config *c, const char *text, char *err, unsigned int size);

/* Returns whether one of --on-violation is of that kind. */
bool action_has(const struct action_config *c, enum action_kind kind);

/* Returns whether a process must be there for any of them. */
bool action_needs_runner(const struct action_config *c);

#endif /* TLOB_UTIL_ACTION_H */
