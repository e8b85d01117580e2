/* SPDX-License-Identifier: GPL-2.0 */
/* Parses the options of `tlob-load compare` and `gate`. Pure: no I/O. */
#ifndef TLOB_CMD_COMPARE_OPTIONS_H
#define TLOB_CMD_COMPARE_OPTIONS_H

#include "compare/config.h"

/*
 * @argv[0] is the name of the subcommand. 0, or -EINVAL with one line in @err. The
 * strings in @o point into @argv.
 */
int compare_options_parse(struct compare_config *o, int argc, char **argv,
			  char *err, unsigned int size);

/* The texts of --help. */
extern const char compare_help[], gate_help[];

#endif /* TLOB_CMD_COMPARE_OPTIONS_H */
