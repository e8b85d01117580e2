// SPDX-License-Identifier: GPL-2.0
/* The backend `tlob`: the module measures, controlled by its files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/status.h"
#include "backend/tlob.h"
#include "backend/tlob_rings.h"
#include "machine/idle.h"
#include "machine/knobs.h"
#include "options/run_config.h"
#include "result/result.h"
#include "util/error.h"

static int change_system(struct backend_run *b)
{
	const struct run_config *o = b->config;
	struct tlob *tlob = tlob_of(b);
	int err = 0;

	if (o->idle_state_set)
		err = idle_limit(b->knobs, b->cpus, o->idle_state);
	if (!err)
		/* osnoise reports how long an interruption took, but not when it began */
		err = osnoise_begin(b->knobs, b->r, b->cpus,
				    o->timeline ? "hooks" : o->noise_source, &tlob->source);
	if (!err)
		err = osnoise_watch_begin(&tlob->osnoise, b->cpus, tlob->source);
	if (!err)
		err = trace_begin(&tlob->trace, b->knobs, o, true);
	return err;
}

static int tlob_open(struct backend_run *b)
{
	struct tlob *tlob = calloc(1, sizeof(*tlob));
	int err;

	if (!tlob)
		return fail(-ENOMEM, "out of memory");
	b->data = tlob;
	tlob->functions_owner = -1;
	err = control_find(&tlob->control);
	if (!err)
		err = configure_check_idle(&tlob->control);
	if (!err)
		err = change_system(b);
	if (!err)
		err = configure(&tlob->control, b->config, b->r->cpus, tlob->source);
	if (!err)
		err = tlob_functions_configure(b);
	return err;
}

static int tlob_status(struct backend_run *b, struct status *s)
{
	struct tlob *tlob = tlob_of(b);
	char *text;
	int err;

	*s = (struct status){ 0 };
	/* once a second, and before the run ends: what others do to the noise source */
	osnoise_look(&tlob->osnoise);
	err = control_read(&tlob->control, "status", &text);
	if (err)
		return err;
	err = status_parse(s, text);
	return err ? fail(err, "%s/status: unknown format: the kernel part does not match this tool",
			  tlob->control.dir) : 0;
}

/* Says so if the osnoise tracer runs, but its events do not arrive. */
static int note_source(struct backend_run *b)
{
	struct status s;
	int err;

	if (strcmp(tlob_of(b)->source, "auto"))
		return 0;
	err = tlob_status(b, &s);
	if (!err && s.noise_source && !strcmp(s.noise_source, "hooks"))
		err = result_note(b->r, "noise source hooks: osnoise events do not arrive on every measured CPU, although the tracer runs");
	status_free(&s);
	return err;
}

/* `enable` is a knob, so that a killed run ends. */
static int tlob_start(struct backend_run *b)
{
	struct tlob *tlob = tlob_of(b);
	char *path;
	int err;

	err = b->config->waits ? tlob_waits_on(b) : 0;
	if (err)
		return err;
	path = control_path(&tlob->control, -1, "enable");
	if (!path)
		return fail(-ENOMEM, "out of memory");
	err = knobs_set(b->knobs, path, "1", "0");
	free(path);
	if (err)
		return control_error(&tlob->control, "enable", "1", err);
	tlob->enabled = true;
	err = tlob_rings_open(&tlob->late, b, "late_windows", sizeof(struct tlob_late_window));
	if (!err && b->config->timeline)
		err = tlob_rings_open(&tlob->timelines, b, "timelines",
				      sizeof(struct tlob_timeline));
	if (!err && b->config->waits)
		err = tlob_rings_open(&tlob->waits, b, "longest_waits", sizeof(struct tlob_run_wait));
	if (!err && b->config->traced)
		err = tlob_functions_open(b);
	return err ? err : note_source(b);
}

static int tlob_stop_at_violation(struct backend_run *b)
{
	struct tlob *tlob = tlob_of(b);
	int err;

	err = trace_stop_at_violation(&tlob->trace);
	return err ? err : control_write(&tlob->control, "stop_on_exceed", "1");
}

static int tlob_stop(struct backend_run *b)
{
	struct tlob *tlob = tlob_of(b);
	int err;

	if (!tlob->enabled)
		return 0;
	err = control_write(&tlob->control, "enable", "0");
	trace_off(&tlob->trace);
	if (!err && osnoise_note(&tlob->osnoise, b->r))
		err = fail(-ENOMEM, "out of memory");
	return err;
}

static int tlob_save_trace(struct backend_run *b, FILE *out)
{
	struct trace_lines lines = { .n = 0 };

	return trace_save(&tlob_of(b)->trace, out, &lines, b->r);
}

static const char *tlob_trace_dir(struct backend_run *b)
{
	return tlob_of(b)->trace.dir;
}

static void tlob_close(struct backend_run *b)
{
	struct tlob *tlob = tlob_of(b);

	if (!tlob)
		return;
	tlob_kthread_close(b);
	tlob_rings_close(tlob->timelines);
	tlob_rings_close(tlob->waits);
	tlob_functions_close(b);
	tlob_rings_close(tlob->late);
	trace_free(&tlob->trace);
	osnoise_watch_end(&tlob->osnoise);
	control_free(&tlob->control);
	free(tlob);
	b->data = NULL;
}

const struct backend backend_tlob = {
	.name = "tlob",
	.changes_system = true,
	.has_noise_source = true,
	.opening = "starting the backend tlob",
	.probe = control_probe,
	.open = tlob_open,
	.start = tlob_start,
	.stop_at_violation = tlob_stop_at_violation,
	.status = tlob_status,
	.stop = tlob_stop,
	.timeline = tlob_timelines_find,
	.late = tlob_late_next,
	.wait = tlob_waits_find,
	.functions = tlob_functions_find,
	.functions_read = tlob_functions_read,
	.save_trace = tlob_save_trace,
	.trace_dir = tlob_trace_dir,
	.close = tlob_close,
	.kthread = &tlob_kthread,
	.thread_open = tlob_thread_open,
	.thread_next = tlob_thread_next,
	.thread_last = tlob_thread_last,
	.thread_close = tlob_thread_close,
};
