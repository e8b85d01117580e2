/* SPDX-License-Identifier: GPL-2.0 */
/* Experiments on this machine: each run is a `tlob-load run`, which makes its settings and restores them. */
#ifndef TLOB_TRY_MACHINE_H
#define TLOB_TRY_MACHINE_H

#include "doctor/doctor.h"
#include "report/progress.h"
#include "try/trial.h"
#include "tuning/setting.h"

struct machine {
	struct trial *t;
	struct setting setting[TRY_SETTINGS];
	unsigned int nsettings;
	const char *load[TRY_CONDITIONS];	/* of each condition; NULL: idle */
	const char *load_cpus;		/* NULL: as run chooses */
	const char *backend;		/* that runs choose */
	char	**options;		/* of run */
	int	 noptions;
	struct doctor doctor;		/* has the CPUs */
	struct progress progress;	/* of the runs */
	uint64_t began_ns;		/* the first of them; 0: none yet */
};

extern const struct trial_ops machine_ops;

/*
 * Chooses the CPUs, @cpus or NULL; without any setting those of --tune that the machine lacks. What
 * the machine has already, or lacks, is said and left out. 0; -ENODATA: no setting is left; -errno.
 * Printed. Call doctor_free() in any case.
 */
int machine_prepare(struct machine *m, const char *cpus);

/* Prints what each setting changes. 0 or -errno, printed. */
int machine_print(FILE *f, const struct machine *m);

/* For trial_identify() with a struct machine. */
void machine_put_id(FILE *f, const void *data);

#endif /* TLOB_TRY_MACHINE_H */
