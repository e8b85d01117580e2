// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/fleet.h"
#include "report/layout.h"
#include "report/parts_text.h"
#include "util/markup.h"
#include "util/memstream.h"
#include "util/printable.h"
#include "util/units.h"
#include "util/wrap.h"

#define MOST_HOSTS	8		/* in a line or a table; the page and JSON have all */

static void put_differences(FILE *out, const struct fleet *f)
{
	size_t i, k, n;

	for (i = 0; i < f->ndifferences; i++) {
		const struct fleet_difference *d = &f->difference[i];
		struct line l = { .f = out, .indent = 10 };

		l.col = (unsigned int)fprintf(out, "%-10s", i ? "" : "settings");
		line_foreign(&l, "", "", d->fact);
		line_foreign(&l, ": ", "", d->usual);
		line_put(&l, " ", "on %zu", d->nusual);
		for (k = n = 0; k < f->nhosts; k++) {
			const struct fleet_host *h = &f->host[k];

			if (h->group != d->group || !strcmp(fleet_fact_of(h, d->fact), d->usual))
				continue;
			if (n++ == MOST_HOSTS)
				line_put(&l, "; ", "and others");
			if (n > MOST_HOSTS)
				break;
			line_foreign(&l, "; ", "", fleet_fact_of(h, d->fact));
			line_foreign(&l, " ", "on ", h->name);
		}
		line_end(&l);
	}
}

static void put_groups(FILE *out, const struct fleet *f)
{
	size_t i;

	for (i = 0; i < f->ngroups && f->ngroups > 1; i++) {
		const struct fleet_group *g = &f->group[i];
		struct line l = { .f = out, .indent = 10 };
		char **text;

		l.col = (unsigned int)fprintf(out, "group %-4zu", i + 1);
		line_put(&l, "", "%zu host%s, %zu run%s%s", g->nhosts, g->nhosts == 1 ? "" : "s", g->nruns,
			 g->nruns == 1 ? "" : "s", g->decided ? "" : ": cannot tell");
		for (text = g->differs; text && *text; text++)
			line_foreign(&l, "; ", "", *text);
		line_end(&l);
	}
}

static int put_apart(FILE *out, const struct fleet *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->nhosts; i++) {
		char *text = NULL;
		size_t size;
		FILE *m = open_memstream(&text, &size);
		bool any;

		if (!m)
			return -ENOMEM;
		fprintf(m, "%-10s", n ? "" : "apart");
		put_printable(m, "%s: ", f->host[i].name);
		any = fleet_apart(m, &f->host[i]);
		fputc('\n', m);
		if (!memstream_text(m, &text))
			return -ENOMEM;
		if (any && !n)
			fputc('\n', out);
		if (any && n++ < MOST_HOSTS)
			wrap_put(out, text);
		free(text);
	}
	if (n > MOST_HOSTS)
		fprintf(out, "%-10s%zu more hosts have such runs, or too few\n", "", n - MOST_HOSTS);
	return 0;
}

static int put_named(FILE *out, const struct fleet *f)
{
	struct table t = { .align = "llrrr", .gap = 2 };
	unsigned int q;
	size_t i;

	table_cell(&t, "slower\tquantile\ttimes\tspreads\tp of the host");
	for (i = 0; i < f->nhosts; i++) {
		const struct fleet_host *h = &f->host[i];

		for (q = 0; h->named && q < FLEET_QUANTILES; q++) {
			if (!(h->at[q].p < FLEET_LEVEL))
				continue;
			cell_foreign(&t, h->name);
			table_cell(&t, "%s", fleet_quantile_name(q));
			if (isfinite(fleet_ratio(f, h, q)))
				table_cell(&t, "%.2f\t%.1f", fleet_ratio(f, h, q), h->at[q].z);
			else
				table_cell(&t, "missed\t-");
			table_cell(&t, "%.1g", h->p);
		}
	}
	fputc('\n', out);
	return table_print(&t, out);
}

struct worst {
	const struct fleet_host *host;
	const struct fleet_run *run;
};

static int by_response(const void *a, const void *b)
{
	uint64_t x = ((const struct worst *)a)->run->worst_ns;
	uint64_t y = ((const struct worst *)b)->run->worst_ns;

	return (x < y) - (x > y);
}

/* Words of foreign text behind @sep. 0 or -ENOMEM. */
static int put_words(struct line *l, const char *sep, const char *text)
{
	char *s = printable_dup(text);

	if (s)
		line_words(l, sep, s);
	free(s);
	return s ? 0 : -ENOMEM;
}

static void write_headline(FILE *out, const void *f)
{
	fleet_headline(out, f);
}

/* A line in a file, however long; on a terminal it wraps. Its names are escaped already. */
static int put_headline(FILE *out, const struct fleet *f)
{
	char *text = memstream_of(write_headline, f);
	struct line l = { .f = out, .width = 1000 };

	if (!text)
		return -ENOMEM;
	line_words(&l, "", text);
	line_end(&l);
	free(text);
	return 0;
}

static int put_row(FILE *out, const char *label, const char *text)
{
	struct line l = { .f = out, .indent = 10 };
	int err;

	l.col = (unsigned int)fprintf(out, "%-10s", label);
	err = put_words(&l, "", text);
	line_end(&l);
	return err;
}

static int put_worst(FILE *out, const struct fleet *f)
{
	struct worst *sorted = calloc(f->nhosts, sizeof(*sorted));
	char buf[DURATION_LEN];
	int err = 0;
	size_t i;

	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < f->nhosts; i++)
		sorted[i] = (struct worst){ &f->host[i], fleet_worst_of(&f->host[i]) };
	qsort(sorted, f->nhosts, sizeof(*sorted), by_response);
	fputc('\n', out);
	for (i = 0; i < f->nhosts && i < MOST_HOSTS && !err; i++) {
		const struct fleet_run *run = sorted[i].run;
		struct line l = { .f = out, .indent = 10 };

		l.col = (unsigned int)fprintf(out, "%-10s", i ? "" : "worst");
		line_foreign(&l, "", "", sorted[i].host->name);
		line_put(&l, ": ", "%s", duration_format(buf, run->worst_ns));
		if (run->worst_cpu >= 0)
			line_put(&l, " ", "on CPU %d", run->worst_cpu);
		if (run->cause)
			err = put_words(&l, ": ", run->cause);
		line_end(&l);
	}
	free(sorted);
	return err;
}

/* What lowers the meaning of any group, and what the largest one was measured under. */
static int put_conditions(FILE *out, const struct fleet *f)
{
	char *text = result_conditions(&f->group[f->largest].settings), **at;
	int err = text ? 0 : -ENOMEM;
	size_t i;

	fputc('\n', out);
	for (i = 0; i < f->ngroups; i++)
		for (at = f->group[i].lowered; at && *at && !err; at++)
			err = put_row(out, "but", *at);
	fprintf(out, "%-10s%zu host%s, %zu run%s\n", "compared", f->nhosts, f->nhosts == 1 ? "" : "s",
		f->nruns, f->nruns == 1 ? "" : "s");
	if (!err)
		err = put_row(out, "under", text);
	free(text);
	put_differences(out, f);
	put_groups(out, f);
	return err;
}

/* In the order of what a reader asks: the verdict, the numbers, what they hold for. */
int fleet_text(FILE *out, const struct fleet *f)
{
	int err = put_headline(out, f);

	if (!err && f->nnamed)
		err = put_named(out, f);
	if (!err)
		err = put_apart(out, f);
	if (!err)
		err = put_worst(out, f);
	if (!err)
		err = put_conditions(out, f);
	return err ? err : ferror(out) ? -EIO : 0;
}
