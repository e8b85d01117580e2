/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans the runs of a comparison: pairs of A and B, each in random order.
 */
#ifndef TLOB_COMPARE_PLAN_H
#define TLOB_COMPARE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/statistic.h"
#include "result/vary.h"
#include "util/error.h"

struct result;

#define PLAN_ARGUMENTS	1024		/* bytes of kernel arguments */

struct plan {
	const char *name[2];		/* of A and B; $1 of --setup */
	char	arguments[2][PLAN_ARGUMENTS]; /* of "NAME+ARGUMENT...", separated by spaces; $2 */
	uint64_t pairs, seed;
	const char *dir, *setup;	/* setup: a command, or NULL */
	struct vary vary;		/* facts that setup changes, for compare */
	char	**options;		/* for run */
	int	 noptions;
	bool	 tune;			/* B runs with --tune */
	bool	 sequential;		/* stop as soon as compare --sequential is certain */
	bool	 quiet;			/* the text of compare is not shown */
	bool	 dry_run;		/* print the commands instead, each on a line for a shell */
	const char *margin;		/* for compare, or NULL */
	const char *kernel[2];		/* what each side ran on before, where that tells them apart; or NULL */
	const struct result *like;	/* each run has its facts; or NULL */
	struct statistic metric[STATISTICS_MAX];
	unsigned int nmetrics;
	unsigned int *order;		/* [pairs * 2]: 0 A, 1 B */
};

/* Draws @p->order (malloc) from the seed. 0 or -ENOMEM, printed. */
int plan_draw_order(struct plan *p);

/*
 * Refuses to compare two results. Prints where @b, the file @name, differs from @a in a fact
 * that @vary does not name. 0; -EINVAL; -ENOMEM, printed.
 */
int plan_refuse_facts(const struct result *a, const struct result *b, const char *name,
		      const struct vary *vary);

/*
 * Makes the missing runs, and calls compare; with @p->sequential at each look. If the first pair
 * has differences that @p->vary does not name, it ends there: compare would refuse all of them. It
 * also ends if a kernel lacks its arguments. 0 with the exit code of compare, or -errno, printed.
 */
int plan_carry_out(const struct plan *p, enum exit_code *code);

#endif /* TLOB_COMPARE_PLAN_H */
