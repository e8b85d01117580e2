/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Screens a session with the ones before it: docs/how-to/history.md has its error rates. It only
 * says which sessions need a confirmation. Pure: no I/O.
 */
#ifndef TLOB_HISTORY_SCREENING_H
#define TLOB_HISTORY_SCREENING_H

#include <stdbool.h>
#include <stddef.h>

#define SCREEN_SESSIONS	10
#define SCREEN_BEYOND	0.20
#define SCREEN_MARGIN	0.10		/* of the confirmation */
/*
 * The accepted session, counted from the last one, whose build a confirmation compares with. Against
 * the last one a change that got past the first night would never be found.
 */
#define SCREENING_REFERENCE	3

struct screening {
	bool	 absolute;		/* a rate */
	double	 least;			/* what a rate must exceed the limit by: one expiry of a run */
	size_t	 n;			/* sessions of the baseline */
	double	 value;			/* the median of the new session; INFINITY: missed */
	double	 baseline;
	bool	 beyond;
};

/*
 * Judges @s->value by the medians of the last @n accepted sessions, which are sorted. The baseline is
 * their median. A rate is mostly 0, so for a rate it is the largest of them. Without a session
 * nothing is beyond.
 */
void screening_judge(struct screening *s, double sessions[], size_t n);

#endif /* TLOB_HISTORY_SCREENING_H */
