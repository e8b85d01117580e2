/* SPDX-License-Identifier: GPL-2.0 */
/* Parses and checks the options of `tlob-load run`. Pure: no I/O. */
#ifndef TLOB_CMD_RUN_OPTIONS_H
#define TLOB_CMD_RUN_OPTIONS_H

#include <getopt.h>

#include "backend/config.h"

/*
 * @argv[0] is the name of the subcommand. 0, or -EINVAL with one line in @err,
 * without a newline. The strings in @o point into @argv, which keeps its order.
 * Nothing after --help or --version is read.
 */
int run_options_parse(struct run_config *o, int argc, char **argv,
		  char *err, unsigned int size);

/* True if they ask for a text instead of a run: --help, --version, and lists. */
bool run_options_only_print(const struct run_config *o);

/* As for getopt_long(). */
extern const struct option run_long_options[];
extern const char run_short_options[];

#endif /* TLOB_CMD_RUN_OPTIONS_H */
