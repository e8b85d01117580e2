// SPDX-License-Identifier: GPL-2.0
/* `tlob-load run`, from the options to the exit code. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/choose.h"
#include "machine/power.h"
#include "machine/rights.h"
#include "machine/timens.h"
#include "options/command.h"
#include "options/environment.h"
#include "options/option_value.h"
#include "report/render.h"
#include "report/report.h"
#include "result/meaning.h"
#include "result/assertion.h"
#include "run/metadata.h"
#include "run/run.h"
#include "run/sched.h"
#include "util/host.h"
#include "util/signals.h"
#include "util/units.h"

/* Fits the defaults to a backend that may do less, and says what was chosen. */
static int choose_backend(struct run *run)
{
	struct run_config *o = &run->o;
	struct backend_run *b = &run->backend;
	char *because;
	int err;

	err = backend_choose(o, &b->backend, &because);
	if (err) {
		free(because);
		return err;
	}
	run->r.backend = strdup(b->backend->name);
	run->r.backend_because = because;
	if (!run->r.backend)
		return fail(-ENOMEM, "out of memory");
	b->as_permitted = !b->backend->changes_system ||
			  (b->backend->without_root && !rights_of_root());
	/* root as well may lack it: in a cgroup without RT runtime, like a container's */
	if (!b->as_permitted)
		return o->has_policy || o->workload == WORKLOAD_KTHREAD ? 0 : sched_fit(o, &run->r);
	/* It touches nothing outside of the process unless it is asked to. */
	if (!o->has_dma_latency)
		o->dma_latency_us = -1;
	return sched_fit(o, &run->r);
}

static int init_progress(struct run *run)
{
	const struct run_config *o = &run->o;

	if (run->on_screen)
		progress_init_top(&run->progress);
	else
		progress_init(&run->progress, o->quiet, o->has_progress, o->progress_ns);
	run->progress.duration_ns = o->duration_ns;
	if (progress_alloc(&run->progress, run->r.ncpus))
		return fail(-ENOMEM, "out of memory");
	run->collector.progress = progress_shows_windows(&run->progress) ? &run->progress : NULL;
	return 0;
}

/* With --waits: before the run, which switches the profiler on. */
static int open_profile(struct run *run)
{
	int err;

	if (!run->o.waits)
		return 0;
	run->collector.name_wait = attach_profile_name;
	run->collector.namer = &run->profile;
	err = control_find(&run->control);
	return err ? err : attach_profile_open(&run->profile, &run->control);
}

/* The functions that --functions names, in this kernel. */
static int expand_functions(struct run *run)
{
	int err;

	if (!run->o.functions.n)
		return 0;
	err = traced_expand(&run->traced, &run->o.functions, "");
	run->o.traced = &run->traced;
	return err;
}

/* Before the process has threads. */
static int start_actions(struct run *run)
{
	const struct backend *b = run->backend.backend;
	const struct actions_setup setup = {
		.config = &run->o.act, .cpus = &run->cpus, .pid = getppid(),
		.trace_dir = run->o.trace && b->trace_dir ? b->trace_dir(&run->backend) : NULL,
		.trace = run->o.trace, .counts = &run->r.actions,
	};

	if (action_has(&run->o.act, ACTION_TRACE) && !setup.trace_dir)
		return fail(-EOPNOTSUPP, "--on-violation trace: the backend %s has no trace here", b->name);
	if (run->o.act.n && !run->o.nstop_on)
		collect_act(&run->collector, &run->actions);
	return actions_start(&run->actions, &setup);
}

static const char *opening(const struct run *run)
{
	return run->backend.backend->opening;
}

/* First, so that every failure after it removes the old files. A name may have the id of the run. */
static int open_outputs(struct run *run)
{
	int err = 0;

	run->r.run_id = host_run_id();
	if (run->o.output_dir) {
		err = host_result_path(&run->named, run->o.output_dir, run->r.run_id);
		run->o.json = run->named;
	}
	return err ? err : run_outputs_open(&run->outputs, &run->o);
}

/* The result and what collects it. Nothing of the machine is changed but by --tune. */
static int prepare_result(struct run *run, int argc, char **argv)
{
	const struct run_config *o = &run->o;
	bool user = o->workload == WORKLOAD_USER;
	char *id = run->r.run_id;
	int err;

	err = result_init(&run->r, run->cpus.list, run->cpus.n);
	run->r.run_id = id;
	if (err)
		return fail(err, "out of memory");
	err = choose_backend(run);
	if (!err)
		err = expand_functions(run);
	if (!err && (!run->backend.as_permitted || tune_loads_needs_knobs(o)))
		err = knobs_begin(&run->knobs, o->wait);
	if (!err)
		err = tune_loads_set(&run->tune_loads, &run->o, &run->cpus, &run->knobs, &run->r);
	if (!err)
		err = metadata_before(&run->r, o, &run->cpus, argc, argv);
	if (!err)
		err = collect_init(&run->collector, &run->backend,
				   user ? &run->workers : NULL);
	if (!err && result_watch(&run->r))
		err = fail(-ENOMEM, "out of memory");
	return err ? err : init_progress(run);
}

/* Applies the settings of the run to the machine. Then doctor looks at it. */
static int prepare_machine(struct run *run)
{
	const struct run_config *o = &run->o;
	int err = cpus_confine(&run->cpus.housekeeping);

	if (err)
		return fail(err, "cannot move the tool to CPU %s: %s",
			    run->r.housekeeping, strerror(-err));
	err = tune_loads_begin(&run->tune_loads, o, &run->cpus, &run->knobs, &run->r);
	if (!err && o->dma_latency_us >= 0)
		err = power_hold_latency(&run->r, o->dma_latency_us, o->has_dma_latency,
					 &run->dma_latency);
	/* After what the run itself sets, before what its backend switches on. */
	if (!err)
		err = run_doctor_begin(&run->doctor, run->r.cpus, (int)o->sched.priority);
	return err ? err : signal_check("preparing the run");
}

/* The backend, and the threads that wait for the begin. */
static int prepare_threads(struct run *run)
{
	const struct run_config *o = &run->o;
	bool user = o->workload == WORKLOAD_USER;
	int err = 0;

	/* A backend goes to measured CPUs when it opens. */
	if (user)
		err = cgroup_open(&run->cgroup, o->cgroup);
	if (!err)
		err = run->backend.backend->open(&run->backend);
	if (!err)
		err = signal_check(opening(run));
	if (!err)
		err = open_profile(run);
	if (!err)
		err = start_actions(run);
	if (!err)
		err = sample_out_start(&run->samples, o, &run->cpus, &run->outputs.at[OUT_SAMPLES]);
	if (!err && o->samples)
		collect_samples(&run->collector, &run->samples);
	collect_names(&run->collector);
	if (!err)
		err = collect_own_count(&run->collector);
	if (!err && user)
		err = workers_start(&run->workers, &run->backend, &run->cgroup);
	if (!err && !o->warm_up)
		err = run_arm(run);
	return err ? err : signal_check("starting the threads");
}

static int prepare(struct run *run, int argc, char **argv)
{
	const struct run_config *o = &run->o;
	char tick[DURATION_LEN];
	int err;

	err = signals_catch();
	if (!err)
		err = open_outputs(run);
	if (!err)
		err = phases_of_work(&run->phases, &run->o);
	if (!err)
		err = cpus_choose(&run->cpus, o->cpus, o->housekeeping);
	if (!err)
		err = prepare_result(run, argc, argv);
	if (err)
		return err;
	progress_starting(&run->progress, opening(run));
	err = prepare_machine(run);
	if (!err)
		err = prepare_threads(run);
	/* The short summary has no notes, and these change what its numbers mean. */
	if (!err && *o->lowered_note && !o->quiet && !run->on_screen)
		warning("%s", o->lowered_note);
	if (!err && run->r.timer_resolution_ns && !o->quiet && !run->on_screen)
		warning(TIMERS_COARSE, duration_prose(tick, run->r.timer_resolution_ns));
	return err;
}

/* The tool notices later that a window stopped the run. */
static void end_at_stop(struct run *run)
{
	uint64_t begin = timens_kernel_ns(run->start_ns);
	uint64_t end = stop_end_ns(&run->collector.stop);

	if (end > begin && end - begin < run->r.duration_ns)
		run->r.duration_ns = end - begin;
}

/* A run that stops has its actions now that the window is known. The others are waited for. */
static int end_actions(struct run *run)
{
	int err = 0;

	if (run->o.act.n && run->r.stopped)
		err = collect_act_at(&run->actions, &run->r, run->r.stopped, run->collector.stop.by->text);
	keep_error(&err, actions_finish(&run->actions, &run->r.notes));
	return err;
}

/* The numbers of a run that failed do not stand for the whole run: compare and gate look here. */
static void stopped_by_error(struct run *run, bool failed)
{
	if (failed && !run->r.stopped_by)
		run->r.stopped_by = strdup("an error (see stderr)");
}

/* Ends the run and completes its result. @failed: an error ended it. */
static int finish(struct run *run, bool failed)
{
	int err = 0;

	/* User threads first, so that their last windows are complete. */
	if (run->collector.workers)
		keep_error(&err, workers_stop(&run->workers));
	keep_error(&err, collect_end(&run->collector));
	keep_error(&err, run->backend.backend->stop(&run->backend));
	keep_error(&err, collect_drain(&run->collector));
	keep_error(&err, collect_finish(&run->collector,
					timens_kernel_ns(run->start_ns +
							 run->r.duration_ns)));
	stopped_by_error(run, failed || err);
	end_at_stop(run);
	keep_error(&err, end_actions(run));
	keep_error(&err, sample_out_finish(&run->samples, &run->r));
	if (!err)
		err = run_limits(run);
	if (!err)
		err = metadata_after(&run->r);
	if (!err)
		err = run_doctor_end(run->doctor, &run->r);
	if (run->outputs.at[OUT_TRACE].f)
		keep_error(&err, run->backend.backend->save_trace(&run->backend,
								  run->outputs.at[OUT_TRACE].f));
	return err;
}

static int release(struct run *run)
{
	int err;

	workers_free(&run->workers);
	collect_free(&run->collector);
	attach_profile_close(&run->profile);
	control_free(&run->control);
	progress_free(&run->progress);
	if (run->backend.backend)
		run->backend.backend->close(&run->backend);
	if (run->dma_latency >= 0)
		close(run->dma_latency);
	run_doctor_free(run->doctor);
	err = tune_loads_end(&run->tune_loads, &run->knobs);
	keep_error(&err, knobs_end(&run->knobs));
	cgroup_close(&run->cgroup);
	limits_free(&run->limits);
	cpus_free(&run->cpus);
	return err;
}

static int write_page(FILE *f, struct result *r)
{
	const char *name = r->label ? r->label : "run";
	const struct report one = { .r = r, .name = &name, .n = 1 };

	return page_results(f, &one);
}

static int write_result(FILE *f, const void *r)
{
	return render_json(f, r);
}

/* From the options in @run->o to the exit code. */
static enum exit_code execute(struct run *run, int argc, char **argv)
{
	enum exit_code code;
	bool measured;
	int err;

	run->dma_latency = -1;
	run->profile = (struct attach_profile)ATTACH_PROFILE_NONE;
	run->knobs.fd = -1;
	run->actions.fd = -1;
	run->samples.fd = run->samples.file = -1;
	run->outputs.page = write_page;
	run->backend = (struct backend_run){
		.config = &run->o, .cpus = &run->cpus, .knobs = &run->knobs,
		.cgroup = &run->cgroup, .r = &run->r,
	};
	collect_warm_up(&run->o);
	err = prepare(run, argc, argv);
	if (!err) {
		err = run_measure(run);
		if (run->started)
			keep_error(&err, finish(run, err));
		if (!err) {
			err = collect_check(&run->collector);
			stopped_by_error(run, err);
		}
	}
	measured = run->begun && run->r.all.windows;
	keep_error(&err, release(run));	/* before the output, which may block */
	if (measured) {
		keep_error(&err, run_outputs_write(&run->outputs, &run->o, &run->r, !err));
		keep_error(&err, sample_out_error(&run->samples));
		keep_error(&err, actions_end(&run->actions, write_result, &run->r));
	}
	sample_out_free(&run->samples);
	actions_free(&run->actions);
	if (!err && !measured)
		err = fail(-ENODATA, "no window was measured");
	code = err ? exit_code_of(err) : verdicts_exit(verdicts_of(&run->r.assertions, &run->r.said));
	assertions_complain(&run->r.assertions);
	run_outputs_drop(&run->outputs, err);
	phases_free(&run->phases);
	traced_free(&run->traced);
	result_free(&run->r);
	free(run->named);
	return code;
}

static enum exit_code run_as(struct run *run, const struct run_config *o, int argc, char **argv)
{
	run->o = *o;
	if (o->functions.list)
		return exit_code_of(functions_list(&run->o.functions));
	if (o->tune_list)
		return exit_code_of(tune_loads_list(o));
	return execute(run, argc, argv);
}

static enum exit_code call(void *config, int argc, char **argv)
{
	struct run run = { 0 };

	return run_as(&run, config, argc, argv);
}

static enum exit_code call_on_screen(void *config, int argc, char **argv)
{
	struct run run = { .on_screen = true };

	return run_as(&run, config, argc, argv);
}

/* The options of the environment come behind ours, so they count. */
static int parse_here(struct run_config *o, struct environment *e, char *err, unsigned int size)
{
	char *argv[ENVIRONMENT_MAX + 4] = { "run" };
	int ret = environment_read(e, &manual_run, environ, 1, argv, err, size), bad;

	environment_forget();
	if (ret)
		return ret;
	argv[1] = "--work=none";
	argv[2] = "--duration=10s";
	memcpy(&argv[3], &e->argv[1], (size_t)e->n * sizeof(argv[0]));
	ret = options_parse_at(&manual_run, o, 3 + e->n, argv, err, size, &bad);
	if (ret)
		environment_explain(e, &manual_run, bad ? bad - 2 : 0, err, size);
	return ret;
}

enum exit_code run_here(void)
{
	struct environment e;
	struct run run = { 0 };
	enum exit_code code;
	char why[1024] = "out of memory", *cpus = NULL;

	if (parse_here(&run.o, &e, why, sizeof(why))) {
		code = exit_code_of(fail(-EUSAGE, "%s", why));
	} else {
		if (!run.o.cpus)
			run.o.cpus = cpus = cpus_but_one();
		code = execute(&run, 0, e.argv);
	}
	free(cpus);
	environment_free(&e);
	return code;
}

const struct command cmd_run = { .manual = &manual_run, .run = call };
const struct command cmd_top = { .manual = &manual_top, .run = call_on_screen };
