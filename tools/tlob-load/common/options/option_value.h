/* SPDX-License-Identifier: GPL-2.0 */
/* Reads command lines by the tables of options, and the values in them. Pure: no I/O. */
#ifndef TLOB_OPTIONS_OPTION_VALUE_H
#define TLOB_OPTIONS_OPTION_VALUE_H

#include <stdint.h>

#include "options/manual.h"
#include "result/condition.h"
#include "util/usage.h"

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL
#define NO_LIMIT	UINT64_MAX

/* Room for the message of a value's parser. The name of the option is added to it. */
#define REASON_LEN	480

/* The option that is being read, with its value. */
struct value {
	const struct manual *command;
	const struct manual_option *option;	/* NULL for an operand and in a check */
	const char *arg;		/* the value; NULL: none */
	char	**rest;			/* for a check: what follows the options; ends with argv */
	int	 nrest;
	char	*err;			/* takes the error message */
	unsigned int size;		/* of err */
};

/* Formats an error message. Returns -EINVAL. */
#define value_error(v, ...) usage_error((v)->err, (v)->size, __VA_ARGS__)

/*
 * Reads the options of @m into @config, of m->size bytes. @argv[0] is the name of the subcommand.
 * Returns 0; -EINVAL with one line in @err, without a newline; or an enum help_wanted, and then
 * nothing behind that option has been read. The strings in @config point into @argv, whose order
 * only commands change that take operands anywhere.
 */
int options_parse(const struct manual *m, void *config, int argc, char **argv, char *err,
		  unsigned int size);

/* The same. After -EINVAL *@bad is the argument with the wrong value, or 0: it is not one. */
int options_parse_at(const struct manual *m, void *config, int argc, char **argv, char *err,
		     unsigned int size, int *bad);

/* Marks in @given, by their rows, the options that the command line has. */
void options_given(const struct manual *m, int argc, char **argv, bool given[OPTIONS_MAX]);

/*
 * Calls @take with the row of each option of the command line and its value, or NULL, in their order
 * and without reading the value. Returns what @take does if that is not 0; -EINVAL: the line has
 * something else than options and operands of @m.
 */
int options_each(const struct manual *m, int argc, char **argv,
		 int (*take)(void *to, const struct manual_option *o, const char *arg), void *to);

/* The option of that name, or NULL. */
const struct manual_option *manual_option_find(const struct manual *m, const char *name);

/* "a, b or c", the words of the row; @last is " or ". */
#define WORDS_LEN	120
const char *option_words(char buf[WORDS_LEN], const struct manual_option *o, const char *last);

/* The readers of rows.h: see option_reader. The row names the range and the type of @to. */
int value_flag(const struct value *v, void *to);
int value_duration(const struct value *v, void *to);
int value_count(const struct value *v, void *to);
int value_percent(const struct value *v, void *to);
int value_percent_text(const struct value *v, void *to);
int value_text(const struct value *v, void *to);
int value_output(const struct value *v, void *to);
int value_word(const struct value *v, void *to);
int value_backend(const struct value *v, void *to);
int value_choice(const struct value *v, void *to);
int value_help(const struct value *v, void *to);
int value_version(const struct value *v, void *to);

/* The name of a directory, for a const char *, that scripts can have as an argument. */
int value_dir(const struct value *v, void *to);

/* uint64_t: the time between lines of --progress, 100ms or more; 0 for "off". */
int value_progress(const struct value *v, void *to);

/* double: a miss rate, "1e-4" or "0.01%", 1e-7 to 0.5. */
int value_miss(const struct value *v, void *to);

/* struct vary: adds the facts of --vary. */
int value_vary(const struct value *v, void *to);

/* struct function_requests: adds those of --functions. */
int value_functions(const struct value *v, void *to);

/*
 * Checks one more --load after @n others. The row has LOAD_PRESET_WORDS. 0, or what value_error()
 * returns.
 */
int value_check_load(const struct value *v, unsigned int n);

/* struct action_config: --on-violation, --on-end and --at-most. */
int value_action(const struct value *v, void *to);
int value_end_action(const struct value *v, void *to);
int value_action_limit(const struct value *v, void *to);

/* struct tag_list: adds a NAME=VALUE of --tag. */
int value_tag(const struct value *v, void *to);

/* A duration or a number within other limits than those of the row. */
int value_duration_in(const struct value *v, uint64_t min, uint64_t max, uint64_t *ns);
int value_count_in(const struct value *v, uint64_t min, uint64_t max, uint64_t *n);

/* Adds a condition to @list, which has room for CONDITIONS_MAX. */
typedef int (*condition_parser)(struct condition *, const char *, char *, unsigned int);

int value_condition(const struct value *v, condition_parser parse, struct condition list[],
		    unsigned int *n);

#endif /* TLOB_OPTIONS_OPTION_VALUE_H */
