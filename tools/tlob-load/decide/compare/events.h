/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events, which are expiries over the budget or missed: does B have more of them than A? They come
 * in bursts, so episodes are counted, and all of a side are added up: docs/explanation/statistics.md.
 * Pure: no I/O.
 */
#ifndef TLOB_COMPARE_EVENTS_H
#define TLOB_COMPARE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "result/episodes.h"

/* A margin of 10 % says nothing of an A without events: so large a share of all expiries is its least. */
#define EVENTS_LEAST_MARGIN	1e-4

/* Of a run, of the runs of a boot, or of a side. */
struct events {
	uint64_t expiries, late;
	struct episodes e;
};

void events_add(struct events *to, const struct events *more);

/* True if any pair has an event. */
bool events_any(const struct events a[], const struct events b[], size_t n);

/* The gap that makes the episodes of both sides independent: an index of episodes.at[]. */
size_t events_gap(const struct events *a, const struct events *b);

/* The p-value of "B has at most @times the rate of episodes of A", exact (binomial); 1 if B has none. */
double events_p_of_totals(const struct events *a, const struct events *b, size_t gap, double times);

/* What is found of both sides. Shares are of the expiries. */
struct events_found {
	struct events a, b;		/* of all runs */
	size_t	 gap;			/* of episodes.at[]: for both sides the same */
	double	 share_a, share_b;
	double	 upper;			/* of share_b - share_a, one-sided at alpha */
	double	 margin;		/* of it: the relative one of share_a, or EVENTS_LEAST_MARGIN */
	double	 p;			/* of "B has no more episodes than A and the relative margin", exact; 1 without any */
	bool	 none;			/* neither side has one */
};

/*
 * Compares @n pairs, of runs or of boots. @margin: relative. The p-value is the larger of two: of
 * so many of all episodes in B, if its rate is A's and the margin (binomial), and of the signed
 * ranks of the pairs, which allows for rates that vary from run to run. The bound is the larger of
 * two as well: Fay and Feuer's of both sides (MOVER, Zou & Donner, Statistics in Medicine 27,
 * 2008), and Student's of the pairs, corrected for skewness. Where most expiries of a side are late
 * only the second of each counts. 0 or -ENOMEM.
 */
int events_compare(struct events_found *f, const struct events a[], const struct events b[], size_t n,
		   double margin, double alpha);

/*
 * The share of B, of @of expiries, that an upper bound of @alpha allows where no event was seen: it
 * holds for single events, and for bursts of @length for @length times as much.
 */
double events_unseen_share(uint64_t of, double alpha);

#endif /* TLOB_COMPARE_EVENTS_H */
