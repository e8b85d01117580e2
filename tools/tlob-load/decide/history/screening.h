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
#define SCREEN_ALPHA	0.05		/* of "no more episodes than before", and of a step */
#define SCREEN_MARGIN	0.10		/* of the confirmation */
/*
 * The accepted session, counted back from the last one, or from a step, whose build a confirmation
 * compares with. Against the last one a change that got past the first night would never be found,
 * and a step is seldom known to the session.
 */
#define SCREENING_REFERENCE	3
/* So many confirmations that could not decide settle a step: its effect is about the margin. */
#define SCREENING_UNDECIDED	3

/* A step upward that no confirmation has settled. */
struct screening_step {
	const struct session *from;	/* its first session; NULL: none */
	const struct session *against;	/* before it, of another build: what to compare with */
	double	 by;			/* a share; may be infinite */
};

struct screening {
	bool	 of_events;
	size_t	 n;			/* sessions of the baseline */
	double	 value;			/* the median of the new session; INFINITY: missed */
	double	 baseline;
	struct events events, before;	/* of all runs: of the new session, of the baseline */
	size_t	 gap;			/* of their episodes */
	bool	 beyond;
	struct screening_step step;
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

/*
 * Finds a step upward in @value of session_values, if the last session of @s is above the sessions
 * before it by more than the margin as well. A step is settled by a confirmation of a later session
 * against its reference or an older one: OK, or SCREENING_UNDECIDED without a decision. Somebody who
 * accepts such a session settles it likewise. 0 or -ENOMEM.
 */
int screening_look_back(struct screening_step *found, const struct series *s, unsigned int value, double margin);

#endif /* TLOB_HISTORY_SCREENING_H */
