/* SPDX-License-Identifier: GPL-2.0 */
/* What is around a measurement while it runs: --load. */
#ifndef TLOB_RUN_BESIDE_H
#define TLOB_RUN_BESIDE_H

#include <stdbool.h>

#include "load/load.h"

struct cpus;
struct knobs;
struct result;
struct run_config;

struct beside {
	struct loads loads;
};

/* Whether @config asks for what a killed run must not leave behind, and root may record it. */
bool beside_needs_knobs(const struct run_config *config);

/*
 * Starts the loads, and says in @r what they are. Call it before the process has
 * threads. 0 or an error of loads_start(), printed. Call beside_end() in any case.
 */
int beside_begin(struct beside *b, const struct run_config *config,
		 const struct cpus *cpus, struct knobs *k, struct result *r);

/* Whether all is as it was begun; takes no time. 0 or -ECHILD, printed. */
int beside_check(struct beside *b);

/* Ends the loads, before the knobs are restored. 0 or -errno, printed. */
int beside_end(struct beside *b);

#endif /* TLOB_RUN_BESIDE_H */
