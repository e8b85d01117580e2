/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Screens a session with the ones before it: docs/how-to/history.md has its error rates. It only
 * says which sessions need a confirmation, and against which one. Pure: no I/O.
 */
#ifndef TLOB_HISTORY_SCREENING_H
#define TLOB_HISTORY_SCREENING_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/events.h"
#include "history/series.h"

#define SCREEN_SESSIONS	10
#define SCREEN_BEYOND	0.20
#define SCREEN_ALPHA	0.05		/* of "no more episodes than before" */
#define SCREEN_MARGIN	0.10		/* of the confirmation */
/*
 * The accepted session, counted from the last one, whose build a confirmation compares with. Against
 * the last one a change that got past the first night would never be found.
 */
#define SCREENING_REFERENCE	3
struct screening {
	bool	 of_events;
	size_t	 n;			/* sessions of the baseline */
	double	 value;			/* the median of the new session; INFINITY: missed */
	double	 baseline;
	struct events events, before;	/* of all runs: of the new session, of the baseline */
	size_t	 gap;			/* of their episodes */
	bool	 beyond;
};

/*
 * Judges @s->value by the medians of the last @s->n accepted sessions, which are sorted: the baseline
 * is their median. Without a session nothing is beyond.
 */
void screening_judge(struct screening *s, double sessions[]);

/* The same by the episodes of s->events and s->before. */
void screening_judge_events(struct screening *s);

/*
 * The session that a confirmation of the last one of @s compares with: before @s->at[@end], accepted,
 * with another build than the last one. NULL: none.
 */
const struct session *screening_reference(const struct series *s, size_t end);

#endif /* TLOB_HISTORY_SCREENING_H */
