/* SPDX-License-Identifier: GPL-2.0 */
/* Makes the same runs on several kernels, in guests started by the scripts of the tree. */
#ifndef TLOB_LAB_LAB_H
#define TLOB_LAB_LAB_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/config.h"
#include "compare/statistic.h"
#include "options/attach_config.h"
#include "options/command.h"
#include "try/trial.h"
#include "util/error.h"

#define LAB_MAX_KERNELS	8
#define LAB_MAX_MODULES	8
#define LAB_MAX_JOBS	64

#define LAB_ARGUMENTS	1024		/* bytes of kernel arguments */
#define LAB_NAME	1024		/* bytes of a kernel's name or file */

/* explain reads windows from a trace buffer of the default size, which holds some 6300. */
#define LAB_EXPLAINED	5000

/*
 * "6.12-rt+/path/a.ko+/path/b.ko+nohz=off", or --image FILE+... --modules DIR. The name may also
 * be a source of kernel_source.h, which becomes an image.
 */
struct lab_kernel {
	const char *text;		/* as given */
	bool	 image;			/* name is the file of a kernel */
	bool	 taken;			/* from a source */
	const char *modules;		/* directory with its tlob_load.ko, or NULL */
	const char *symbols;		/* its System.map for explain, or NULL */
	char	 name[LAB_NAME];	/* argument of scripts/fetch-kernel, a source or a file */
	char	 module[LAB_MAX_MODULES][256]; /* loaded after tlob_load */
	unsigned int nmodules;
	char	 arguments[LAB_ARGUMENTS]; /* of the kernel, separated by spaces, or "" */
};

/* --try: which arguments of the kernel help. */
struct lab_experiment {
	const char *arguments[TRY_SETTINGS];	/* of each setting, separated by spaces */
	unsigned int n;			/* 0: no experiment */
	bool	 resume, dry_run;
	uint64_t within_ns;		/* 0: no limit */
	/* From the other options. */
	double	 margin, run_s;		/* run_s: a boot with its run, about */
	const char *condition;
	char	 cpus[32];		/* measured */
};

#define BISECT_METRIC	"avg(wake)"	/* by default */

extern const struct manual manual_lab, manual_explain, manual_bisect;
extern const struct command cmd_lab, cmd_explain, cmd_bisect;

struct lab_config {
	struct lab_kernel kernel[LAB_MAX_KERNELS];
	unsigned int nkernels;
	uint64_t pairs, jobs, smp, seed;
	uint64_t timeout;		/* of a guest, s */
	bool	 has_seed;		/* else it is random */
	bool	 deterministic, compare, quiet;
	const char *explain;		/* "p50", "p99", "max" or "mean"; NULL: no */
	const char *dir, *margin;
	const char *out[NR_OUTPUTS];	/* of the comparison; OUT_JSON also of the experiment */
	struct statistic metric[STATISTICS_MAX];
	unsigned int nmetrics;
	char	**options;		/* for run, or for attach */
	int	 noptions;
	bool	 default_options;	/* none were given */
	uint64_t windows;		/* a run ends after so many; 0: as its options say */
	bool	 region;		/* the guests run attach, not run */
	struct attach_config attach;	/* what the options say then */
	bool	 hooks;			/* the options name no noise source: use hooks */
	const char *config;		/* file with options of the kernels that are built, or NULL */
	bool	 keep;			/* the worktree of a revision, and its objects */
	const char *tree;		/* of bisect: the kernels are its revisions GOOD and BAD */
	uint64_t instructions;		/* so many more are bad; 0: not given */
	struct lab_experiment try;
};

/*
 * Fetches the kernels, builds their modules and makes all runs in random order.
 * With @o->compare it then compares each kernel with the first one, or with
 * @o->explain shows which functions make the difference. Errors have been
 * printed.
 */
enum exit_code lab_carry_out(const struct lab_config *o);

/* Ends the line of a suggested command with the kernel's and the run's options, which are @o's. */
void lab_print_options(const struct lab_config *o);

/* Returns whether its guests are arm64; else they are x86-64. */
bool lab_is_arm64(const struct lab_kernel *k);

#endif /* TLOB_LAB_LAB_H */
