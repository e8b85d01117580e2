/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each subcommand does and takes, in one place. The parser, `--help`, the manual pages and the
 * completion of shells read these tables. Each is in the file of its subcommand, ROOM/cmd_NAME.c
 * or ROOM/NAME_options.c; options/rows.h has macros for the rows.
 */
#ifndef TLOB_OPTIONS_MANUAL_H
#define TLOB_OPTIONS_MANUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The subcommands, in the order of the help. Each has a manual_NAME and a cmd_NAME. */
#define COMMANDS(C) \
	C(run) C(top) C(attach) C(waits) C(report) C(merge) C(compare) C(gate) C(history) C(plan) \
	C(try) C(doctor) C(validate) C(restore)

/* The arguments that a shell offers. */
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

#define ENTRIES(...) ((const struct manual_entry[]){ __VA_ARGS__, { NULL, NULL } })

struct value;

/*
 * Reads @v into @to: the field at manual_option.at, or the config if the row names no field.
 * Returns 0; -EINVAL with one line in @v->err; or an enum help_wanted, which ends the reading.
 */
typedef int (*option_reader)(const struct value *v, void *to);

/* Whether an option also comes from the variable TLOB_OPT_NAME. */
enum option_env {
	ENV_NONE,
	ENV_ONE,			/* its value */
	ENV_LIST,			/* of a repeatable option: a value a line */
};

/* An option, or the title of the options behind it. The last one of an array has neither. */
struct manual_option {
	const char *title;
	const char *text;		/* of a title: paragraphs before the options, or NULL */
	const char *after;		/* of a title: paragraphs behind options and list, or NULL */
	const char *only;		/* of a title without options: the subcommand that has it */

	const char *name;		/* "cpus" is --cpus */
	char	 letter;		/* 'c' is -c; 0: none */
	bool	 basic;			/* also in the short help */
	enum option_env env;		/* where manual.environment is set */
	const char *argument;		/* "LIST", "[=LIST]" if it may be left out; NULL: takes none */
	enum argument_kind kind;
	const char *words;		/* "user kthread" */
	const char *fallback;		/* the default, for people; NULL: none to name */
	const char *brief;		/* one line of the short help, without a period */
	const char *more;		/* further sentences, or NULL */
	const struct manual_entry *list; /* what the argument may be, or NULL; also of a title */

	option_reader read;
	size_t	 at;			/* offset of the field that takes the value */
	size_t	 given;			/* offset of a bool that becomes true; 0: none */
	uint64_t min, max;		/* of a number or a duration */
	const char *noun;		/* names the value in an error message */
	const char *not_for;		/* of STARTERS: those that refuse it; gate leaves it out */
};

/* The commands that start others with options of the user: options/started.h. The last are tlob-lab's. */
#define STARTERS	"try validate plan gate run bisect explain"

/* The rows of a table, with its titles. */
#define OPTIONS_MAX	96

/* "\n" separates paragraphs in all texts. */
struct manual {
	const char *name;		/* "run"; "" is the program itself */
	const char *is;			/* the command of which this is another name; NULL: none */
	const char *summary;		/* a line of the list of subcommands */
	const char *usage[4];		/* without the program; ends with NULL */
	enum argument_kind operands;	/* what is completed besides options */
	const char *brief;		/* the first sentences */
	const char *more;		/* the rest of the description, or NULL */
	const struct manual_option *options;	/* begins with a title */
	const struct manual_entry *exits;	/* codes */
	const char *after_exits;	/* or NULL */
	const struct manual_entry *examples;	/* command and purpose */
	const struct manual *behind;	/* whose options stand behind --, or NULL */
	const struct manual * const *commands;	/* of the program itself; else NULL */

	size_t	 size;			/* of the config that takes the values */
	const void *defaults;		/* what it has before; NULL: zeros */
	bool	 environment;		/* it takes options from the environment */
	bool	 options_first;		/* the first other word ends the options */
	/* Takes a word that is not an option, in its place among them; NULL: they may stand anywhere. */
	option_reader operand;
	/* Checks options against one another, and takes v->rest. 0, or -EINVAL as above. */
	int	 (*check)(void *config, const struct value *v);
};

#define DECLARE_MANUAL(name)	extern const struct manual manual_##name;
COMMANDS(DECLARE_MANUAL)
extern const struct manual manual_tool;

/* The argument may be left out; else it stands behind a =. */
static inline bool manual_is_optional(const struct manual_option *o)
{
	return o->argument && *o->argument == '[';
}

/* "TLOB_OPT_WARM_UP" of "warm-up". */
#define VARIABLE_PREFIX	"TLOB_OPT_"
#define VARIABLE_LEN	64
static inline const char *manual_variable(char buf[VARIABLE_LEN], const struct manual_option *o)
{
	size_t n = strlen(VARIABLE_PREFIX), i;

	memcpy(buf, VARIABLE_PREFIX, n);
	for (i = 0; o->name[i] && n < VARIABLE_LEN - 1; i++, n++)
		buf[n] = o->name[i] >= 'a' && o->name[i] <= 'z' ? (char)(o->name[i] - 'a' + 'A') : '_';
	buf[n] = 0;
	return buf;
}

#define ENVIRONMENT_TEXT \
	"These options also come from the environment. An option on the command line overrides its variable, and an empty variable counts as unset. A list has one value per line. Any other variable whose name begins with TLOB_OPT_ is an error."

/* The first option at or behind @o; NULL: none. */
static inline const struct manual_option *manual_option_from(const struct manual_option *o)
{
	while (o->title)
		o++;
	return o->name ? o : NULL;
}

/* Returns whether the manual of @m has the section of @title: two subcommands may share a table. */
static inline bool manual_has_section(const struct manual *m, const struct manual_option *title)
{
	return !title->only || !strcmp(title->only, m->name);
}

/* Each option of a manual @m, without the titles. */
#define manual_each_option(o, m) \
	for ((o) = manual_option_from((m)->options); (o); (o) = manual_option_from((o) + 1))

#endif /* TLOB_OPTIONS_MANUAL_H */
