/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A line of the control file `waits`. Pure C: compiled in the kernel, in the
 * tool and in the tests.
 *
 *	on [threshold=T] [SCOPE]	begins anew; replaces what is on
 *	off				ends; what was measured stays readable
 *	reset				forgets what was measured
 *
 *	T      a duration as in workspec.h, 1 us ... 1 h; default 50us
 *	SCOPE  the tasks whose waits count; default: all
 *	       windows		that begin in a window of the monitor
 *	       pids=N[,N]...	of these processes and threads, at most 32, as
 *				numbered in the initial namespace
 *	       cgroup=PATH	of tasks below PATH of the unified hierarchy; the
 *				rest of the line, so PATH may contain blanks
 */
#ifndef _TLOB_WAITSPEC_H
#define _TLOB_WAITSPEC_H

#include "ranges.h"
#include "workspec.h"

#define TLOB_WAIT_PIDS_MAX	32U
#define TLOB_WAIT_PID_LIMIT	4194304U	/* PID_MAX_LIMIT of 64 bits */
#define TLOB_WAIT_THRESHOLD	50000ULL
#define TLOB_WAIT_THRESHOLD_MIN	1000ULL
#define TLOB_WAIT_THRESHOLD_MAX	TLOB_NSEC_PER_HOUR

enum tlob_wait_op { TLOB_WAIT_ON, TLOB_WAIT_OFF, TLOB_WAIT_RESET };

enum tlob_wait_scope {
	TLOB_WAIT_ALL,
	TLOB_WAIT_WINDOWS,
	TLOB_WAIT_PIDS,
	TLOB_WAIT_CGROUP,
};

struct tlob_wait_line {
	enum tlob_wait_op op;
	enum tlob_wait_scope scope;
	__u64	threshold_ns;
	__u32	nr_pids;
	__s32	pid[TLOB_WAIT_PIDS_MAX];
	const char *cgroup;		/* points into the text */
};

static inline int tlob_parse_wait_pids(const char **s, struct tlob_wait_line *l)
{
	__u64 pid;
	int err;

	do {
		err = tlob_parse_u64(s, &pid);
		if (err)
			return err;
		if (!pid || pid >= TLOB_WAIT_PID_LIMIT ||
		    l->nr_pids == TLOB_WAIT_PIDS_MAX)
			return -ERANGE;
		l->pid[l->nr_pids++] = (__s32)pid;
	} while (tlob_skip_word(s, ","));
	return 0;
}

static inline int tlob_parse_wait_threshold(const char **s, __u64 *ns)
{
	int err = tlob_parse_duration(s, ns);

	if (err)
		return err;
	if (**s && **s != ' ')
		return -EINVAL;
	return *ns < TLOB_WAIT_THRESHOLD_MIN || *ns > TLOB_WAIT_THRESHOLD_MAX ?
	       -ERANGE : 0;
}

/* Parses the scope, which ends the line. */
static inline int tlob_parse_wait_scope(const char **s, struct tlob_wait_line *l)
{
	if (tlob_skip_word(s, "windows")) {
		l->scope = TLOB_WAIT_WINDOWS;
		return 0;
	}
	if (tlob_skip_word(s, "pids=")) {
		l->scope = TLOB_WAIT_PIDS;
		return tlob_parse_wait_pids(s, l);
	}
	if (!tlob_skip_word(s, "cgroup=") || **s != '/')
		return -EINVAL;
	l->scope = TLOB_WAIT_CGROUP;
	l->cgroup = *s;
	*s += strlen(*s);
	return 0;
}

/* Parses what follows "on". */
static inline int tlob_parse_wait_on(const char *s, struct tlob_wait_line *l)
{
	int err = 0;

	l->threshold_ns = TLOB_WAIT_THRESHOLD;
	if (tlob_skip_word(&s, " threshold="))
		err = tlob_parse_wait_threshold(&s, &l->threshold_ns);
	if (!err && tlob_skip_word(&s, " "))
		err = tlob_parse_wait_scope(&s, l);
	return err ?: *s ? -EINVAL : 0;
}

/*
 * Parses all of @s, which has no blanks around it. Returns 0, -EINVAL or
 * -ERANGE. *@line is written on success only.
 */
static inline int tlob_parse_wait(const char *s, struct tlob_wait_line *line)
{
	struct tlob_wait_line l = { .op = TLOB_WAIT_ON };
	int err = 0;

	if (!strcmp(s, "off"))
		l.op = TLOB_WAIT_OFF;
	else if (!strcmp(s, "reset"))
		l.op = TLOB_WAIT_RESET;
	else if (tlob_skip_word(&s, "on"))
		err = tlob_parse_wait_on(s, &l);
	else
		err = -EINVAL;
	if (!err)
		*line = l;
	return err;
}

#endif /* _TLOB_WAITSPEC_H */
