/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a machine is fit for a workload: what doctor finds, and runs of the workload
 * idle, beside each load, and beside all of them. A phase is one run; its result stays in
 * a directory.
 */
#ifndef TLOB_VALIDATE_VALIDATE_H
#define TLOB_VALIDATE_VALIDATE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/config.h"
#include "doctor/doctor.h"
#include "result/result.h"
#include "util/error.h"

#define VALIDATE_ALPHA	0.05			/* of the bounds */
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
	/* With PHASE_DONE. Of the CPU with the largest bound: */
	int	 cpu;
	uint64_t over, of;		/* expiries over the budget, missed or lost; all */
	double	 upper;			/* the bound of their share */
	bool	 kept;			/* on every CPU */
	struct result r;
};

enum fitness { FITNESS_UNDECIDED, FITNESS_FIT, FITNESS_NOT };

struct validate {
	/* What is asked for. */
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
	/* What was found. */
	struct doctor doctor;
	struct validate_phase phase[VALIDATE_PHASES];
	unsigned int n;
	const char *signal;		/* that ended it, or NULL */
};

/* The fewest expiries of which none is over and the bound of the share is below @miss; 1 for 0. */
uint64_t validate_windows(double miss);

/* Makes the phases of the loads. 0 or -ENOMEM, printed. Call validate_free() in any case. */
int  validate_prepare(struct validate *v);
void validate_free(struct validate *v);

/* Judges the result of a phase, which is in @p->r: it is done. */
void validate_take(struct validate_phase *p, double miss);

enum fitness validate_judge(const struct validate *v);

/* "fit", "not fit" or "undecided"; and the exit code: 0, 2 or 1, as of doctor. */
const char *validate_word(enum fitness fit);
enum exit_code validate_exit(enum fitness fit);

/*
 * The phase that did worst: the largest bound if any expiry was over, else the longest
 * response. Of equal ones the first, as idle is the plainest. NULL: none is done.
 */
const struct validate_phase *validate_worst(const struct validate *v);

/*
 * The rules of doctor that @part of @w depends on, and that this machine does not keep:
 * @found takes up to @most of them. Returns their number.
 */
size_t validate_findings(const struct doctor *d, const struct tlob_window *w, unsigned int part,
			 const struct finding *found[], size_t most);

/*
 * Asks doctor, and makes the runs of all phases that are not done. A phase that fails is
 * missing, and says why; without idle the others are not tried. A signal ends it: the
 * phase that ran then is missing. 0 or -errno, printed.
 */
int  validate_carry_out(struct validate *v);

#endif /* TLOB_VALIDATE_VALIDATE_H */
