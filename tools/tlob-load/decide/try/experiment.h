/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which settings help: what to measure next, and what the answers mean. Pure: no I/O, and it does
 * not know how a setting is made.
 *
 * A question compares a set of settings with none: all together, then each alone. It has pairs of
 * runs under each condition, idle and the loads. All questions take turns from look to look, so
 * that an early end finds them equally far. The tests of all questions, conditions and metrics
 * share one error rate by Holm's procedure, which holds with looks as well (Maurer & Bretz,
 * Statistics in Biopharmaceutical Research 5, 2013).
 */
#ifndef TLOB_TRY_EXPERIMENT_H
#define TLOB_TRY_EXPERIMENT_H

#include <stdint.h>

#include "try/contrast.h"

#define TRY_SETTINGS	16
#define TRY_CONDITIONS	17		/* idle, and as many loads as run takes */

/* The question about all together, and about setting @i alone. */
#define TRY_ALL		0U
#define TRY_ALONE(i)	(1U + (i))
#define TRY_QUESTIONS	TRY_ALONE(TRY_SETTINGS)

struct try_question {
	uint32_t set;			/* bit i is setting i; 0: not asked */
	unsigned int fails[2];		/* runs in a row that failed: without, with */
	struct contrast at[TRY_CONDITIONS];
};

struct experiment {
	/* The caller's. */
	unsigned int nsettings, nconditions;
	double	 alpha, margin;
	bool	 each;			/* do not ask about all together */
	bool	 shared;		/* the runs without settings serve all questions: they are copies */
	double	 within_s;		/* INFINITY: no limit */
	double	 run_s;			/* one run takes so long, about */
	/* The state. */
	struct try_levels levels;
	struct try_question *question;	/* [TRY_QUESTIONS] */
};

/* What to measure next: a pair of runs, with the set of the question and without any setting. */
struct try_step {
	unsigned int question, condition;
	size_t	 pair;			/* of this question under this condition, from 0 */
	uint32_t set;
};

/* So many failed runs in a row are a verdict: one may have another reason. */
#define TRY_FAILURES	2

/* 0 or -ENOMEM. Call experiment_free() in any case. */
int  experiment_begin(struct experiment *e);
void experiment_free(struct experiment *e);

/* False: it is over. @now_s: since the begin. */
bool experiment_next(const struct experiment *e, double now_s, struct try_step *step);

/* Takes the values of both runs of a step. 0, -ENOMEM, or -EINVAL: a value is not positive. */
int  experiment_take(struct experiment *e, const struct try_step *step,
		     const double with[TRY_METRICS], const double without[TRY_METRICS]);

/*
 * A run of the step failed, @with or without the set. The step comes again, until TRY_FAILURES with
 * the set in a row are the verdict: call it for them only if a run without then works. Returns how
 * many have failed in a row.
 */
unsigned int experiment_failed(struct experiment *e, const struct try_step *step, bool with);

/* A setting cannot be tried: another program makes it, or it is refused. */
void experiment_exclude(struct experiment *e, unsigned int setting);

/* Decides what is still open at the level that the others have left. 0 or -errno. */
int  experiment_finish(struct experiment *e);

/* The verdict on a question; TRY_OPEN also if it is not asked. */
enum try_verdict experiment_verdict(const struct experiment *e, unsigned int question);

/* Returns whether all together help, and no setting is known to help alone. */
bool experiment_only_together(const struct experiment *e);

/* Returns whether the setting belongs to the settings to keep: it helps, if only with the others. */
bool experiment_keeps(const struct experiment *e, unsigned int setting);

/* The fewest and most runs that all questions may take. */
void experiment_runs(const struct experiment *e, size_t *least, size_t *most);

/* The runs whose values the questions have. */
size_t experiment_measured(const struct experiment *e);

/* Runs until question @q is decided under condition @c, about; 0: more than can be said. */
size_t experiment_runs_needed(const struct experiment *e, unsigned int q, unsigned int c);

#endif /* TLOB_TRY_EXPERIMENT_H */
