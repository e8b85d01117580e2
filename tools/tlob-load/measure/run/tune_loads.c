// SPDX-License-Identifier: GPL-2.0
/* Around a measurement while it runs: --tune and --load. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "machine/cpus.h"
#include "machine/knobs.h"
#include "machine/rights.h"
#include "options/run_config.h"
#include "result/result.h"
#include "run/tune_loads.h"
#include "util/error.h"

_Static_assert(RUN_MAX_LOADS <= LOADS_MAX, "all that may be asked for have room");

bool tune_loads_needs_knobs(const struct run_config *config)
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

int tune_loads_list(const struct run_config *config)
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
static int add_settings(struct tune_loads *t, const struct run_config *config)
{
	char why[200];
	unsigned int i;
	int err = 0;

	for (i = 0; i < config->nsetting && !err; i++) {
		/* the options have been checked */
		setting_parse(&t->setting[i], config->setting[i], why, sizeof(why));
		err = setting_add(&t->tune, &t->setting[i]);
	}
	return err ? fail(err, "out of memory") : 0;
}

/* What was named is wanted: a run without it would pass for a run with it. */
static int check_settings(const struct tune_loads *t, const struct run_config *config)
{
	const char *problem;
	unsigned int i;

	for (i = 0; i < config->nsetting; i++) {
		problem = tune_problem(&t->tune, t->setting[i].what);
		if (problem && !tune_has(&t->tune, t->setting[i].what))
			return fail(-ECANCELED, "--setting %s: %s", config->setting[i], problem);
	}
	return 0;
}

/* The rows of --tune, of --setting, or of both. */
static int make_all_rows(struct tune_loads *t, const struct run_config *config, const struct cpus *cpus)
{
	struct cpulist others = cpulist_without(&cpus->housekeeping, &cpus->measured);
	int err = config->tune ? make_rows(&t->tune, cpus, config) :
				 tune_begin(&t->tune, "", &cpus->measured, &others);

	return err ? err : add_settings(t, config);
}

int tune_loads_set(struct tune_loads *t, struct run_config *config, const struct cpus *cpus,
		   struct knobs *k, struct result *r)
{
	int err;

	if (!config->tune && !config->nsetting)
		return 0;
	if (!k->state)
		return fail(-EOPNOTSUPP, "--tune changes settings of the system: run as root");
	err = make_all_rows(t, config, cpus);
	if (!err)
		err = tune_apply(&t->tune, k);
	if (!err)
		err = check_settings(t, config);
	if (err)
		return err;
	if (tune_has(&t->tune, "cpu_dma_latency"))
		config->dma_latency_us = 0;
	if (t->tune.partition && config->workload == WORKLOAD_USER)
		config->cgroup = TUNE_CGROUP;
	r->tune = tune_text(&t->tune);
	if (!r->tune)
		return fail(-ENOMEM, "out of memory");
	r->tune_left_out = tune_problems(&t->tune);
	return 0;
}

int tune_loads_begin(struct tune_loads *t, const struct run_config *config,
		     const struct cpus *cpus, struct knobs *k, struct result *r)
{
	int err;

	if (!config->nload)
		return 0;
	err = loads_start(&t->loads, config->load, config->nload, config->load_cpus,
			  cpus, k);
	if (err)
		return err;
	r->load = loads_text(&t->loads);
	r->load_cpus = strdup(t->loads.cpus);
	if (!r->load || !r->load_cpus)
		err = -ENOMEM;
	else if (!t->loads.cgroup)
		err = result_note(r, "the loads have no cgroup: %s. Their keepers end them",
				  t->loads.no_cgroup);
	return err ? fail(-ENOMEM, "out of memory") : 0;
}

int tune_loads_check(struct tune_loads *t)
{
	return loads_check(&t->loads);
}

int tune_loads_end(struct tune_loads *t, struct knobs *k)
{
	knobs_irqs_back(k);
	tune_free(&t->tune);
	return loads_end(&t->loads);
}
