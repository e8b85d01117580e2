// SPDX-License-Identifier: GPL-2.0
/* Around a measurement while it runs: --tune and --load. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/cpus.h"
#include "machine/knobs.h"
#include "machine/rights.h"
#include "options/run_config.h"
#include "result/result.h"
#include "run/beside.h"
#include "util/error.h"

_Static_assert(RUN_MAX_LOADS <= LOADS_MAX, "all that may be asked for have room");

bool beside_needs_knobs(const struct run_config *config)
{
	return config->nsetting || ((config->nload || config->tune) && rights_of_root());
}

/* The rows for this machine, without those that other options decide about. */
static int make_rows(struct tune *t, const struct cpus *cpus,
		     const struct run_config *config)
{
	struct cpulist others = cpulist_without(&cpus->housekeeping, &cpus->measured);
	int err = tune_make(t, "", &cpus->measured, &others);

	if (!err && config->has_dma_latency)
		err = tune_leave_out(t, "cpu_dma_latency", "--dma-latency says what to hold");
	if (!err && config->idle_state_set)
		err = tune_leave_out(t, "idle_states", "--idle-state says which are allowed");
	if (!err && config->cgroup)
		err = tune_leave_out(t, "cpuset_partition", "--cgroup names another cgroup");
	return err ? fail(err, "out of memory") : 0;
}

int beside_list(const struct run_config *config)
{
	struct cpus cpus = { 0 };
	struct tune t = { 0 };
	int err = cpus_choose(&cpus, config->cpus, config->housekeeping);

	if (!err)
		err = make_rows(&t, &cpus, config);

	if (!err) {
		err = tune_print(stdout, &t);
		if (err)
			fail(err, "stdout: %s", strerror(-err));
	}
	tune_free(&t);
	cpus_free(&cpus);
	return err;
}

/* Those that the machine has already need no row. */
static int add_settings(struct beside *b, const struct run_config *config)
{
	char why[200];
	unsigned int i;
	int err = 0;

	for (i = 0; i < config->nsetting && !err; i++) {
		/* the options have been checked */
		setting_parse(&b->setting[i], config->setting[i], why, sizeof(why));
		err = setting_add(&b->tune, &b->setting[i]);
	}
	return err ? fail(err, "out of memory") : 0;
}

/* What was named is wanted: a run without it would pass for a run with it. */
static int check_settings(const struct beside *b, const struct run_config *config)
{
	const char *problem;
	unsigned int i;

	for (i = 0; i < config->nsetting; i++) {
		problem = tune_problem(&b->tune, b->setting[i].what);
		if (problem && !tune_has(&b->tune, b->setting[i].what))
			return fail(-ECANCELED, "--setting %s: %s", config->setting[i], problem);
	}
	return 0;
}

/* The rows of --tune, of --setting, or of both. */
static int make_all_rows(struct beside *b, const struct run_config *config, const struct cpus *cpus)
{
	struct cpulist others = cpulist_without(&cpus->housekeeping, &cpus->measured);
	int err = config->tune ? make_rows(&b->tune, cpus, config) :
				 tune_begin(&b->tune, "", &cpus->measured, &others);

	return err ? err : add_settings(b, config);
}

int beside_tune(struct beside *b, struct run_config *config, const struct cpus *cpus,
		struct knobs *k, struct result *r)
{
	char *problems;
	int err;

	if (!config->tune && !config->nsetting)
		return 0;
	if (!k->state)
		return fail(-EOPNOTSUPP, "--tune changes settings of the system: run as root");
	err = make_all_rows(b, config, cpus);
	if (!err)
		err = tune_apply(&b->tune, k);
	if (!err)
		err = check_settings(b, config);
	if (err)
		return err;
	if (tune_has(&b->tune, "cpu_dma_latency"))
		config->dma_latency_us = 0;
	if (b->tune.partition && config->workload == WORKLOAD_USER)
		config->cgroup = TUNE_CGROUP;
	r->tune = tune_text(&b->tune);
	if (!r->tune)
		return fail(-ENOMEM, "out of memory");
	problems = tune_problems(&b->tune);
	if (problems)
		err = result_note(r, "--tune left out: %s", problems);
	free(problems);
	return err ? fail(err, "out of memory") : 0;
}

int beside_begin(struct beside *b, const struct run_config *config,
		 const struct cpus *cpus, struct knobs *k, struct result *r)
{
	int err;

	if (!config->nload)
		return 0;
	err = loads_start(&b->loads, config->load, config->nload, config->load_cpus,
			  cpus, k);
	if (err)
		return err;
	r->load = loads_text(&b->loads);
	r->load_cpus = strdup(b->loads.cpus);
	if (!r->load || !r->load_cpus)
		err = -ENOMEM;
	else if (!b->loads.cgroup)
		err = result_note(r, "the loads have no cgroup: %s. Their keepers end them",
				  b->loads.no_cgroup);
	return err ? fail(-ENOMEM, "out of memory") : 0;
}

int beside_check(struct beside *b)
{
	return loads_check(&b->loads);
}

int beside_end(struct beside *b, struct knobs *k)
{
	knobs_irqs_back(k);
	tune_free(&b->tune);
	return loads_end(&b->loads);
}
