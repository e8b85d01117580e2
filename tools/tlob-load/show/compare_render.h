/* SPDX-License-Identifier: GPL-2.0 */
/* A comparison for people, programs and CIs. All return 0, -ENOMEM or -EIO. */
#ifndef TLOB_COMPARE_RENDER_H
#define TLOB_COMPARE_RENDER_H

#include <stdio.h>

#include "compare/campaign.h"
#include "compare/config.h"
#include "compare/decision.h"
#include "compare/stats.h"

struct comparison {
	const struct compare_config *o;
	const struct campaign *c;
	const struct decision *d;	/* one for each statistic */
	struct rule rule;
	enum decision_verdict verdict;
};

int compare_text(FILE *f, const struct comparison *all);
int compare_json(FILE *f, const struct comparison *all);
int compare_junit(FILE *f, const struct comparison *all);
int compare_ktap(FILE *f, const struct comparison *all);
int compare_markdown(FILE *f, const struct comparison *all);

/* "OK", "REGRESSION", "INCONCLUSIVE". */
const char *verdict_name(enum decision_verdict v);

/*
 * Into @buf, which is returned: what was found of statistic @s, in one line, and
 * why the verdict is what it is.
 */
#define COMPARE_LINE	320
const char *compare_found(char buf[COMPARE_LINE], const struct comparison *all,
			  size_t s);
const char *compare_why(char buf[COMPARE_LINE], const struct comparison *all,
			size_t s);
/* Where the margin comes from. */
const char *compare_margin(char buf[COMPARE_LINE], const struct comparison *all,
			   size_t s);

/* How many expiries were missed, over all runs. */
const char *compare_misses(char buf[COMPARE_LINE], const struct comparison *all);

/* "+12.3 %", or "+0.012 points" of a rate; with sign and without. */
const char *effect_text(char buf[32], const struct decision *d, double effect);
const char *share_text(char buf[32], const struct decision *d, double share);

/* A line for each run to the file of --append. 0 or -errno, printed. */
int compare_append(const struct comparison *all);

#endif /* TLOB_COMPARE_RENDER_H */
