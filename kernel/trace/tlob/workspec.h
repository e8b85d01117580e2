/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a window executes, as text. Pure C: compiled in the kernel and in the
 * tool, so that `work` means the same in both workloads.
 *
 *	none				nothing
 *	spin:T				until T of own time has passed
 *	elapsed:T			until T of wall time has passed
 *	loops:N				N rounds of a fixed computation
 *	mem:chase,ws=SIZE[,n=N][,node=K]   N dependent loads, random lines of ws
 *	mem:stream,ws=SIZE[,n=N][,node=K]  N passes that read and write all of ws
 *
 *	T     digits and ns, us, ms or s; without a unit ns; 1 ns ... 1 h
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

#define TLOB_NSEC_PER_HOUR	3600000000000ULL
#define TLOB_WORK_LINE		64U
#define TLOB_WORK_NO_NODE	(-1)

enum tlob_work_type {
	TLOB_WORK_NONE,
	TLOB_WORK_SPIN,
	TLOB_WORK_ELAPSED,
	TLOB_WORK_LOOPS,
	TLOB_WORK_CHASE,
	TLOB_WORK_STREAM,
};

struct tlob_work {
	enum tlob_work_type type;
	int	node;		/* TLOB_WORK_NO_NODE: the CPU's */
	__u64	amount;		/* spin, elapsed: ns; else rounds */
	__u64	ws;		/* bytes; mem only */
};

/*
 * Digits at *@s up to the first other character, which *@s then points at.
 * 0, -EINVAL without a digit, -ERANGE beyond 2^64-1.
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

/* A number and one of the units in @u, which ends with the default, "". */
static inline int tlob_parse_unit(const char **s, const struct tlob_unit *u,
				  __u64 *val)
{
	int err = tlob_parse_u64(s, val);

	if (err)
		return err;
	while (strncmp(*s, u->suffix, strlen(u->suffix)))
		u++;
	*s += strlen(u->suffix);
	if (*val > ~0ULL / u->factor)
		return -ERANGE;
	*val *= u->factor;
	return 0;
}

/*
 * A duration at *@s in ns: digits, then ns, us, ms, s or nothing (ns).
 * 0, -EINVAL or -ERANGE; *@s is moved behind it only on success.
 */
static inline int tlob_parse_duration(const char **s, __u64 *ns)
{
	static const struct tlob_unit units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 }, { "", 1 },
	};
	const char *p = *s;
	int err = tlob_parse_unit(&p, units, ns);

	if (!err)
		*s = p;
	return err;
}

static inline int tlob_parse_size(const char **s, __u64 *bytes)
{
	static const struct tlob_unit units[] = {
		{ "K", 1ULL << 10 }, { "M", 1ULL << 20 }, { "G", 1ULL << 30 },
		{ "", 1 },
	};

	return tlob_parse_unit(s, units, bytes);
}

/* Moves *@s behind @word if it stands there. */
static inline int tlob_skip_word(const char **s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*s, word, n))
		return 0;
	*s += n;
	return 1;
}

static inline int tlob_parse_mem(const char **s, struct tlob_work *w)
{
	__u64 node;
	int err = 0;

	if (tlob_skip_word(s, "chase"))
		w->type = TLOB_WORK_CHASE;
	else if (tlob_skip_word(s, "stream"))
		w->type = TLOB_WORK_STREAM;
	else
		return -EINVAL;

	while (!err && tlob_skip_word(s, ",")) {
		if (!w->ws && tlob_skip_word(s, "ws=")) {
			err = tlob_parse_size(s, &w->ws);
			if (!err && **s && **s != ',')
				err = -EINVAL;	/* a wrong unit, not a size */
			if (!err && (w->ws < 4096 || w->ws > 1ULL << 30))
				err = -ERANGE;
		} else if (!w->amount && tlob_skip_word(s, "n=")) {
			err = tlob_parse_u64(s, &w->amount);
			if (!err && !w->amount)
				err = -ERANGE;
		} else if (w->node == TLOB_WORK_NO_NODE &&
			   tlob_skip_word(s, "node=")) {
			err = tlob_parse_u64(s, &node);
			if (!err && node > 1023)
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
		w->amount = w->type == TLOB_WORK_CHASE ?
			    w->ws / TLOB_WORK_LINE : 1;
	return 0;
}

/*
 * Parses all of @s. 0; -EINVAL: not the grammar above; -ERANGE: a number out
 * of its range. *@work is written on success only.
 */
static inline int tlob_parse_work(const char *s, struct tlob_work *work)
{
	struct tlob_work w = { .node = TLOB_WORK_NO_NODE };
	int err;

	if (tlob_skip_word(&s, "none")) {
		err = 0;
	} else if (tlob_skip_word(&s, "spin:")) {
		w.type = TLOB_WORK_SPIN;
		err = tlob_parse_duration(&s, &w.amount);
	} else if (tlob_skip_word(&s, "elapsed:")) {
		w.type = TLOB_WORK_ELAPSED;
		err = tlob_parse_duration(&s, &w.amount);
	} else if (tlob_skip_word(&s, "loops:")) {
		w.type = TLOB_WORK_LOOPS;
		err = tlob_parse_u64(&s, &w.amount);
	} else if (tlob_skip_word(&s, "mem:")) {
		err = tlob_parse_mem(&s, &w);
	} else {
		err = -EINVAL;
	}
	if (err)
		return err;
	if (*s)
		return -EINVAL;
	if (w.type != TLOB_WORK_NONE && !w.amount)
		return -ERANGE;
	if (w.type == TLOB_WORK_SPIN || w.type == TLOB_WORK_ELAPSED) {
		if (w.amount > TLOB_NSEC_PER_HOUR)
			return -ERANGE;
	} else if (w.amount > 1000000000000ULL) {
		return -ERANGE;
	}
	*work = w;
	return 0;
}

/* Work of a fixed amount has a demand that can be calibrated. */
static inline int tlob_work_is_fixed(const struct tlob_work *w)
{
	return w->type >= TLOB_WORK_LOOPS;
}

static inline int tlob_work_needs_memory(const struct tlob_work *w)
{
	return w->type >= TLOB_WORK_CHASE;
}

#endif /* _TLOB_WORKSPEC_H */
