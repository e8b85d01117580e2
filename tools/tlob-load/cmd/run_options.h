/* SPDX-License-Identifier: GPL-2.0 */
/* The options of `tlob-load run`, parsed and checked. Pure: no I/O. */
#ifndef TLOB_RUN_OPTIONS_H
#define TLOB_RUN_OPTIONS_H

#include "run/config.h"

/*
 * 0, or -EINVAL with one line in @err (what is wrong and what to do; no
 * newline). @argv[0] is the name of the subcommand. The strings point into
 * @argv, which is not reordered. With --help or --version the rest is not read.
 */
int run_options_parse(struct run_config *o, int argc, char **argv,
		  char *err, unsigned int size);

/* The text of `tlob-load run --help`. */
extern const char run_help[];

#endif /* TLOB_RUN_OPTIONS_H */
