// SPDX-License-Identifier: GPL-2.0
/* The options and the manual of `tlob-load waits`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "options/backend_names.h"
#include "options/rows.h"
#include "waits/config.h"
#include "waitspec.h"

#define CONFIG	struct waits_config

/* The kernel's own grammar decides. */
static int read_pids(const struct value *v, void *to)
{
	struct tlob_wait_line line = { .op = TLOB_WAIT_ON };
	const char *s = v->arg;
	int err = tlob_parse_wait_pids(&s, &line);

	if (err || *s)
		return value_error(v, "--%s '%s': give at most %u numbers of processes, as in 12,345",
				   v->option->name, v->arg, TLOB_WAIT_PIDS_MAX);
	*(const char **)to = v->arg;
	return 0;
}

static int read_critical(const struct value *v, void *to)
{
	struct tlob_wait_line line = { .op = TLOB_WAIT_ON };
	const char *s = v->arg;
	int err = tlob_parse_wait_pids(&s, &line);

	if (err || *s || line.nr_pids != 1)
		return value_error(v, "--critical '%s': give the number of one process or thread, as in 12345", v->arg);
	*(const char **)to = v->arg;
	return 0;
}

static int take_side(const struct value *v, enum wait_profile_side side, struct waits_config *o)
{
	if (o->side != PROFILE_BOTH && o->side != side)
		return value_error(v, "--kernel and --user exclude each other: give one, or none for both");
	o->side = side;
	return 0;
}

static int read_kernel(const struct value *v, void *to)
{
	return take_side(v, PROFILE_KERNEL, to);
}

static int read_user(const struct value *v, void *to)
{
	return take_side(v, PROFILE_USER, to);
}

static bool is_stdout(const char *file)
{
	return file && !strcmp(file, "-");
}

static int check(void *config, const struct value *v)
{
	struct waits_config *o = config;

	if (v->nrest)
		o->command = v->rest;
	if (!!o->pids + !!o->cgroup + o->in_windows + !!o->command + !!o->critical > 1)
		return value_error(v, "more than one of COMMAND, --pid, --critical, --cgroup and --in-windows: give one");
	if (o->critical && o->chain == WAITS_CHAIN_OFF)
		return value_error(v, "--critical follows chains: leave --chain off out");
	if (is_stdout(o->folded) + is_stdout(o->json) + is_stdout(o->html) > 1)
		return value_error(v, "--folded, --json and --html would mix on stdout: give only one of them -");
	return 0;
}

static const struct manual_option options[] = {
	{ .title = "Which tasks",
	  .text = "COMMAND is started, and its threads count until it ends. Its children are other processes, which --cgroup includes." },
	{ READ("pid", 0, "LIST", read_pids), .at = AT(const char *, pids), .kind = ARGUMENT_PID,
	  .basic = true, .fallback = "waits of all tasks",
	  .brief = "only these processes or threads, e.g. 12,345; at most 32" },
	{ READ("critical", 0, "PID", read_critical), .at = AT(const char *, critical), .kind = ARGUMENT_PID,
	  .fallback = "no path", .brief = "as --pid, and say who had the time of this process or thread",
	  .more = "While a thread of it runs, that has the time; while none does, the chain behind the next one that runs: who computed, waited for a CPU or slept. Needs BPF. The rows add up to the time." },
	CGROUP_OPTION(.basic = true, .brief = "only tasks in this cgroup (v2) or below it"),
	{ FLAG("in-windows", 0, in_windows), .basic = true,
	  .brief = "waits that begin in a window of the monitor",
	  .more = "attach and libtlob open such windows. Needs the module." },
	{ BACKEND_OF_OTHERS("cannot observe waits"), .fallback = "auto", .brief = "tlob, bpf or auto",
	  .list = ENTRIES(
		{ "tlob", "the module" },
		{ "bpf", "BPF programs, no module" },
		{ "auto", "the first that is available here" }) },
	{ CHOICE("chain", 0, "HOW", "on off", chain, "how"), .fallback = "on",
	  .brief = "with bpf: say what was behind the longest wait of each task; on or off",
	  .more = "Who computed, waited for a CPU or slept meanwhile, and then woke whom, up to the task. This makes switches, wake-ups and interrupts slower." },
	{ DURATION("threshold", 0, threshold_ns, TLOB_WAIT_THRESHOLD_MIN, TLOB_WAIT_THRESHOLD_MAX),
	  .basic = true, .fallback = "50us", .brief = "record no stack for shorter waits; 1us to 3600s" },
	{ .title = "Duration", .text = "Without -d, until COMMAND ends or SIGINT." },
	{ DURATION("duration", 'd', duration_ns, NSEC_PER_MSEC, NO_LIMIT), .basic = true,
	  .fallback = "no limit", .brief = "stop after T; 1ms or more" },
	{ FLAG("follow", 0, follow), .basic = true, .brief = "print the table every second" },
	{ .title = "Output",
	  .after = "A started COMMAND keeps its stdout, so the table goes to stderr. It also does if a file is -." },
	{ COUNT("rows", 'n', "N", rows, 1, 1000), GIVEN(rows_given), .basic = true,
	  .fallback = "up to 20, as the terminal allows", .brief = "rows of the table, 1 to 1000" },
	{ FLAG("threads", 0, threads), .brief = "print a row for each task",
	  .more = "Otherwise tasks whose names differ at most in trailing digits share a row. Files list every task." },
	{ FLAG("idle", 0, idle), .brief = "also show the time that kernel threads wait for work" },
	{ READ("kernel", 0, NULL, read_kernel), .fallback = "both",
	  .brief = "show only kernel frames" },
	{ READ("user", 0, NULL, read_user), .fallback = "both",
	  .brief = "show only user-space frames" },
	{ OUTPUT("folded", 0, folded), .basic = true,
	  .brief = "write folded stacks in microseconds, for flame graphs", .more = "- is stdout." },
	JSON_OPTION(json, "docs/how-to/waits.md describes it."),
	HTML_OPTION(html, "write a flame graph and the table as a page"),
	HELP_OPTION,
	VERSION_OPTION,
	{ 0 },
};

const struct manual manual_waits = {
	.name = "waits",
	.summary = "show which tasks waited longest, where, and who woke them",
	.usage = { "waits [OPTION]... [COMMAND [ARGUMENT]...]" },
	.operands = ARGUMENT_PROGRAM,
	.brief = "Show which tasks waited longest, where, and who woke them. Needs root, or the capabilities for BPF. Programs need neither frame pointers nor debug packages.",
	.more = "A wait lasts from falling asleep to the wake-up. Waits over the threshold have a stack.\n" DURATIONS,
	.options = options,
	.exits = ENTRIES({ "0", "pass" }, { "1", "error" }, { "77", "not supported on this machine" },
			 { "129", "usage error" }),
	.examples = ENTRIES(
		{ "tlob-load waits -d 10s", "Which tasks of this machine wait longest?" },
		{ "tlob-load waits --pid 4242 -d 1m --folded waits.folded",
		  "The waits of a process, for a flame graph:" },
		{ "tlob-load waits --threshold 10us -- ./server -p 8080", "The waits of a program from its start:" }),
	.size = sizeof(CONFIG),
	.defaults = &(const CONFIG){
		.threshold_ns = TLOB_WAIT_THRESHOLD, .rows = 20, .backend = BACKEND_AUTO,
	},
	.options_first = true,		/* then COMMAND begins */
	.check = CALL(check),
};
