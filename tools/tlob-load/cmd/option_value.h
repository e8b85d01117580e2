/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the options of all commands, and their values. Pure: no I/O. */
#ifndef TLOB_CMD_OPTION_VALUE_H
#define TLOB_CMD_OPTION_VALUE_H

#include <getopt.h>
#include <stdint.h>

#include "functions/request.h"
#include "result/condition.h"
#include "result/vary.h"
#include "util/usage.h"

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL
#define NO_LIMIT	UINT64_MAX

/* Room for the message of a value's parser. The name of the option is added to it. */
#define REASON_LEN	480

/* The option that is being read, with its value. */
struct value {
	const struct option *options;	/* of the command */
	const char *name;		/* of the option, without dashes */
	const char *arg;		/* the value; NULL: none */
	char *err;			/* takes the error message */
	unsigned int size;		/* of err */
};

/* Formats an error message. Returns -EINVAL. */
#define value_error(v, ...) usage_error((v)->err, (v)->size, __VA_ARGS__)

/* The long name of the option that getopt_long() returned as @val, or NULL. */
const char *value_name(const struct value *v, int val);

/*
 * The functions below read a value. They return 0, or -EINVAL with one line in
 * @v->err. @max may be NO_LIMIT.
 */
int value_duration(const struct value *v, uint64_t min, uint64_t max,
		   uint64_t *ns);
int value_count(const struct value *v, uint64_t min, uint64_t max,
		uint64_t *n);

/* Any text but "". @what names it in the error message. */
int value_text(const struct value *v, const char *what, const char **text);

/* The name of a file to write, or "-" for stdout; not "". */
int value_output(const struct value *v, const char **file);

/* The time between lines of --progress, 100ms or more; 0 for "off". */
int value_progress(const struct value *v, uint64_t *ns);

/* "5%" or "0.5%": *@share is 0.0001 (0.01 %) to @max. */
int value_percent(const struct value *v, double max, double *share);

/* A miss rate, "1e-4" or "0.01%": 1e-7 to 0.5. */
int value_miss(const struct value *v, double *miss);

/* --help, or --help=all. Returns 1: nothing after it is read; or -EINVAL. */
int value_help(const struct value *v, enum help_wanted *help);

/* Adds the facts of --vary to @vary. */
int value_vary(const struct value *v, struct vary *vary);

/* Adds a condition to @list, which has room for CONDITIONS_MAX. */
typedef int (*condition_parser)(struct condition *, const char *, char *, unsigned int);

int value_condition(const struct value *v, condition_parser parse, struct condition list[],
	       unsigned int *n);

/* Finds the sets in @requests that conditions on functions name. */
int value_bind_functions(const struct value *v, const struct function_requests *requests,
			 struct condition *list, unsigned int n);

/*
 * Reads the options in @v->options and @letters, as getopt_long() does, and passes
 * each to @set, with @v filled in. @set returns 0, 1 to stop reading (--help), or
 * -EINVAL. Returns 0, 1 or -EINVAL with one line. Leaves optind as getopt does.
 */
typedef int (*option_setter)(void *o, int val, const struct value *v);

int options_read(void *o, int argc, char **argv, const char *letters,
		 struct value *v, option_setter set);

/* The error after getopt_long() returned @c, '?' or ':', at @word. -EINVAL. */
int value_bad(const struct value *v, int c, const char *word);

#endif /* TLOB_CMD_OPTION_VALUE_H */
