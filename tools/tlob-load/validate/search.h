/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The largest work, or the shortest period, that keeps a miss rate. Short runs look for it: each
 * shows whether its value keeps the rate, and where the edge should be, because its quantile of the
 * response says how much is left of the budget, and its work how much a round costs. A long run of
 * its own confirms what they found: it was not chosen among several.
 */
#ifndef TLOB_VALIDATE_SEARCH_H
#define TLOB_VALIDATE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/error.h"
#include "workspec.h"

#define SEARCH_RUNS	32		/* more are never made */
#define SEARCH_CONFIRMS	4		/* of them, at most: each may be wrong */
#define SEARCH_ALPHA	0.05		/* that a value was kept which misses the rate */

struct result;

enum search_step {
	SEARCH_PROBE,			/* too short to decide: it only finds where to begin */
	SEARCH_GUIDE,
	SEARCH_CONFIRM,
};

enum search_verdict { SEARCH_UNDECIDED, SEARCH_KEEPS, SEARCH_EXCEEDS };

/* One run. */
struct search_run {
	enum search_step step;
	uint64_t x;			/* rounds, or ns of the work or the period */
	uint64_t windows;		/* that it was to have, on each CPU */
	/* Of the CPU with the largest bound: */
	uint64_t over, of;		/* expiries over the budget or missed, and all */
	uint64_t longest;		/* expiries of the longest episode */
	double	 upper;			/* the bound of their share */
	uint64_t needs;			/* windows that would decide as things are; 0: none would */
	uint64_t late_ns;		/* the response that all but the rate keep; 0: it is missed */
	uint64_t work_ns;		/* CPU time of the work, the mean */
	enum search_verdict verdict;
};

struct search {
	/* The question. */
	bool	 period;		/* the shortest period; else the largest work */
	uint64_t budget_ns;		/* 0: the period */
	double	 miss, resolution;
	uint64_t windows;		/* of the longest run, on each CPU */
	struct tlob_work work;		/* whose amount varies, or stays */
	uint64_t first;			/* where to begin */
	char	**options;		/* for run */
	int	 noptions;
	bool	 quiet;
	/* The answer. */
	uint64_t clock_ns;		/* a step of the clock; 0: not known */
	struct search_run run[SEARCH_RUNS];
	unsigned int n;
	uint64_t good, bad;		/* the best value that keeps the rate, the next that did not; 0: none */
	uint64_t exceeds;		/* the next that was shown to exceed the rate; 0: none */
	bool	 confirmed;		/* good is, by a run of its own */
};

/* What to measure next. */
struct search_next {
	enum search_step step;
	uint64_t x, windows;
};

/*
 * The fewest windows for a bound of the share below @miss, although one window is over; and those
 * of the confirming run, unless something else is asked for: without any over, episodes of
 * SEARCH_EPISODE expiries would have been seen.
 */
uint64_t search_windows(double miss);
uint64_t search_confirming(double miss);
#define SEARCH_EPISODE	50

/* Takes the numbers of a run. */
void search_take(struct search *s, const struct search_next *of, const struct result *r);

/* False: the answer is there, or nothing is left to try. */
bool search_next(const struct search *s, struct search_next *next);

/* How long an episode may be that the confirming run would not have seen; it saw none. */
uint64_t search_unseen(const struct search *s);

/* Makes the runs, in files below @dir. Errors have been printed. */
enum exit_code search_carry_out(struct search *s, const char *dir);

/* "loops:20000" or "1200us": the value as an option takes it. */
#define SEARCH_VALUE	96
const char *search_value(char buf[SEARCH_VALUE], const struct search *s, uint64_t x);

/* In one sentence, without a newline, which the caller frees; NULL without memory. */
char *search_sentence(const struct search *s);

/* A table, one JSON object, a page. 0, -ENOMEM or -EIO. */
int  search_text(FILE *f, const struct search *s);
int  search_json(FILE *f, const struct search *s);
int  page_search(FILE *f, const struct search *s);

#endif /* TLOB_VALIDATE_SEARCH_H */
