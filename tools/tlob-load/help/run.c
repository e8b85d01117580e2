// SPDX-License-Identifier: GPL-2.0
/* The manual of `tlob-load run`. */
#include "functions/presets.h"
#include "help/manual.h"
#include "help/shared.h"
#include "load/presets.h"
#include "parts.h"

/* " irq softirq ...": the parts of one phase, from the list of all. */
#define WAKE_PART(PHASE, NAME, phase, name, ...)	WAKE_OF_##PHASE(#name)
#define WAKE_OF_WAKE(name)	" " name
#define WAKE_OF_WORK(name)
#define WORK_PART(PHASE, NAME, phase, name, ...)	WORK_OF_##PHASE(#name)
#define WORK_OF_WAKE(name)
#define WORK_OF_WORK(name)	" " name

static const struct manual_entry kinds_of_work[] = {
	{ "none", "no work" },
	{ "spin:T", "loop for T of its own CPU time" },
	{ "elapsed:T", "loop for T of wall time" },
	{ "loops:N", "N rounds of a fixed computation" },
	{ "mem:chase,ws=SIZE[,n=N][,node=K]", "dependent loads" },
	{ "mem:stream,ws=SIZE[,n=N][,node=K]", "passes over SIZE" },
	{ "fpu:N", "N rounds of floating point; user threads only, like the next ones" },
	{ "syscall:N", "N system calls that do nothing" },
	{ "sleep:T", "sleep for T" },
	{ "@FILE", "the phases that FILE lists, one after the other: docs/reference/phases.schema.json" },
	{ NULL, NULL },
};

static const struct manual_option what_runs[] = {
	{ "cpus", 'c', true, "LIST", ARGUMENT_CPUS, NULL, "the affinity mask",
	  "CPUs to measure, as in 0,2-5",
	  "With all: every CPU that is online.", NULL },
	{ "housekeeping", 0, false, "LIST", ARGUMENT_CPUS, NULL, "all but the measured",
	  "CPUs for the tool itself", NULL, NULL },
	{ "cgroup", 0, false, "PATH", ARGUMENT_DIR, NULL, "none",
	  "cgroup v2 for the measured threads", NULL, NULL },
	{ "period", 'p', true, "T", ARGUMENT_TEXT, NULL, "1ms",
	  "time between activations; 50us to 1s", NULL, NULL },
	{ "budget", 'b', true, "T", ARGUMENT_TEXT, NULL, "the period",
	  "longest response allowed; 1us to 3600s", NULL, NULL },
	{ "work", 'w', true, "W", ARGUMENT_WORDS, "none spin: elapsed: loops: mem:chase,ws= mem:stream,ws= fpu: syscall: sleep: @",
	  "spin:100us", "work of each activation",
	  "SIZE is 4K to 1G.",
	  kinds_of_work },
	{ "workload", 0, false, "NAME", ARGUMENT_WORDS, "user kthread", "user",
	  "user (threads of the tool) or kthread", NULL, NULL },
	{ "policy", 0, true, "P", ARGUMENT_WORDS, "fifo: rr: other deadline:", "fifo:95",
	  "fifo:P or rr:P (P 1 to 99), or other",
	  "For kthread also deadline:RUNTIME/DEADLINE/PERIOD.", NULL },
	{ "align", 0, false, "T", ARGUMENT_TEXT, NULL, "0",
	  "start the grid of each CPU T after the grid of the CPU before it; 0 to 1s",
	  NULL, NULL },
	{ "phase", 0, false, "T", ARGUMENT_TEXT, NULL, "any",
	  "start the grid T after a tick; 0 to 1s", NULL, NULL },
	{ 0 },
};

static const struct manual_option how_long[] = {
	{ "duration", 'd', true, "T", ARGUMENT_TEXT, NULL, "no limit",
	  "stop after T; one period or more", NULL, NULL },
	{ "windows", 'n', true, "N", ARGUMENT_TEXT, NULL, "no limit",
	  "stop after N windows on each CPU",
	  "Kernel threads may run a few more.", NULL },
	{ "warm-up", 0, false, "N", ARGUMENT_TEXT, NULL, "0",
	  "leave out the first N windows of each CPU; 0 to 1000000",
	  "Fixed work in user threads: at least 6.", NULL },
	{ "seed", 0, false, "N", ARGUMENT_TEXT, NULL, "none",
	  "draw --phase from N, 0 to 10ms",
	  "Runs with other seeds have other phases, and a run can be repeated.", NULL },
	{ "stop-on", 0, true, "COND", ARGUMENT_TEXT, NULL, NULL,
	  "stop at the first window that meets COND",
	  "COND is METRIC OP T, as in 'wake>50us', or 'violations>0'. Repeatable.", NULL },
	{ 0 },
};

static const struct manual_entry backends[] = {
	{ "tlob", "the module" },
	{ "bpf", "BPF programs, no module" },
	{ "posix", "no privilege; no irq and no PART" },
	{ "auto", "the first of them that can be had here" },
	{ NULL, NULL },
};

#define FUNCTION_PRESET_ENTRY(name, words, reason)	{ "@" name, reason },
const struct manual_entry function_preset_entries[] = {
	FUNCTION_PRESETS(FUNCTION_PRESET_ENTRY) { NULL, NULL }
};

static const struct manual_option how_measured[] = {
	{ "backend", 0, false, "B", ARGUMENT_WORDS, "auto tlob bpf posix", "auto",
	  "tlob, bpf, posix or auto", NULL, backends },
	{ "noise-source", 0, false, "S", ARGUMENT_WORDS, "auto osnoise hooks both", "auto",
	  "auto, osnoise, hooks, or both to compare them",
	  "rtla timerlat cannot start beside osnoise; hooks leave it alone.", NULL },
	FUNCTIONS_OPTION(" At most 50 with the backend bpf, none with posix;"),
	{ "hw-threshold", 0, false, "T", ARGUMENT_TEXT, NULL, "5us",
	  "longer unexplained gaps count as hardware; 100ns to 1s", NULL, NULL },
	{ "idle-state", 0, false, "N", ARGUMENT_TEXT, NULL, "no change",
	  "deepest idle state allowed; 0 to 9", NULL, NULL },
	{ "dma-latency", 0, false, "T", ARGUMENT_WORDS, "off 0", "0; posix: off",
	  "hold /dev/cpu_dma_latency at T, or off; 0 to 2147483647us",
	  "T is in whole microseconds.", NULL },
	{ 0 },
};

#define PRESET_ENTRY(name, stresses, made_of)	{ "@" name, stresses " (" made_of ")" },
static const struct manual_entry presets[] = { LOAD_PRESETS(PRESET_ENTRY) { NULL, NULL } };

static const struct manual_entry tunings[] = {
	{ "cpu_dma_latency", "held at 0: no CPU sleeps deeply" },
	{ "idle_states", "states below C1 are disabled on measured CPUs" },
	{ "governor", "performance on measured CPUs" },
	{ "irq_affinity", "interrupts of devices leave measured CPUs, new ones avoid them" },
	{ "workqueues", "unbound kernel work leaves them" },
	{ "timer_migration", "off: timers stay where they were armed" },
	{ "cpuset_partition", "an isolated partition of cgroup v2, with the measured threads" },
	{ NULL, NULL },
};

static const struct manual_option what_beside[] = {
	{ "tune", 0, false, "[=list]", ARGUMENT_WORDS, "list", NULL,
	  "change settings for the run and put them back; =list: only show them",
	  "They are back at every end; after a SIGKILL the next start puts them back, or tlob-load restore. What cannot be changed is left out, with a note in the result.",
	  tunings },
	{ "load", 0, true, "COMMAND", ARGUMENT_WORDS, "@cpu @cache @memory @irq @timer @fork @io @net",
	  NULL, "run COMMAND, or a preset such as @cpu, during the run (repeatable)",
	  "A shell runs COMMAND, with the number of CPUs in $TLOB_LOAD_CPUS. It begins before the run and ends with it. If it ends early the run fails.",
	  presets },
	{ "load-cpus", 0, false, "LIST", ARGUMENT_CPUS, NULL, "measured and housekeeping CPUs",
	  "CPUs for the loads", NULL, NULL },
	{ 0 },
};

static const struct manual_option what_comes_out[] = {
	JSON_OPTION("docs/reference/result.md describes it."),
	{ "label", 0, false, "TEXT", ARGUMENT_TEXT, NULL, "none",
	  "a name for the result, which pages and tables show",
	  "It says what was tried, as in --label 'smt off'. compare does not look at it.", NULL },
	{ "checkpoint", 0, false, "T", ARGUMENT_WORDS, "off 1m 10m", "1m, from 10m on",
	  "write the file of --json every T, 1s to 1d, or off",
	  "Before the run ends the result is partial.", NULL },
	HTML_OPTION("write the page that report would make of the result"),
	ASSERTION_OPTIONS,
	{ "timeline", 0, false, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "what happened in the worst windows and in violations, in its order",
	  "The last 64 spans of each. -v lists them, and pages show them. Not with osnoise and posix.", NULL },
	{ "timeline-json", 0, false, "FILE", ARGUMENT_FILE, NULL, NULL,
	  "the same for Perfetto and speedscope; - is stdout",
	  "In the trace-event format of Chrome.", NULL },
	{ "waits", 0, false, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "name what the thread waited for in the worst windows",
	  "The longest sleep inside each: stack and waker. For work that sleeps. It costs time at each sleep. Only with the module.", NULL },
	{ "hist", 0, false, "FILE", ARGUMENT_FILE, NULL, NULL,
	  "histograms for gnuplot, rows of 1 us; - is stdout", NULL, NULL },
	{ "trace", 0, true, "FILE", ARGUMENT_FILE, NULL, NULL,
	  "the trace, up to the end of the run", NULL, NULL },
	{ "event", 'e', false, "S[:E]", ARGUMENT_EVENT, NULL, NULL,
	  "also trace event E, or all events, of system S",
	  "Repeatable; needs --trace and the module.", NULL },
	{ "print-stack", 0, false, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "trace the stack of the task that runs at a violation", "Needs --trace.", NULL },
	{ "quiet", 'q', true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "print only errors and failed assertions", NULL, NULL },
	{ "progress", 0, false, "T", ARGUMENT_WORDS, "off 1s 10s 1m", "a table on a terminal, else 10s",
	  "a line each T, 100ms or more, on stderr; off: nothing", NULL, NULL },
	VERBOSE_OPTION,
	{ "assert", 0, true, "COND", ARGUMENT_TEXT, NULL, NULL,
	  "exit with 2 unless COND holds (repeatable)",
	  "As in 'p99.9(response)<50us' or 'missed==0'.", NULL },
	HELP_OPTION,
	VERSION_OPTION,
	{ 0 },
};

static const struct manual_entry conditions[] = {
	{ "METRIC", "irq (expiry to timer interrupt), wake (expiry to thread), response (expiry to end of work), wake.PART, work.PART or func.NAME, a set of --functions" },
	{ "PART", "wake:" TLOB_PARTS(WAKE_PART) "\nwork:" TLOB_PARTS(WORK_PART) },
	{ "--assert", "STAT(METRIC) OP T, which must hold on every CPU; STAT is min, avg, max, p50 ... p99.9999 or es99 (expected shortfall: the mean of what is above p99). Or COUNTER OP N over all CPUs; COUNTER is windows violations missed lost aborted inexact errors sum_failures clock_steps startup unaccounted. Or adjusted_ns OP T. An assertion without data fails." },
	{ "OP", "< <= > >= == !=" },
	{ NULL, NULL },
};

#define SECTIONS \
	{ "What runs", NULL, what_runs, NULL, NULL }, \
	{ "How long", "Without -d and -n a run lasts until SIGINT. A second one, two seconds later or more, kills a tool that hangs.", how_long, NULL, NULL }, \
	{ "How it is measured", NULL, how_measured, NULL, NULL }, \
	{ "What is around it", NULL, what_beside, NULL, NULL }, \
	{ "What comes out", NULL, what_comes_out, NULL, NULL }, \
	{ "Conditions", NULL, NULL, conditions, NULL }

static const struct manual_section sections[] = { SECTIONS, { 0 } };

static const char * const usage[] = { "run [OPTION]...", NULL };

static const struct manual_entry examples[] = {
	{ "tlob-load run -c 2-3 -p 1ms -b 200us -w spin:100us -d 60s",
	  "Measure two CPUs for a minute:" },
	{ "tlob-load run -c 3 --stop-on 'wake>50us' --trace trace.txt -e irq -e sched",
	  "Stop at the first late wake-up, and keep the trace:" },
	{ "tlob-load run -n 100000 -q --json r.json --assert 'p99.9(wake)<30us'",
	  "Check a limit in CI:" },
	{ NULL, NULL },
};

const struct manual manual_run = {
	.name = "run",
	.summary = "run a real-time workload and account for every nanosecond",
	.usage = usage,
	.brief = "Run a periodic real-time workload on every measured CPU and account for every nanosecond of every activation, from the timer's expiry to the end of the work.",
	.more = DURATIONS,
	.sections = sections,
	.exits = exits_of_assertions,
	.after_exits = "Violations alone exit with 0; --assert violations==0 makes them fail.",
	.examples = examples,
};

static const struct manual_entry keys[] = {
	{ "h", "show the keys and what the columns mean, as ? does; any key leaves that" },
	{ "q", "end the run" },
	{ "p, space", "hold the screen, or go on; the run itself goes on" },
	{ "s", "sort by the next column: cpu, violations, missed, wake, response" },
	{ "up, down", "choose a CPU" },
	{ "Enter", "show the parts and the worst windows of that CPU" },
	{ "Esc, left", "show all CPUs again" },
	{ NULL, NULL },
};

static const struct manual_section sections_of_top[] = {
	{ "Keys", NULL, NULL, keys,
	  "A line that ends with > goes on: a wider terminal shows the rest. At the end the result is printed as by run." },
	SECTIONS,
	{ 0 },
};

static const char * const usage_of_top[] = { "top [OPTION]...", NULL };

const struct manual manual_top = {
	.name = "top",
	.summary = "run with a full screen: sort, pause, look into one CPU",
	.usage = usage_of_top,
	.brief = "Do what run does, and show it on the full screen while it goes on: a row for each CPU. Keys: q ends it, p holds the screen, s sorts, arrows and Enter look into a CPU, h explains.",
	.more = "A row has the windows of a CPU, wake and response in microseconds, its parts, and who made its last violation. The options are those of run.\n" DURATIONS,
	.sections = sections_of_top,
	.exits = exits_of_assertions,
};
