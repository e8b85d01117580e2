/* SPDX-License-Identifier: GPL-2.0 */
/* The options of `tlob-load compare` and `gate`. Pure: no I/O. */
#ifndef TLOB_COMPARE_OPTIONS_H
#define TLOB_COMPARE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "option_value.h"
#include "subject.h"

struct compare_options {
	struct subject subject[SUBJECTS_MAX];
	unsigned int nsubjects;		/* 0: the default */
	double	 margin;		/* 0.05: 5 %; 0: from the spread */
	double	 alpha;
	unsigned int looks;
	bool	 force, quiet;
	const char *json, *junit, *ktap, *markdown, *append; /* files, or NULL */
	const char *commit;		/* for the line of --append, or NULL */
	char	**a, **b;		/* results, in the argv */
	size_t	 na, nb;
	bool	 help;
};

/*
 * 0, or -EINVAL with one line in @err. @argv[0] is the name of the subcommand.
 * The strings point into @argv.
 */
int compare_options_parse(struct compare_options *o, int argc, char **argv,
			  char *err, unsigned int size);

extern const char compare_help[], gate_help[];

#endif /* TLOB_COMPARE_OPTIONS_H */
