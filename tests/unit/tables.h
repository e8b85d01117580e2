/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Simulations that print the tables of docs/explanation/error-rates.txt:
 *
 *	PROGRAM				checks on few draws what the page promises
 *	PROGRAM --tables [N [SEED]]	prints the tables, with N draws for a cell and other seeds
 */
#ifndef TLOB_TESTS_TABLES_H
#define TLOB_TESTS_TABLES_H

#include <errno.h>
#include <math.h>

#include "unit.h"

enum { TABLES_MOST = 20000 };

struct tables {
	bool	 wanted;
	unsigned int n;			/* draws for a cell */
	uint64_t seed;			/* 0: the seeds of the page */
};

/* Numbers that follow --tables. @n: without them. -EINVAL for anything else. */
static inline int tables_read(struct tables *t, unsigned int n, int argc, char **argv)
{
	char *end = (char *)"";

	*t = (struct tables){ .n = n };
	if (argc < 2)
		return 0;
	t->wanted = true;
	if (argc > 2)
		t->n = (unsigned int)strtoul(argv[2], &end, 10);
	if (argc > 3 && !*end)
		t->seed = strtoull(argv[3], &end, 10);
	return strcmp(argv[1], "--tables") || argc > 4 || *end || !t->n || t->n > TABLES_MOST ? -EINVAL : 0;
}

/* The seed of a program whose seed on the page is @own. Never 0: unit_random() would stay there. */
static inline uint64_t tables_seed(const struct tables *t, uint64_t own)
{
	uint64_t seed = own ^ t->seed * 0x9e3779b97f4a7c15ULL;

	return seed ? seed : own;
}

/* Return whether @n of @all draws fit at most, or at least, @share: within three standard deviations. */
static inline bool at_most_of(unsigned int n, unsigned int all, double share)
{
	return n <= all * share + 3 * sqrt(all * share * (1 - share));
}

static inline bool at_least_of(unsigned int n, unsigned int all, double share)
{
	return n >= all * share - 3 * sqrt(all * share * (1 - share));
}

/* A share in percent, bold where it misses its goal. */
struct rate_cell {
	char	 text[32];
};

static inline struct rate_cell cell_of(double percent, bool met)
{
	struct rate_cell c;

	snprintf(c.text, sizeof(c.text), met ? "%.1f" : "**%.1f**", percent);
	return c;
}

/* @n of @all draws, with a goal. */
static inline struct rate_cell at_most_cell(unsigned int n, unsigned int all, double share)
{
	return cell_of(100.0 * n / all, at_most_of(n, all, share));
}

static inline struct rate_cell at_least_cell(unsigned int n, unsigned int all, double share)
{
	return cell_of(100.0 * n / all, at_least_of(n, all, share));
}

#endif /* TLOB_TESTS_TABLES_H */
