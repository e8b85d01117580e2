/* SPDX-License-Identifier: GPL-2.0 */
/* The guests of the laboratory: one boot after another, or several at a time. */
#ifndef TLOB_LAB_LAB_GUESTS_H
#define TLOB_LAB_LAB_GUESTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lab/lab.h"
#include "result/vary.h"

#define LAB_REASON	300		/* bytes of the reason of a failure, one line */

struct lab {
	const struct lab_config *o;	/* &config */
	struct lab_config config;	/* as given; sources become images */
	char	dir[LAB_MAX_KERNELS][PATH_MAX];	/* for the results */
	char	own[LAB_MAX_KERNELS][PATH_MAX];	/* tlob_load.ko of an image, or "" */
	struct vary vary[LAB_MAX_KERNELS]; /* facts in which a kernel may differ from the first one */
	char	plugin[PATH_MAX];	/* for QEMU, of --explain */
	bool	with_plugin;		/* this boot */
	bool	tries;			/* a boot that fails is a result, so it is not printed */
	double	cpu_s[2];		/* of all guests, without and with the plugin */
	unsigned int *order;		/* [pairs * nkernels]: which kernel runs when */
	struct job {
		pid_t pid;
		size_t slot;
	} job[LAB_MAX_JOBS];
	unsigned int running;
	size_t	assertions_failed, assertions_undecided; /* runs with such an assertion */
	int	claim;			/* of the directory of results */
};

/*
 * Like process_call(), but a signal that ends the lab also ends the program: see signal_end().
 * After signals_catch().
 */
int lab_call(char *const argv[], const char *log);

/* Gets kernels and modules. The scripts do nothing for what is up to date. 0 or -errno, printed. */
int lab_prepare(struct lab *lab);

/*
 * Makes sure that no other lab writes to the directory of results, until this process ends. 0 or
 * -errno, printed.
 */
int lab_claim_dir(struct lab *lab);

/* The last line of a log, which says why a script failed. */
const char *lab_reason(char buf[LAB_REASON], const char *log);

/* Returns whether that reason is no fault of the guest: scripts/vm says so. */
bool lab_blames_machine(const char *why);

/*
 * Boots the kernels of the pairs from @from to @to in the order of @lab->order, with the plugin if
 * @lab->with_plugin says so, and leaves their results in @lab->dir. 0 or -errno, printed; with
 * @lab->tries a guest that failed, -EIO, is not: NNN.log says why. Then no guest runs.
 */
int lab_measure(struct lab *lab, size_t from, size_t to);

#endif /* TLOB_LAB_LAB_GUESTS_H */
