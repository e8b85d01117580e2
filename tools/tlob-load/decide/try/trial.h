/* SPDX-License-Identifier: GPL-2.0 */
/* Carries an experiment out: asks what to measure, has it measured, and keeps the results. */
#ifndef TLOB_TRY_TRIAL_H
#define TLOB_TRY_TRIAL_H

#include <limits.h>
#include <stdio.h>
#include <time.h>

#include "compare/statistic.h"
#include "try/experiment.h"
#include "util/claim.h"
#include "util/error.h"
#include "util/file.h"

#define TRIAL_WHY	300		/* bytes of the reason of a failure, one line */

#define TRIAL_NONE	(-1)		/* no setting */

/* One run, with a setting or none, under a condition. */
struct trial_run {
	int	 setting;		/* or TRIAL_NONE */
	unsigned int condition;
	size_t	 pair;			/* from 0 */
	uint64_t seed;			/* both runs of a pair have the same */
	char	 dir[PATH_MAX];		/* of the results of this side of the pairs; it exists */
	char	 file[PATH_MAX];	/* of this one: NNN.json, from 001 on */
	const struct trial_run *other;	/* of the pair */
	struct try_value value;		/* the answer */
	size_t	 made;			/* runs that measure() made; 0: this one */
	char	 why[TRIAL_WHY];
};

/* What measures. */
struct trial_ops {
	/*
	 * Makes the setting, measures, leaves the result in r->file and puts everything back. 0;
	 * -ECANCELED: the run failed, r->why; -ESTALE: the setting cannot be tried, r->why; -EINTR: a signal has
	 * ended it; another -errno ends the experiment. The last two are printed.
	 */
	int (*measure)(void *data, struct trial_run *r);
	/* Takes the values from r->file, of an earlier start. 0, or -ENOENT: it must be made. */
	int (*read)(void *data, struct trial_run *r);
	double (*now_s)(void *data);	/* since the begin; NULL: by the clock */
};

/*
 * Takes the values of a run from the result @path, and what it was measured under; with @tune what
 * it had set (malloc()). 0; -ENODATA: it is too short for t->statistic, or had not its policy;
 * another -errno, printed. to->why says it in any case.
 */
struct trial;
int trial_values(struct trial_run *to, const char *path, struct trial *t, char **tune);

/* A line for a file of settings to keep. */
enum keep { KEEP_COMMAND, KEEP_SYSCTL, KEEP_ARGUMENTS, NR_KEEP };

struct trial_setting {
	const char *name;
	char	*gone;			/* why it cannot be tried; NULL: it can */
	char	*fails;			/* why its run failed; NULL: it did not */
	enum keep keep;
	char	*line;			/* for the file; several lines are possible */
	const char *rule;		/* of doctor that asks for it; NULL: none */
};

struct trial {
	struct experiment e;
	struct trial_setting setting[TRY_SETTINGS];
	const char *condition[TRY_CONDITIONS];
	struct statistic statistic;	/* of the tail */
	const struct trial_ops *ops;
	void	*data;
	const char *dir;
	struct claim claim;		/* trial_identify(), and the seed */
	bool	 resume, quiet;
	/* The answer, besides the experiment's. */
	char	*kernel, *cpus;
	time_t	 started;
	struct timespec begin;
	size_t	 runs;			/* made by this start */
	double	 took_s;
	const char *signal;		/* that ended it, or NULL */
	char	*conditions;		/* of its first run without a setting; NULL: none yet */
	char	**lowered;		/* what lowers the meaning of its runs */
	bool	 undecidable;		/* a run had not the policy that was to be used */
};

/* What a difference is compared with, unless said otherwise. */
#define TRIAL_MARGIN	0.1

/* Why an experiment cannot have this statistic or margin, and what to do; NULL: it can. */
const char *trial_refuses(const struct statistic *s, double margin);

/* Sets t->claim to a hash of what @put prints: all that the results depend on. 0 or -ENOMEM, printed. */
int  trial_identify(struct trial *t, void (*put)(FILE *f, const void *data), const void *data);

/* Makes the directory, or continues the one of an earlier start. 0 or -errno, printed. */
int  trial_claim(struct trial *t);

/* Returns whether the directory has an experiment, which trial_claim() continues or refuses. */
bool trial_is_begun(const struct trial *t);

/* Runs the experiment to its end. 0 or -errno, printed; a signal is no error: t->signal. */
int  trial_carry_out(struct trial *t);
void trial_free(struct trial *t);

/* The files that it writes on request. */
enum trial_output { TRIAL_JSON, NR_TRIAL_OUTPUTS };

/*
 * From trial_claim() to the report, which goes to stdout and to @out, with progress on stderr. After
 * signals_catch(). 0 or -errno, printed; if the directory is claimed then, old files of @out are gone.
 */
int  trial_conduct(struct trial *t, struct output out[NR_TRIAL_OUTPUTS]);

/* EXIT_PASS, or EXIT_INCONCLUSIVE if a setting is still open. */
enum exit_code trial_exit(const struct trial *t);

/* Says what would be measured, by runs with @options. */
void trial_print_plan(FILE *f, const struct trial *t, char *const options[], int n);

/* How long it will take, --within at most: "160 to 800 runs, 14 min to 1.2 h". */
#define TRIAL_LINE	320
const char *trial_estimate(char buf[TRIAL_LINE], const struct trial *t);

/* 0, or -ETIME, printed: the time is over before the first setting can have a verdict. */
int  trial_check_time(const struct trial *t);

/* The tail with the setting against without, ln, and its bounds: those that the verdict rests on. */
struct trial_effect {
	double	 by, lower, upper;	/* may be infinite */
};

struct trial_effect trial_effect(const struct try_pairs *p);

/* "-31.2 % (-35.1 % to -27.0 %)"; "without it 100 of 400 000 in 2 episodes, with it none of 400 000" */
const char *trial_tail_text(char buf[TRIAL_LINE], const struct try_pairs *p);
const char *trial_events_text(char buf[TRIAL_LINE], const struct try_pairs *p);

/* "helps", or "hurts by p99.9(response), helps by late expiries" */
const char *trial_verdict_text(char buf[TRIAL_LINE], const struct trial *t, const struct try_pairs *p);

/* Runs until the setting has had its last look; 0: it is decided, or has had it. */
size_t trial_runs_left(const struct trial *t, unsigned int setting);

/* What may decide: "up to 24 more runs, 3 min, may tell: --resume makes them"; "" if it is decided. */
const char *trial_needed_text(char buf[TRIAL_LINE], const struct trial *t, unsigned int setting);

/* The setting's verdict in a sentence without its name: "helps: p99.9(response) -31.2 % (...), ..., @io, 20 pairs" */
const char *trial_evidence(char buf[TRIAL_LINE], const struct trial *t, unsigned int setting);

/* "1 of 6 settings helps: governor; 1 hurts: turbo" (malloc); NULL: no memory. */
char *trial_sentence(const struct trial *t);

/* A report for people, one JSON object. 0, -ENOMEM or -EIO. */
int  trial_text(FILE *f, const struct trial *t);
int  trial_json(FILE *f, const struct trial *t);

/*
 * Writes the settings that help to files in t->dir, each with its evidence, and for doctor what
 * was found about its rules. 0 or -errno, printed.
 */
int  trial_keep(const struct trial *t);

/* The file of a kind in t->dir, and whether it has a line. */
extern const char * const trial_keep_names[NR_KEEP];
bool trial_keeps_any(const struct trial *t, enum keep keep);

#endif /* TLOB_TRY_TRIAL_H */
