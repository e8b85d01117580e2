// SPDX-License-Identifier: GPL-2.0
/* `tlob-load waits`, from the options to the exit code. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <linux/capability.h>

#include "machine/blocked.h"
#include "machine/cgroup.h"
#include "machine/rights.h"
#include "machine/target.h"
#include "options/command.h"
#include "util/file.h"
#include "util/host.h"
#include "util/signals.h"
#include "util/time.h"
#include "waits/config.h"
#include "waits/profile.h"
#include "waits/profile_render.h"
#include "waits/source.h"

/* Copies are unwound while their process still exists. */
#define READ_MS		20
#define FOLLOW_NS	1000000000ULL
#define PATIENCE_MS	500

enum { OUT_FOLDED, OUT_JSON, OUT_HTML, NR_OUTPUTS };

struct waits {
	struct waits_config o;
	struct target target;
	struct wait_scope scope;
	char	*cgroup_dir;		/* of the scope, or NULL */
	struct wait_source source;
	struct wait_profile profile;
	struct critical_path critical;	/* without --critical: not used */
	struct output out[NR_OUTPUTS];
	struct waits_facts facts;
	struct blocked_watch blocked;
	struct blocked_thread *list;	/* of them, those that still are */
	FILE	*text;
	uint64_t began_ns, shown_ns;
};

/* A started program keeps stdout for itself. */
static FILE *text_file(const struct waits_config *o)
{
	bool taken = o->command || (o->json && !strcmp(o->json, "-")) ||
		     (o->html && !strcmp(o->html, "-")) ||
		     (o->folded && !strcmp(o->folded, "-"));

	return taken ? stderr : stdout;
}

static int fill_facts(struct waits *w, int argc, char **argv)
{
	w->facts.command = host_command(argc, argv);
	w->facts.kernel = host_kernel();
	w->facts.machine = host_machine();
	w->facts.scope = w->o.in_windows ? "windows" : w->o.cgroup ? "cgroup" :
			 w->o.pids || w->o.command || w->o.critical ? "pids" : "all";
	if (!w->facts.command || !w->facts.kernel || !w->facts.machine)
		return fail(-ENOMEM, "out of memory");
	return 0;
}

static int hold_command(struct waits *w)
{
	int err;

	if (!w->o.command)
		return 0;
	err = target_find(&w->target, 0, w->o.command[0]);
	return err ? err : target_hold(&w->target, 0, w->o.command[0], w->o.command + 1);
}

/* A number that nobody has would measure nothing, for as long as was asked for. */
static int find_pids(const char *pids)
{
	char *end;
	long pid;

	for (; pids && *pids; pids = *end ? end + 1 : end) {
		pid = strtol(pids, &end, 10);
		if (kill((pid_t)pid, 0) && errno == ESRCH)
			return fail(-ESRCH, "--pid %ld: no such process or thread", pid);
	}
	return 0;
}

static void name_critical(struct critical_path *path, const char *pid)
{
	char comm[64];

	path->pid = (uint32_t)strtoul(pid, NULL, 10);
	snprintf(comm, sizeof(comm), "/proc/%u/comm", path->pid);
	file_read_line(comm, path->comm, sizeof(path->comm));
}

static int choose(struct waits *w)
{
	int err = 0;

	if (w->o.critical)
		name_critical(&w->critical, w->o.critical);
	w->scope = (struct wait_scope){
		.threshold_ns = w->o.threshold_ns, .in_windows = w->o.in_windows,
		.pids = w->o.critical ? w->o.critical : w->o.pids, .critical = w->o.critical ? &w->critical : NULL,
		.chain = w->o.chain == WAITS_CHAIN_ON,
	};
	if (w->o.cgroup)
		err = cgroup_find(w->o.cgroup, &w->cgroup_dir, &w->scope.cgroup);
	w->scope.cgroup_dir = w->cgroup_dir;
	if (!err)
		err = wait_backend_choose(w->o.backend, &w->scope, &w->source.backend);
	if (!err)
		w->facts.backend = w->source.backend->name;
	return err;
}

/* Checks the whole command line before it changes the system. */
static int prepare(struct waits *w, int argc, char **argv)
{
	const char *const path[NR_OUTPUTS] = {
		[OUT_FOLDED] = w->o.folded, [OUT_JSON] = w->o.json, [OUT_HTML] = w->o.html,
	};
	int err;

	w->text = text_file(&w->o);
	/* first, so that every failure after it removes the old files */
	err = outputs_open(w->out, path, NR_OUTPUTS);
	if (!err)
		err = find_pids(w->o.critical ? w->o.critical : w->o.pids);
	if (!err)
		err = choose(w);
	if (!err)
		err = hold_command(w);
	if (!err)
		err = signals_catch();
	if (!err)
		err = fill_facts(w, argc, argv);
	if (!err)
		err = wait_profile_init(&w->profile);
	w->profile.others_barred = !rights_have(CAP_SYS_PTRACE);
	if (!err)
		err = w->source.backend->open(&w->source, &w->scope);
	if (!err) {
		w->scope.pid = w->o.command ? w->target.pid : 0;
		err = w->source.backend->on(&w->source, &w->scope);
	}
	return err;
}

static int read_source(struct waits *w)
{
	int err = w->source.backend->read(&w->source, wait_profile_take_copy, &w->profile);

	if (!err && wait_profile_is_full(&w->profile))
		wait_profile_forget(&w->profile, &w->source.records);
	return err;
}

static int find_blocked(struct waits *w)
{
	free(w->list);
	w->list = NULL;
	w->facts.blocked = NULL;
	w->facts.nblocked = 0;
	if (blocked_since(&w->blocked, &w->list, &w->facts.nblocked))
		return fail(-ENOMEM, "out of memory");
	w->facts.blocked = w->list;
	return 0;
}

static int show(struct waits *w)
{
	char *blocked = w->facts.nblocked ? blocked_text(w->list, w->facts.nblocked) : NULL;
	const struct waits_view view = {
		.blocked = blocked, .critical = w->facts.critical,
		.rows = w->o.rows, .all = w->o.rows_given, .threads = w->o.threads, .idle = w->o.idle,
		.bpf = !strcmp(w->source.backend->name, "bpf"),
	};
	int err = wait_profile_fill(&w->profile, &w->source.records, w->o.side);

	if (err) {
		free(blocked);
		return err;
	}
	err = waits_text(w->text, &w->profile, &view);
	free(blocked);
	keep_error(&err, file_write_error(w->text));
	/* without a reader the profile ends here, but its files are still written */
	if (err && broken_pipe_seen())
		return 0;
	return err ? output_failed(w->text, "the output", err) : 0;
}

static int follow(struct waits *w, uint64_t now)
{
	int err;

	if (!w->o.follow || now - w->shown_ns < FOLLOW_NS)
		return 0;
	w->shown_ns = now;
	err = read_source(w);
	return err ? err : show(w);
}

static int watch(struct waits *w)
{
	struct pollfd p = { .fd = w->target.pidfd, .events = POLLIN };
	uint64_t now;
	int err;

	if (blocked_begin(&w->blocked, w->o.pids))
		return fail(-ENOMEM, "out of memory");
	w->facts.started = time(NULL);
	w->began_ns = now_ns();
	w->shown_ns = w->began_ns;
	err = w->o.command ? target_go(&w->target) : 0;
	while (!err) {
		poll(&p, 1, READ_MS);
		err = w->source.backend->take(&w->source, wait_profile_take_copy, &w->profile);
		if (!err && wait_profile_is_full(&w->profile))
			err = read_source(w);
		now = now_ns();
		if (!err)
			err = follow(w, now);
		if (signal_end() || broken_pipe_seen() || p.revents ||
		    (w->o.duration_ns && now - w->began_ns >= w->o.duration_ns))
			break;
	}
	w->facts.duration_ns = now_ns() - w->began_ns;
	return err;
}

/* Off first: then the last snapshot ends with the time that was asked for. */
static int finish(struct waits *w)
{
	bool ended;
	int status, err;

	err = w->source.backend->off(&w->source);
	if (!err)
		err = read_source(w);
	if (!err)
		err = find_blocked(w);
	w->facts.critical = w->o.critical ? &w->critical : NULL;
	if (w->o.command)
		target_end(&w->target, signal_end() ? PATIENCE_MS : 0, &ended, &status);
	return err;
}

static int report(struct waits *w)
{
	int err = show(w);

	if (w->out[OUT_FOLDED].f) {
		keep_error(&err, waits_folded(w->out[OUT_FOLDED].f, &w->profile));
		keep_error(&err, output_commit(&w->out[OUT_FOLDED]));
	}
	if (w->out[OUT_JSON].f) {
		keep_error(&err, waits_json(w->out[OUT_JSON].f, &w->profile, &w->facts));
		keep_error(&err, output_commit(&w->out[OUT_JSON]));
	}
	if (w->out[OUT_HTML].f) {
		keep_error(&err, waits_page(w->out[OUT_HTML].f, &w->profile, &w->facts));
		keep_error(&err, output_commit(&w->out[OUT_HTML]));
	}
	return err;
}

static void release(struct waits *w)
{
	if (w->source.backend)
		w->source.backend->close(&w->source);
	free(w->critical.row);
	target_free(&w->target);
	wait_profile_free(&w->profile);
	free(w->cgroup_dir);
	free(w->blocked.at);
	free(w->list);
	free((char *)w->facts.command);
	free((char *)w->facts.kernel);
	free((char *)w->facts.machine);
}

static enum exit_code call(void *config, int argc, char **argv)
{
	struct waits w = {
		.o = *(const struct waits_config *)config,
		.target = TARGET_NONE, .source.records = WAIT_RECORDS_NONE,
	};
	int err = prepare(&w, argc, argv);

	if (!err)
		err = watch(&w);
	if (!err)
		err = finish(&w);
	if (!err)
		err = report(&w);
	release(&w);
	outputs_drop(w.out, NR_OUTPUTS, err);
	return exit_code_of(err);
}

const struct command cmd_waits = { .manual = &manual_waits, .run = call };
