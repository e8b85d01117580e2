// SPDX-License-Identifier: GPL-2.0
/* From the options of `tlob-load attach` to the first record. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "attach/attach.h"
#include "backend/choose.h"
#include "backend/status.h"
#include "options/backend_names.h"
#include "report/region.h"
#include "util/error.h"
#include "util/host.h"
#include "util/signals.h"
#include "util/units.h"

static void get_paths(const struct attach_config *o, const char *path[NR_OUTPUTS])
{
	path[OUT_JSON] = o->json;
	path[OUT_HTML] = o->html;
	path[OUT_WINDOWS] = o->windows;
	path[OUT_MAPPINGS] = o->mappings;
	path[OUT_JUNIT] = o->junit;
	path[OUT_KTAP] = o->ktap;
	path[OUT_MARKDOWN] = o->markdown;
}

/* A started program keeps stdout for itself. */
static FILE *text_file(const struct attach_config *o)
{
	const char *path[NR_OUTPUTS];
	bool taken = !o->pid && !threads_are_chosen(o);
	int i;

	get_paths(o, path);
	for (i = 0; i < NR_OUTPUTS; i++)
		taken = taken || (path[i] && !strcmp(path[i], "-"));
	return taken ? stderr : stdout;
}

/* First, so that every failure after it removes the old files. A name may have the id of the run. */
static int open_outputs(struct attach *a)
{
	const char *path[NR_OUTPUTS];
	int err = 0;

	a->r.run_id = host_run_id();
	if (a->o.output_dir)
		err = host_result_path(&a->named, a->o.output_dir, a->r.run_id);
	if (err)
		return err;
	if (a->named)
		a->o.json = a->named;
	get_paths(&a->o, path);
	err = outputs_open(a->out, path, NR_OUTPUTS);
	if (!err && a->out[OUT_WINDOWS].f)
		region_windows_head(a->out[OUT_WINDOWS].f, a->o.key);
	return err;
}

/* Only a running process has mapped files before the events began. */
static int open_mappings(struct attach *a)
{
	int err = a->o.mappings ? mappings_open(&a->mappings) : 0;

	if (!err && a->o.mappings && a->o.pid)
		mappings_before(a->out[OUT_MAPPINGS].f, a->o.pid);
	return err;
}

static void take_source(struct attach *a, const char *name)
{
#ifndef TLOB_LACKS_BPF
	if (!strcmp(name, "bpf"))
		a->bpf = &watch_bpf;
#endif
	(void)a;
	(void)name;
}

/* What of a region only the module has. */
static const char *module_only(const struct attach_config *o)
{
#ifndef __x86_64__
	if (o->waits)
		return "attach --waits";
#endif
	return o->functions.n ? "attach --functions" : NULL;
}

/* What only BPF has. */
static const char *bpf_only(const struct attach *a)
{
	return attach_of_threads(a) ? "threads are" : a->o.key ? "windows of keys are" : NULL;
}

/*
 * Threads have one source. A region has the module where BPF cannot be had, and one line on stderr
 * says why. 0; -EOPNOTSUPP: none can be had; printed.
 */
static int choose_source(struct attach *a)
{
	const char *name = a->o.backend, *only = module_only(&a->o);
	bool any = !strcmp(name, BACKEND_AUTO);
	char why[BACKEND_WHY], why_not[BACKEND_WHY];

	if (!strcmp(name, "tlob") && attach_of_threads(a))
		return fail(-EOPNOTSUPP, "--backend tlob: the module watches regions, not threads: use --backend bpf");
	if (any && only && !attach_of_threads(a))
		return backend_need_tlob(only);
	if (!any) {
		if (backend_probe(name, why, sizeof(why)))
			return fail(-EOPNOTSUPP, "--backend %s: %s", name, why);
		take_source(a, name);
		return 0;
	}
	if (!backend_probe("bpf", why, sizeof(why))) {
		take_source(a, "bpf");
		return 0;
	}
	if (bpf_only(a))
		return fail(-EOPNOTSUPP, "attach: %s watched by BPF: %s", bpf_only(a), why);
	if (backend_probe("tlob", why_not, sizeof(why_not)))
		return fail(-EOPNOTSUPP, "attach: not bpf: %s; not tlob: %s", why, why_not);
	warning("backend tlob, not bpf: %s", why);
	return 0;
}

/* Activations are shown like a region: what is watched, and where windows begin and end. */
static int describe_threads(struct attach *a)
{
	struct attached *r = a->r.attached;

	r->file = threads_text(&a->o);
	r->start.text = strdup("wake-up");
	r->stop.text = threads_rest_text(&a->o);
	r->start.at.nr = r->stop.at.nr = 1;
	return r->file && r->start.text && r->stop.text ? 0 : fail(-ENOMEM, "out of memory");
}

/*
 * --tid and --pid have a process, which ends the watching when it ends. Others have none, nor has
 * a thread of the kernel.
 */
static int find_target(struct attach *a)
{
	if (a->o.tid)
		a->process = threads_process_of(a->o.tid);
	else
		a->process = a->o.pid;
	if (a->process < 0)
		return a->process;
	if (!attach_of_threads(a) || a->process)
		return target_find(&a->target, a->o.tid ? a->o.tid : a->process, a->o.program);
	a->target.program = strdup("");
	return a->target.program ? 0 : fail(-ENOMEM, "out of memory");
}

static int hold_target(struct attach *a)
{
	if (!attach_of_threads(a) || a->process)
		return target_hold(&a->target, a->process, a->o.program, a->o.args);
	return 0;
}

/* Finds both places in PROGRAM, in --library, or in the program of the process. */
static int resolve(struct attach *a)
{
	const struct attach_config *o = &a->o;
	const char *path = o->library;
	char exe[64];

	if (attach_of_threads(a))
		return describe_threads(a);
	snprintf(exe, sizeof(exe), "/proc/%d/exe", o->pid);
	if (!path)
		path = !o->pid ? a->target.program :
		       o->program ? o->program : exe;
	return target_places(a->r.attached, path, o->start, o->stop);
}

static int fill_metadata(struct attach *a, int argc, char **argv)
{
	const struct attach_config *o = &a->o;
	struct attached *to = a->r.attached;
	struct result *r = &a->r;
	char tick[DURATION_LEN];

	r->command = host_command(argc, argv);
	r->kernel = host_kernel();
	r->machine = host_machine();
	r->boot_id = host_boot_id();
	r->machine_id = host_machine_id();
	r->host = host_name();
	to->program = strdup(a->target.program);
	r->deterministic = host_deterministic();
	/* the kernel part sends no window of another thread */
	to->of_threads = attach_of_threads(a);
	to->all = o->all || to->of_threads;
	to->by_deadline = o->by_deadline;
	to->key = o->key ? strdup(o->key) : NULL;
	r->waits = o->waits;
	r->backend = strdup(a->bpf ? "bpf" : "tlob");
	to->started_it = !o->pid && !attach_of_threads(a);
	to->pid = a->target.pid;
	r->budget_ns = o->budget_ns;
	if (!r->command || !r->kernel || !r->machine || !to->program || !r->backend || !o->key != !to->key ||
	    attach_describe(r) || tags_set(&r->tags, &o->tags))
		return fail(-ENOMEM, "out of memory");
	if (!r->deterministic && host_virtual() &&
	    notes_add(&r->notes, HOST_VIRTUAL))
		return fail(-ENOMEM, "out of memory");
	r->timer_resolution_ns = timers_resolution();
	if (!r->timer_resolution_ns)
		return 0;
	duration_prose(tick, r->timer_resolution_ns);
	if (!o->quiet)
		warning(TIMERS_COARSE, tick);
	if (notes_add(&r->notes, TIMERS_COARSE, tick))
		return fail(-ENOMEM, "out of memory");
	return 0;
}

/* Reads what the kernel says about its clock. */
static int read_clock(struct attach *a)
{
	struct status s = { 0 };
	char *text;
	int err = control_read(&a->control, "status", &text);

	if (err)
		return err;
	err = status_parse(&s, text);
	if (err)
		err = fail(err, "%s/status: unknown format: the kernel part does not match this tool",
			   a->control.dir);
	result_set_clock(&a->r, s.clock_resolution_ns);
	if (!err && s.clock_resolution_ns > 1)
		err = notes_add(&a->r.notes, RESULT_CLOCK_STEPS, s.clock_resolution_ns);
	status_free(&s);
	return err;
}

/* Returns the format that has all that the records must have. */
static enum tlob_format ring_format(const struct attach_config *o)
{
	return o->functions.n ? TLOB_FORMAT_FUNCTIONS :
	       o->waits ? TLOB_FORMAT_WAIT : TLOB_FORMAT_WINDOW;
}

static int start_actions(struct attach *a)
{
	const struct actions_setup setup = {
		.config = &a->o.act, .pid = a->target.pid, .counts = &a->r.actions,
	};

	return actions_start(&a->actions, &setup);
}

static int watch_threads(struct attach *a)
{
	int err;

	if (!attach_of_threads(a))
		return 0;
	a->threads.bpf = a->bpf;
	a->threads.bpf_run = a->bpf_run;
	err = threads_begin(&a->threads, &a->o);
	if (!err)
		err = threads_scan(&a->threads);
	if (!err && !a->threads.found)
		warning("no %s yet: those that start later are watched", a->r.attached->file);
	return err;
}

/* By the module: from its control files to the monitor, which is on then. */
static int open_module(struct attach *a)
{
	int err = control_find(&a->control);

	if (!err)
		err = read_clock(a);
	if (!err)
		err = attach_functions_find(&a->functions, &a->r, &a->o.functions);
	a->region.control = &a->control;
	if (!err)
		err = region_bind(&a->region, &a->control, &a->knobs, &a->r);
	if (!err)
		err = task_ring_open(&a->ring, ring_format(&a->o));
	if (!err && a->o.waits)
		err = attach_profile_open(&a->profile, &a->control);
	if (!err && a->o.waits)
		err = region_profile_waits(&a->region, &a->knobs);
	if (!err)
		err = attach_functions_begin(&a->functions, &a->control, &a->knobs);
	if (!err)
		err = task_ring_listen(&a->ring, a->region.name);
	return err ? err : region_enable(&a->region, &a->knobs);
}

static int open_bpf(struct attach *a)
{
	int err = a->bpf->open(&a->bpf_run, &a->o, attach_of_threads(a) ? NULL : a->r.attached);

	return err || !a->o.waits ? err : a->bpf->begin_waits(a->bpf_run, &a->profile);
}

int attach_prepare(struct attach *a, int argc, char **argv)
{
	int err;

	a->text = text_file(&a->o);
	if (attach_begin(&a->r))
		return fail(-ENOMEM, "out of memory");
	a->r.attached->unmeasured_most = (uint64_t)(a->o.inexact * 1e6 + 0.5);
	/* what was typed goes before what the machine lacks */
	err = open_outputs(a);
	if (!err)
		err = find_target(a);
	if (!err)
		err = resolve(a);
	if (!err)
		err = choose_source(a);
	if (!err)
		err = hold_target(a);
	if (!err)
		err = signals_catch();
	if (!err)
		err = start_actions(a);
	if (!err)
		err = fill_metadata(a, argc, argv);
	/* programs end with this process: there is nothing to put back */
	if (!err && !a->bpf)
		err = knobs_begin(&a->knobs, a->o.wait);
	if (!err)
		err = open_mappings(a);
	if (!err)
		err = a->bpf ? open_bpf(a) : open_module(a);
	if (!err)
		err = watch_threads(a);
	if (!err && signal_end())
		err = fail(-EINTR, "interrupted by %s before the first window", signal_name(signal_end()));
	return err;
}
