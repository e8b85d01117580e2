/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options of a command that another command starts as a child. The rows of the child's table
 * say which of them the other command refuses: manual_option.not_for.
 */
#ifndef TLOB_OPTIONS_STARTED_H
#define TLOB_OPTIONS_STARTED_H

#include "options/option_value.h"

struct call;

/*
 * options_parse() by the table of @argv[0], "run" or "attach", for the check of the command that starts it.
 * The line ends with @v->rest. With @only, "start stop", the names of all options that it may have.
 * 0, or -EINVAL with one line in @v->err.
 */
int options_started(const struct value *v, void *config, int argc, char **argv, const char *only);

/* A reader: adds the option to a struct call, for run. */
int value_started(const struct value *v, void *to);

/*
 * Makes @line, with what value_started() has added, the line of a run: @duration unless that or the
 * rest has another one. 0, or -EINVAL as above.
 */
int options_begin(struct call *line, const char *duration, const struct value *v);

#endif /* TLOB_OPTIONS_STARTED_H */
