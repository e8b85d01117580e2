/* SPDX-License-Identifier: GPL-2.0 */
/* What several manuals have in common. */
#ifndef TLOB_HELP_SHARED_H
#define TLOB_HELP_SHARED_H

#define DURATIONS "T is a duration: a number and a unit, ns, us, ms, s, m, h or d, as in 1.5ms."

#define HELP_OPTION \
	{ "help", 'h', true, "[=WHAT]", ARGUMENT_WORDS, "all", NULL, \
	  "print the short help; --help=all prints everything", NULL, NULL }

#define VERSION_OPTION \
	{ "version", 0, false, NULL, ARGUMENT_TEXT, NULL, NULL, "print the version", NULL, NULL }

/* @where: a sentence on where the format is described. */
#define JSON_OPTION(where) \
	{ "json", 0, true, "FILE", ARGUMENT_FILE, NULL, NULL, \
	  "write the result as JSON; - is stdout", where, NULL }

/* @brief: what the page is of. */
#define HTML_OPTION(brief) \
	{ "html", 0, false, "FILE", ARGUMENT_FILE, NULL, NULL, brief "; - is stdout", NULL, NULL }

/* Where the outcome of --assert goes, for run and attach. */
#define ASSERTION_OPTIONS \
	{ "junit", 0, false, "FILE", ARGUMENT_FILE, NULL, NULL, \
	  "write the assertions as JUnit XML; - is stdout", NULL, NULL }, \
	{ "ktap", 0, false, "FILE", ARGUMENT_FILE, NULL, NULL, \
	  "write them as KTAP, the kernel's test format; - is stdout", NULL, NULL }, \
	{ "markdown", 0, false, "FILE", ARGUMENT_FILE, NULL, NULL, \
	  "write them and the tables in Markdown; - is stdout", NULL, NULL }

/* @only: a sentence of its own, or a part of one, before the name of the page. */
#define FUNCTIONS_OPTION(only) \
	{ "functions", 0, false, "SET", ARGUMENT_WORDS, "list @locks @alloc @rcu @timers @tick", NULL, \
	  "time in functions of the kernel: NAME=PATTERN,..., @PRESET, or list (repeatable)", \
	  "As in 'lock=*mutex_lock*,rt_spin_lock'. At most 8 sets and 1000 functions, 50 without fprobe. list prints what matches, and ends. Each call costs time, which the result shows." only " docs/how-to/functions.md.", \
	  function_preset_entries }

/* The presets and their reasons. */
extern const struct manual_entry function_preset_entries[];

#define VERBOSE_OPTION \
	{ "verbose", 'v', false, NULL, ARGUMENT_TEXT, NULL, NULL, \
	  "print all of the result, not only one page", NULL, NULL }

/* 0, 1, 2, 77 and 129 of run and attach. */
extern const struct manual_entry exits_of_assertions[];

#endif /* TLOB_HELP_SHARED_H */
