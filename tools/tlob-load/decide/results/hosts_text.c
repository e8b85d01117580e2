// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"
#include "report/parts_text.h"
#include "result/comparable.h"
#include "result/meaning.h"
#include "results/hosts.h"
#include "util/printable.h"
#include "util/units.h"

#define MOST_HOSTS	8		/* named in a line of settings */

static void time_cell(struct table *t, double ns)
{
	char buf[DURATION_LEN];

	table_cell(t, "%s", isnan(ns) ? "-" : isinf(ns) ? "missed" :
		   duration_format(buf, (uint64_t)llround(ns)));
}

static size_t boots_of(const struct host *h)
{
	size_t n = 0;

	while (h->boots && h->boots[n])
		n++;
	return n;
}

static void put_host(struct table *t, const struct host *h)
{
	char late[COUNT_LEN], of[COUNT_LEN];
	size_t boots = boots_of(h);
	unsigned int q;

	cell_foreign(t, h->name);
	table_cell(t, "%zu", h->nruns);
	if (boots)
		table_cell(t, "%zu", boots);
	else
		table_cell(t, "-");
	for (q = 0; q < NR_HOST_QUANTILES; q++)
		time_cell(t, h->ns[q]);
	if (isnan(h->spread))
		table_cell(t, "-");
	else
		table_cell(t, "%.2f", h->spread);
	time_cell(t, h->expiries ? (double)h->longest_ns : NAN);
	if (h->longest_cpu >= 0)
		table_cell(t, "%d", h->longest_cpu);
	else
		table_cell(t, "-");
	table_cell(t, "%s of %s", count_prose(late, h->late), count_prose(of, h->expiries));
}

static int put_hosts(FILE *f, const struct hosts *all, size_t group)
{
	struct table t = { .align = "lrrrrrrrrr", .gap = 2, .width = layout_width(f, LAYOUT_WIDTH),
			   .labels = 1, .least = "dicb" };
	size_t i;

	table_cell(&t, "host\truns\tboots\tp50\tp99\tp99.9\tspread\tlongest\tCPU\tover or missed");
	for (i = 0; i < all->n; i++)
		if (all->host[i].group == group)
			put_host(&t, &all->host[i]);
	return table_print(&t, f);
}

/* Words of foreign text behind a label. 0 or -ENOMEM. */
static int put_row(FILE *f, const char *label, const char *text)
{
	struct line l = { .f = f, .indent = 10 };
	char *s = printable_dup(text);

	l.col = (unsigned int)fprintf(f, "%-10s", label);
	if (s)
		line_words(&l, "", s);
	line_end(&l);
	free(s);
	return s ? 0 : -ENOMEM;
}

static int put_under(FILE *f, const struct host_group *g)
{
	const char *processor = tuning_of(&g->settings, "processor");
	char *conditions = result_conditions(&g->settings), *text = NULL;
	int err = conditions &&
		  asprintf(&text, "%s; Linux %s%s%s", conditions,
			   g->settings.kernel ? g->settings.kernel : "unknown",
			   processor ? "; " : "", processor ? processor : "") >= 0 ? 0 : -ENOMEM;
	char **at;

	if (!err)
		err = put_row(f, "under", text);
	for (at = g->lowered; at && *at && !err; at++)
		err = put_row(f, "but", *at);
	free(text);
	free(conditions);
	return err;
}

/* "unknown", or of a rule of doctor "kept". */
static const char *value_of(const struct host *h, const char *fact)
{
	size_t i;

	for (i = 0; i < h->nfacts; i++)
		if (!strcmp(h->fact[i].name, fact))
			return h->fact[i].value;
	return strncmp(fact, "doctor ", 7) ? "unknown" : "kept";
}

/* The value that most hosts of the group have, and how many. */
static const char *usual_value(const struct hosts *all, size_t group, const char *fact, size_t *most)
{
	const char *usual = NULL, *value;
	size_t i, k, n;

	*most = 0;
	for (i = 0; i < all->n && *most <= all->group[group].nhosts / 2; i++) {
		if (all->host[i].group != group)
			continue;
		value = value_of(&all->host[i], fact);
		for (k = n = 0; k < all->n; k++)
			n += all->host[k].group == group && !strcmp(value_of(&all->host[k], fact), value);
		if (n > *most) {
			*most = n;
			usual = value;
		}
	}
	return usual;
}

static void put_difference(FILE *f, const struct hosts *all, size_t group, const char *fact)
{
	struct line l = { .f = f, .indent = 10 };
	size_t most, i, n = 0;
	const char *usual = usual_value(all, group, fact, &most);

	if (most == all->group[group].nhosts)
		return;
	l.col = (unsigned int)fprintf(f, "%-10s", "settings");
	line_foreign(&l, "", "", fact);
	line_foreign(&l, ": ", "", usual);
	line_put(&l, " ", "on %zu", most);
	for (i = 0; i < all->n && n <= MOST_HOSTS; i++) {
		const struct host *h = &all->host[i];

		if (h->group != group || !strcmp(value_of(h, fact), usual))
			continue;
		if (n++ == MOST_HOSTS) {
			line_put(&l, "; ", "and others");
			break;
		}
		line_foreign(&l, "; ", "", h->name);
		line_foreign(&l, ": ", "", value_of(h, fact));
	}
	line_end(&l);
}

/* Whether a host of the group before @host, or an earlier fact of it, has told of @fact. */
static bool was_told(const struct hosts *all, size_t host, size_t at)
{
	const char *fact = all->host[host].fact[at].name;
	size_t i, k;

	for (i = 0; i <= host; i++)
		for (k = 0; all->host[i].group == all->host[host].group &&
			    k < (i == host ? at : all->host[i].nfacts); k++)
			if (!strcmp(all->host[i].fact[k].name, fact))
				return true;
	return false;
}

/* A fact that only some hosts have, such as a finding, is a difference. */
static void put_differences(FILE *f, const struct hosts *all, size_t group)
{
	size_t i, k;

	for (i = 0; i < all->n; i++)
		for (k = 0; all->host[i].group == group && k < all->host[i].nfacts; k++)
			if (!was_told(all, i, k))
				put_difference(f, all, group, all->host[i].fact[k].name);
}

int hosts_print(FILE *f, const struct hosts *all)
{
	size_t g;
	int err = 0;

	for (g = 0; g < all->ngroups && !err; g++) {
		const struct host_group *group = &all->group[g];

		fprintf(f, "%s%zu host%s, %zu run%s\n", g ? "\n" : "", group->nhosts,
			group->nhosts == 1 ? "" : "s", group->nruns, group->nruns == 1 ? "" : "s");
		err = put_under(f, group);
		put_differences(f, all, g);
		fputc('\n', f);
		if (!err)
			err = put_hosts(f, all, g);
	}
	fputs("\nTimes are the response: medians of a host's runs, and its longest one. spread: the longest p99.9\n"
	      "of its runs over the shortest. Whether a host is slower than another, compare decides.\n", f);
	return err ? err : ferror(f) ? -EIO : 0;
}
