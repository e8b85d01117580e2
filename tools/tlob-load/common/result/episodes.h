/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Episodes: expiries over the budget or missed come in bursts, so they are no independent trials.
 * Those that are at most a gap apart are one episode, and episodes are what is counted. They are
 * kept for several gaps, each four times the one before, because no gap fits every machine: see
 * episodes_chosen(). docs/explanation/statistics.md has what the bounds hold under.
 *
 * Their size does not depend on the length of the run.
 */
#ifndef TLOB_RESULT_EPISODES_H
#define TLOB_RESULT_EPISODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EPISODE_GAPS	6
#define EPISODE_PERIODS	2		/* the first gap, in periods */
#define EPISODE_FIRST_NS 2000000ULL	/* the same of attach, which has no period */

/* Of one gap. A length is a number of expiries over the budget or missed. */
struct episode_row {
	uint64_t gap_ns;
	uint64_t n;
	uint64_t longest;
	uint64_t squares;		/* of the lengths, summed up; at most UINT64_MAX */
	uint64_t covered_ns;		/* from each one's first expiry until the gap after its last */
};

struct episodes {
	uint64_t time_ns;		/* observed */
	uint64_t over;			/* expiries in episodes */
	size_t	 n;			/* gaps; 0: not counted */
	struct episode_row at[EPISODE_GAPS]; /* from the shortest gap to the longest */
};

/* An episode for each gap, which may go on. */
struct episode_track {
	struct episodes e;
	uint64_t last_ns;
	uint64_t length[EPISODE_GAPS];	/* 0: none yet */
};

/* CLOCK_MONOTONIC of the first and the last of @count expiries, in one episode. */
struct episode_piece {
	uint64_t from_ns, to_ns, count;
};

void episodes_begin(struct episode_track *t, uint64_t first_gap_ns);

/* In the order of from_ns. */
void episodes_add(struct episode_track *t, const struct episode_piece *p);

/* Several CPUs: each in its order, but not with each other. */
struct episode_watch;

struct episode_watch *episodes_watch(size_t ncpus, uint64_t period_ns);	/* NULL: no memory */
void episodes_watch_free(struct episode_watch *w);

/*
 * What a window at @t0_ns adds. @missed expiries since the window before it were missed; @over: it
 * was over its budget itself. A count of 0: nothing.
 */
struct episode_piece episode_piece(uint64_t t0_ns, uint64_t missed, bool over, uint64_t period_ns);

/* The CPU with index @i had these pieces, in their order, up to a window at @t0_ns. */
void episodes_pieces(struct episode_watch *w, size_t i, const struct episode_piece *p, size_t n,
		     uint64_t t0_ns);

/*
 * The CPU with index @i had a window at @t0_ns. @missed expiries since the window before it were
 * missed; @over: it was over its budget itself.
 */
void episodes_window(struct episode_watch *w, size_t i, uint64_t t0_ns, uint64_t missed, bool over);

/* How many expiries of the CPU are in episodes until now. */
uint64_t episodes_over(const struct episode_watch *w, size_t i);

/*
 * What the CPU has until now, and all of them together: an episode on several CPUs at a time is
 * one. After the last window @tail more expiries were missed, [@tail] for each CPU.
 */
void episodes_of_cpu(const struct episode_watch *w, size_t i, uint64_t tail, struct episodes *e);
void episodes_of_all(struct episode_watch *w, const uint64_t tail[], struct episodes *e);

/* @count expiries over the budget or missed whose records were lost: one more episode. */
void episodes_unseen(struct episodes *e, uint64_t count);

/* Adds what was counted in another time. Unless both have the same gaps, @a has nothing then. */
void episodes_merge(struct episodes *a, const struct episodes *b);

/*
 * The longest gap whose episodes cover half of the time at most: with it what belongs together
 * is joined, and little else. The shortest if there is none. NULL: not counted.
 */
const struct episode_row *episodes_chosen(const struct episodes *e);

/*
 * Bounds of the expected number of episodes in an hour, each with confidence 1 - @alpha. What is
 * independent is counted with the next longer gap, so a burst may be twice or more in number.
 */
struct episode_rate {
	double	 found, lower, upper;
};

struct episode_rate episodes_per_hour(const struct episodes *e, double alpha);

/*
 * Bounds of the share of @of expiries that are over the budget or missed, each with
 * confidence 1 - @alpha; at most 1. The upper one holds if no episode has more expiries than
 * @longest, or than the longest that was seen.
 */
double episodes_share_lower(const struct episodes *e, uint64_t of, double alpha);
double episodes_share_upper(const struct episodes *e, uint64_t of, uint64_t longest, double alpha);

#endif /* TLOB_RESULT_EPISODES_H */
