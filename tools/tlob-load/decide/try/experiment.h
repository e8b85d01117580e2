/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which settings help: what to measure next, and what the answers mean. Pure: no I/O, and it does
 * not know how a setting is made.
 *
 * Each setting is compared with none, one setting after the other, under each condition, idle and
 * the loads. Each comparison has its share of alpha: docs/explanation/statistics.md.
 */
#ifndef TLOB_TRY_EXPERIMENT_H
#define TLOB_TRY_EXPERIMENT_H

#include "compare/decision.h"

#define TRY_SETTINGS	16
#define TRY_CONDITIONS	17		/* idle, and as many loads as run takes */

/* So many failed runs in a row are a verdict: one may have another reason. */
#define TRY_FAILURES	2

/* What a setting may make of the tail and of the events, of which each worse one comes first. */
enum try_test { TAIL_WORSE, EVENTS_WORSE, TAIL_BETTER, EVENTS_BETTER, TRY_TESTS };

enum try_verdict {
	TRY_OPEN,			/* cannot tell */
	TRY_HELPS,
	TRY_HURTS,			/* whatever else it helps */
	TRY_SAME,			/* no difference within the margin */
	TRY_FAILS,			/* the run fails with it */
};

/* What a run gives. */
struct try_value {
	double	 tail, resolution;	/* and the relative error of the tail */
	struct events events;
};

/* Runs of a setting under a condition, of [without, with] it. */
struct try_pairs {
	size_t	 n;
	double	 tail[2][SEQUENTIAL_MOST];
	struct events events[2][SEQUENTIAL_MOST];
	double	 resolution;
	struct decision d[TRY_TESTS];	/* of the last look */
	enum try_verdict verdict;
};

struct try_setting {
	bool	 excluded;
	unsigned int fails[2];		/* runs in a row that failed: without, with */
	struct try_pairs at[TRY_CONDITIONS];
};

struct experiment {
	/* The caller's. */
	unsigned int nsettings, nconditions;
	double	 alpha, margin;
	bool	 shared;		/* the runs without settings serve all: they are copies */
	double	 within_s;		/* INFINITY: no limit */
	double	 run_s;			/* one run takes so long, about */
	/* The state. */
	struct try_setting *setting;	/* [nsettings] */
};

/* What to measure next: a run with the setting and one without. */
struct try_step {
	unsigned int setting, condition;
	size_t	 pair;			/* from 0 */
};

/* 0 or -ENOMEM. Call experiment_free() in any case. */
int  experiment_begin(struct experiment *e);
void experiment_free(struct experiment *e);

/* False: it is over. @now_s: since the begin. */
bool experiment_next(const struct experiment *e, double now_s, struct try_step *step);

/* Takes the runs of a step, [without, with]. 0, -ENOMEM, or -EINVAL: a tail is not positive. */
int  experiment_take(struct experiment *e, const struct try_step *step, const struct try_value value[2]);

/*
 * A run of the step failed, @with or without the setting. The step comes again, until TRY_FAILURES
 * with it in a row are the verdict: call it for them only if a run without then works. Returns how
 * many have failed in a row.
 */
unsigned int experiment_failed(struct experiment *e, const struct try_step *step, bool with);

/* A setting cannot be tried: another program makes it, or it is refused. */
void experiment_exclude(struct experiment *e, unsigned int setting);

/* The verdict on a setting: open until it hurts, fails, or is decided under each condition. */
enum try_verdict experiment_verdict(const struct experiment *e, unsigned int setting);

/* "helps", "hurts", "no difference", "cannot tell", "fails". */
const char *try_verdict_name(enum try_verdict v);

/* About one number: TAIL_WORSE stands for the tail, EVENTS_WORSE for the events. After a look. */
enum try_verdict try_verdict_about(const struct try_pairs *p, enum try_test worse);

/* True if @n pairs are as many as a look needs; if there was one. */
bool try_is_look(size_t n);
bool try_has_looked(const struct try_pairs *p);

/* The fewest and most runs that all settings may take, and those that were made. */
void experiment_runs(const struct experiment *e, size_t *least, size_t *most);
size_t experiment_measured(const struct experiment *e);

#endif /* TLOB_TRY_EXPERIMENT_H */
