// SPDX-License-Identifier: GPL-2.0
/* The manual of `tlob-load plan`. */
#include "help/manual.h"
#include "help/shared.h"

static const struct manual_option options[] = {
	{ "pairs", 'n', true, "N", ARGUMENT_TEXT, NULL, "20",
	  "number of pairs, 1 to 400", NULL, NULL },
	{ "setup", 0, true, "CMD", ARGUMENT_TEXT, NULL, "none", "command before each run",
	  "It is run as sh -c CMD with the name as $1, as in './boot-setting \"$1\"'.", NULL },
	{ "vary", 0, true, "FACTS", ARGUMENT_TEXT, NULL, NULL,
	  "facts that CMD changes, for compare",
	  "FACTS is FACT[,FACT], with names as in the key tuning of a result. compare refuses any other difference.",
	  NULL },
	{ "dir", 0, true, "DIR", ARGUMENT_DIR, NULL, "tlob-plan",
	  "directory for the results", NULL, NULL },
	{ "seed", 0, true, "N", ARGUMENT_TEXT, NULL, "random",
	  "seed of the order, 0 to 4294967295",
	  "The same seed repeats or continues a plan.", NULL },
	{ "format", 0, true, "F", ARGUMENT_WORDS, "sh json", "sh",
	  "sh, a script that can be restarted, or json", NULL, NULL },
	{ "before-after-tune", 0, true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "tune for the runs of B, and vary what that sets",
	  "The names are before and after if none are given. See tlob-load run.", NULL },
	{ "run", 0, true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "make the runs here, and compare", NULL, NULL },
	{ "sequential", 0, true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "with --run: decide after 8, 12, 16 ... 40 pairs",
	  "As gate --sequential does. It stops as soon as the verdict is certain.", NULL },
	{ "margin", 0, true, "P%", ARGUMENT_TEXT, NULL, NULL,
	  "for --sequential: as in tlob-load gate", NULL, NULL },
	{ "metric", 'm', true, "STAT", ARGUMENT_TEXT, NULL, NULL,
	  "for --sequential: as in tlob-load gate", "Repeatable.", NULL },
	HELP_OPTION,
	{ 0 },
};

static const struct manual_section sections[] = {
	{ "Options", NULL, options, NULL, NULL },
	{ 0 },
};

static const struct manual_entry exits[] = {
	{ "0", "written, or run and compared" }, { "1", "error" }, { "129", "usage" },
	{ NULL, NULL },
};

static const struct manual_entry examples[] = {
	{ "tlob-load plan 0 1 --setup 'sysctl -w kernel.timer_migration=$1' --vary timer_migration --run -- -c 2-3 -p 250us -w loops:20000 -d 30s",
	  "Does timer_migration matter?" },
	{ NULL, NULL },
};

static const char * const usage[] = { "plan [OPTION]... A B [-- OPTION OF run]...",
	"plan --before-after-tune [OPTION]... [-- OPTION OF run]...", NULL };

const struct manual manual_plan = {
	.name = "plan",
	.summary = "order the runs of a comparison, or make them",
	.usage = usage,
	.brief = "Write the order for the runs of a comparison: pairs of A and B, each in random order. Drift changes both runs of a pair in nearly the same way.",
	.more = "A and B are names. --setup turns a name into a setting of the machine. In a name KERNEL+ARGUMENT[+ARGUMENT]... CMD gets the arguments as $2, separated by spaces, and they are compared as with --vary kernel_arguments: 6.12 6.12+nohz=off.",
	.sections = sections,
	.exits = exits,
	.after_exits = "With --sequential those of tlob-load gate.",
	.examples = examples,
};
