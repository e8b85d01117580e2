// SPDX-License-Identifier: GPL-2.0
/*
 * The backend `bpf`: the exact split without a module. BPF programs on the module's
 * tracepoints move the cursor of the same split.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tracefs.h>

#include "backend/bpf.h"
#include "backend/bpf/shared.h"
#include "backend/grid.h"
#include "backend/status.h"
#include "machine/bpf_load.h"
#include "machine/cpus.h"
#include "machine/idle.h"
#include "machine/knobs.h"
#include "machine/timens.h"
#include "options/run_config.h"
#include "parts.h"
#include "result/result.h"
#include "util/error.h"

#define TIMER_MIGRATION	"/proc/sys/kernel/timer_migration"
/* Two readings of the same clock: of the vDSO, and of the hooks. */
#define CLOCK_TOLERANCE_NS	1000000

/* Refuses what only the module has. */
static int check_config(const struct backend_run *b)
{
	const struct run_config *o = b->config;

	if (strcmp(o->noise_source, "auto") && strcmp(o->noise_source, "hooks"))
		return fail(-EOPNOTSUPP, "--noise-source %s: the backend bpf has hooks only",
			    o->noise_source);
	if (o->idle_state_set && b->as_permitted)
		return fail(-EOPNOTSUPP, "--idle-state needs root%s",
			    geteuid() ? "" : ": the one of this container may not change settings");
	if (b->cpus->list[b->cpus->n - 1] >= TLOB_CELL_CPUS)
		return fail(-EOPNOTSUPP, "CPU %d: the backend bpf measures CPUs 0-%d",
			    b->cpus->list[b->cpus->n - 1], TLOB_CELL_CPUS - 1);
	return 0;
}

/*
 * The timer of a nohz_full CPU is moved to another one, and then t1 is not seen
 * here. On other CPUs the setting changes nothing, so a missing right is a note.
 */
static int pin_timers(struct backend_run *b)
{
	int err = b->as_permitted ? -EPERM :
				    knobs_set(b->knobs, TIMER_MIGRATION, "0", NULL);

	if (!err || err == -ENOENT)
		return 0;
	return result_note(b->r, "%s could not be set to 0 (%s): windows of nohz_full CPUs may be inexact",
			   TIMER_MIGRATION, strerror(-err));
}

static int late_alloc(struct backend_run *b)
{
	bpf_of(b)->nstacks = (unsigned int)b->cpus->list[b->cpus->n - 1] + 1;
	return bpf_late_begin(&bpf_of(b)->late, b->cpus->n);
}

static bool bpf_late(struct backend_run *b, size_t i, struct late_window *to)
{
	return bpf_late_next(&bpf_of(b)->late, i, to);
}

/* Finds bpf_clock_offset, and checks it by two readings around one of the hooks'. */
static int find_clock(struct backend_run *b)
{
	struct bpf *bpf = bpf_of(b);
	int cpu = b->cpus->list[0], err;
	uint64_t before, after, hooks;

	/*
	 * /proc has the offset of our children's namespace, which is ours unless
	 * the process has just left its own. So it is checked here.
	 */
	bpf_clock_offset = (uint64_t)timens_ahead_ns();
	before = tlob_cell_clock();
	err = bpf_object_introduce(bpf, cpu, false);
	after = tlob_cell_clock();
	if (err)
		return fail(err, "cannot run a BPF program: %s", strerror(-err));
	hooks = bpf->cells[cpu].t1;
	if (hooks + CLOCK_TOLERANCE_NS < before || hooks > after + CLOCK_TOLERANCE_NS)
		return fail(-EOPNOTSUPP, "CLOCK_MONOTONIC is not the kernel's: the offset of this time namespace is unknown");
	return 0;
}

/* Without tracefs or the right to it the violations are still recorded. */
static int begin_trace(struct backend_run *b)
{
	const struct run_config *o = b->config;
	const char *lacks = b->as_permitted ? "the events of the kernel need root" :
			    tracefs_tracing_dir() ? NULL : "tracefs cannot be mounted";

	if (!o->trace || !lacks)
		return trace_begin(&bpf_of(b)->trace, b->knobs, o, false);
	if (o->nevents)
		return fail(-EOPNOTSUPP, "--event %s: %s", o->events[0], lacks);
	return result_note(b->r, "the trace has violations only: %s", lacks);
}

/* Found by running a program, on any CPU. A variable that was never written to is no clock. */
static void find_steal(const struct backend_run *b)
{
	struct bpf *bpf = bpf_of(b);

	if (bpf->cells[b->cpus->list[0]].steal_at)
		return;
	bpf->unavailable |= TLOB_STEAL_PARTS;
	bpf_irqs_reason(bpf->irqs.why, "KVM steal time is not available");
}

static int bpf_open(struct backend_run *b)
{
	const struct run_config *o = b->config;
	struct bpf *bpf;
	int err;

	err = check_config(b);
	if (err)
		return err;
	bpf = calloc(1, sizeof(*bpf));
	if (!bpf)
		return fail(-ENOMEM, "out of memory");
	b->data = bpf;
	bpf->counts = calloc(b->cpus->n, sizeof(*bpf->counts));
	if (!bpf->counts)
		return fail(-ENOMEM, "out of memory");
	err = bpf_timelines_alloc(b);
	if (!err)
		err = late_alloc(b);
	if (!err)
		err = bpf_functions_check(b);
	if (!err && o->idle_state_set)
		err = idle_limit(b->knobs, b->cpus, o->idle_state);
	if (!err)
		err = pin_timers(b);
	if (!err)
		err = begin_trace(b);
	if (!err)
		err = bpf_names_read();
	if (!err)
		err = bpf_object_open(bpf);
	if (!err)
		err = find_clock(b);
	if (err)
		return err;
	find_steal(b);
	return bpf_functions_open(b);
}

static int bpf_start(struct backend_run *b)
{
	const struct run_config *o = b->config;
	struct bpf *bpf = bpf_of(b);

	bpf->misses = bpf_object_misses(bpf);
	bpf->grid_start = grid_start(tlob_cell_clock(), o->has_phase, o->phase_ns,
				     grid_tick_ns());
	return bpf_watch_start(b);
}

static int bpf_status(struct backend_run *b, struct status *s)
{
	struct bpf *bpf = bpf_of(b);

	*s = (struct status){
		.state = "enabled", .stopped_cpu = -1, .noise_source = "hooks",
		.unavailable = bpf->unavailable,
		.unavailable_because = *bpf->irqs.why ? bpf->irqs.why : NULL,
		.notes = "nmi: the handlers' time, without the entry's and exit's",
	};
	return grid_status(b, bpf->counts, bpf->grid_start, s);
}

/*
 * The kernel skips a program that would run inside of itself, and counts that. The
 * count does not name the window, so each may be one of any CPU.
 */
static int count_misses(struct backend_run *b)
{
	uint64_t n = bpf_object_misses(bpf_of(b)) - bpf_of(b)->misses;
	size_t i;

	if (!n)
		return 0;
	for (i = 0; i < b->cpus->n; i++)
		b->r->cpu[i].inexact += n;
	return result_note(b->r, "the kernel skipped %" PRIu64 " BPF program invocations: %" PRIu64 " additional windows per CPU are counted as inexact",
			   n, n);
}

static const char *bpf_trace_dir(struct backend_run *b)
{
	return bpf_of(b)->trace.dir;
}

static int bpf_stop(struct backend_run *b)
{
	int err;

	trace_off(&bpf_of(b)->trace);
	err = bpf_watch_stop(b);
	bpf_functions_detach(bpf_of(b));
	keep_error(&err, count_misses(b));
	return err;
}

static void bpf_close(struct backend_run *b)
{
	struct bpf *bpf = bpf_of(b);

	if (!bpf)
		return;
	bpf_watch_free(b);
	bpf_functions_close(b);
	bpf_object_close(bpf);
	bpf_timelines_free(b);
	bpf_late_end(&bpf->late);
	trace_free(&bpf->trace);
	bpf_names_free();
	free(bpf->counts);
	free(bpf);
	b->data = NULL;
}

const struct backend backend_bpf = {
	.name = "bpf",
	.changes_system = true,
	.without_root = true,
	.has_noise_source = true,
	.between = true,
	.opening = BPF_OPENING,
	.probe = bpf_load_probe,
	.open = bpf_open,
	.start = bpf_start,
	.status = bpf_status,
	.stop = bpf_stop,
	.timeline = bpf_timelines_find,
	.late = bpf_late,
	.functions = bpf_functions_find,
	.functions_read = bpf_functions_read,
	.save_trace = bpf_watch_save,
	.trace_dir = bpf_trace_dir,
	.close = bpf_close,
	.thread_open = bpf_thread_open,
	.thread_next = bpf_thread_next,
	.thread_last = bpf_thread_last,
	.thread_close = bpf_thread_close,
};
