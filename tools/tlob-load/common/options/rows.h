/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of a table of options. A file with such a table defines CONFIG, the struct that takes
 * the values:
 *
 *	#define CONFIG struct run_config
 *	{ DURATION("period", 'p', period_ns, TLOB_PERIOD_MIN, TLOB_PERIOD_MAX), .fallback = "1ms",
 *	  .brief = "time between activations; 50us to 1s" },
 */
#ifndef TLOB_OPTIONS_ROWS_H
#define TLOB_OPTIONS_ROWS_H

#include "options/manual.h"
#include "options/option_value.h"

/*
 * The program that writes the manual pages compiles the tables for the machine that builds,
 * without the tool's libraries. It calls no function of a row, so all static ones drop out there.
 */
#ifdef TLOB_MANUAL
#define CALL(function)	NULL
#else
#define CALL(function)	function
#endif

/* 0; does not compile unless @condition holds */
#define ZERO_IF(condition)	(sizeof(char[(condition) ? 1 : -1]) - 1)

/* The offset of a field, which must have @type. */
#define AT(type, field) \
	(offsetof(CONFIG, field) + \
	 ZERO_IF(__builtin_types_compatible_p(__typeof__(((CONFIG *)0)->field), type)))

/* A bool that says whether the option is given. */
#define GIVEN(field)	.given = AT(bool, field) + ZERO_IF(offsetof(CONFIG, field) > 0)

/* Sets a bool. */
#define FLAG(name_, letter_, field) \
	.name = name_, .letter = letter_, .read = CALL(value_flag), .at = AT(bool, field)

/* @reader is a function of the file, @argument_ what the help calls the value. */
#define READ(name_, letter_, argument_, reader) \
	.name = name_, .letter = letter_, .argument = argument_, .read = CALL(reader)

/* ns in a uint64_t; @max_ may be NO_LIMIT */
#define DURATION(name_, letter_, field, min_, max_) \
	READ(name_, letter_, "T", value_duration), .at = AT(uint64_t, field), \
	.min = min_, .max = max_

#define COUNT(name_, letter_, argument_, field, min_, max_) \
	READ(name_, letter_, argument_, value_count), .at = AT(uint64_t, field), \
	.min = min_, .max = max_

/* 0.01 % up to @max_ percent: a double, 0.05 is 5 %. PERCENT_TEXT keeps the text. */
#define PERCENT(name_, field, max_) \
	READ(name_, 0, "P%", value_percent), .at = AT(double, field), .max = max_
#define PERCENT_TEXT(name_, field, max_) \
	READ(name_, 0, "P%", value_percent_text), .at = AT(const char *, field), .max = max_

/* Any text but "". @noun_: what to give instead. */
#define TEXT(name_, letter_, argument_, field, noun_) \
	READ(name_, letter_, argument_, value_text), .at = AT(const char *, field), .noun = noun_

/* A file to write, or - for stdout. */
#define OUTPUT(name_, letter_, field) \
	READ(name_, letter_, "FILE", value_output), .kind = ARGUMENT_FILE, \
	.at = AT(const char *, field), .not_for = STARTERS

#define WORDS(words_)	.kind = ARGUMENT_WORDS, .words = words_

/* One of the words: WORD keeps it, CHOICE has its place among them, for an enum. */
#define WORD(name_, argument_, words_, field, noun_) \
	READ(name_, 0, argument_, value_word), WORDS(words_), \
	.at = AT(const char *, field), .noun = noun_
#define CHOICE(name_, letter_, argument_, words_, field, noun_) \
	READ(name_, letter_, argument_, value_choice), WORDS(words_), \
	.at = offsetof(CONFIG, field) + ZERO_IF(sizeof(((CONFIG *)0)->field) == sizeof(int)), \
	.noun = noun_

/* Several tables have the rows that follow. */

/* The kinds of --work, as a shell offers them. */
#define WORK_WORDS "none spin: elapsed: loops: mem:chase,ws= mem:stream,ws= fpu: syscall: sleep: @"

/*
 * What run is to measure, for commands that start it: @field takes the words. The file includes
 * options/started.h and options/backend_names.h.
 */
#define MEASURED_OPTIONS(field, of_budget) \
	{ READ("period", 'p', "T", value_started), .at = AT(struct call, field), .basic = true, \
	  .fallback = "1ms", .brief = "time between activations; 50us to 1s" }, \
	{ READ("budget", 'b', "T", value_started), .at = AT(struct call, field), .basic = true, \
	  .fallback = "the period", .brief = "longest response allowed; 1us to 3600s", \
	  .more = of_budget }, \
	{ READ("work", 'w', "W", value_started), .at = AT(struct call, field), \
	  WORDS(WORK_WORDS), .basic = true, .fallback = "spin:100us", \
	  .brief = "work of each activation, as for run" }, \
	{ READ("policy", 0, "P", value_started), .at = AT(struct call, field), \
	  WORDS("fifo: rr: other"), .fallback = "fifo:95", .brief = "fifo:P, rr:P or other" }, \
	{ READ("backend", 0, "B", value_started), .at = AT(struct call, field), \
	  WORDS(BACKEND_WORDS), .fallback = "auto", .brief = "tlob, bpf, posix or auto" }

#define DURATIONS "T is a duration: a number and a unit, ns, us, ms, s, m, h or d, e.g. 1.5ms."

#define CPU_LIST	"a CPU list, as in 0,2-5"

#define HELP_OPTION \
	{ READ("help", 'h', "[=WHAT]", value_help), .basic = true, WORDS("all"), \
	  .not_for = STARTERS, .brief = "print the short help; --help=all prints everything" }

#define ANONYMIZE_OPTION(field)							\
	{ FLAG("anonymize", 0, field), .basic = true,				\
	  .brief = "replace names of hosts, tasks and programs, and omit free text", \
	  .more = "Within one call, equal names get equal aliases. docs/how-to/anonymize.md lists what remains." }

/* The options of a program itself, which program_main() reads. */
#define PROGRAM_OPTIONS(program) \
	{ .title = "Options", .after = program " help COMMAND and " program " version do the same." }, \
	{ .name = "help", .letter = 'h', .basic = true, \
	  .brief = "print the list of commands; --help=all also prints the exit codes" }, \
	{ .name = "version", .letter = 'V', .basic = true, .brief = "print the version, and what this build was made without" }

#define VERSION_OPTION \
	{ READ("version", 0, NULL, value_version), .not_for = STARTERS, .brief = "print the version, and what this build was made without" }

/* @where: a sentence on where the format is described. More of the row may follow. */
#define JSON_OPTION(field, where, ...) \
	{ OUTPUT("json", 0, field), .basic = true, \
	  .brief = "write the result as JSON; - is stdout", .more = where, ##__VA_ARGS__ }

/* For run and attach: what helps where many machines, or many jobs of one, write results. */
#define SITE_OPTIONS \
	{ READ("output-dir", 0, "DIR", value_dir), .at = AT(const char *, output_dir), \
	  .kind = ARGUMENT_DIR, .env = ENV_ONE, .fallback = "none", .not_for = STARTERS, \
	  .brief = "write the JSON to DIR, as HOST-RUN.json", \
	  .more = "RUN is run_id, so no two runs share a name. DIR is created if it is missing. The file appears only when it is complete." }, \
	{ READ("tag", 0, "NAME=VALUE", value_tag), .at = AT(struct tag_list, tags), \
	  .env = ENV_LIST, .fallback = "none", \
	  .brief = "a label for the result, e.g. rack=b7 (repeatable)", \
	  .more = "For finding results later; compare ignores it." }, \
	{ FLAG("wait", 0, wait), \
	  .brief = "wait instead of failing if another tlob-load has the machine locked", \
	  .more = "Whatever changes the system locks it: the module, BPF as root, --tune and attach. Runs with posix change nothing, so several may run at once." }

/* @brief_: the subject of the page. */
#define HTML_OPTION(field, brief_) \
	{ OUTPUT("html", 0, field), .brief = brief_ "; - is stdout" }

/* The files for the outcome of --assert, for run and attach. */
#define ASSERTION_OPTIONS \
	{ OUTPUT("junit", 0, junit), \
	  .brief = "write the assertions as JUnit XML; - is stdout" }, \
	{ OUTPUT("ktap", 0, ktap), \
	  .brief = "write the assertions as KTAP, the kernel's test format; - is stdout" }, \
	{ OUTPUT("markdown", 0, markdown), \
	  .brief = "write the assertions and the tables as Markdown; - is stdout" }

/*
 * What to do at a violation, for run and attach. @words: those that the command has; @signalled: the
 * process of signal:SIG; @list_: what they mean.
 */
#define ACTION_OPTIONS(words_, signalled, ...) \
	{ READ("on-violation", 0, "ACTION", value_action), .at = AT(struct action_config, act), \
	  WORDS(words_), .not_for = "try gate", \
	  .brief = "do ACTION at a violation (repeatable, in order)", \
	  .more = "A command gets the window as JSON on stdin and as $TLOB_WINDOW_...; its output is discarded. Only one window is handled at a time; others are only counted. See docs/how-to/actions.md.", \
	  .list = ENTRIES(__VA_ARGS__ \
		{ "signal:SIG[:PID]", "send SIG to PID; without PID to " signalled }, \
		{ "shell:COMMAND", "/bin/sh runs COMMAND on the housekeeping CPUs" }) }, \
	{ READ("on-end", 0, "ACTION", value_end_action), .at = AT(struct action_config, act), \
	  WORDS("shell:"), .not_for = "gate", .brief = "shell:COMMAND after the files are written (repeatable)", \
	  .more = "It gets the result as JSON on stdin." }, \
	{ READ("at-most", 0, "N/T", value_action_limit), .at = AT(struct action_config, act), \
	  .fallback = "no limit", .not_for = "try gate", \
	  .brief = "take the actions at most N times in any interval T, e.g. 5/1m; N is 1 to 1000", \
	  .more = "T is 1ms to 1d. Further violations are only counted." }, \
	{ DURATION("action-wait", 0, act.wait_ns, 0, 3600 * NSEC_PER_SEC), .fallback = "5s", \
	  .not_for = "gate", \
	  .brief = "how long a command may keep running after the end; 0 to 1h", \
	  .more = "After that it is killed, together with all processes that it started." }

/*
 * @only: a sentence of its own, or a part of one, before the name of the page. The file includes
 * options/function_presets.h.
 */
#define FUNCTIONS_OPTION(only) \
	{ READ("functions", 0, "SET", value_functions), \
	  .at = AT(struct function_requests, functions), \
	  WORDS("list @locks @alloc @rcu @timers @tick"), \
	  .brief = "time in kernel functions: NAME=PATTERN,..., @PRESET, or list (repeatable)", \
	  .more = "Example: 'lock=*mutex_lock*,rt_spin_lock'. At most 8 sets and 1000 functions, 50 without fprobe. list prints what matches, and exits. Each call costs time, which the result shows." only " docs/how-to/functions.md.", \
	  .list = (const struct manual_entry[]){ \
		FUNCTION_PRESETS(FUNCTION_PRESET_ENTRY) { NULL, NULL } } }
#define FUNCTION_PRESET_ENTRY(name, words, reason)	{ "@" name, reason },

/* --backend of attach and waits, which need one that sees other threads. @lacks_: why posix is refused. */
#define BACKEND_OF_OTHERS(lacks_) \
	READ("backend", 0, "B", value_backend), .at = AT(const char *, backend), \
	WORDS("auto tlob bpf"), .noun = lacks_

/* One row for run, attach and waits. cgroup_find() reads its value. */
#define CGROUP_OPTION(...) \
	{ TEXT("cgroup", 0, "PATH", cgroup, "a cgroup"), .kind = ARGUMENT_DIR, __VA_ARGS__, \
	  .more = "PATH lies below the mount of cgroup v2, as in system.slice/robot.service. A / or the mount may come first." }

#define PROGRESS_OPTION(fallback_) \
	{ READ("progress", 0, "T", value_progress), .at = AT(uint64_t, progress_ns), \
	  GIVEN(has_progress), WORDS("off 1s 10s 1m"), .fallback = fallback_, \
	  .not_for = "gate", \
	  .brief = "print a line on stderr every T, 100ms or more; off prints nothing" }

#define VERBOSE_OPTION \
	{ FLAG("verbose", 'v', verbose), .not_for = "try validate plan gate", \
	  .brief = "print the whole result, not only one page" }

#define EXITS_OF_ASSERTIONS \
	ENTRIES({ "0", "pass" }, { "1", "error" }, { "2", "an assertion failed" }, \
		{ "3", "an assertion is undecided, and none failed" }, \
		{ "77", "not supported on this machine" }, { "129", "usage error" })

#endif /* TLOB_OPTIONS_ROWS_H */
