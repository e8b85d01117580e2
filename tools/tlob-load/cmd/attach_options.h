/* SPDX-License-Identifier: GPL-2.0 */
/* The options of `tlob-load attach`, parsed and checked. Pure: no I/O. */
#ifndef TLOB_ATTACH_OPTIONS_H
#define TLOB_ATTACH_OPTIONS_H

#include "attach/config.h"

/*
 * 0, or -EINVAL with one line in @err. @argv[0] is the name of the subcommand. The
 * strings point into @argv, which is not reordered.
 */
int attach_options_parse(struct attach_config *o, int argc, char **argv,
			 char *err, unsigned int size);

/* The text of `tlob-load attach --help`. */
extern const char attach_help[];

#endif /* TLOB_ATTACH_OPTIONS_H */
