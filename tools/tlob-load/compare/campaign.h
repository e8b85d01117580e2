/* SPDX-License-Identifier: GPL-2.0 */
/* The runs of a comparison, each reduced to the numbers that it needs. */
#ifndef TLOB_CAMPAIGN_H
#define TLOB_CAMPAIGN_H

#include "compare/decision.h"
#include "compare/statistic.h"
#include "result/result.h"

/* Of each metric over all CPUs: where did it move? */
enum { AT_MEAN, AT_P50, AT_P90, AT_P99, AT_P999, NR_AT };

struct campaign_run {
	const char *path;
	struct result r;		/* without histograms and samples */
	double	 value[STATISTICS_MAX];
	double	 resolution[STATISTICS_MAX];
	double	 at[TLOB_NR_METRICS][NR_AT]; /* ns; NAN: not measured, too few */
};

struct campaign {
	const struct statistic *statistic;
	size_t	 nstatistics;
	struct campaign_run *run;	/* those of A, then those of B */
	size_t	 nruns;
	size_t	 n;			/* pairs */
	bool	 blocks;		/* A, A' and B */
	char	**differences;		/* of settings and circumstances, or NULL */
	char	**notes;		/* what the reader must know */
};

/*
 * Reads the files: as many A as B, in the order of their pairs; or twice as many,
 * each pair of A being A and A' of a block. Results that did not measure the same
 * are an error unless @force; @force keeps the differences to be shown.
 * 0 or -errno, printed; campaign_free() in any case.
 */
int  campaign_load(struct campaign *c, char *const *a, size_t na,
		   char *const *b, size_t nb, bool force);
void campaign_free(struct campaign *c);

/* Only what campaign_load() asks of one result on its own. 0 or -errno, printed. */
int  campaign_run_load(struct campaign_run *run, const char *path,
		       const struct statistic *statistic, size_t nstatistics);
void campaign_run_free(struct campaign_run *run);

/* Of pair or block @i < n. The baseline's second run only if there are blocks. */
struct campaign_run *campaign_a(const struct campaign *c, size_t i);
struct campaign_run *campaign_base(const struct campaign *c, size_t i);
struct campaign_run *campaign_b(const struct campaign *c, size_t i);

/* One decision for each statistic; rule->least_margin and most_margin are set here. 0 or -errno, printed. */
int  campaign_decide(struct campaign *c, struct rule *rule,
		     struct decision d[]);
void campaign_decided(struct decision d[], size_t n);	/* frees */

/*
 * The expiries of all runs of a side, and those that were over their budget or
 * missed. @p: of so many for B or more, if the sum of both had fallen on A and B by
 * chance (binomial). It takes windows for independent, which they are not: it is
 * shown, and decides nothing. NAN without a miss.
 */
struct campaign_misses {
	uint64_t expiries[2], missed[2];	/* of A (with A'), of B */
	double	 p;
};

struct campaign_misses campaign_misses(const struct campaign *c);

/* "mean", "p50" ... */
extern const char * const campaign_at_names[NR_AT];

/*
 * The median over the runs of A, and that of the pairs' differences B - A, in
 * ns. False if a run does not have it.
 */
bool campaign_shift(const struct campaign *c, unsigned int metric,
		    unsigned int at, double *a, double *shift);

#endif /* TLOB_CAMPAIGN_H */
