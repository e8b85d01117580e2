// SPDX-License-Identifier: GPL-2.0
/* `tlob-load attach`, from the options to the exit code. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/attach.h"
#include "machine/blocked.h"
#include "machine/timens.h"
#include "options/command.h"
#include "report/progress.h"
#include "report/region.h"
#include "report/render.h"
#include "result/assertion.h"
#include "result/attached.h"
#include "result/tables.h"
#include "util/file.h"
#include "util/printable.h"
#include "util/signals.h"
#include "util/time.h"
#include "util/units.h"
#include "waits/of_windows.h"

#define WAIT_MS		100
#define WAIT_UNWIND_MS	20	/* with --waits: stacks are unwound while their process exists */
#define CHECK_NS	1000000000ULL
#define SCAN_NS		250000000ULL	/* for threads that come later */
#define WAIT_ACTIVATIONS_MS 50	/* records wake no reader: the ring has room for 16384 */
#define ANNOUNCE_NS	1000000000ULL	/* until an open violation is shown */
#define BPF_SKIPPED	"the kernel skipped %" PRIu64 " BPF program invocations; up to %" PRIu64 " windows may be missing or inexact"
#define BPF_UNSEEN	"the kernel did not report %" PRIu64 " context switches of watched threads; their windows are not measured"
#define BPF_UNREAD	"%" PRIu64 " threads may belong to 32-bit or Go programs, whose waits for locks end activations: " THREADS_READ " to find out"
#define BPF_FORGOT	"chains behind waits may end early: the past of %" PRIu64 " tasks made room for others"
#define BPF_NO_CHAIN	"no chains behind waits: they need Linux 5.18 and its counter of preemption"
#define PATIENCE_MS	500	/* the terminal sent its signal also to the program */

/* [OUT_WINDOWS], [OUT_MAPPINGS] are written as they come, by take() and drain(). */
static const struct {
	bool	 at_end;
	enum render_form form;
} outputs[NR_OUTPUTS] = {
	[OUT_JSON] = { true, RENDER_JSON }, [OUT_HTML] = { true, RENDER_HTML },
	[OUT_JUNIT] = { true, RENDER_JUNIT }, [OUT_KTAP] = { true, RENDER_KTAP },
	[OUT_MARKDOWN] = { true, RENDER_MARKDOWN },
};

/* A violation is known when its budget is over, which may be long before it ends. */
static void act(struct attach *a, const struct kept_window *k)
{
	const struct kept_task *task = &k->kept.task;
	const struct tlob_window *w = &k->w;
	char name[PRINTABLE_NAME];
	int err;

	if (!a->o.act.n)
		return;
	/* names that cannot configure a tlob-load which the command starts */
	err = actions_at(&a->actions, &window_record, k, a->r.functions,
			 "TLOB_WINDOW_CONDITION=violations>0\nTLOB_WINDOW_NAME=%s\nTLOB_WINDOW_TID=%u\n"
			 "TLOB_WINDOW_PID=%u\nTLOB_WINDOW_T0_NS=%llu\nTLOB_WINDOW_RESPONSE_NS=%llu\n"
			 "TLOB_WINDOW_BUDGET_NS=%llu\nTLOB_WINDOW_FUNCTION=%s\nTLOB_WINDOW_ENTRY=%s",
			 printable(name, task->comm, sizeof(task->comm)), task->tid, task->tgid, w->t0_ns,
			 w->response_ns, w->budget_ns, k->kept.place.function, k->kept.place.entry);
	keep_error(&a->wait_error, err);
	a->stop = a->stop || action_has(&a->o.act, ACTION_STOP);
}

/* Without --waits a window has its longest sleep, for locks if most of it was for locks; no stack. */
static int name_wait(struct attach *a, const struct tlob_task_window_functions *w,
		     struct attach_wait *wait)
{
	int err = attach_profile_name(&a->profile, &w->wait, wait);

	if (!a->r.waits && w->wait.ns)
		*wait = (struct attach_wait){ .ns = w->wait.ns, .waker = w->wait.waker };
	if (!err && a->bpf && wait->ns && wait->ns == w->wait.ns)
		err = a->bpf->chain(a->bpf_run, wait);
	return err;
}

/* Where in the kernel the task was that made @k late, by the stacks in @late, or NULL. */
static void find_place(struct attach *a, const struct kept_window *k, const struct tlob_late *late,
		       struct kernel_place *to)
{
	struct cause cause;

	*to = (struct kernel_place){ .function = "" };
	if (!late || !attach_cause_of(&a->r, k, &cause))
		return;
	late_names_place(&a->names, &cause, late, to);
	if (late_names_note(&a->names))
		warning("%s", LATE_NAMES_HIDDEN);
}

/* Adds one record to the result and prints its line. @late: the stacks of its window, or NULL. */
static void take(void *data, const union task_record *record, const struct tlob_late *late)
{
	const struct tlob_task_window_functions *w = &record->f;
	struct tlob_task_activation activation = record->a;
	struct tlob_task_window *window = &activation.window;
	struct attach *a = data;
	struct window_functions times;
	const struct window_functions *f = attach_of_threads(a) ? NULL :
		attach_functions_take(&a->functions, &w->functions, &times);
	uint64_t late_before = attach_late(&a->r);
	enum attach_event event;
	struct kept_window k, *worst;
	bool shown;

	if (!a->o.nuntil && w->window.flags & TLOB_TASK_ENDED && attach_of_threads(a) &&
	    go_programs_have(&a->go, w->window.tgid))
		window->flags |= TLOB_TASK_UNCLEAR;
	if (a->o.key && activation.elsewhere_ns > window->largest.ns)
		window->largest = (struct tlob_noise){
			.ns = activation.elsewhere_ns, .kind = TLOB_NOISE_THREAD, .name = BETWEEN_THREADS,
		};
	event = attach_record(&a->r, now_ns(), window, f);
	shown = event == ATTACH_VIOLATION && !a->o.quiet;
	attach_kept(&k, window);
	if (a->o.key) {
		k.kept.task.begun_by = activation.begun_by;
		k.kept.task.elsewhere_ns = activation.elsewhere_ns;
		attach_begun(&a->r, &k, activation.begun_by, activation.elsewhere_ns);
	}
	if (a->out[OUT_WINDOWS].f && event != ATTACH_OTHER)
		region_windows_line(a->out[OUT_WINDOWS].f, &k, a->o.key);
	if (event == ATTACH_UNMEASURED)
		return;
	k.kept.functions = (struct window_functions *)f;
	find_place(a, &k, late, &k.kept.place);
	attach_place(&a->r, &k, &k.kept.place);
	if (a->bpf) {
		k.kept.holder = activation.holder;
		attach_holder(&a->r, &k, &k.kept.holder);
	}
	worst = attach_worst_of(&a->r, &k);
	if (attach_late(&a->r) > late_before)
		act(a, &k);
	if (attach_of_threads(a) && w->window.flags & (TLOB_TASK_ENDED | TLOB_TASK_CUT) &&
	    activations_add(&a->r.attached->activations, &activation))
		keep_error(&a->wait_error, fail(-ENOMEM, "out of memory"));
	if (shown || worst)
		keep_error(&a->wait_error, name_wait(a, w, &k.kept.wait));
	if (shown) {
		region_line(progress_lines(&a->progress, a->text), &a->r, &k);
		a->spoke = true;
	}
	if (worst)
		worst->kept.wait = k.kept.wait;
	else
		attach_wait_clear(&k.kept.wait);
}

/* The module's. */
static void take_record(void *data, const union task_record *record)
{
	take(data, record, NULL);
}

static int take_records(struct attach *a)
{
	int err = attach_profile_take(&a->profile);

	if (a->bpf) {
		a->many = a->bpf->drain(a->bpf_run, take, a);
		a->bpf->count(a->bpf_run, &a->counts);
		a->r.cpu->lost = a->counts.dropped;
		a->r.cpu->unfinished = a->counts.vanished + a->counts.inside;
		return err;
	}
	keep_error(&err, task_ring_drain(&a->ring, take_record, a));
	a->r.cpu->lost = task_ring_dropped(&a->ring);
	return err;
}

static int drain(struct attach *a)
{
	int err = take_records(a);

	keep_error(&err, a->wait_error);
	mappings_take(&a->mappings, a->out[OUT_MAPPINGS].f, a->target.pid);
	if (fflush(a->text) && !err && !broken_pipe_seen())
		err = fail(-errno, "cannot write the output: %s",
			   strerror(errno));
	return err;
}

/* Shows a window that is over its budget and does not end, once: after a time, or @at_end. */
static void announce(struct attach *a, bool at_end)
{
	uint64_t now = now_ns();
	size_t i;

	for (i = 0; i < a->r.attached->nopen && !a->o.quiet; i++) {
		struct attach_open *open = &a->r.attached->at[i];

		if (open->announced ||
		    (!at_end && now - open->seen_ns < ANNOUNCE_NS))
			continue;
		open->announced = true;
		a->spoke = true;
		region_open_line(progress_lines(&a->progress, a->text), &a->r, open, now);
	}
}

/* Threads that have come or gone. The program of a region finds those that come. */
static int scan(struct attach *a)
{
	if (attach_of_threads(a))
		return threads_scan(&a->threads);
	a->bpf->sweep(a->bpf_run);
	return 0;
}

/* 0: continue; 1: it is over; -errno: cut short by another process or a suspend, printed. */
static int is_over(struct attach *a, uint64_t elapsed, bool ended)
{
	int err = suspend_check(&a->boot_ahead);

	if (err) {
		a->r.stopped_by = strdup(SUSPENDED);
		return err;
	}
	if (signal_end()) {
		a->r.stopped_by = strdup(signal_name(signal_end()));
		return 1;
	}
	if (a->stop) {
		a->r.stopped_by = strdup("a violation");
		return 1;
	}
	/* the reader of the violations has seen enough, as with | head */
	if (broken_pipe_seen() && ferror(a->text)) {
		a->r.stopped_by = strdup("SIGPIPE");
		return 1;
	}
	if (ended || (a->o.duration_ns && elapsed >= a->o.duration_ns))
		return 1;
	if (a->bpf && elapsed >= a->next_scan_ns) {
		a->next_scan_ns = elapsed + SCAN_NS;
		err = scan(a);
		if (err)
			return err;
	}
	if (a->bpf || elapsed < a->next_check_ns)
		return 0;
	a->next_check_ns = elapsed + CHECK_NS;
	err = region_check(&a->region);
	if (err)
		a->r.stopped_by = strdup("another process");
	return err;
}

static int wait_ms(const struct attach *a, uint64_t elapsed)
{
	uint64_t left = a->o.waits ? WAIT_UNWIND_MS :
			a->bpf ? WAIT_ACTIVATIONS_MS : WAIT_MS;

	if (a->many)
		return 0;
	if (a->o.duration_ns && elapsed < a->o.duration_ns &&
	    (a->o.duration_ns - elapsed) / 1000000 < left)
		left = (a->o.duration_ns - elapsed) / 1000000 + 1;
	return (int)left;
}

/* A program that was started writes to the same terminal: it would tear a table apart. */
static void init_progress(struct attach *a)
{
	const struct attach_config *o = &a->o;

	progress_init(&a->progress, o->quiet,
		      o->has_progress || !(o->pid || attach_of_threads(a)),
		      o->has_progress ? o->progress_ns : PROGRESS_LINES_NS);
	a->progress.duration_ns = o->duration_ns;
}

/* Of the process, if there is one. A limit of ordinary threads holds no real-time thread. */
static int read_limits(struct attach *a)
{
	int pid = a->process ? a->process : a->target.pid, policy = SCHED_OTHER, err;
	unsigned int of = LIMIT_OF_FAIR | LIMIT_OF_RT;

	if (pid <= 0)
		return 0;
	if (a->o.tid)
		policy = (int)syscall(SYS_sched_getscheduler, a->o.tid) & ~SCHED_RESET_ON_FORK;
	if (a->o.rt || policy == SCHED_FIFO || policy == SCHED_RR)
		of = LIMIT_OF_RT;
	err = limits_read(&a->limits, "", pid, of);
	return err ? fail(err, "out of memory") : 0;
}

/* A SCHED_DEADLINE thread has a limit of its own, and the limits of its group do not hold it. */
static int own_limit(struct attach *a)
{
	struct result_limits *limits = &a->r.limits;
	int tid = a->o.tid ? a->o.tid : a->r.nworst ? (int)a->r.worst[0].kept.task.tid : 0, err;
	char *own = NULL;

	err = tid ? limit_of_thread(&own, tid) : 0;
	if (!own)
		return err;
	free(limits->by);
	*limits = (struct result_limits){ .text = limits->text, .by = own };
	return 0;
}

/* What the limits did. The lines of violations before had none of it. */
static int note_limits(struct attach *a)
{
	char time[DURATION_LEN];
	int err = limits_result(&a->limits, &a->r.limits);

	if (!err && a->r.limits.nr_throttled)
		err = notes_add(&a->r.notes, RESULT_THROTTLED, a->r.limits.by,
				a->r.limits.nr_throttled,
				duration_prose(time, a->r.limits.throttled_ns));
	if (!err)
		err = own_limit(a);
	return err ? fail(err, "out of memory") : 0;
}

static int watch(struct attach *a)
{
	struct pollfd p[] = {
		{ .fd = a->ring.fd, .events = POLLIN },
		{ .fd = a->target.pidfd, .events = POLLIN },
	};
	uint64_t began = now_ns(), elapsed;
	int err;

	init_progress(a);
	a->r.started = time(NULL);
	a->r.attached->began_ns = timens_kernel_ns(began);
	a->boot_ahead = boot_ahead_read();
	err = read_limits(a);
	if (!err)
		err = target_go(&a->target);
	while (!err) {
		/* A process writes its last records before it ends. */
		poll(p, 2, wait_ms(a, now_ns() - began));
		err = drain(a);
		announce(a, false);
		elapsed = now_ns() - began;
		if (!err)
			err = is_over(a, elapsed, p[1].revents);
		if (!err)
			progress_attach(&a->progress, &a->r, elapsed);
	}
	progress_clear(&a->progress);
	a->r.duration_ns = now_ns() - began;
	return err < 0 ? err : 0;
}

/* By BPF: what of a region made no window. */
static void count_region(struct attach *a)
{
	const struct watch_bpf_counts *n = &a->counts;
	struct result_cpu *c = a->r.cpu;

	c->nested = n->nested;
	c->left = n->left;
	c->unmatched = n->unmatched;
	c->no_slot = n->no_slot;
	c->others = n->others;
	c->starts = c->windows + c->unmeasured + c->cut + c->open + c->lost + c->unfinished + c->nested + c->left +
		    c->no_slot + c->others;
	a->r.attached->nother = n->nother;
}

/* Windows that were over their budget, and were left before their stop: nobody knows when. */
static void drop_left(struct attach *a)
{
	const struct kept_window *k;
	size_t i = 0;

	while (a->counts.left && !a->counts.dropped && i < a->r.attached->nopen) {
		k = &a->r.attached->at[i].k;
		if (a->bpf->is_open(a->bpf_run, k->kept.task.tid, k->w.t0_ns))
			i++;
		else
			attach_drop(&a->r, i);
	}
}

/* A thread rests at the end. */
static void take_rest(void *data, const struct watch_rest *rest)
{
	struct blocked_thread blocked;
	struct attach *a = data;

	if (rest->began_ns)
		activations_rests(&a->r.attached->activations, rest->tid, rest->began_ns, rest->now_ns);
	else if (rest->unseen && blocked_now((int)rest->tid, &blocked) &&
		 blocked_add(&a->r.attached->blocked, &a->r.attached->nblocked, &blocked))
		keep_error(&a->wait_error, fail(-ENOMEM, "out of memory"));
}

static int note_blocked(struct attach *a)
{
	char *text;
	int err;

	if (!a->r.attached->nblocked)
		return 0;
	text = blocked_text(a->r.attached->blocked, a->r.attached->nblocked);
	err = text ? notes_add(&a->r.notes, "blocked since before the start: %s", text) : -ENOMEM;
	free(text);
	return err;
}

/* Ends the program while it is still watched, so its last windows count. */
static int finish(struct attach *a)
{
	struct attached *attached = a->r.attached;
	struct result_cpu *c = a->r.cpu;
	int err;

	target_end(&a->target, signal_end() ? PATIENCE_MS : 0, &attached->ended, &attached->status);
	if (a->bpf && attached->ended)
		a->bpf->await_last_switches(a->bpf_run, a->target.pid);
	err = drain(a);
	if (a->bpf && !attach_of_threads(a))
		drop_left(a);
	if (a->bpf && attach_of_threads(a))
		a->bpf->rests(a->bpf_run, take_rest, a);
	announce(a, true);
	progress_clear(&a->progress);
	attach_end(&a->r);
	if (attach_of_threads(a)) {
		c->no_slot = a->threads.refused > a->counts.no_slot ? a->threads.refused : a->counts.no_slot;
		c->starts = c->windows + c->unmeasured + c->cut + c->open + c->lost + c->unfinished + c->no_slot;
		if (!a->o.nuntil)
			c->unclear += activations_elsewhere(&attached->activations);
	} else if (a->bpf) {
		count_region(a);
	}
	if ((a->counts.skipped && notes_add(&a->r.notes, BPF_SKIPPED, a->counts.skipped, a->counts.skipped)) ||
	    (a->counts.unseen && notes_add(&a->r.notes, BPF_UNSEEN, a->counts.unseen)) ||
	    (a->counts.unread && notes_add(&a->r.notes, BPF_UNREAD, a->counts.unread)) ||
	    (a->counts.forgot && notes_add(&a->r.notes, BPF_FORGOT, a->counts.forgot)) ||
	    (a->counts.lacks_chain && notes_add(&a->r.notes, BPF_NO_CHAIN)) ||
	    threads_notes(&a->threads, &a->r.notes) || note_blocked(a))
		keep_error(&err, fail(-ENOMEM, "out of memory"));
	keep_error(&err, note_limits(a));
	keep_error(&err, region_read_counts(&a->region, &a->r));
	keep_error(&err, attach_functions_count(&a->functions, &a->r));
	keep_error(&err, actions_finish(&a->actions, &a->r.notes));
	result_sum_counters(&a->r);
	if (a->mappings.lost)
		warning("--mappings: %" PRIu64 " mapping events were lost: the file may be incomplete",
			a->mappings.lost);
	return err;
}

static int release(struct attach *a)
{
	int err;

	threads_end(&a->threads);
	go_programs_free(&a->go);
	if (a->bpf)
		a->bpf->close(a->bpf_run);
	task_ring_close(&a->ring);
	late_names_end(&a->names);
	mappings_close(&a->mappings);
	attach_profile_close(&a->profile);
	progress_free(&a->progress);
	err = knobs_end(&a->knobs);
	attach_functions_end(&a->functions);
	control_free(&a->control);
	target_free(&a->target);
	limits_free(&a->limits);
	return err;
}

static int print_result(FILE *f, const struct result *r, bool verbose)
{
	int err;

	if (!verbose)
		return render_summary(f, r);
	err = render_summary_head(f, r);
	if (err)
		return err;
	fputc('\n', f);
	return render_text(f, r, true);
}

static bool saw_windows(const struct result *r)
{
	return r->all.windows || r->all.unmeasured || r->all.cut || r->all.open;
}

/* Prints the result and writes the files. @whole: also the files for a CI. */
static int write_outputs(struct attach *a, bool whole)
{
	int err = print_result(a->text, &a->r, a->o.verbose), i;

	if (a->o.output_dir)
		fprintf(a->text, "\nresult  %s\n", a->o.json);
	if (fflush(a->text) && !broken_pipe_seen())
		keep_error(&err, fail(-errno, "cannot write the output: %s",
				      strerror(errno)));
	for (i = 0; i < NR_OUTPUTS; i++) {
		if (!a->out[i].f || (i >= OUT_JUNIT && !whole))
			continue;
		if (outputs[i].at_end)
			keep_error(&err, render_as(a->out[i].f, &a->r, outputs[i].form));
		keep_error(&err, output_commit(&a->out[i]));
	}
	return err;
}

static int write_result(FILE *f, const void *result)
{
	return render_json(f, result);
}

/* A measurement that was cut short has a result, but no verdict for a CI. */
static int report(struct attach *a, bool whole)
{
	int err = assertions_judge(&a->r.assertions, a->o.assertion, a->o.nassertion, &a->r);

	if (err)
		return fail(err, "out of memory");
	if (a->spoke)
		fputc('\n', a->text);
	err = write_outputs(a, whole && saw_windows(&a->r));
	keep_error(&err, actions_end(&a->actions, write_result, &a->r));
	return err;
}

/* The likely reason for no window, from the kernel's counters. */
static const char *why_empty(const struct attach *a)
{
	const struct result_cpu *r = &a->r.all;

	if (attach_of_threads(a))
		return r->no_slot ? "more threads were chosen than can be watched" :
		       "no thread that was chosen ended an activation: did it sleep all the time, or run without a sleep?";
	if (r->others)
		return "only other processes reached the region; use --all to include them";
	if (r->no_slot && a->bpf)
		return "more threads came to --start than can be watched";
	if (r->no_slot)
		return "the kernel had no free slot: raise the module parameter slots";
	if (r->starts)
		return "--start was reached, but --stop never was";
	if (r->unmatched || a->counts.before)
		return "--stop was reached, but --start never was: was that function inlined?";
	return "neither --start nor --stop was reached: was the function inlined or never called, or does the process execute another file?";
}

/* Without any window the command fails, whatever is asserted. */
static int check_windows(const struct attach *a)
{
	const struct result *r = &a->r;
	char *text;
	int err;

	if (saw_windows(r))
		return 0;
	if (r->attached->nblocked) {
		text = blocked_text(r->attached->blocked, r->attached->nblocked);
		err = fail(-ENODATA, "no window was seen: blocked since before the start: %s", text ? text : "");
		free(text);
		return err;
	}
	/* threads that are not there did neither sleep nor run */
	if (attach_of_threads(a) && !a->threads.found)
		return fail(-ENODATA, "no window was seen: no %s found; `ps -eLo pid,tid,cls,comm` lists candidates",
			    r->attached->file);
	return fail(-ENODATA, "no window was seen: %s", why_empty(a));
}

static enum exit_code call(void *config, int argc, char **argv)
{
	struct attach a = {
		.o = *(const struct attach_config *)config,
		.target = TARGET_NONE, .knobs.fd = -1, .ring.fd = -1,
		.profile = ATTACH_PROFILE_NONE, .actions = ACTIONS_NONE,
	};
	bool watched = false;
	enum exit_code code;
	int err;

	if (a.o.functions.list)
		return exit_code_of(functions_list(&a.o.functions));
	err = attach_prepare(&a, argc, argv);
	if (!err) {
		err = watch(&a);
		watched = !err || err == -ECANCELED;
		keep_error(&err, finish(&a));
	}
	keep_error(&err, release(&a));	/* before the output, which may block */
	if (watched)
		keep_error(&err, report(&a, !err));
	if (!err)
		err = check_windows(&a);
	if (!err)
		assertions_complain(&a.r.assertions);
	code = err ? exit_code_of(err) : verdicts_exit(verdicts_of(&a.r.assertions, &a.r.said));
	actions_free(&a.actions);
	outputs_drop(a.out, NR_OUTPUTS, err);
	result_free(&a.r);
	free(a.named);
	attach_functions_free(&a.functions);
	return code;
}

const struct command cmd_attach = { .manual = &manual_attach, .run = call };
