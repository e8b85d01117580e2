/* SPDX-License-Identifier: GPL-2.0 */
/* A gate with a history: a session is screened, and what is beyond the baseline is confirmed. */
#ifndef TLOB_HISTORY_GATE_H
#define TLOB_HISTORY_GATE_H

#include <stdio.h>

#include "compare/config.h"
#include "compare/decision.h"
#include "history/history.h"
#include "history/screening.h"
#include "result/meaning.h"
#include "util/file.h"

struct gating {
	const struct compare_config *o;
	struct compare_config compare;	/* a copy, with the statistics */
	struct history h;
	struct session *s;		/* the one that is judged, in @h */
	struct series series;		/* its sessions until @s */
	struct output out[NR_OUTPUTS];	/* those that the options ask for, open */
	struct screening screening[STATISTICS_MAX]; /* one for each statistic */
	enum decision_verdict verdict;
	bool	 again;			/* an earlier call has decided: no screen */
	bool	 failed;		/* the confirmation could not be made */
	char	*conditions;		/* of the session's first run */
	char	**lowered;		/* what lowers the meaning of its runs */
	char	undecidable[MEANING_LINE];	/* why they decide nothing, or "" */
};

/*
 * Adds the session to the history, unless it is there, judges it, and writes the outputs: a verdict is
 * final, and what was begun continues. 0 with the verdict, or -errno, printed.
 */
int gate_carry_out(const struct compare_config *o, enum decision_verdict *verdict);

/*
 * Makes the confirmation of g->s against session @old: its runs in random order, until the
 * verdict is certain. It continues what was begun. Without --switch only the plan is written. 0, or
 * -errno: it is not done, printed.
 */
int gate_confirm(struct gating *g, const struct session *old);

/* Writes the files that the options ask for, and text. 0 or -errno, printed. */
int gate_print(struct gating *g);

/* What the screen of statistic @i has found, and its step. Both return @buf. */
#define GATE_LINE	320
const char *gate_found(char buf[GATE_LINE], const struct gating *g, unsigned int i);
const char *gate_step(char buf[GATE_LINE], const struct gating *g, unsigned int i);

#endif /* TLOB_HISTORY_GATE_H */
