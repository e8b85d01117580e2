/* SPDX-License-Identifier: GPL-2.0 */
/* Parses the options of `tlob-load compare` and `gate`. Pure: no I/O. */
#ifndef TLOB_CMD_COMPARE_OPTIONS_H
#define TLOB_CMD_COMPARE_OPTIONS_H

#include <getopt.h>

#include "compare/config.h"

/*
 * @argv[0] is the name of the subcommand. 0, or -EINVAL with one line in @err. The
 * strings in @o point into @argv.
 */
int compare_options_parse(struct compare_config *o, int argc, char **argv,
			  char *err, unsigned int size);

/* As for getopt_long(). */
extern const struct option compare_long_options[];
extern const char compare_short_options[];

#endif /* TLOB_CMD_COMPARE_OPTIONS_H */
