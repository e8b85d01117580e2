/* SPDX-License-Identifier: GPL-2.0 */
/* The options of `tlob-load lab`. Pure: no I/O. */
#ifndef TLOB_LAB_OPTIONS_H
#define TLOB_LAB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "option_value.h"

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

struct lab_options {
	struct lab_kernel kernel[LAB_MAX_KERNELS];
	unsigned int nkernels;
	uint64_t pairs, jobs, smp, seed, timeout;
	bool	 deterministic, compare, quiet, help;
	const char *dir, *metric[8], *margin;
	unsigned int nmetrics;
	char	**options;		/* of run */
	int	 noptions;
	bool	 hooks;			/* they leave the noise source open */
};

/* 0, or -EINVAL with one line in @err. The strings point into @argv. */
int lab_options_parse(struct lab_options *o, int argc, char **argv,
		      char *err, unsigned int size);

extern const char lab_help[];

#endif /* TLOB_LAB_OPTIONS_H */
