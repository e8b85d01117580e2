// SPDX-License-Identifier: GPL-2.0
/* The manual of `tlob-load attach`. */
#include "help/manual.h"
#include "help/shared.h"

static const struct manual_entry places[] = {
	{ "SYMBOL", "the first instruction of a function" },
	{ "SYMBOL+OFFSET", "OFFSET bytes after it" },
	{ "0xOFFSET", "OFFSET bytes into the file" },
	{ "PROVIDER:NAME", "a static probe (USDT), at all its places" },
	{ NULL, NULL },
};

static const struct manual_option what_is_watched[] = {
	{ "pid", 'p', true, "PID", ARGUMENT_PID, NULL, NULL,
	  "watch a running process",
	  "PROGRAM then only names the file with the symbols; the default is the program of PID.",
	  NULL },
	{ "library", 'l', true, "PATH", ARGUMENT_FILE, NULL, "PROGRAM",
	  "the shared library that contains both places", NULL, NULL },
	{ "start", 0, true, "PLACE", ARGUMENT_SYMBOL, NULL, NULL,
	  "where a window opens",
	  "SYMBOL may be a name of C++ or Rust, or its end: 'audio::Engine::process(int)', 'process(int)'.",
	  places },
	{ "stop", 0, true, "PLACE", ARGUMENT_SYMBOL, NULL, NULL,
	  "where it ends; PLACE as for --start", NULL, NULL },
	{ "budget", 'b', true, "T", ARGUMENT_TEXT, NULL, NULL,
	  "longest time allowed; 1us to 3600s", NULL, NULL },
	{ "all", 'a', true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "count every process that executes the file",
	  "This includes children. Without it only the process itself counts, with all its threads, and a note counts the windows that were left out.",
	  NULL },
	{ "waits", 0, true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "name the longest wait of a window: how long, where, woken by whom",
	  "This switches the wait profiler on for tasks in windows. Every switch of the system costs a little more meanwhile: docs/how-to/waits.md. Waits under 50us have no stack.",
	  NULL },
	FUNCTIONS_OPTION(" The time of the task in them, and of interrupts while it runs:"),
	{ 0 },
};

static const struct manual_option how_long[] = {
	{ "duration", 'd', true, "T", ARGUMENT_TEXT, NULL, "no limit",
	  "stop after T; 1ms or more",
	  "A PROGRAM that was started gets SIGTERM; a PID keeps running.", NULL },
	{ 0 },
};

static const struct manual_option what_comes_out[] = {
	JSON_OPTION("docs/reference/result.md describes it."),
	{ "windows", 0, false, "FILE", ARGUMENT_FILE, NULL, NULL,
	  "write a line for each window, comma-separated, with its parts in ns", NULL, NULL },
	{ "mappings", 0, false, "FILE", ARGUMENT_FILE, NULL, NULL,
	  "write which files the process maps as code, as in /proc/PID/maps",
	  "Also those of a program that ends at once. Each mapping of any process costs a little more meanwhile.",
	  NULL },
	HTML_OPTION("write the page that report would make of the result"),
	ASSERTION_OPTIONS,
	{ "quiet", 'q', true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "print the summary only, no line for each violation", NULL, NULL },
	{ "progress", 0, false, "T", ARGUMENT_WORDS, "off 1s 10s 1m",
	  "10s; with --pid on a terminal a table instead",
	  "a line each T, 100ms or more, on stderr; off: nothing", NULL, NULL },
	VERBOSE_OPTION,
	{ "assert", 0, true, "COND", ARGUMENT_TEXT, NULL, NULL,
	  "exit with 2 unless COND holds (repeatable)",
	  "As in 'violations==0' or 'p99(elapsed)<3ms'.", NULL },
	HELP_OPTION,
	VERSION_OPTION,
	{ 0 },
};

static const struct manual_entry conditions[] = {
	{ "--assert", "STAT(METRIC) OP T; STAT is min, avg, max, p50 ... p99.9999 or es99 (expected shortfall: the mean of what is above p99), METRIC is elapsed, a part: running irq softirq nmi waiting sleeping, or func.NAME, a set of --functions. Or COUNTER OP N; COUNTER is windows violations cut open lost others inexact errors sum_failures clock_steps. Or adjusted_ns OP T. An assertion without data fails." },
	{ "OP", "< <= > >= == !=" },
	{ NULL, NULL },
};

static const struct manual_entry find_return[] = {
	{ "objdump -d --disassemble=work PROGRAM | grep -w ret", NULL },
	{ NULL, NULL },
};

static const struct manual_section sections[] = {
	{ "What is watched",
	  "PROGRAM is started, with the words after -- as arguments, and watched until it ends.",
	  what_is_watched, NULL, NULL },
	{ "How long", "Without -d until the process ends, or SIGINT.", how_long, NULL, NULL },
	{ "What comes out", NULL, what_comes_out, NULL,
	  "A started PROGRAM keeps its stdout, so the tool writes to stderr. With --pid it writes to stdout." },
	{ "Where a function returns",
	  "No PLACE means \"on return\": the kernel puts a breakpoint on one instruction. Use the function that is called next as --stop, or the offset of a ret instruction:",
	  NULL, find_return,
	  "OFFSET must be the first byte of an instruction. In the middle of one it breaks the program." },
	{ "Conditions", NULL, NULL, conditions, NULL },
	{ 0 },
};

static const char * const usage[] = {
	"attach PROGRAM --start PLACE --stop PLACE --budget T [OPTION]... [-- ARGUMENT...]",
	"attach --pid PID --start PLACE --stop PLACE --budget T [OPTION]...",
	NULL,
};

static const struct manual_entry examples[] = {
	{ "tlob-load attach ./server --start handle --stop reply -b 5ms -- -p 8080",
	  "Start a server and watch its answers:" },
	{ "tlob-load attach -p 4242 --start work --stop work+0x4a -b 200us -d 60s",
	  "Watch one function of a running process:" },
	{ "tlob-load attach -p 4242 -l /lib/x86_64-linux-gnu/libfoo.so.1 --start lock --stop unlock -b 1ms -q --json r.json --assert 'p99.9(waiting)<100us'",
	  "Watch a library, and check a limit:" },
	{ NULL, NULL },
};

const struct manual manual_attach = {
	.name = "attach",
	.summary = "put a budget on a region of a program, show where the time goes",
	.usage = usage,
	.operands = ARGUMENT_PROGRAM,
	.brief = "Put a budget on a region of an unmodified program. When the region takes longer, show where the time went.",
	.more = "A window opens when a thread reaches --start and ends when the same thread reaches --stop. Reaching --start again inside a window changes nothing.\n" DURATIONS,
	.sections = sections,
	.exits = exits_of_assertions,
	.after_exits = "Violations alone exit with 0, and so does a failed PROGRAM: the summary shows its exit status. A run without any window is an error.",
	.examples = examples,
};
