// SPDX-License-Identifier: GPL-2.0
/* From results to hosts and groups of hosts. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/comparable.h"
#include "result/meaning.h"
#include "result/stats.h"
#include "results/hosts.h"
#include "util/array.h"
#include "util/error.h"
#include "util/text.h"

static const unsigned int ppm[NR_HOST_QUANTILES] = { 500000, 990000, 999000 };

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Other kernels and processors are other machines: their times say nothing about each other. */
static int belongs(const struct host_group *g, const struct result *r, const char *name)
{
	char **list = NULL;
	int err = settings_differ(&list, &g->settings, r, name);
	bool same = !list && same_text(g->settings.kernel, r->kernel) &&
		    same_text(tuning_of(&g->settings, "processor"), tuning_of(r, "processor"));

	notes_free(list);
	return err ? err : same;
}

static int find_group(struct hosts *all, const struct result *r, const char *name, size_t *group)
{
	int is = 0;

	for (*group = 0; *group < all->ngroups; ++*group) {
		is = belongs(&all->group[*group], r, name);
		if (is)
			break;
	}
	return is < 0 ? is : 0;
}

static int add_fact(struct host *h, const char *name, const char *value)
{
	struct fact *more = reallocarray(h->fact, h->nfacts + 1, sizeof(*more));
	int err = 0;

	if (!more)
		return -ENOMEM;
	h->fact = more;
	more[h->nfacts] = (struct fact){ .name = text_copy(name, &err), .value = text_copy(value, &err) };
	h->nfacts++;
	return err;
}

/* The tuning, and each rule of doctor that is not kept: only those are in a result. */
static int take_facts(struct host *h, const struct result *r)
{
	char name[80];
	size_t i;
	int err = 0;

	for (i = 0; i < r->ntuning && !err; i++)
		err = add_fact(h, r->tuning[i].name, r->tuning[i].value);
	for (i = 0; r->findings && i < r->findings->n && !err; i++) {
		if (r->findings->at[i].status == STATUS_UNKNOWN)
			continue;
		snprintf(name, sizeof(name), "doctor %s", r->findings->at[i].id);
		err = add_fact(h, name, "not kept");
	}
	return err;
}

/* Machines that share a name are told apart by their machine_id. */
static struct host *find_host(struct hosts *all, const struct result *r, size_t group)
{
	size_t i;

	for (i = all->n; i-- > 0;)
		if (all->host[i].group == group && !strcmp(all->host[i].name, r->host) &&
		    same_text(all->host[i].machine_id, r->machine_id))
			return &all->host[i];
	return NULL;
}

static struct host *add_host(struct hosts *all, const struct result *r, size_t group)
{
	struct host *h = array_add(all->host, all->n, all->room);

	if (!h)
		return NULL;
	*h = (struct host){ .name = strdup(r->host), .group = group, .longest_cpu = -1 };
	h->machine_id = r->machine_id ? strdup(r->machine_id) : NULL;
	all->n++;
	all->group[group].nhosts++;
	return h->name && (h->machine_id || !r->machine_id) && !take_facts(h, r) ? h : NULL;
}

static int add_boot(struct host *h, const char *boot_id)
{
	size_t i;

	if (!boot_id)
		return 0;
	for (i = 0; h->boots && h->boots[i]; i++)
		if (!strcmp(h->boots[i], boot_id))
			return 0;
	return notes_add(&h->boots, "%s", boot_id);
}

static void take_numbers(struct host *h, struct host_run *run, const struct result *r)
{
	const struct tlob_hist *response = &r->all.hist[TLOB_METRIC_RESPONSE];
	uint64_t missed = result_missed(&r->all, TLOB_METRIC_RESPONSE), ns;
	unsigned int q;

	for (q = 0; q < NR_HOST_QUANTILES; q++)
		switch (hist_quantile_missed(response, missed, ppm[q], &ns)) {
		case QUANTILE_KNOWN: run->ns[q] = (double)ns; break;
		case QUANTILE_MISSED: run->ns[q] = INFINITY; break;
		default: run->ns[q] = NAN;
		}
	h->late += r->all.violations + missed;
	h->expiries += r->all.windows + missed;
	if (response->max <= h->longest_ns)
		return;
	h->longest_ns = response->max;
	h->longest_cpu = r->nworst ? (int)r->worst[0].w.cpu : -1;
}

static int add_run(struct hosts *all, struct host *h, const struct result *r, const char *name)
{
	struct host_group *g = &all->group[h->group];
	uint64_t id = result_fingerprint(r);
	struct host_run *run;
	size_t i;

	for (i = 0; i < h->nruns; i++)
		if (h->run[i].id == id)
			return fail(-EINVAL, "%s is a run of %s that was given before: it would count twice",
				    name, h->name);
	run = array_add(h->run, h->nruns, h->room);
	if (!run)
		return -ENOMEM;
	*run = (struct host_run){ .id = id };
	h->nruns++;
	g->nruns++;
	take_numbers(h, run, r);
	return result_lowered(r, &g->lowered) || add_boot(h, r->boot_id) ? -ENOMEM : 0;
}

static int add(struct hosts *all, const struct result *r, const char *name)
{
	struct host_group *g;
	struct host *h;
	size_t group;
	int err = find_group(all, r, name, &group);

	if (err)
		return err;
	if (group == all->ngroups) {
		g = array_add(all->group, all->ngroups, all->groups_room);
		if (!g)
			return -ENOMEM;
		*g = (struct host_group){ .nhosts = 0 };
		all->ngroups++;
	}
	h = find_host(all, r, group);
	if (!h)
		h = add_host(all, r, group);
	return h ? add_run(all, h, r, name) : -ENOMEM;
}

int hosts_add(struct hosts *all, struct result *r, const char *name)
{
	size_t groups = all->ngroups;
	int err;

	if (r->partial)
		err = fail(-EINVAL, "%s: partial: it was written before the run had ended", name);
	else if (!r->host)
		err = fail(-EINVAL, "%s has no host, or is the sum of several: give the results of single hosts", name);
	else
		err = add(all, r, name);
	if (err == -ENOMEM)
		fail(err, "out of memory");
	/* the settings of a new group are those of its first run */
	if (!err && all->ngroups > groups) {
		all->group[groups].settings = *r;
		*r = (struct result){ 0 };
		free(all->group[groups].settings.all.hist);
		all->group[groups].settings.all.hist = NULL;
	}
	result_free(r);
	return err;
}

/* @x has room for its runs. */
static void summarise(struct host *h, double x[])
{
	unsigned int q;
	size_t i, n = 0;

	for (q = 0; q < NR_HOST_QUANTILES; q++) {
		for (i = n = 0; i < h->nruns; i++)
			if (!isnan(h->run[i].ns[q]))
				x[n++] = h->run[i].ns[q];
		h->ns[q] = stats_median(x, n);
	}
	/* stats_median() has sorted those of the last quantile */
	h->spread = n && isfinite(x[n - 1]) && x[0] > 0 ? x[n - 1] / x[0] : NAN;
}

/* What is not known is not slow. */
static double known(double ns)
{
	return isnan(ns) ? -1 : ns;
}

static int by_quantile(const struct host *a, const struct host *b, unsigned int q)
{
	double x = known(a->ns[q]), y = known(b->ns[q]);

	return (x < y) - (x > y);
}

static int by_group_and_time(const void *pa, const void *pb)
{
	const struct host *a = pa, *b = pb;
	int by = (a->group > b->group) - (a->group < b->group);
	unsigned int q;

	for (q = NR_HOST_QUANTILES; q-- > 0 && !by;)
		by = by_quantile(a, b, q);
	if (!by)
		by = (a->longest_ns < b->longest_ns) - (a->longest_ns > b->longest_ns);
	return by ? by : strcmp(a->name, b->name);
}

/* Machines of a group that share a name get numbers, in the order of the results. */
static int number_names(struct hosts *all)
{
	size_t i, k, n;
	char *name;

	/* the last first, so that those before it still have their names */
	for (i = all->n; i-- > 0;) {
		for (k = n = 0; k < i; k++)
			n += all->host[k].group == all->host[i].group &&
			     !strcmp(all->host[k].name, all->host[i].name);
		if (!n)
			continue;
		if (asprintf(&name, "%s (%zu)", all->host[i].name, n + 1) < 0)
			return -ENOMEM;
		free(all->host[i].name);
		all->host[i].name = name;
	}
	return 0;
}

int hosts_sort(struct hosts *all)
{
	size_t i, most = 0;
	double *x;

	for (i = 0; i < all->n; i++)
		most = all->host[i].nruns > most ? all->host[i].nruns : most;
	x = calloc(most + 1, sizeof(*x));
	if (!x || number_names(all)) {
		free(x);
		return -ENOMEM;
	}
	for (i = 0; i < all->n; i++)
		summarise(&all->host[i], x);
	free(x);
	qsort(all->host, all->n, sizeof(*all->host), by_group_and_time);
	return 0;
}

static void free_host(struct host *h)
{
	while (h->nfacts--) {
		free(h->fact[h->nfacts].name);
		free(h->fact[h->nfacts].value);
	}
	notes_free(h->boots);
	free(h->run);
	free(h->fact);
	free(h->name);
	free(h->machine_id);
}

void hosts_free(struct hosts *all)
{
	while (all->n)
		free_host(&all->host[--all->n]);
	while (all->ngroups) {
		notes_free(all->group[--all->ngroups].lowered);
		result_free(&all->group[all->ngroups].settings);
	}
	free(all->host);
	free(all->group);
}
