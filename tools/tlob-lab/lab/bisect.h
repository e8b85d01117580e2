/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `tlob-lab bisect`: which commit of a Linux tree made a wake-up longer. Each step builds a commit,
 * boots it with the seeds that GOOD had, and tells git whether a statistic grew.
 *
 *	bisect.c	the steps and what is printed
 *	bisect_git.c	what git is asked
 *	bisect_try.c	builds and measures a commit, or finds what an earlier lab has measured
 *	bisect_judge.c	compares, and says what could not be seen
 */
#ifndef TLOB_LAB_BISECT_H
#define TLOB_LAB_BISECT_H

#include <stdio.h>

#include "lab/kernel_source.h"
#include "lab/lab.h"
#include "lab/lab_guests.h"

#define SUBJECT_LEN	100		/* bytes of "0a1b2c3d4e5f subject" */

/* A commit and what is known of it. */
struct bisect_commit {
	char	 hash[COMMIT_LEN];
	char	 subject[SUBJECT_LEN];	/* for a terminal */
	bool	 skipped;
	char	 why[LAB_REASON];	/* skipped */
	double	*value;			/* [pairs], ns: the statistic in each run */
	uint64_t windows;		/* of the CPU, in the last run */
};

struct bisect {
	struct lab lab;			/* its directory, and how a commit is booted */
	const struct lab_config *o;
	struct statistic metric;
	double	 threshold;		/* ns that are bad, against GOOD */
	struct bisect_commit good, bad;
	double	 took;			/* s, of all steps that built or booted */
	unsigned int steps;		/* as many */
};

/* ---- bisect_git.c: all return 0 or -errno, printed ---- */

/* Sets the hash and subject of @rev. */
int bisect_find(struct bisect *b, const char *rev, struct bisect_commit *c);

/* GOOD must be an ancestor of BAD. Warns if the tree has changes that are in no commit. */
int bisect_check(struct bisect *b);

/* What git says after a step. */
struct bisect_next {
	char	 hash[COMMIT_LEN];	/* to test; or the first bad one */
	bool	 found;
	bool	 only_skipped;		/* the first bad one is among skipped ones: see the log */
	unsigned int left, steps;	/* revisions, and about so many steps */
};

/* Begins anew; marks @hash as "good", "bad" or "skip". */
int bisect_start(struct bisect *b, struct bisect_next *next);
int bisect_mark(struct bisect *b, const char *mark, const char *hash, struct bisect_next *next);

/* Prints what git has said last, without its advice. */
void bisect_print_said(const struct bisect *b, FILE *f);

/* Leaves DIR/bisect.log, and removes git's state. */
int bisect_end(struct bisect *b);

/* ---- bisect_try.c ---- */

/*
 * Builds and measures @c unless that is done. Then it has values, or is skipped. 0 or -errno,
 * printed: the machine is at fault, or a signal came.
 */
int bisect_try(struct bisect *b, struct bisect_commit *c);
void bisect_forget(struct bisect_commit *c);

/* ---- bisect_judge.c: pure ---- */

/* The median over the pairs of what @c has more than @than, in ns, which are instructions. */
double bisect_more(const struct bisect *b, const struct bisect_commit *c,
		   const struct bisect_commit *than);

/*
 * Sets the threshold: --instructions, --margin of GOOD's value, or half of what BAD has more. 0, or
 * -ENODATA: BAD does not reach it.
 */
int bisect_threshold(struct bisect *b);

/* Prints the sentence that says which changes these runs cannot show. */
void bisect_print_unseen(const struct bisect *b, FILE *f);

/* Bisects. All has been printed. */
enum exit_code bisect_carry_out(const struct lab_config *o);

#endif /* TLOB_LAB_BISECT_H */
