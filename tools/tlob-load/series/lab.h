/* SPDX-License-Identifier: GPL-2.0 */
/* The same runs on several kernels in virtual machines, by the scripts of the tree. */
#ifndef TLOB_LAB_H
#define TLOB_LAB_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/statistic.h"
#include "util/error.h"

#define LAB_MAX_KERNELS	8
#define LAB_MAX_MODULES	8
#define LAB_MAX_JOBS	64

/* "6.12-rt+/path/a.ko+/path/b.ko", or --image FILE --modules DIR */
struct lab_kernel {
	const char *text;		/* as given */
	bool	 image;			/* name is the file of a kernel */
	const char *modules;		/* where its tlob_load.ko is, or NULL */
	char	 name[256];		/* what scripts/fetch-kernel takes, or a file */
	char	 module[LAB_MAX_MODULES][256]; /* more modules */
	unsigned int nmodules;
};

struct lab_config {
	struct lab_kernel kernel[LAB_MAX_KERNELS];
	unsigned int nkernels;
	uint64_t pairs, jobs, smp, seed, timeout;
	bool	 deterministic, compare, quiet, help;
	const char *dir, *metric[STATISTICS_MAX], *margin;
	unsigned int nmetrics;
	char	**options;		/* of run */
	int	 noptions;
	bool	 hooks;			/* they leave the noise source open */
};

/*
 * Fetches the kernels and builds the module for them, makes every run in random
 * order, and with @o->compare compares the first kernel with each of the others.
 * All errors have been printed.
 */
enum exit_code lab_carry_out(const struct lab_config *o);

#endif /* TLOB_LAB_H */
