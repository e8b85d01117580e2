/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `report --hosts`: a line for each host of many results. It decides nothing: that is compare's.
 * Hosts stand in groups of equal settings, kernel and processor. One result is in memory at a
 * time; of each run some hundred bytes stay.
 */
#ifndef TLOB_RESULTS_HOSTS_H
#define TLOB_RESULTS_HOSTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "result/result.h"

/* Quantiles of the response. */
enum { HOST_P50, HOST_P99, HOST_P999, NR_HOST_QUANTILES };

struct host_run {
	double	 ns[NR_HOST_QUANTILES];	/* INFINITY: missed; NAN: too few windows */
	uint64_t id;			/* result_fingerprint() */
};

struct host {
	char	*name, *machine_id;	/* machine_id may be NULL */
	size_t	 group;
	struct host_run *run;
	size_t	 nruns, room;
	char	**boots;		/* each boot_id once; a run without one is none */
	uint64_t late, expiries;	/* over the budget or missed; all */
	uint64_t longest_ns;		/* response */
	int	 longest_cpu;		/* -1: not recorded */
	struct fact *fact;		/* of its first run: tuning, and findings of doctor */
	size_t	 nfacts;
	/* After the last run: */
	double	 ns[NR_HOST_QUANTILES];	/* the median of its runs; likewise */
	double	 spread;		/* the longest p99.9 of a run over the shortest; NAN: not known */
};

struct host_group {
	struct result settings;		/* of its first run, without numbers */
	size_t	 nhosts, nruns;
	char	**lowered;		/* what lowers the meaning of its runs */
};

struct hosts {
	struct host *host;
	size_t	 n, room;
	struct host_group *group;
	size_t	 ngroups, groups_room;
};

/* Takes what the table needs of @r, a run of one host in file @name, and frees it. 0 or -errno, printed. */
int  hosts_add(struct hosts *all, struct result *r, const char *name);
void hosts_free(struct hosts *all);

/* After the last run: sorts the hosts by group, the slowest first. 0 or -ENOMEM. */
int  hosts_sort(struct hosts *all);

/* Prints the sorted ones. 0, -ENOMEM or -EIO. */
int  hosts_print(FILE *f, const struct hosts *all);

#endif /* TLOB_RESULTS_HOSTS_H */
