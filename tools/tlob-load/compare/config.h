/* SPDX-License-Identifier: GPL-2.0 */
/* What a comparison is asked for. cmd/compare_options.c fills it in. */
#ifndef TLOB_COMPARE_CONFIG_H
#define TLOB_COMPARE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/statistic.h"

struct compare_config {
	struct statistic statistic[STATISTICS_MAX];
	unsigned int nstatistics;		/* 0: the default */
	double	 margin;		/* 0.05 is 5 %; 0: from the spread */
	double	 alpha;			/* 0.05 is 5 % */
	unsigned int looks;
	bool	 force, quiet;
	const char *json, *junit, *ktap, *markdown, *append; /* files, or NULL */
	const char *commit;		/* for the lines of --append, or NULL */
	char	**a, **b;		/* results, in the argv */
	size_t	 na, nb;
	bool	 help;
};

#endif /* TLOB_COMPARE_CONFIG_H */
