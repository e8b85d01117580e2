/* SPDX-License-Identifier: GPL-2.0 */
/* The settings of --tune and --setting and the loads of --load, which a run makes and undoes. */
#ifndef TLOB_RUN_TUNE_LOADS_H
#define TLOB_RUN_TUNE_LOADS_H

#include <stdbool.h>

#include "options/run_config.h"
#include "tuning/load.h"
#include "tuning/setting.h"
#include "tuning/tune.h"

struct cpus;
struct knobs;
struct result;

struct tune_loads {
	struct tune tune;
	struct setting setting[RUN_MAX_SETTINGS];	/* tune has their names */
	struct loads loads;
};

/*
 * Returns whether @config asks for what a killed run must not leave behind, and root may record
 * it.
 */
bool tune_loads_needs_knobs(const struct run_config *config);

/* `--tune=list`: prints what --tune would do. 0 or -errno, printed. */
int tune_loads_list(const struct run_config *config);

/*
 * Makes the settings of --tune and --setting, if @config asks for them, and adapts @config to them: what
 * it holds, and the cgroup of the measured threads. Says in @r what they are. Call it
 * before anything is read from the machine. 0; -EPERM: @k has not begun; -ECANCELED: a --setting
 * cannot be made; -errno. Printed.
 */
int tune_loads_set(struct tune_loads *t, struct run_config *config, const struct cpus *cpus,
		   struct knobs *k, struct result *r);

/*
 * Starts the loads, and says in @r what they are. Call it before the process has
 * threads. 0 or an error of loads_start(), printed. Call tune_loads_end() in any case.
 */
int tune_loads_begin(struct tune_loads *t, const struct run_config *config,
		     const struct cpus *cpus, struct knobs *k, struct result *r);

/* Checks that everything still runs; takes no time. 0 or -ECHILD, printed. */
int tune_loads_check(struct tune_loads *t);

/*
 * Ends the loads, before the knobs are restored, which undoes --tune. Before that, while the
 * loads make interrupts, these go back to their CPUs. 0 or -errno, printed.
 */
int tune_loads_end(struct tune_loads *t, struct knobs *k);

#endif /* TLOB_RUN_TUNE_LOADS_H */
