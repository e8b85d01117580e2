/* SPDX-License-Identifier: GPL-2.0 */
/* Prints manuals on a terminal of 80 columns. */
#ifndef TLOB_OPTIONS_MANUAL_TEXT_H
#define TLOB_OPTIONS_MANUAL_TEXT_H

#include <stdio.h>

#include "options/manual.h"

/* At most 23 lines of 80 columns: the basic options, each on one line. */
void manual_print_short(FILE *f, const struct manual *m);

/* Everything, by section. */
void manual_print_all(FILE *f, const struct manual *m);

/* The help of tlob-load itself: @m->commands. */
void manual_print_list(FILE *f, const struct manual *m);

/* "-c, --cpus LIST": the option with its letter and argument, as it is shown. */
#define OPTION_LEN	48
const char *manual_option_text(char buf[OPTION_LEN], const struct manual_option *o);

#endif /* TLOB_OPTIONS_MANUAL_TEXT_H */
