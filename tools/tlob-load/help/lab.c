// SPDX-License-Identifier: GPL-2.0
/* The manual of `tlob-load lab`. */
#include "help/manual.h"
#include "help/shared.h"

static const struct manual_option kernels[] = {
	{ "image", 0, true, "FILE", ARGUMENT_FILE, NULL, NULL,
	  "a bzImage in place of a KERNEL; +FILE.ko and +WORD as above", NULL, NULL },
	{ "modules", 0, true, "DIR", ARGUMENT_DIR, NULL, NULL,
	  "directory with the tlob_load.ko for that image",
	  "It may lie at any depth, and is not needed if it is built in.", NULL },
	{ "symbols", 0, true, "FILE", ARGUMENT_FILE, NULL, NULL,
	  "for --explain: System.map of that image, or a copy of its /proc/kallsyms",
	  "Not needed if the guest has /proc/kallsyms. Symbols of modules come from the guest.", NULL },
	{ 0 },
};

static const struct manual_option options[] = {
	{ "pairs", 'n', true, "N", ARGUMENT_TEXT, NULL, "10; --explain: 1",
	  "runs of each kernel, 1 to 400", NULL, NULL },
	{ "deterministic", 0, true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "count instructions instead of time, on one CPU",
	  "Every machine gives the same numbers. Each pair of runs has its own seed, phase, memory size and stack.",
	  NULL },
	{ "explain", 0, true, "[=W]", ARGUMENT_WORDS, "p50 p99 max", "p50",
	  "count the instructions of each function in a window",
	  "W is p50, p99 or max of wake. With more kernels it says which functions make the difference. Implies --deterministic.",
	  NULL },
	{ "compare", 0, true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "compare the first kernel with each of the others", NULL, NULL },
	{ "metric", 'm', true, "STAT", ARGUMENT_TEXT, NULL, NULL,
	  "for --compare: as in tlob-load compare", "Repeatable.", NULL },
	{ "margin", 0, true, "P%", ARGUMENT_TEXT, NULL, NULL,
	  "for --compare: as in tlob-load compare", NULL, NULL },
	{ "dir", 0, true, "DIR", ARGUMENT_DIR, NULL, "tlob-lab",
	  "directory for the results, DIR/KERNEL/NNN.json", NULL, NULL },
	{ "seed", 0, false, "N", ARGUMENT_TEXT, NULL, "random",
	  "seed of all random choices, 0 to 4294967295", NULL, NULL },
	{ "smp", 0, false, "N", ARGUMENT_TEXT, NULL, "1", "CPUs of a guest, 1 to 64", NULL, NULL },
	{ "jobs", 'j', true, "N", ARGUMENT_TEXT, NULL, "1", "guests at a time, 1 to 64", NULL, NULL },
	{ "timeout", 0, false, "S", ARGUMENT_TEXT, NULL, "300",
	  "seconds for each guest, 10 to 3600", NULL, NULL },
	{ "quiet", 'q', false, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "print no progress and not where the results are", NULL, NULL },
	HELP_OPTION,
	{ 0 },
};

static const struct manual_section sections[] = {
	{ "Kernels",
	  "KERNEL is an argument of scripts/fetch-kernel: 6.1, 6.12, 6.12-rt, a Debian package linux-image-..., or a kernel that scripts/build-kernel makes. +FILE.ko adds a module to load after tlob_load, any other +WORD an argument of the kernel: 6.12-rt+./mine.ko+mine.debug=1+nohz=off. --compare names the arguments that differ, and the tuning that follows from them.",
	  kernels, NULL, NULL },
	{ "Options", NULL, options, NULL, NULL },
	{ "Options of run",
	  "Those of tlob-load run, without --seed, --trace and those that write files. The default is --work none --period 1ms -d 10s, and -d 1s for --explain alone. With --explain a run ends after 5000 windows, because its trace holds few more. An assertion that fails in a guest makes lab exit with 2. The noise source is hooks unless the options name one, or --backend posix, which has none: some kernels lack osnoise, and with osnoise a wake-up takes longer.",
	  NULL, NULL, NULL },
	{ "Regions of a program",
	  "With --explain and the word attach after --, the guests run tlob-load attach, and the instructions of that region are counted, with the functions of the program: lab --explain 6.12-rt -- attach ./orders --start handle --stop reply -b 1s -- ARGUMENT... PROGRAM is a path of this machine. Its options are --start, --stop, --budget and --duration.",
	  NULL, NULL, NULL },
	{ "What it needs",
	  "lab needs the source tree, QEMU and the packages of scripts/deps. TLOB_TREE names the tree if tlob-load was not started from it.",
	  NULL, NULL, NULL },
	{ 0 },
};

static const struct manual_entry exits[] = {
	{ "0", "all ran, with --compare OK" }, { "1", "error" }, { "2", "REGRESSION, or an assertion of a guest failed" },
	{ "3", "INCONCLUSIVE" }, { "77", "unsupported here" }, { "129", "usage" },
	{ NULL, NULL },
};

static const struct manual_entry examples[] = {
	{ "tlob-load lab --deterministic --compare 6.12 6.12-rt",
	  "Did the wake-up path get longer?" },
	{ NULL, NULL },
};

static const char * const usage[] = { "lab [OPTION]... KERNEL... [-- OPTION OF run]...", NULL };

const struct manual manual_lab = {
	.name = "lab",
	.summary = "make the same runs on several kernels, in virtual machines",
	.usage = usage,
	.operands = ARGUMENT_KERNEL,
	.brief = "Boot each kernel in a virtual machine and measure in it, several times, in random order. With --compare, decide whether a kernel is worse than the first.",
	.sections = sections,
	.exits = exits,
	.examples = examples,
};
