/* SPDX-License-Identifier: GPL-2.0 */
/* The values of options, which all commands read in the same way. Pure: no I/O. */
#ifndef TLOB_OPTION_VALUE_H
#define TLOB_OPTION_VALUE_H

#include <getopt.h>
#include <stdint.h>

#include "result/condition.h"
#include "util/usage.h"

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL
#define NO_LIMIT	UINT64_MAX

/* Room for the message of a value's own parser, before the option's name. */
#define REASON_LEN	480

/* One option's value on its way to where it belongs. */
struct value {
	const struct option *options;	/* of the command */
	const char *name;		/* of the option, without the dashes */
	const char *arg;
	char *err;			/* where the line goes */
	unsigned int size;
};

#define value_error(v, ...) usage_error((v)->err, (v)->size, __VA_ARGS__)

/* The long name of what getopt_long() returned, or NULL. */
const char *value_name(const struct value *v, int val);

/* All return 0, or -EINVAL with one line. @max: or NO_LIMIT. */
int value_duration(const struct value *v, uint64_t min, uint64_t max,
		   uint64_t *ns);
int value_count(const struct value *v, uint64_t min, uint64_t max,
		uint64_t *n);

/* Anything but "": what should be there is @what. */
int value_text(const struct value *v, const char *what, const char **text);

/* "5%" or "0.5%": a share in (0, @max]. 0, or -EINVAL with one line. */
int value_percent(const struct value *v, double max, double *share);

/* One more condition of at most CONDITIONS_MAX. */
typedef int (*condition_parser)(struct condition *, const char *, char *, unsigned int);

int value_condition(const struct value *v, condition_parser parse, struct condition list[],
	       unsigned int *n);

/*
 * Reads the options of @v->options and @letters (as getopt_long() takes them) and
 * gives each to @set with @v filled in. 0, what @set returned if that was not 0
 * (1: stop reading, as for --help), or -EINVAL with one line. optind is then
 * getopt's.
 */
typedef int (*option_setter)(void *o, int val, const struct value *v);

int options_read(void *o, int argc, char **argv, const char *letters,
		 struct value *v, option_setter set);

/* getopt_long() returned @c, '?' or ':', after reading @word: -EINVAL. */
int value_bad(const struct value *v, int c, const char *word);

#endif /* TLOB_OPTION_VALUE_H */
