// SPDX-License-Identifier: GPL-2.0
/* `tlob-load run`, from the options to the exit code. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/run_options.h"
#include "machine/cgroup.h"
#include "machine/control.h"
#include "machine/cpus.h"
#include "machine/knobs.h"
#include "machine/osnoise.h"
#include "machine/power.h"
#include "machine/signals.h"
#include "result/assertion.h"
#include "result/result.h"
#include "run/collect.h"
#include "run/configure.h"
#include "run/metadata.h"
#include "run/progress.h"
#include "run/trace.h"
#include "run/workers.h"
#include "show/render.h"
#include "util/file.h"
#include "util/random.h"
#include "util/time.h"

#define DRAIN_MS	50	/* the rings hold 204 ms at the shortest period */
#define CHECK_NS	1000000000ULL

struct run {
	struct run_config o;
	struct output json, hist, trace_file;
	struct knobs knobs;
	struct control control;
	struct cpus cpus;
	struct cgroup cgroup;
	struct trace trace;
	struct workers workers;
	struct collector collector;
	struct result r;
	int	dma_latency;		/* fd; -1 */
	const char *source;		/* of noise, as written to the kernel */
	bool	enabled;		/* by us */
	bool	begun;			/* the kernel measures as requested */
	bool	armed;			/* the kernel stops at a violation */
	uint64_t start_ns;
	uint64_t next_check_ns;		/* for CPUs gone offline; since the start */
};

static int open_outputs(struct run *run)
{
	int err;

	err = output_open(&run->json, run->o.json);
	if (!err)
		err = output_open(&run->hist, run->o.hist);
	if (!err)
		err = output_open(&run->trace_file, run->o.trace);
	if (!err && (output_same(&run->json, &run->hist) ||
		     output_same(&run->json, &run->trace_file) ||
		     output_same(&run->hist, &run->trace_file)))
		err = fail(-EUSAGE, "two outputs write to the same file: give each its own");
	return err;
}

static bool stops_on_violation(const struct run_config *o)
{
	unsigned int i;

	for (i = 0; i < o->nstop_on; i++)
		if (condition_violation(&o->stop_on[i]))
			return true;
	return false;
}

/*
 * Tells the kernel to stop the run and freeze the trace at a violation. It must wait
 * for the end of the warm-up, whose violations would stop the run, too.
 */
static int arm(struct run *run)
{
	int err;

	run->armed = true;
	if (!stops_on_violation(&run->o))
		return 0;
	err = trace_stop_at_violation(&run->trace, &run->o);
	return err ? err : control_write(&run->control, "stop_on_exceed", "1");
}

static int change_system(struct run *run)
{
	const struct run_config *o = &run->o;
	int err = 0;

	if (o->idle_state_set)
		err = power_limit_idle(&run->knobs, &run->cpus, o->idle_state);
	if (!err && o->dma_latency_us >= 0)
		err = power_hold_latency(&run->r, o->dma_latency_us,
					 &run->dma_latency);
	if (!err)
		err = osnoise_begin(&run->knobs, &run->r, &run->cpus,
				    o->noise_source, &run->source);
	if (!err)
		err = trace_begin(&run->trace, &run->knobs, o);
	return err;
}

/* User threads calibrate in windows of the warm-up. */
static void make_room_for_calibration(struct run_config *o)
{
	if (o->workload == WORKLOAD_USER && tlob_work_is_fixed(&o->work) &&
	    o->warm_up < CALIBRATION_WINDOWS)
		o->warm_up = CALIBRATION_WINDOWS;
}

static int prepare(struct run *run, int argc, char **argv)
{
	const struct run_config *o = &run->o;
	bool user = o->workload == WORKLOAD_USER;
	int err;

	err = cpus_choose(&run->cpus, o->cpus, o->housekeeping);
	if (!err)
		err = signals_catch();
	if (!err)
		err = knobs_begin(&run->knobs);
	if (!err)
		err = open_outputs(run);
	if (!err)
		err = control_find(&run->control);
	if (!err)
		err = configure_check_idle(&run->control);
	if (err)
		return err;

	err = result_init(&run->r, run->cpus.list, run->cpus.n);
	if (err)
		return fail(err, "out of memory");
	err = metadata_before(&run->r, o, &run->cpus, argc, argv);
	if (!err)
		err = collect_init(&run->collector, &run->r, o, &run->control,
				   user ? &run->workers : NULL);
	if (err)
		return err;
	err = cpus_confine(run->cpus.housekeeping);
	if (err)
		return fail(err, "cannot move the tool to CPU %s: %s",
			    run->r.housekeeping, strerror(-err));
	err = change_system(run);
	if (!err)
		err = configure(&run->control, o, run->r.cpus,
				run->source);
	if (!err && user)
		err = cgroup_open(&run->cgroup, o->cgroup);
	if (!err && user)
		err = workers_start(&run->workers, o, &run->cpus,
				    &run->control, &run->cgroup);
	if (!err && !o->warm_up)
		err = arm(run);
	if (!err && signal_end())
		err = fail(-EINTR, "interrupted before the run began");
	return err;
}

/* `enable` is a knob, so that a killed run ends. */
static int enable(struct run *run)
{
	char *path = control_path(&run->control, -1, "enable");
	int err;

	if (!path)
		return fail(-ENOMEM, "out of memory");
	run->r.started = time(NULL);
	err = knobs_set(&run->knobs, path, "1", "0");
	free(path);
	run->start_ns = now_ns();
	if (err)
		return control_error(&run->control, "enable", "1", err);
	run->enabled = true;
	if (run->collector.workers)
		workers_go(&run->workers);
	else
		err = collect_open(&run->collector);
	return err ? err : collect_begin(&run->collector, run->source);
}

static int stopped_by(struct run *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int stopped_by(struct run *run, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&run->r.stopped_by, fmt, ap) < 0)
		run->r.stopped_by = NULL;
	va_end(ap);
	return 1;
}

/*
 * 0: go on. 1: the run is over; if it ended early, the result has the reason.
 * -ECANCELED: another process or a CPU going offline cut it short. @ended: all
 * workers had ended before the last drain, so no record is still to come.
 */
static int is_over(struct run *run, uint64_t elapsed, bool ended)
{
	const struct collector *c = &run->collector;
	const struct run_config *o = &run->o;
	int cpu, tries;

	if (c->stopped_by)
		return stopped_by(run, "%s (CPU %d, activation %" PRIu64 ")",
				  c->stopped_by->text, c->stopped_cpu,
				  c->stopped_activation);
	if (signal_end())
		return stopped_by(run, "SIG%s", sigabbrev_np(signal_end()));
	if (o->duration_ns && elapsed >= o->duration_ns)
		return 1;
	/* User threads stop themselves, after exactly this number. */
	if (o->windows && !c->workers && collect_have(c, o->windows))
		return 1;
	if (ended && o->windows && c->workers && collect_made(c, o->windows))
		return 1;
	if (!ended && elapsed < run->next_check_ns)
		return 0;
	run->next_check_ns = elapsed + CHECK_NS;
	cpu = cpus_offline(&run->cpus);
	/* Threads leave a CPU that goes offline before it counts as offline. */
	for (tries = 0; ended && cpu < 0 && tries < 10; tries++) {
		poll(NULL, 0, DRAIN_MS);
		cpu = cpus_offline(&run->cpus);
	}
	if (cpu >= 0)
		stopped_by(run, "CPU %d going offline", cpu);
	else if (!ended)
		return 0;
	else if (c->workers && workers_failed(c->workers))
		return 1;	/* workers_stop() has the error */
	else
		stopped_by(run, "another process, which disabled it");
	return fail(-ECANCELED, "the run was cut short by %s",
		    run->r.stopped_by ? run->r.stopped_by : "");
}

static int snapshot(struct run *run, struct progress *progress,
		    uint64_t elapsed)
{
	int err = collect_snapshot(&run->collector);

	if (err)
		return err;
	run->r.duration_ns = elapsed;
	progress_clear(progress);
	render_text(stderr, &run->r, false);
	return fflush(stderr) ? -errno : 0;
}

static int measure(struct run *run)
{
	struct progress progress;
	uint64_t elapsed, left;
	bool ended;
	int err;

	err = enable(run);
	if (err)
		return err;
	run->begun = true;
	progress_init(&progress, run->o.quiet);
	for (;;) {
		/* Before the drain: threads may end, with records, during it. */
		ended = collect_ended(&run->collector);
		err = collect_drain(&run->collector);
		elapsed = now_ns() - run->start_ns;
		if (!err)
			err = is_over(run, elapsed, ended);
		if (err)
			break;
		if (!run->armed && collect_have(&run->collector, 1)) {
			err = arm(run);
			if (err)
				break;
		}
		progress_show(&progress, &run->collector, elapsed);
		if (signal_snapshot())
			snapshot(run, &progress, elapsed);
		left = DRAIN_MS;
		if (run->o.duration_ns &&
		    (run->o.duration_ns - elapsed) / 1000000 < left)
			left = (run->o.duration_ns - elapsed) / 1000000 + 1;
		poll(NULL, 0, (int)left);	/* a signal ends it early */
	}
	progress_clear(&progress);
	run->r.duration_ns = elapsed;
	return err < 0 ? err : 0;
}

/* Ends the run and completes its result. */
static int finish(struct run *run)
{
	int err = 0;

	/* User threads first, so that their last windows are complete. */
	if (run->collector.workers)
		keep_error(&err, workers_stop(&run->workers));
	keep_error(&err, collect_end(&run->collector));
	keep_error(&err, control_write(&run->control, "enable", "0"));
	keep_error(&err, collect_drain(&run->collector));
	keep_error(&err, collect_finish(&run->collector));
	if (!err)
		err = metadata_after(&run->r);
	if (run->trace_file.f)
		keep_error(&err, trace_save(&run->trace, run->trace_file.f));
	return err;
}

static int report(struct run *run)
{
	const struct run_config *o = &run->o;
	bool stdout_taken = run->json.f == stdout || run->hist.f == stdout;
	int err = 0;

	if (run->trace_file.f) {
		run->r.trace_file = strdup(o->trace);
		keep_error(&err, output_commit(&run->trace_file));
	}
	if (!o->quiet)
		keep_error(&err, render_text(stdout_taken ? stderr : stdout,
					     &run->r, true));
	if (run->json.f) {
		keep_error(&err, render_json(run->json.f, &run->r));
		keep_error(&err, output_commit(&run->json));
	}
	if (run->hist.f) {
		keep_error(&err, render_hist(run->hist.f, &run->r));
		keep_error(&err, output_commit(&run->hist));
	}
	if (fflush(stdout))
		keep_error(&err, fail(-errno, "stdout: %s", strerror(errno)));
	return err;
}

static int release(struct run *run)
{
	int err;

	workers_free(&run->workers);
	collect_free(&run->collector);
	trace_free(&run->trace);
	if (run->dma_latency >= 0)
		close(run->dma_latency);
	err = knobs_end(&run->knobs);
	control_free(&run->control);
	cgroup_close(&run->cgroup);
	cpus_free(&run->cpus);
	return err;
}

static enum exit_code call(int argc, char **argv)
{
	struct run run = { .dma_latency = -1, .knobs.fd = -1 };
	enum exit_code code;
	bool measured;
	char line[512];
	int err;

	if (run_options_parse(&run.o, argc, argv, line, sizeof(line)))
		return command_usage(&cmd_run, line);
	if (run.o.help)
		return command_help(&cmd_run);
	if (run.o.version) {
		puts("tlob-load " TLOB_VERSION);
		return EXIT_PASS;
	}
	make_room_for_calibration(&run.o);
	err = prepare(&run, argc, argv);
	if (!err) {
		err = measure(&run);
		if (run.enabled)
			keep_error(&err, finish(&run));
	}
	measured = run.begun && run.r.all.windows;
	keep_error(&err, release(&run));	/* before the output, which may block */
	if (measured)
		keep_error(&err, report(&run));
	code = exit_code_of(err);
	if (!err && !measured)
		code = exit_code_of(fail(-ENODATA, "no window was measured"));
	else if (!err && !assertions_hold(run.o.assertion, run.o.nassertion,
					  &run.r))
		code = EXIT_ASSERTION;
	output_discard(&run.json);
	output_discard(&run.hist);
	output_discard(&run.trace_file);
	result_free(&run.r);
	return code;
}

const struct command cmd_run = {
	.name = "run",
	.summary = "run a real-time workload and account for every nanosecond",
	.help = run_help,
	.run = call,
};
