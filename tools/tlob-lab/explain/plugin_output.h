/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads what tools/tlob-lab/plugin has written about a run, and checks it against itself:
 * docs/reference/explain.md. Pure: no I/O.
 */
#ifndef TLOB_EXPLAIN_PLUGIN_OUTPUT_H
#define TLOB_EXPLAIN_PLUGIN_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

/* The parts of the wake phase are the first ones of enum tlob_part. */
#define WAKE_PARTS	TLOB_WORK_ON_CPU

/* The phases of a window, in the order of a path. */
enum phase {
	PHASE_IRQ,			/* expiry to t1 */
	PHASE_WAKE,			/* t1 to t2 */
	PHASE_WORK,			/* t2 to t3 */
	NR_PHASES,
};

/* A straight run of instructions. */
struct segment {
	uint64_t start;			/* address */
	uint32_t bytes;
	uint32_t n;			/* instructions */
	char	 ending;		/* of the last one: a letter of the reference */
};

struct step {
	uint32_t segment;
	uint32_t times;			/* in a row */
};

struct path {
	struct step *step;
	size_t	 steps;
	size_t	 end[NR_PHASES];	/* number of the first step behind each phase */
	uint64_t n[NR_PHASES];		/* instructions */
	uint8_t	 *part;			/* enum tlob_part of each step up to t2; NULL: not known */
};

struct window {
	uint32_t path;
	uint32_t lines_wake, lines_work; /* lines of data of 64 bytes, to t2, from t2 on */
	char	 state;			/* at the expiry: i idle, b busy, a armed after it */
};

struct profile {
	struct segment *segment;
	struct path *path;
	struct window *window;
	size_t	 segments, paths, windows;
};

static inline uint64_t path_wake(const struct path *p)
{
	return p->n[PHASE_IRQ] + p->n[PHASE_WAKE];
}

/*
 * Reads @text, which it may change. 0, -ENOMEM, or -EINVAL with the line and what is wrong with it
 * in @why.
 */
int  profile_read(struct profile *p, char *text, char *why, size_t size);
void profile_free(struct profile *p);

#endif /* TLOB_EXPLAIN_PLUGIN_OUTPUT_H */
