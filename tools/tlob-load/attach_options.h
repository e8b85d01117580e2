/* SPDX-License-Identifier: GPL-2.0 */
/* The options of `tlob-load attach`, parsed and checked. Pure: no I/O. */
#ifndef TLOB_ATTACH_OPTIONS_H
#define TLOB_ATTACH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "expr.h"
#include "option_value.h"

struct attach_options {
	const char *program;		/* NULL: what --pid executes */
	char	**args;			/* of it, NULL-terminated */
	const char *library;		/* where the symbols are; NULL: the program */
	const char *start, *stop;	/* see symbols.h */
	int	 pid;			/* 0: the program is started */
	uint64_t budget_ns;
	uint64_t duration_ns;		/* 0: until the process ends */
	bool	 all;			/* windows of every process count */
	struct expr assertion[OPTIONS_MAX_LIST];
	unsigned int nassertion;
	const char *json;		/* file, "-" for stdout, or NULL */
	bool	 quiet;
	bool	 help, version;
};

/*
 * 0, or -EINVAL with one line in @err. @argv[0] is the name of the subcommand. The
 * strings point into @argv, which is not reordered.
 */
int attach_options_parse(struct attach_options *o, int argc, char **argv,
			 char *err, unsigned int size);

/* The text of `tlob-load attach --help`. */
extern const char attach_help[];

#endif /* TLOB_ATTACH_OPTIONS_H */
