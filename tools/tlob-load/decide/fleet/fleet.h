/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which hosts of a fleet are unlike the others. Hosts are compared within a group: the same
 * settings, kernel and processor. One result is in memory at a time; of each run some hundred bytes
 * stay. docs/explanation/fleet.md explains the numbers.
 */
#ifndef TLOB_FLEET_H
#define TLOB_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "result/meaning.h"
#include "result/result.h"

#define FLEET_LEAST	8		/* fewer hosts than this cannot be told apart */
#define FLEET_LEAST_RUNS 2		/* one run is no evidence, among however many */
#define FLEET_LEVEL	0.05		/* the share of named hosts that may be named wrongly */

/* irq, wake and response; p50, p99 and p99.9 of each. */
#define FLEET_AT	3
#define FLEET_METRICS	3
#define FLEET_QUANTILES	(FLEET_METRICS * FLEET_AT)

struct fleet_run {
	/* The logarithm of ns, whose exp() is infinite if it is missed; NAN: too few windows, or not measured. */
	double	 x[FLEET_QUANTILES];
	uint64_t worst_ns;		/* its longest response */
	int	 worst_cpu;		/* -1: not recorded */
	char	*cause;			/* of it, for people; NULL: unknown */
	uint64_t id;			/* result_fingerprint() */
};

/* What fleet_judge() finds of a host in a quantile. */
struct fleet_value {
	double	 x;			/* of its runs without the odd ones; NAN: none */
	double	 z;			/* from the centre of the group, in spreads; NAN */
	double	 p;			/* of "no slower than the others" */
	unsigned int odd;		/* runs that are said apart */
	double	 odd_ratio;		/* the largest of them over the shortest run */
};

struct fleet_host {
	char	*name, *machine_id;	/* machine_id may be NULL */
	size_t	 group;
	struct fleet_run *run;
	size_t	 nruns, room;
	struct fact *fact;		/* of its first run: tuning, and findings of doctor */
	size_t	 nfacts;
	struct fleet_value at[FLEET_QUANTILES];
	double	 p;			/* Simes over the quantiles; 1: nothing is known, or few */
	bool	 named;
	bool	 few;			/* its runs are too few to name it, however long they are */
	unsigned int worst;		/* the quantile with the smallest p */
};

/* A fact in which hosts of a group differ, and what most of them have. */
struct fleet_difference {
	size_t	 group;
	const char *fact, *usual;
	size_t	 nusual;
};

struct fleet_group {
	struct result settings;		/* of its first run, without numbers */
	char	**differs;		/* from the largest group; NULL for that one */
	size_t	 nhosts, nruns, nnamed;
	bool	 decided;		/* FLEET_LEAST hosts have a quantile, one has enough runs, the policy was had */
	char	 undecidable[MEANING_LINE];	/* why its runs decide nothing, or "" */
	char	**lowered;		/* what lowers the meaning of its runs */
	double	 centre[FLEET_QUANTILES], spread[FLEET_QUANTILES];
};

struct fleet {
	struct fleet_host *host;	/* after fleet_judge(): by group, what is named first */
	size_t	 nhosts, room;
	struct fleet_group *group;
	size_t	 ngroups, groups_room;
	struct fleet_difference *difference;
	size_t	 ndifferences, differences_room;
	size_t	 nruns, nnamed, ndecided, largest;
};

/* Takes what a fleet needs of @r, a run of one host in file @name. 0 or -errno, printed. */
int  fleet_add(struct fleet *f, struct result *r, const char *name);

/* After the last run. 0 or -errno, printed. */
int  fleet_judge(struct fleet *f);
void fleet_free(struct fleet *f);

/* "p99.9(wake)" */
const char *fleet_quantile_name(unsigned int q);

/* How many times as long as in the group; NAN; not finite if it is missed in one of them. */
double fleet_ratio(const struct fleet *f, const struct fleet_host *h, unsigned int q);

/* The run with the longest response. */
const struct fleet_run *fleet_worst_of(const struct fleet_host *h);

/* The value that @h has of @fact; "unknown", or "kept" for a rule of doctor. */
const char *fleet_fact_of(const struct fleet_host *h, const char *fact);

/* The sentence that comes first, without a newline. */
void fleet_headline(FILE *out, const struct fleet *f);

/*
 * "1 of 3 runs: p99.9(wake) up to 8.2 times as long as in its others", or "missed": the odd runs; or
 * that there are too few to name it. False: neither.
 */
bool fleet_apart(FILE *out, const struct fleet_host *h);

int fleet_text(FILE *out, const struct fleet *f);
int fleet_json(FILE *out, const struct fleet *f);
int fleet_page(FILE *out, const struct fleet *f);

#endif /* TLOB_FLEET_H */
