/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the runs of a host rank higher than runs that were dealt to the hosts by chance: Wilcoxon's
 * rank sum, exact. It holds whatever the distribution of a run is, if it is the same on each host.
 */
#ifndef TLOB_FLEET_RANKS_H
#define TLOB_FLEET_RANKS_H

#include "fleet/fleet.h"

struct ranks {
	unsigned int q;
	double	*run;			/* [nruns] of the group that have the quantile, ascending */
	size_t	 nruns;
	size_t	 few, many;		/* the runs of a host and of the others, the smaller number first */
	double	*below;			/* [few * many + 1]: P(at most so many pairs are lost); NULL: normal */
};

/* @r is zeroed. 0 or -ENOMEM; ranks_free() afterwards either way. */
int  ranks_init(struct ranks *r, const struct fleet *f, size_t group, unsigned int q);
void ranks_free(struct ranks *r);

/* The p-value of "@h is no slower": ties raise it. NAN without a run. 0 or -ENOMEM. */
int  ranks_p(struct ranks *r, const struct fleet_host *h, double *p);

/* Return whether a host with @runs of @all could be named, as one of @hosts: if its runs are the longest. */
bool ranks_can_name(size_t runs, size_t all, size_t hosts);

/* The fewest runs of each of @hosts that could. */
size_t ranks_needed(size_t hosts);

#endif /* TLOB_FLEET_RANKS_H */
