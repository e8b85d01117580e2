/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which settings help: what to ask next, and what the answers mean. Pure: no I/O, and it does not
 * know how a setting is made.
 *
 * A question compares two sets of settings that differ by one setting, or all with none:
 *
 *	together	all against none. If that helps:
 *	leave out	the set as it stands against the same without one. Where that makes no
 *			difference, or is better, the setting leaves the set
 *	confirm		a setting that was needed in a larger set, once more in the set that is left.
 *			A second setting may have helped only next to one that has left
 *	each		otherwise: each alone against none
 *
 * A question has pairs of runs under each condition, idle and the loads. The tests of all questions,
 * conditions and metrics share one error rate by Holm's procedure, which holds with looks as well
 * (Maurer & Bretz, Statistics in Biopharmaceutical Research 5, 2013).
 */
#ifndef TLOB_TRY_EXPERIMENT_H
#define TLOB_TRY_EXPERIMENT_H

#include <stdint.h>

#include "try/contrast.h"

#define TRY_SETTINGS	16
#define TRY_CONDITIONS	17		/* idle, and as many loads as run takes */
#define TRY_QUESTIONS	(4UL * TRY_SETTINGS)

enum try_kind { TRY_ALL, TRY_LEAVE_OUT, TRY_CONFIRM, TRY_ALONE };

struct try_question {
	enum try_kind kind;
	uint32_t with, without;		/* sets: bit i is setting i */
	unsigned int setting;		/* what it is about, except with TRY_ALL */
	unsigned int fails[2];		/* runs in a row that failed: without, with */
	bool	 closed;		/* no further pair, unless time is left: put aside */
	bool	 final;			/* nor then: decided, out of pairs, or the set has changed */
	double	 until_s;		/* when its share of the time ends */
	enum try_verdict verdict;
	struct contrast at[TRY_CONDITIONS];
};

struct experiment {
	/* The caller's. */
	unsigned int nsettings, nconditions;
	double	 alpha, margin;
	bool	 each;			/* do not ask about all together */
	bool	 shared;		/* a set's runs serve all questions: they are copies */
	double	 within_s;		/* INFINITY: no limit */
	double	 run_s;			/* one run takes so long, about */
	/* The state. */
	struct try_levels levels;
	struct try_question *question;	/* [TRY_QUESTIONS] */
	unsigned int n;
	bool	 leaving_out;		/* all together help */
	uint32_t set;			/* as it stands; in the end, what to keep */
	bool	 excluded[TRY_SETTINGS];	/* cannot be tried */
	int	 answer[TRY_SETTINGS];	/* the question that has its verdict; -1: not asked */
};

/* What to measure next: a pair of runs. */
struct try_step {
	unsigned int question, condition;
	size_t	 pair;			/* of this question under this condition, from 0 */
	uint32_t with, without;
};

/* So many failed runs in a row are a verdict: one may have another reason. */
#define TRY_FAILURES	2

/* 0 or -ENOMEM. Call experiment_free() in any case. */
int  experiment_begin(struct experiment *e);
void experiment_free(struct experiment *e);

/* False: it is over. @now_s: since the begin. */
bool experiment_next(struct experiment *e, double now_s, struct try_step *step);

/* Takes the values of both runs of a step. 0, -ENOMEM, or -EINVAL: a value is not positive. */
int  experiment_take(struct experiment *e, const struct try_step *step,
		     const double with[TRY_METRICS], const double without[TRY_METRICS]);

/*
 * A run of the step failed, @with or without. The step comes again, until TRY_FAILURES in a row are
 * the verdict. Without a setting that is left out they say that it is needed.
 */
void experiment_failed(struct experiment *e, const struct try_step *step, bool with);

/* A setting cannot be tried: another program makes it, or it is refused. */
void experiment_exclude(struct experiment *e, unsigned int setting);

/* Decides what is still open at the level that the others have left. 0 or -errno. */
int  experiment_finish(struct experiment *e);

/* The verdict on a setting: TRY_OPEN also if it was not asked about. */
enum try_verdict experiment_verdict(const struct experiment *e, unsigned int setting);

/* Returns whether the setting belongs to the settings to keep: it helps. */
bool experiment_keeps(const struct experiment *e, unsigned int setting);

/* The last question about all together, or NULL. What was excluded is not in its set. */
const struct try_question *experiment_all(const struct experiment *e);

/* The fewest and most runs that all questions may take. */
void experiment_runs(const struct experiment *e, size_t *least, size_t *most);

/* The runs whose values the questions have. */
size_t experiment_measured(const struct experiment *e);

/* Runs until question @q is decided under condition @c, about; 0: more than can be said. */
size_t experiment_runs_needed(const struct experiment *e, unsigned int q, unsigned int c);

#endif /* TLOB_TRY_EXPERIMENT_H */
