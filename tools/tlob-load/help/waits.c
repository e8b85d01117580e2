// SPDX-License-Identifier: GPL-2.0
/* The manual of `tlob-load waits`. */
#include "help/manual.h"
#include "help/shared.h"

static const struct manual_entry backends[] = {
	{ "tlob", "the module" },
	{ "bpf", "BPF programs, no module" },
	{ "auto", "the first of them that can be had here" },
	{ NULL, NULL },
};

static const struct manual_option whose[] = {
	{ "pid", 0, true, "LIST", ARGUMENT_PID, NULL, "waits of all tasks",
	  "of these processes and threads, as in 12,345; at most 32", NULL, NULL },
	{ "cgroup", 0, true, "PATH", ARGUMENT_DIR, NULL, NULL,
	  "of tasks in this control group (v2) and below", NULL, NULL },
	{ "in-windows", 0, true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "waits that begin in a window of the monitor",
	  "attach and libtlob open such windows. Needs the module.", NULL },
	{ "backend", 0, false, "B", ARGUMENT_WORDS, "auto tlob bpf", "auto",
	  "tlob, bpf or auto", NULL, backends },
	{ "threshold", 0, true, "T", ARGUMENT_TEXT, NULL, "50us",
	  "shorter waits have no stack; 1us to 3600s", NULL, NULL },
	{ 0 },
};

static const struct manual_option how_long[] = {
	{ "duration", 'd', true, "T", ARGUMENT_TEXT, NULL, "no limit",
	  "stop after T; 1ms or more", NULL, NULL },
	{ "follow", 0, true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "print the table every second", NULL, NULL },
	{ 0 },
};

static const struct manual_option what_comes_out[] = {
	{ "rows", 'n', true, "N", ARGUMENT_TEXT, NULL, "20",
	  "rows of the table, 1 to 1000", NULL, NULL },
	{ "threads", 0, false, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "a row for each task",
	  "Otherwise tasks whose names are equal, or differ in the digits at their end, are one row. Files have each task.",
	  NULL },
	{ "kernel", 0, false, NULL, ARGUMENT_TEXT, NULL, "both",
	  "only frames of the kernel", NULL, NULL },
	{ "user", 0, false, NULL, ARGUMENT_TEXT, NULL, "both",
	  "only frames of programs", NULL, NULL },
	{ "folded", 0, true, "FILE", ARGUMENT_FILE, NULL, NULL,
	  "folded stacks with microseconds, for flame graphs", "- is stdout.", NULL },
	JSON_OPTION("docs/how-to/waits.md describes it."),
	HTML_OPTION("write a flame graph and the table as a page"),
	HELP_OPTION,
	VERSION_OPTION,
	{ 0 },
};

static const struct manual_section sections[] = {
	{ "Whose waits",
	  "COMMAND is started, and its threads count until it ends. A child of it is another process: --cgroup has both.",
	  whose, NULL, NULL },
	{ "How long", "Without -d until COMMAND ends, or SIGINT.", how_long, NULL, NULL },
	{ "What comes out", NULL, what_comes_out, NULL,
	  "A started COMMAND keeps its stdout, so the table goes to stderr. So it does if a file is -." },
	{ 0 },
};

static const struct manual_entry exits[] = {
	{ "0", "pass" }, { "1", "error" }, { "77", "unsupported here" }, { "129", "usage" },
	{ NULL, NULL },
};

static const struct manual_entry examples[] = {
	{ "tlob-load waits -d 10s", "Which tasks of this machine wait longest?" },
	{ "tlob-load waits --pid 4242 -d 1m --folded waits.folded",
	  "The waits of a process, for a flame graph:" },
	{ "tlob-load waits --threshold 10us -- ./server -p 8080", "Those of a program from its start:" },
	{ NULL, NULL },
};

static const char * const usage[] = { "waits [OPTION]... [COMMAND [ARGUMENT]...]", NULL };

const struct manual manual_waits = {
	.name = "waits",
	.summary = "show which tasks waited longest, where, and who woke them",
	.usage = usage,
	.operands = ARGUMENT_PROGRAM,
	.brief = "Show which tasks waited longest, where, and who woke them. Needs root, or the capabilities for BPF. Programs need neither frame pointers nor debug packages.",
	.more = "A wait lasts from going to sleep to the wake-up. A wait over the threshold has a stack.\n" DURATIONS,
	.sections = sections,
	.exits = exits,
	.examples = examples,
};
