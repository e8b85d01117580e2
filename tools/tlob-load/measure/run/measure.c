// SPDX-License-Identifier: GPL-2.0
/* The run itself: start, records every 50 ms, and what may end it. */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "machine/clocks.h"
#include "machine/timens.h"
#include "report/render.h"
#include "run/checkpoint.h"
#include "run/run.h"
#include "run/sched.h"
#include "util/error.h"
#include "util/signals.h"
#include "util/time.h"

#define DRAIN_MS	50	/* the rings hold 204 ms at the shortest period */
#define CHECK_NS	1000000000ULL

/* Without --checkpoint: when the first is written, and the time between two. */
#define CHECKPOINT_FIRST_NS	600000000000ULL
#define CHECKPOINT_NS		60000000000ULL

int run_arm(struct run *run)
{
	const struct backend *backend = run->backend.backend;

	run->armed = true;
	run->collector.stop.armed_ns = timens_kernel_ns(now_ns());
	if (!stop_on_violation(&run->o) || !backend->stop_at_violation)
		return 0;
	return backend->stop_at_violation(&run->backend);
}

static int start(struct run *run)
{
	int err;

	run->r.started = time(NULL);
	run->r.begin_ns = timens_kernel_ns(now_ns());
	err = limits_read(&run->limits, "", 0, run->o.sched.policy == SCHED_OTHER ?
			  LIMIT_OF_FAIR : LIMIT_OF_RT);
	if (err)
		return fail(err, "out of memory");
	run->boot_ahead = boot_ahead_read();
	collect_starts(&run->collector);
	err = run->backend.backend->start(&run->backend);
	if (err)
		return err;
	run->started = true;
	if (!run->collector.workers)
		err = collect_open(&run->collector);
	/*
	 * Under a heavy load a start takes seconds: they are not part of the run. Each window of
	 * a user thread is, also while it keeps this thread from its CPU.
	 */
	run->start_ns = now_ns();
	if (run->collector.workers)
		workers_go(&run->workers);
	return err ? err : collect_begin(&run->collector);
}

int run_limits(struct run *run)
{
	int err = limits_result(&run->limits, &run->r.limits);

	if (!err && !run->r.limits.by)
		err = sched_limit(&run->r.limits.by, &run->o.sched);
	return err ? fail(err, "out of memory") : 0;
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
 * Asks the kernel whether the workload has ended before the run. Returns as
 * is_over(). @ended: all threads have ended.
 */
static int is_cut(struct run *run, bool ended)
{
	enum collect_cut why;
	int cpu, err;

	err = collect_cut(&run->collector, &why, &cpu);
	if (err)
		return err;
	if (why == CUT_OFFLINE) {
		stopped_by(run, "CPU %d going offline", cpu);
	} else if (why == CUT_POLICY) {
		stopped_by(run, "another process, which changed the policy to %s",
			   run->r.policy_changed);
	} else if (!ended) {
		return 0;
	} else if (run->collector.workers && workers_failed(&run->workers)) {
		return 1;	/* workers_stop() has the error */
	} else if (why == CUT_VIOLATION) {
		/* its record was lost, or the tool would know it */
		return stopped_by(run, "a violation (CPU %d)", cpu);
	} else {
		stopped_by(run, why == CUT_DISABLED ?
			   "another process, which disabled it" :
			   "the end of its threads");
	}
	return fail(-ECANCELED, "the run was cut short by %s",
		    run->r.stopped_by ? run->r.stopped_by : "");
}

/*
 * 0: go on. 1: the run is over; if it ended early, the result has the reason.
 * -ECANCELED: another process, a CPU going offline or a suspend cut it short. @ended: all
 * workers had ended before the last drain, so no record is still to come.
 */
static int is_over(struct run *run, uint64_t elapsed, bool ended)
{
	const struct collector *c = &run->collector;
	const struct run_config *o = &run->o;
	int err = suspend_check(&run->boot_ahead);

	if (err) {
		stopped_by(run, SUSPENDED);
		return err;
	}
	if (c->stop.by)
		return 1;	/* collect_finish() says at which window */
	if (signal_end())
		return stopped_by(run, "%s", signal_name(signal_end()));
	if (progress_ended(&run->progress))
		return stopped_by(run, "the key q");
	if (o->duration_ns && elapsed >= o->duration_ns) {
		err = is_cut(run, false);
		return err ? err : 1;
	}
	/* User threads stop themselves, after exactly this number. */
	if (o->windows && !c->workers && collect_have(c, o->windows))
		return 1;
	if (ended && o->windows && c->workers && collect_made(c, o->windows))
		return 1;
	if (!ended && elapsed < run->next_check_ns)
		return 0;
	run->next_check_ns = elapsed + CHECK_NS;
	return is_cut(run, ended);
}

static int snapshot(struct run *run, uint64_t elapsed)
{
	int err = collect_snapshot(&run->collector);

	if (!err)
		err = run_limits(run);
	if (err)
		return err;
	run->r.duration_ns = elapsed;
	progress_clear(&run->progress);
	render_text(stderr, &run->r, false);
	return fflush(stderr) ? -errno : 0;
}

/* A pipe or a device cannot be replaced. What reads a folder of many hosts expects whole results. */
static void plan_checkpoints(struct run *run)
{
	struct run_config *o = &run->o;

	run->next_checkpoint_ns = UINT64_MAX;
	if (!output_replaces(&run->outputs.at[OUT_JSON]) || (o->has_checkpoint && !o->checkpoint_ns) ||
	    (o->output_dir && !o->has_checkpoint))
		return;
	run->next_checkpoint_ns = o->has_checkpoint ? o->checkpoint_ns :
						      CHECKPOINT_FIRST_NS;
	if (!o->has_checkpoint)
		o->checkpoint_ns = CHECKPOINT_NS;
}

static int write_checkpoint(void *data)
{
	struct run *run = data;

	run_outputs_checkpoint(&run->outputs, &run->o, &run->r);
	return 0;
}

static int take_checkpoint(struct run *run, uint64_t elapsed)
{
	int err;

	run->next_checkpoint_ns = elapsed + run->o.checkpoint_ns;
	run->r.duration_ns = elapsed;
	err = run_limits(run);
	return err ? err : checkpoint(&run->collector,
			  timens_kernel_ns(run->start_ns + elapsed),
			  write_checkpoint, run);
}

int run_measure(struct run *run)
{
	uint64_t elapsed, left;
	bool ended;
	int err;

	err = start(run);
	if (err)
		return err;
	err = progress_begin(&run->progress);
	if (err)
		return err;
	run->begun = true;
	plan_checkpoints(run);
	for (;;) {
		/* Before the drain: threads may end, with records, during it. */
		ended = collect_ended(&run->collector);
		err = attach_profile_take(&run->profile);
		keep_error(&err, collect_drain(&run->collector));
		elapsed = now_ns() - run->start_ns;
		if (!err)
			err = tune_loads_check(&run->tune_loads);
		if (!err)
			err = is_over(run, elapsed, ended);
		if (err)
			break;
		if (!run->armed && collect_have(&run->collector, 1)) {
			err = run_arm(run);
			if (err)
				break;
		}
		if (elapsed >= run->next_checkpoint_ns) {
			err = take_checkpoint(run, elapsed);
			if (err)
				break;
		}
		progress_run(&run->progress, &run->r, elapsed);
		if (signal_snapshot())
			snapshot(run, elapsed);
		left = DRAIN_MS;
		if (run->o.duration_ns &&
		    (run->o.duration_ns - elapsed) / 1000000 < left)
			left = (run->o.duration_ns - elapsed) / 1000000 + 1;
		progress_wait(&run->progress, workers_ended_fd(&run->workers), (int)left);
	}
	progress_end(&run->progress);
	run->r.duration_ns = elapsed;
	return err < 0 ? err : 0;
}
