/* SPDX-License-Identifier: GPL-2.0 */
/* The options of `tlob-load compare` and `gate`. Pure: no I/O. */
#ifndef TLOB_COMPARE_OPTIONS_H
#define TLOB_COMPARE_OPTIONS_H

#include "compare/config.h"

/*
 * 0, or -EINVAL with one line in @err. @argv[0] is the name of the subcommand.
 * The strings point into @argv.
 */
int compare_options_parse(struct compare_config *o, int argc, char **argv,
			  char *err, unsigned int size);

extern const char compare_help[], gate_help[];

#endif /* TLOB_COMPARE_OPTIONS_H */
