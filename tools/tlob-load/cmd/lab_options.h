/* SPDX-License-Identifier: GPL-2.0 */
/* Parses the options of `tlob-load lab`. Pure: no I/O, except for a random seed. */
#ifndef TLOB_CMD_LAB_OPTIONS_H
#define TLOB_CMD_LAB_OPTIONS_H

#include <getopt.h>

#include "series/lab.h"

/* 0, or -EINVAL with one line in @err. The strings in @o point into @argv. */
int lab_options_parse(struct lab_config *o, int argc, char **argv,
		      char *err, unsigned int size);

/* As for getopt_long(). */
extern const struct option lab_long_options[];
extern const char lab_short_options[];

#endif /* TLOB_CMD_LAB_OPTIONS_H */
