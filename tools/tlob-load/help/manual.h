/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each subcommand does and takes, once: `--help`, `--help=all`, the manual pages
 * and the completion of shells are written from these tables. tests/unit/test_manual
 * compares them with what the parsers accept.
 */
#ifndef TLOB_HELP_MANUAL_H
#define TLOB_HELP_MANUAL_H

#include <stdbool.h>
#include <stddef.h>

/* What a shell offers as an argument. */
enum argument_kind {
	ARGUMENT_TEXT,			/* nothing that could be listed */
	ARGUMENT_FILE,
	ARGUMENT_DIR,
	ARGUMENT_PROGRAM,
	ARGUMENT_PID,
	ARGUMENT_CPUS,			/* a list of CPUs */
	ARGUMENT_KERNEL,		/* a kernel of the lab */
	ARGUMENT_SYMBOL,		/* a function of the program on the line */
	ARGUMENT_EVENT,			/* SYSTEM:EVENT of tracefs */
	ARGUMENT_WORDS,			/* one of manual_option.words */
};

/* A term and its meaning, as in a list. The last one of an array has no term. */
struct manual_entry {
	const char *term, *meaning;
};

/* The last one of an array has no name. */
struct manual_option {
	const char *name;		/* "cpus" is --cpus */
	char	 letter;		/* 'c' is -c; 0: none */
	bool	 basic;			/* also in the short help */
	const char *argument;		/* "LIST", "[=LIST]" if it may be left out; NULL: takes none */
	enum argument_kind kind;
	const char *words;		/* "user kthread" */
	const char *fallback;		/* the default, for people; NULL: none to name */
	const char *brief;		/* one line of the short help, without a period */
	const char *more;		/* further sentences, or NULL */
	const struct manual_entry *list; /* what the argument may be, or NULL */
};

/* The last one of an array has no title. */
struct manual_section {
	const char *title;
	const char *text;		/* paragraphs before the rest, or NULL */
	const struct manual_option *options;	/* or NULL */
	const struct manual_entry *list;	/* or NULL */
	const char *after;		/* paragraphs behind the rest, or NULL */
};

/* "\n" separates paragraphs in all texts. */
struct manual {
	const char *name;		/* "run"; "" is tlob-load itself */
	const char *summary;		/* a line of the list of subcommands */
	const char *const *usage;	/* without "tlob-load"; ends with NULL */
	enum argument_kind operands;	/* what is completed besides options */
	const char *brief;		/* the first sentences */
	const char *more;		/* the rest of the description, or NULL */
	const struct manual_section *sections;
	const struct manual_entry *exits;	/* codes */
	const char *after_exits;	/* or NULL */
	const struct manual_entry *examples;	/* command and purpose */
};

extern const struct manual manual_tool, manual_run, manual_top, manual_attach, manual_waits,
			   manual_report, manual_merge, manual_compare, manual_gate, manual_plan, manual_search,
			   manual_lab, manual_doctor, manual_validate, manual_restore;

/* tlob-load itself, then the subcommands in the order of the help; ends with NULL. */
extern const struct manual * const manuals[];

/* The option of that name, or NULL. */
const struct manual_option *manual_option_find(const struct manual *m, const char *name);

/* The argument may be left out; else it stands behind a =. */
static inline bool manual_is_optional(const struct manual_option *o)
{
	return o->argument && *o->argument == '[';
}

/* Calls @visit for each option of @m, in order. */
void manual_each_option(const struct manual *m,
			void (*visit)(void *data, const struct manual_option *o), void *data);

#endif /* TLOB_HELP_MANUAL_H */
