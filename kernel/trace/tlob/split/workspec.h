/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The work of a window, as text. Pure C: compiled in the kernel and in the
 * tool, so `work` means the same in both workloads.
 *
 *	none				nothing
 *	spin:T				until T of own time has passed
 *	elapsed:T			until T of wall time has passed
 *	loops:N				N rounds of a fixed computation
 *	mem:chase,ws=SIZE[,n=N][,node=K]   N dependent loads, random lines of ws
 *	mem:stream,ws=SIZE[,n=N][,node=K]  N passes that read and write all of ws
 *
 * and in user threads only:
 *
 *	fpu:N				N rounds of floating point
 *	syscall:N			N system calls that do nothing
 *	sleep:T				sleep for T
 *	@FILE				the phases that the file lists
 *
 *	T     a decimal number and ns, us, ms, s, m or h, as in 1.5us; without
 *	      a unit ns; 1 ns ... 1 h
 *	N     1 ... 10^12; default: chase ws/64 (every line once), stream 1
 *	SIZE  bytes, or with K, M, G; 4K ... 1G, rounded up to a line of 64
 *	K     NUMA node 0 ... 1023; default: the CPU's own
 */
#ifndef _TLOB_WORKSPEC_H
#define _TLOB_WORKSPEC_H

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/string.h>
#else
#include <errno.h>
#include <string.h>
#endif
#include <linux/types.h>

#include "ranges.h"

#define TLOB_WORK_LINE		64U
#define TLOB_WORK_NO_NODE	(-1)

enum tlob_work_type {
	TLOB_KIND_NONE,
	TLOB_KIND_SPIN,
	TLOB_KIND_ELAPSED,
	TLOB_KIND_LOOPS,
	TLOB_KIND_CHASE,
	TLOB_KIND_STREAM,
	TLOB_KIND_FPU,
	TLOB_KIND_SYSCALL,
	TLOB_KIND_SLEEP,
	TLOB_KIND_PHASES,
};

#define TLOB_NR_WORK		(TLOB_KIND_PHASES + 1)

/* The arguments behind the name, and a property of the kind. */
enum tlob_work_flag {
	TLOB_KIND_TIME	 = 1,		/* ":T" */
	TLOB_KIND_ROUNDS = 2,		/* ":N" */
	TLOB_KIND_MEMORY = 4,		/* ",ws=SIZE[,n=N][,node=K]" */
	TLOB_KIND_FIXED	 = 8,		/* a fixed amount: its demand can be calibrated */
	TLOB_KIND_USER	 = 16,		/* kernel threads cannot do it */
	TLOB_KIND_FILE	 = 32,		/* the name of a file follows */
};

/* The only list of the kinds. workloop.h executes them. */
static const struct tlob_work_kind {
	const char *name;
	unsigned int flags;
	const char *form;		/* for messages and the help */
} tlob_work_kinds[TLOB_NR_WORK] __attribute__((unused)) = {
	[TLOB_KIND_NONE]    = { "none", 0, "none" },
	[TLOB_KIND_SPIN]    = { "spin", TLOB_KIND_TIME, "spin:T" },
	[TLOB_KIND_ELAPSED] = { "elapsed", TLOB_KIND_TIME, "elapsed:T" },
	[TLOB_KIND_LOOPS]   = { "loops", TLOB_KIND_ROUNDS | TLOB_KIND_FIXED,
				"loops:N" },
	[TLOB_KIND_CHASE]   = { "mem:chase", TLOB_KIND_MEMORY | TLOB_KIND_FIXED,
				"mem:chase,ws=SIZE" },
	[TLOB_KIND_STREAM]  = { "mem:stream", TLOB_KIND_MEMORY | TLOB_KIND_FIXED,
				"mem:stream,ws=SIZE" },
	[TLOB_KIND_FPU]	    = { "fpu", TLOB_KIND_ROUNDS | TLOB_KIND_FIXED | TLOB_KIND_USER,
				"fpu:N" },
	[TLOB_KIND_SYSCALL] = { "syscall", TLOB_KIND_ROUNDS | TLOB_KIND_FIXED | TLOB_KIND_USER,
				"syscall:N" },
	[TLOB_KIND_SLEEP]   = { "sleep", TLOB_KIND_TIME | TLOB_KIND_USER, "sleep:T" },
	[TLOB_KIND_PHASES]  = { "@", TLOB_KIND_FILE | TLOB_KIND_USER, "@FILE" },
};

struct tlob_work {
	enum tlob_work_type type;
	int	node;		/* TLOB_WORK_NO_NODE: the CPU's */
	__u64	amount;		/* spin, elapsed: ns; else rounds */
	__u64	ws;		/* bytes; mem only */
};

/*
 * Parses digits at *@s up to the first other character and moves *@s there.
 * Returns 0, -EINVAL without a digit, or -ERANGE above 2^64-1.
 */
static inline int tlob_parse_u64(const char **s, __u64 *val)
{
	const char *p = *s;
	__u64 v = 0;

	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++) {
		unsigned int digit = *p - '0';

		if (v > (~0ULL - digit) / 10)
			return -ERANGE;
		v = v * 10 + digit;
	}
	*s = p;
	*val = v;
	return 0;
}

struct tlob_unit {
	const char *suffix;
	__u64 factor;
};

/*
 * Parses one of the units in @u, which ends with the default, "", and multiplies
 * *@val by its *@factor. Returns 0 or -ERANGE.
 */
static inline int tlob_parse_suffix(const char **s, const struct tlob_unit *u,
				    __u64 *val, __u64 *factor)
{
	while (strncmp(*s, u->suffix, strlen(u->suffix)))
		u++;
	*s += strlen(u->suffix);
	*factor = u->factor;
	if (*val > ~0ULL / u->factor)
		return -ERANGE;
	*val *= u->factor;
	return 0;
}

/*
 * Adds the decimal digits at @s, those behind a point, to *@val. @factor: what
 * one before the point is worth. Returns 0, -EINVAL if they are finer than 1,
 * or -ERANGE.
 */
static inline int tlob_add_fraction(const char *s, __u64 factor, __u64 *val)
{
	__u64 more;

	for (; *s >= '0' && *s <= '9'; s++) {
		more = *s - '0';
		if (more && (!factor || factor % 10))
			return -EINVAL;
		factor /= 10;
		more *= factor;
		if (*val > ~0ULL - more)
			return -ERANGE;
		*val += more;
	}
	return 0;
}

/*
 * Parses a duration at *@s: a decimal number, then ns, us, ms, s, m, h, d or
 * nothing (ns). It must be a whole number of ns. *@ns is in ns. Returns 0,
 * -EINVAL or -ERANGE. Moves *@s behind it only on success.
 */
static inline int tlob_parse_duration(const char **s, __u64 *ns)
{
	static const struct tlob_unit units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 }, { "m", 60000000000 },
		{ "h", 3600000000000 }, { "d", 86400000000000 }, { "", 1 },
	};
	const char *p = *s, *fraction = "";
	__u64 val, factor;
	int err = tlob_parse_u64(&p, &val);

	if (!err && *p == '.') {
		fraction = ++p;
		/* as many digits as there are: only their values are limited */
		while (*p >= '0' && *p <= '9')
			p++;
		if (p == fraction)
			err = -EINVAL;
	}
	if (!err)
		err = tlob_parse_suffix(&p, units, &val, &factor);
	if (!err)
		err = tlob_add_fraction(fraction, factor, &val);
	if (err)
		return err;
	*s = p;
	*ns = val;
	return 0;
}

static inline int tlob_parse_size(const char **s, __u64 *bytes)
{
	static const struct tlob_unit units[] = {
		{ "K", 1ULL << 10 }, { "M", 1ULL << 20 }, { "G", 1ULL << 30 },
		{ "", 1 },
	};
	int err = tlob_parse_u64(s, bytes);
	__u64 factor;

	return err ?: tlob_parse_suffix(s, units, bytes, &factor);
}

/* Moves *@s behind @word if the text begins with it. Returns 1 then, else 0. */
static inline int tlob_skip_word(const char **s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*s, word, n))
		return 0;
	*s += n;
	return 1;
}

/* Parses ",ws=SIZE[,n=N][,node=K]" behind the name, each at most once. */
static inline int tlob_parse_mem(const char **s, struct tlob_work *w)
{
	__u64 node;
	int err = 0;

	while (!err && tlob_skip_word(s, ",")) {
		if (!w->ws && tlob_skip_word(s, "ws=")) {
			err = tlob_parse_size(s, &w->ws);
			if (!err && **s && **s != ',')
				err = -EINVAL;	/* a wrong unit, not a size */
			if (!err && (w->ws < TLOB_WORK_WS_MIN ||
				     w->ws > TLOB_WORK_WS_MAX))
				err = -ERANGE;
		} else if (!w->amount && tlob_skip_word(s, "n=")) {
			err = tlob_parse_u64(s, &w->amount);
			if (!err && !w->amount)
				err = -ERANGE;
		} else if (w->node == TLOB_WORK_NO_NODE &&
			   tlob_skip_word(s, "node=")) {
			err = tlob_parse_u64(s, &node);
			if (!err && node > TLOB_WORK_NODE_MAX)
				err = -ERANGE;
			if (!err)
				w->node = (int)node;
		} else {
			err = -EINVAL;
		}
	}
	if (err)
		return err;
	if (!w->ws)
		return -EINVAL;
	w->ws = (w->ws + TLOB_WORK_LINE - 1) & ~(__u64)(TLOB_WORK_LINE - 1);
	if (!w->amount)
		w->amount = w->type == TLOB_KIND_CHASE ?
			    w->ws / TLOB_WORK_LINE : 1;
	return 0;
}

/*
 * Returns the kind whose name *@s begins with and moves *@s behind it, or
 * TLOB_NR_WORK.
 */
static inline unsigned int tlob_parse_kind(const char **s)
{
	unsigned int i;

	for (i = 0; i < TLOB_NR_WORK; i++)
		if (tlob_skip_word(s, tlob_work_kinds[i].name))
			break;
	return i;
}

/*
 * Parses all of @s. Returns 0, -EINVAL if @s breaks the grammar above, or
 * -ERANGE for a number out of its range. *@work is written on success only.
 */
static inline int tlob_parse_work(const char *s, struct tlob_work *work)
{
	struct tlob_work w = { .node = TLOB_WORK_NO_NODE };
	unsigned int kind = tlob_parse_kind(&s), flags;
	__u64 most = TLOB_WORK_ROUNDS_MAX;
	int err = 0;

	if (kind == TLOB_NR_WORK)
		return -EINVAL;
	w.type = (enum tlob_work_type)kind;
	flags = tlob_work_kinds[kind].flags;
	if (flags & (TLOB_KIND_TIME | TLOB_KIND_ROUNDS) &&
	    !tlob_skip_word(&s, ":"))
		return -EINVAL;
	if (flags & TLOB_KIND_TIME) {
		err = tlob_parse_duration(&s, &w.amount);
		most = TLOB_WORK_TIME_MAX;
	} else if (flags & TLOB_KIND_ROUNDS) {
		err = tlob_parse_u64(&s, &w.amount);
	} else if (flags & TLOB_KIND_MEMORY) {
		err = tlob_parse_mem(&s, &w);
	} else if (flags & TLOB_KIND_FILE) {
		w.amount = !!*s;
		s += strlen(s);
		if (!w.amount)
			err = -EINVAL;
	}
	if (err)
		return err;
	if (*s)
		return -EINVAL;
	if (w.amount > most || (flags && !w.amount))
		return -ERANGE;
	*work = w;
	return 0;
}

static inline int tlob_work_is_fixed(const struct tlob_work *w)
{
	return !!(tlob_work_kinds[w->type].flags & TLOB_KIND_FIXED);
}

/* True for what only user threads can do: the kernel has no FPU, no system call and no file. */
static inline int tlob_work_is_user(const struct tlob_work *w)
{
	return !!(tlob_work_kinds[w->type].flags & TLOB_KIND_USER);
}

static inline int tlob_work_needs_memory(const struct tlob_work *w)
{
	return !!(tlob_work_kinds[w->type].flags & TLOB_KIND_MEMORY);
}

#endif /* _TLOB_WORKSPEC_H */
