/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The largest work, or the shortest period, that keeps a miss rate. Each run shows
 * whether its value keeps the rate, and where the edge should be: its quantile of the
 * response says how much is left of the budget, its work how much a round costs.
 */
#ifndef TLOB_VALIDATE_SEARCH_H
#define TLOB_VALIDATE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/error.h"
#include "workspec.h"

#define SEARCH_RUNS	24		/* more are never made */
#define SEARCH_ALPHA	0.05		/* of the bound of the miss rate */

struct result;

/* One run. */
struct search_run {
	uint64_t x;			/* rounds, or ns of the work or the period */
	uint64_t over, of;		/* expiries of the CPU with the most over the budget or missed */
	double	 upper;			/* the bound of their share */
	uint64_t late_ns;		/* the response that all but the rate keep; 0: it is missed */
	uint64_t work_ns;		/* CPU time of the work, the mean */
	bool	 probe;			/* too short to decide: it only finds where to begin */
	bool	 kept;
};

struct search {
	/* The question. */
	bool	 period;		/* the shortest period; else the largest work */
	uint64_t budget_ns;		/* 0: the period */
	double	 miss, resolution;
	uint64_t windows;		/* of a run, on each CPU */
	struct tlob_work work;		/* whose amount varies, or stays */
	uint64_t first;			/* where to begin */
	char	**options;		/* for run */
	int	 noptions;
	bool	 quiet;
	/* The answer. */
	uint64_t clock_ns;		/* a step of the clock; 0: not known */
	struct search_run run[SEARCH_RUNS];
	unsigned int n;
	uint64_t good, bad;		/* the best value that keeps the rate, the next that does not; 0: none */
};

/* The fewest windows for a bound of the share below @miss, although one window is over. */
uint64_t search_windows(double miss);

/* Takes the numbers of a run of the value @x. */
void search_take(struct search *s, uint64_t x, const struct result *r, bool probe);

/* The next value to try, or 0: both are known within the resolution, or no value is left. */
uint64_t search_next(const struct search *s);

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
