/* SPDX-License-Identifier: GPL-2.0 */
/* The options of `tlob-load waits`. Pure: no I/O. */
#ifndef TLOB_CMD_WAITS_OPTIONS_H
#define TLOB_CMD_WAITS_OPTIONS_H

#include <getopt.h>

#include "waits/config.h"

/* As for getopt_long(). */
extern const struct option waits_long_options[];
extern const char waits_short_options[];

/* Returns 0, or -EINVAL with one line in @err. With --help only @o->help is valid. */
int waits_options_parse(struct waits_config *o, int argc, char **argv,
			char *err, unsigned int size);

#endif /* TLOB_CMD_WAITS_OPTIONS_H */
