// SPDX-License-Identifier: GPL-2.0
/* The manual of `tlob-load validate`. */
#include "help/manual.h"
#include "help/shared.h"

static const struct manual_option what_runs[] = {
	{ "cpus", 'c', true, "LIST", ARGUMENT_CPUS, NULL, "isolated CPUs",
	  "CPUs to measure, as in 0,2-5",
	  "If none is isolated: all online ones but the first.", NULL },
	{ "period", 'p', true, "T", ARGUMENT_TEXT, NULL, "1ms",
	  "time between activations; 50us to 1s", NULL, NULL },
	{ "budget", 'b', true, "T", ARGUMENT_TEXT, NULL, "the period",
	  "longest response allowed; 1us to 3600s", NULL, NULL },
	{ "work", 'w', true, "W", ARGUMENT_WORDS, "none spin: elapsed: loops: mem:chase,ws= mem:stream,ws= fpu: syscall: sleep: @",
	  "spin:100us", "work of each activation, as for run", NULL, NULL },
	{ "policy", 0, false, "P", ARGUMENT_WORDS, "fifo: rr: other", "fifo:95",
	  "fifo:P, rr:P or other", NULL, NULL },
	{ "backend", 0, false, "B", ARGUMENT_WORDS, "auto tlob bpf posix", "auto",
	  "tlob, bpf, posix or auto", NULL, NULL },
	{ "tune", 0, true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "change settings for each run and put them back",
	  "As for run. doctor looks before that.", NULL },
	{ 0 },
};

static const struct manual_option phases[] = {
	{ "duration", 'd', true, "T", ARGUMENT_TEXT, NULL, "10m",
	  "length of each phase", NULL, NULL },
	{ "miss", 0, true, "P", ARGUMENT_TEXT, NULL, "none seen",
	  "share of expiries that may be over or missed; 1e-7 to 0.5, or in %",
	  "Kept means: on each CPU its upper bound with 95 % confidence, by Clopper and Pearson, is below P. Without --miss: none was over the budget or missed.", NULL },
	{ "load", 0, true, "COMMAND", ARGUMENT_WORDS, "@cpu @cache @memory @irq @timer @fork @io @net",
	  "all presets", "a load of its own phase, as for run (repeatable)",
	  "A preset whose program is not installed is skipped, which the verdict says.", NULL },
	{ "load-cpus", 0, false, "LIST", ARGUMENT_CPUS, NULL, "measured and housekeeping CPUs",
	  "CPUs for the loads", NULL, NULL },
	{ "dir", 0, true, "DIR", ARGUMENT_DIR, NULL, "tlob-validate",
	  "directory for the results of the phases", NULL, NULL },
	{ "resume", 0, true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "measure only the phases that DIR lacks", NULL, NULL },
	{ 0 },
};

static const struct manual_option what_comes_out[] = {
	{ "html", 0, true, "FILE", ARGUMENT_FILE, NULL, NULL,
	  "write a page; - is stdout", NULL, NULL },
	JSON_OPTION("docs/reference/validation.schema.json describes it."),
	{ "quiet", 'q', false, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "do not say on stderr how it goes", NULL, NULL },
	HELP_OPTION,
	{ 0 },
};

static const struct manual_section sections[] = {
	{ "Workload", NULL, what_runs, NULL, "Other options of run stand behind --." },
	{ "Phases", NULL, phases, NULL, NULL },
	{ "Output", NULL, what_comes_out, NULL, NULL },
	{ 0 },
};

static const struct manual_entry exits[] = {
	{ "0", "fit" }, { "1", "error, or undecided: phases are missing, or no load could run" }, { "2", "not fit" },
	{ "129", "usage" }, { NULL, NULL },
};

static const struct manual_entry examples[] = {
	{ "tlob-load validate --cpus 2-5 --period 250us --budget 250us --work spin:80us --html page.html",
	  "Is this machine fit for that?" },
	{ "tlob-load validate -c 2 -d 1m --miss 1e-4 --load @io --load './mine' --tune",
	  "And tuned, beside these two loads?" },
	{ NULL, NULL },
};

static const char * const usage[] = { "validate [OPTION]... [-- OPTION OF run]...", NULL };

const struct manual manual_validate = {
	.name = "validate",
	.summary = "say whether this machine keeps a budget, idle and under loads",
	.usage = usage,
	.brief = "Ask doctor, then measure the workload idle, under each load, and under all of them together. One verdict: fit if every phase keeps the budget.",
	.sections = sections,
	.exits = exits,
	.examples = examples,
};
