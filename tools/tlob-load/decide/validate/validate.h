/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Judges whether a machine is fit for a workload, from what doctor finds, and from runs of
 * the workload idle, with each load, and with all of them. A phase is one run; its result stays in
 * a directory.
 */
#ifndef TLOB_VALIDATE_VALIDATE_H
#define TLOB_VALIDATE_VALIDATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "options/run_config.h"
#include "result/findings.h"
#include "result/meaning.h"
#include "result/result.h"
#include "util/error.h"
#include "util/units.h"

/*
 * Of the bounds. A machine is fit if all phases are kept, so each is tested at it. One that is not makes
 * it not fit, so these tests share it over all CPUs and phases.
 */
#define VALIDATE_ALPHA	0.05
/* How often a machine at half of --miss shall be fit: 95 %, and 2 for episodes that join by chance. */
#define VALIDATE_FIT	0.97
/*
 * Expiries of the longest episode that --miss allows for. A phase without one does not show how long
 * the next one is: with 1, machines with bursts of 20 were fit in 74 % at twice the share.
 */
#define VALIDATE_EPISODE 50
#define VALIDATE_PHASES	(RUN_MAX_LOADS + 2)	/* idle, each load, all together */

enum phase_state {
	PHASE_MISSING,		/* not measured; because says why, NULL: its turn has not come */
	PHASE_SKIPPED,		/* cannot be measured here; because says why */
	PHASE_DONE,
};

struct validate_phase {
	const char *name;		/* "idle", "@cpu", a command, "all together" */
	const char *load[RUN_MAX_LOADS];
	unsigned int nload;
	char	*file;			/* of its result */
	char	*expected;		/* result.load of that file; NULL: none */
	enum phase_state state;
	char	*because;
	char	undecidable[MEANING_LINE];	/* why its result decides nothing, or "" */
	/* With PHASE_DONE. Of the CPU with the largest bound, of those that exceed if any does: */
	int	 cpu;
	uint64_t over, of;		/* expiries over the budget, missed or lost; all */
	double	 upper;			/* the bound of their share; without any only --miss says it */
	double	 length;		/* of the episode that an expiry of them is in, in the mean */
	bool	 kept;			/* on every CPU */
	bool	 exceeds;		/* on any; neither: it is too short to tell */
	struct result r;
};

enum fitness { FITNESS_UNDECIDED, FITNESS_FIT, FITNESS_NOT };

struct validate {
	/* The question. */
	double	 miss;			/* 0: none may be over */
	const char *dir;
	const char *cpus;		/* NULL: as doctor and run choose */
	const char *load[RUN_MAX_LOADS];
	unsigned int nload;
	const char *load_cpus;		/* NULL: as run chooses */
	char	**options;		/* for run */
	int	 noptions;
	uint64_t duration_ns, period_ns, budget_ns;
	bool	 resume, tune, quiet;
	const char *to_starter;		/* signal:SIG without a process, or NULL */
	pid_t	 starter;		/* the process that it is for */
	/* The answer. */
	struct examination doctor;	/* its CPUs are those of all runs */
	struct validate_phase phase[VALIDATE_PHASES];
	unsigned int n;
	bool	 not_ours;		/* the directory was refused */
	const char *signal;		/* that ended it, or NULL */
};

/*
 * The fewest expiries for a bound of the share below @miss, if none is over and no episode has more
 * than VALIDATE_EPISODE; 1 for 0.
 */
uint64_t validate_windows(double miss);

/* On how many CPUs, in all phases that are not skipped, the share is tested. */
unsigned int validate_tests(const struct validate *v, size_t ncpus);

/*
 * The expiries in a phase with which a machine at half of @miss is fit in 95 %: on all CPUs in all
 * phases, which are @tests, if its episodes have @length >= 1 expiries each.
 */
double validate_windows_half(double miss, unsigned int tests, double length);

/* Makes the phases of the loads. 0 or -ENOMEM, printed. Call validate_free() in any case. */
int  validate_prepare(struct validate *v);
void validate_free(struct validate *v);

/* Judges the result of a phase of @v, which is in @p->r: it is done. */
void validate_take(const struct validate *v, struct validate_phase *p);

/* Likewise of CPU @c alone, in the order of the CPUs: @e of its @of expiries are over, missed or lost. */
void validate_take_cpu(const struct validate *v, struct validate_phase *p, const struct result_cpu *c,
		       const struct episodes *e, uint64_t of);

enum fitness validate_judge(const struct validate *v);

/* The first phase whose result decides nothing: NULL, if none. */
const struct validate_phase *validate_undecidable(const struct validate *v);

/* "fit", "not fit" or "undecided"; and the exit code: 0, 2 or 3, like gate. */
const char *validate_word(enum fitness fit);
enum exit_code validate_exit(enum fitness fit);

/*
 * The phase that did worst: the largest bound if any expiry was over, else the longest
 * response. Of equal ones the first, as idle is the plainest. NULL: none is done.
 */
const struct validate_phase *validate_worst(const struct validate *v);

/*
 * The rules of doctor that @part of @w depends on, and that this machine does not keep:
 * @found takes copies of up to @most of them, which share their texts. Returns their number.
 */
size_t validate_findings(const struct examination *e, const struct tlob_window *w, unsigned int part,
			 struct finding found[], size_t most);

/*
 * Asks doctor, and makes the runs of all phases that are not done. A phase that fails is
 * missing, and says why; without idle the others are not tried. A signal ends it: the
 * phase that ran then is missing. 0 or -errno, printed.
 */
int  validate_carry_out(struct validate *v);

#define OFFENDER_FINDINGS	6	/* that are named with the main offender */

/* The worst window of a phase, and what made it long. */
struct main_offender {
	const struct validate_phase *phase;	/* NULL: no phase is done */
	const struct tlob_window *window;	/* NULL: it was not recorded */
	bool	 known;			/* the parts are measured */
	unsigned int part;
	uint64_t part_ns;
	uint64_t usual_ns;		/* the mean time of the work */
	struct finding finding[OFFENDER_FINDINGS];	/* share their texts with validate.doctor */
	size_t	 nfindings;
};

/* The main offender of phase @p, or of the phase with the longest response. */
void validate_offender_of(struct main_offender *o, const struct validate *v, const struct validate_phase *p);
void validate_offender(struct main_offender *o, const struct validate *v);

/*
 * Texts without a newline, which the caller frees; NULL without memory.
 *
 *	sentence	the verdict
 *	conditions	what it holds for: policy, period, work and so on; "" before the first phase
 *	gaps		what it does not rest on; "" if on all phases
 *	cause		"under @io, CPU 2: 312 us, 62 % in interrupts, the largest eth0 (irq 25)"
 *	why		the same without the place: "62 % in interrupts, ..."; needs a window
 */
char *validate_sentence(const struct validate *v);
char *validate_conditions(const struct validate *v);
char *validate_gaps(const struct validate *v);
char *validate_cause(const struct main_offender *o);
char *validate_why(const struct main_offender *o);

/*
 * The upper bound of the episodes in an hour in a phase that is done, with confidence
 * 1 - VALIDATE_ALPHA / 2, or without an episode 1 - VALIDATE_ALPHA; NAN: no expiry was observed.
 */
double validate_episodes(const struct validate_phase *p);

/* How long a phase of validate_windows_half() is: "1.1 h". Returns @buf. */
const char *validate_half_about(char buf[DURATION_LEN], const struct validate *v, unsigned int tests, double length);

/* The longest step of the clocks of the phases, in ns; 0: not known. */
uint64_t validate_clock(const struct validate *v);

/* What lowers the meaning of its phases: a list for notes_free(). 0 or -ENOMEM. */
int  validate_lowered(const struct validate *v, char ***list);

/* A report for people, one JSON object, a page. 0, -ENOMEM or -EIO. */
int  validate_text(FILE *f, const struct validate *v);
int  validate_json(FILE *f, const struct validate *v);
int  page_validate(FILE *f, const struct validate *v);

#endif /* TLOB_VALIDATE_VALIDATE_H */
