// SPDX-License-Identifier: GPL-2.0
/* The sentences of a fleet, for the terminal and for the page. */
#include <math.h>

#include "fleet/fleet.h"
#include "util/markup.h"

#define MOST_NAMES	3

static void name_some(FILE *out, const struct fleet *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->nhosts; i++) {
		const struct fleet_host *h = &f->host[i];

		if (!h->named)
			continue;
		if (n == MOST_NAMES) {
			fprintf(out, " and %zu more", f->nnamed - n);
			return;
		}
		put_printable(out, n++ ? ", %s" : ": %s", h->name);
		fprintf(out, " (%s ", fleet_quantile_name(h->worst));
		if (isfinite(fleet_ratio(f, h, h->worst)))
			fprintf(out, "%.2f times as long)", fleet_ratio(f, h, h->worst));
		else
			fputs("missed)", out);
	}
}

void fleet_headline(FILE *out, const struct fleet *f)
{
	if (f->nnamed) {
		fprintf(out, "%zu of %zu host%s %s slower than the others", f->nnamed, f->nhosts,
			f->nhosts == 1 ? "" : "s", f->nnamed == 1 ? "is" : "are");
		name_some(out, f);
	} else if (!f->ndecided && *f->group[f->largest].undecidable) {
		fprintf(out, "cannot tell: %s", f->group[f->largest].undecidable);
	} else if (!f->ndecided && f->group[f->largest].nhosts >= FLEET_LEAST) {
		fprintf(out, "cannot tell: fewer than %d of %zu hosts with equal settings have enough windows: measure longer",
			FLEET_LEAST, f->group[f->largest].nhosts);
	} else if (!f->ndecided) {
		fprintf(out, "cannot tell: %zu host%s with equal settings at most, and %d are needed",
			f->group[f->largest].nhosts, f->group[f->largest].nhosts == 1 ? "" : "s", FLEET_LEAST);
	} else {
		fputs("no host is slower than the others", out);
	}
	if (f->ndecided && f->ndecided < f->ngroups)
		fprintf(out, "; cannot tell in %zu of %zu groups", f->ngroups - f->ndecided, f->ngroups);
}

bool fleet_apart(FILE *out, const struct fleet_host *h)
{
	unsigned int q, most = 0;

	for (q = 1; q < FLEET_QUANTILES; q++)
		if (h->at[q].odd > h->at[most].odd ||
		    (h->at[q].odd == h->at[most].odd && h->at[q].odd_ratio > h->at[most].odd_ratio))
			most = q;
	if (!h->at[most].odd) {
		if (h->few)
			fprintf(out, "%zu run%s: too few to name it", h->nruns, h->nruns == 1 ? "" : "s");
		return h->few;
	}
	fprintf(out, "%u of %zu runs: %s ", h->at[most].odd, h->nruns, fleet_quantile_name(most));
	if (isfinite(h->at[most].odd_ratio))
		fprintf(out, "up to %.1f times as long as in its others", h->at[most].odd_ratio);
	else
		fputs("missed, not in its others", out);
	return true;
}
