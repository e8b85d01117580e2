// SPDX-License-Identifier: GPL-2.0
/* Facts about the machine and the run, and notes for readers of the result. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "machine/clocks.h"
#include "machine/cpus.h"
#include "machine/power.h"
#include "options/run_config.h"
#include "result/result.h"
#include "run/metadata.h"
#include "run/phases.h"
#include "run/sched.h"
#include "run/tuning_facts.h"
#include "util/error.h"
#include "util/host.h"
#include "util/units.h"

static int note_circumstances(struct result *r, const struct run_config *config,
			      const struct cpus *cpus)
{
	char tick[DURATION_LEN];
	int err = 0;

	r->timer_resolution_ns = timers_resolution();
	if (r->timer_resolution_ns)
		err = result_note(r, TIMERS_COARSE, duration_prose(tick, r->timer_resolution_ns));
	if (!err && cpulist_meet(&cpus->measured, &cpus->housekeeping))
		err = result_note(r, "housekeeping and measured CPUs overlap: the tool also runs on measured CPUs");
	if (!err && !r->deterministic && host_virtual())
		err = result_note(r, HOST_VIRTUAL);
	if (!err)
		err = sched_note_throttling(r, config);
	if (!err)
		err = power_note_governor(r, cpus);
	if (!err && config->workload == WORKLOAD_USER && !strcmp(r->backend, "tlob"))
		err = result_note(r, "on_cpu includes the read() that ends a window");
	if (!err && config->windows && config->workload == WORKLOAD_KTHREAD)
		err = result_note(r, "kernel threads stop once every CPU has %" PRIu64 " windows: some CPUs have more",
				  config->windows);
	return err;
}

int metadata_before(struct result *r, const struct run_config *config,
		    const struct cpus *cpus, int argc, char **argv)
{
	int err;

	r->kernel = host_kernel();
	r->command = host_command(argc, argv);
	r->machine = host_machine();
	r->host = host_name();
	r->boot_id = host_boot_id();
	r->machine_id = host_machine_id();
	err = tags_set(&r->tags, &config->tags);
	r->label = config->label ? strdup(config->label) : NULL;
	r->workload = strdup(config->workload == WORKLOAD_USER ? "user" : "kthread");
	r->work = strdup(config->phases ? config->phases->text : config->work_text);
	r->policy = strdup(config->policy);
	r->cpus = cpulist_format(&cpus->measured);
	r->housekeeping = cpulist_format(&cpus->housekeeping);
	r->period_ns = config->period_ns;
	r->budget_ns = config->budget_ns;
	r->align_ns = config->align_ns;
	r->has_phase = config->has_phase;
	r->phase_ns = config->phase_ns;
	r->hw_threshold_ns = config->hw_threshold_ns;
	r->deterministic = host_deterministic();
	/* Samples cost memory. Comparisons use them, but only of runs with a seed. */
	r->keeps_exact = r->deterministic && cpus->n == 1 && config->has_seed;
	r->has_seed = config->has_seed;
	r->seed = config->seed;
	if (!err && r->kernel && r->command && r->machine && r->host && r->backend &&
	    (r->label || !config->label) &&
	    r->workload && r->work && r->policy && r->cpus && r->housekeeping)
		err = tuning_read(r, cpus);
	else
		err = -ENOMEM;
	if (!err)
		err = note_circumstances(r, config, cpus);
	return err ? fail(err, "out of memory") : 0;
}

int metadata_after(struct result *r)
{
	const struct result_cpu *c;
	char time[DURATION_LEN];
	int err = 0;
	size_t i;

	if (r->limits.nr_throttled)
		err = result_note(r, RESULT_THROTTLED, r->limits.by, r->limits.nr_throttled,
				  duration_prose(time, r->limits.throttled_ns));
	if (!err && r->policy_changed)
		err = result_note(r, "not measured with policy %s: another process changed it to %s",
				  r->policy, r->policy_changed);
	for (i = 0; i < r->ncpus && !err; i++) {
		c = &r->cpu[i];
		if (c->demand_ns && c->demand_spread_ns > c->demand_ns / 20)
			err = result_note(r, "CPU %d: the calibration runs differ by %" PRIu64 " %%: the demand is uncertain",
					  c->cpu, 100 * c->demand_spread_ns /
					  c->demand_ns);
	}
	return err ? fail(err, "out of memory") : 0;
}
