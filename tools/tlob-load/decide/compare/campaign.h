/* SPDX-License-Identifier: GPL-2.0 */
/* Loads the runs of a comparison and reduces each to the numbers that it needs. */
#ifndef TLOB_COMPARE_CAMPAIGN_H
#define TLOB_COMPARE_CAMPAIGN_H

#include "compare/decision.h"
#include "compare/function_shift.h"
#include "compare/statistic.h"
#include "result/meaning.h"
#include "result/result.h"
#include "result/vary.h"

/* The places at which a metric, over all CPUs together, may have moved. */
enum { AT_MEAN, AT_P50, AT_P90, AT_P99, AT_P999, NR_AT };

struct campaign_run {
	const char *path;
	struct result r;		/* without histograms and samples */
	double	 value[STATISTICS_MAX];
	double	 *cpu[STATISTICS_MAX];	/* [r.ncpus]: the same for each CPU */
	double	 resolution[STATISTICS_MAX];
	double	 noise[STATISTICS_MAX];	/* statistic_noise() */
	struct events events;		/* of all CPUs together */
	struct events *cpu_events;	/* [r.ncpus] */
	double	 at[RESULT_METRICS][NR_AT]; /* ns; INFINITY: missed; NAN: none */
	double	 stolen;		/* share of its windows' time; NAN: not known */
	struct function_values function;
	bool	 has_burst;
	struct slices_burst burst;	/* of all CPUs, in a run of burst_of slices */
	unsigned int burst_of;
	uint64_t burst_ns;		/* length of a slice */
};

/* Why no verdict can rest on the runs. */
enum campaign_doubt {
	DOUBT_NONE,
	DOUBT_POLICY,			/* they had not the policy that was to be used */
	DOUBT_UNEQUAL,			/* how long they are, or how many CPUs or windows they have */
	DOUBT_ORDER,			/* one side came first, or when they came is not known */
};

/* A fact of --vary that differs: its values, printable. */
struct varied {
	const char *fact;
	char	*a, *b;
};

struct campaign {
	const struct statistic *statistic;
	size_t	 nstatistics;
	struct campaign_run first;	/* of A, if it was read before: a pipe is read once */
	struct campaign_run *run;	/* the runs of A, then of B */
	size_t	 nruns;
	size_t	 n;			/* pairs */
	const struct vary *vary;	/* facts in which A and B may differ; NULL: none */
	uint64_t cut_short[2];		/* runs of each side that are missing: --cut-short */
	struct varied varied[VARY_MAX];
	size_t	 nvaried;
	size_t	 *replicate;		/* [nruns]: of its side, which a run belongs to */
	size_t	 nreplicates;		/* pairs of them: @n, or fewer if runs share boots */
	bool	 one_boot;		/* all runs are known to come from one boot */
	enum campaign_doubt doubt;	/* the first one; not with @force */
	char	*why;			/* of the doubt */
	uint64_t clock_ns;		/* the longest step of the clocks of all runs; 0: not known */
	char	**lowered;		/* what lowers the meaning of the runs */
	char	**differences;		/* of settings and tuning, or NULL */
	char	**notes;		/* what the reader must know */
};

/*
 * Reads the files: as many A as B, in the order of their pairs. The facts of @c->vary
 * must be the same on each side; all others must be the same in all runs. Other
 * differences are an error; with @force they are kept in @c->differences instead, and
 * so is an order in which one side came mostly before the other. 0 or -errno, printed. Call
 * campaign_free() also after an error.
 */
int  campaign_load(struct campaign *c, char *const *a, size_t na,
		   char *const *b, size_t nb, bool force);
void campaign_free(struct campaign *c);

/*
 * Reads one result, with the checks that need no other run; and takes the statistics from one that
 * was read or not. 0 or -errno, printed.
 */
int  campaign_run_read(struct campaign_run *run, const char *path);
int  campaign_run_load(struct campaign_run *run, const char *path,
		       const struct statistic *statistic, size_t nstatistics);
void campaign_run_free(struct campaign_run *run);

/* What a CPU of a run, or all together, had of events. */
void campaign_run_events(struct events *e, const struct result_cpu *c);

/*
 * Why no verdict can rest on @a and the run of the file @name, in @buf, or NULL: one has more CPUs,
 * so its worst one is worse by itself; or it ran longer, so it met more and got warmer. What ends a run is seldom exact, so a tenth and a second do not
 * count. Attaching ends when it may, and a counted run meets nothing.
 */
const char *campaign_unequal(const struct result *a, const struct result *b, const char *name,
			     char buf[MEANING_LINE]);

/* The runs of pair @i < n. */
struct campaign_run *campaign_a(const struct campaign *c, size_t i);
struct campaign_run *campaign_b(const struct campaign *c, size_t i);

/*
 * Makes the replicates. Runs of one boot share its accidents. The two runs of a pair share them if
 * they are of one boot, so each such pair is a replicate; otherwise a boot of a side is one, with
 * the median of its runs. A boot that one side has more is left out: its runs have a replicate of
 * @nreplicates or more. 0, -ENOMEM, or, printed, -EINVAL if the numbers of boots differ by more
 * than one, unless @force.
 */
int  campaign_group(struct campaign *c, bool force);
/* Finds out whether one side came before the other: a doubt, and notes. 0 or -ENOMEM. */
int  campaign_order(struct campaign *c, bool force);

/* Keeps why no verdict can rest on the runs: as the doubt, or with @force as a difference. 0 or -ENOMEM. */
int  campaign_doubts(struct campaign *c, bool force, enum campaign_doubt doubt, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* True if A and B of each pair counted instructions with the same seed. */
bool campaign_common_seeds(const struct campaign *c);

/*
 * Makes one decision for each statistic. With a doubt all are INCONCLUSIVE, and so is what
 * @c->cut_short would change. If @at is not NULL, the pairs are decided sequentially. Without a margin the rule gets the default.
 * 0 or -errno, printed. campaign_decided() frees the decisions.
 */
int  campaign_decide(struct campaign *c, struct rule *rule,
		     struct decision d[], struct sequential *at);
void campaign_decided(struct decision d[], size_t n);

/* The events of each side: of A, of B. */
void campaign_events(const struct campaign *c, struct events sum[2]);

/* "mean", "p50" ... */
extern const char * const campaign_at_names[NR_AT];

/*
 * The median over the runs of A in *@a, and the median of the differences B - A in
 * *@shift, both in ns. False if a run lacks the value.
 */
bool campaign_shift(const struct campaign *c, unsigned int metric,
		    unsigned int at, double *a, double *shift);

/*
 * A header of CSV, and a line for each result, loaded one at a time; @commit may be NULL. The
 * next one prints both. The others add the lines to a file, where the lines of A have no commit. 0 or -errno, printed
 * except for -EIO.
 */
void csv_header(FILE *f);
int csv_lines(FILE *f, char *const *names, size_t n, const char *commit);
int csv_results(FILE *f, char *const *names, size_t n, const char *commit);
int csv_append_results(const char *path, char *const *names, size_t n, const char *commit);
int csv_append_campaign(const char *path, const struct campaign *c, const char *commit);

/* The shift of a metric from A to B, over all CPUs together. */
struct shift {
	unsigned int metric;
	bool	 known[NR_AT];
	double	 a[NR_AT], by[NR_AT];	/* ns */
};

struct shifts {
	struct shift at[RESULT_METRICS];
	size_t	 n;
	size_t	 pairs;
	bool	 counted;		/* ns are instructions */
	unsigned int where;		/* the quantile that matters: AT_P50 ... */
	unsigned int of;		/* the metric that matters */
};

/*
 * All metrics that are not 0 on both sides. What moved most is judged where @statistic
 * looks.
 */
void shifts_find(struct shifts *s, const struct campaign *c,
		 const struct statistic *statistic);

/* The metric that moved most: a part of the one that matters, if any part moved. Or NULL. */
const struct shift *shifts_largest(const struct shifts *s);

/* A quantile over all CPUs that got worse, though no statistic of the comparison is about it. */
struct moved {
	unsigned int metric, at;	/* TLOB_METRIC_*, AT_* */
	double	 effect;		/* on the scale of decision_effect() */
	double	 a, b;			/* the medians of both sides in ns; INFINITY: missed */
};

#define MOVED_MOST	3		/* irq, wake and response */

/*
 * Of irq, wake and response the quantile that got worse most: with confidence, by more than the
 * margin. It informs and decides nothing. None with a doubt. 0 or -ENOMEM.
 */
int campaign_moved(const struct campaign *c, const struct rule *rule, struct moved found[MOVED_MOST], size_t *n);

/* Whole metrics are always among the @most, and of the parts those that moved most. */
bool shifts_is_among(const struct shifts *s, size_t i, size_t most);

#endif /* TLOB_COMPARE_CAMPAIGN_H */
