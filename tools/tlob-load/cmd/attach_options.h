/* SPDX-License-Identifier: GPL-2.0 */
/* Parses and checks the options of `tlob-load attach`. Pure: no I/O. */
#ifndef TLOB_CMD_ATTACH_OPTIONS_H
#define TLOB_CMD_ATTACH_OPTIONS_H

#include <getopt.h>

#include "attach/config.h"

/*
 * @argv[0] is the name of the subcommand. 0, or -EINVAL with one line in @err. The
 * strings in @o point into @argv, which keeps its order.
 */
int attach_options_parse(struct attach_config *o, int argc, char **argv,
			 char *err, unsigned int size);

/* As for getopt_long(). */
extern const struct option attach_long_options[];
extern const char attach_short_options[];

#endif /* TLOB_CMD_ATTACH_OPTIONS_H */
