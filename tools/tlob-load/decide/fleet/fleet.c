// SPDX-License-Identifier: GPL-2.0
/* From results to hosts and groups. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/judge.h"
#include "report/cause_text.h"
#include "result/comparable.h"
#include "result/field.h"
#include "util/array.h"
#include "util/error.h"
#include "util/memstream.h"
#include "util/text.h"

static const unsigned int ppm[FLEET_AT] = { 500000, 990000, 999000 };
static const char *const at_names[FLEET_AT] = { "p50", "p99", "p99.9" };

/* A rule of doctor is a fact as well: only those that are not kept are in a result. */
#define RULE	"doctor "

/*
 * The logarithm for a quantile among the missed expiries, to rank it behind all others: no time has
 * it, so it is infinite, and so is what is averaged with it.
 */
#define MISSED		1e6

const char *fleet_quantile_name(unsigned int q)
{
	static char names[FLEET_QUANTILES][24];

	snprintf(names[q], sizeof(names[q]), "%s(%s)", at_names[q % FLEET_AT],
		 tlob_metric_names[q / FLEET_AT]);
	return names[q];
}

double fleet_ratio(const struct fleet *f, const struct fleet_host *h, unsigned int q)
{
	double usual = exp(f->group[h->group].centre[q]);

	return isinf(usual) ? NAN : exp(h->at[q].x) / usual;
}

const struct fleet_run *fleet_worst_of(const struct fleet_host *h)
{
	const struct fleet_run *worst = h->run;
	size_t i;

	for (i = 1; i < h->nruns; i++)
		if (h->run[i].worst_ns > worst->worst_ns)
			worst = &h->run[i];
	return worst;
}

const char *fleet_fact_of(const struct fleet_host *h, const char *fact)
{
	size_t i;

	for (i = 0; i < h->nfacts; i++)
		if (!strcmp(h->fact[i].name, fact))
			return h->fact[i].value;
	return strncmp(fact, RULE, strlen(RULE)) ? "unknown" : "kept";
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Other kernels and processors are other machines: their times say nothing about each other. */
static int belongs(const struct fleet_group *g, const struct result *r, const char *name)
{
	char **list = NULL;
	int err = settings_differ(&list, &g->settings, r, name);
	bool same = !list && same_text(g->settings.kernel, r->kernel) &&
		    same_text(tuning_of(&g->settings, "processor"), tuning_of(r, "processor"));

	notes_free(list);
	return err ? err : same;
}

static int find_group(struct fleet *f, const struct result *r, const char *name, size_t *group)
{
	int is = 0;

	for (*group = 0; *group < f->ngroups; ++*group) {
		is = belongs(&f->group[*group], r, name);
		if (is)
			break;
	}
	return is < 0 ? is : 0;
}

static int add_fact(struct fleet_host *h, const char *name, const char *value)
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

/* The tuning, and each rule of doctor that is not kept. */
static int take_facts(struct fleet_host *h, const struct result *r)
{
	char name[80];
	size_t i;
	int err = 0;

	for (i = 0; i < r->ntuning && !err; i++)
		err = add_fact(h, r->tuning[i].name, r->tuning[i].value);
	for (i = 0; r->findings && i < r->findings->n && !err; i++) {
		if (r->findings->at[i].status == STATUS_UNKNOWN)
			continue;
		snprintf(name, sizeof(name), RULE "%s", r->findings->at[i].id);
		err = add_fact(h, name, "not kept");
	}
	return err;
}

static struct fleet_host *find_host(struct fleet *f, const struct result *r, size_t group)
{
	size_t i;

	for (i = f->nhosts; i-- > 0;)
		if (f->host[i].group == group && !strcmp(f->host[i].name, r->host) &&
		    same_text(f->host[i].machine_id, r->machine_id))
			return &f->host[i];
	return NULL;
}

static struct fleet_host *add_host(struct fleet *f, const struct result *r, size_t group)
{
	struct fleet_host *h = array_add(f->host, f->nhosts, f->room);

	if (!h)
		return NULL;
	*h = (struct fleet_host){ .name = strdup(r->host), .group = group };
	h->machine_id = r->machine_id ? strdup(r->machine_id) : NULL;
	f->nhosts++;
	return h->name && (h->machine_id || !r->machine_id) && !take_facts(h, r) ? h : NULL;
}

static void take_quantiles(struct fleet_run *run, const struct result *r)
{
	unsigned int q;

	for (q = 0; q < FLEET_QUANTILES; q++) {
		unsigned int metric = q / FLEET_AT;
		uint64_t ns;

		switch (hist_quantile_missed(&r->all.hist[metric], result_missed(&r->all, metric),
					     ppm[q % FLEET_AT], &ns)) {
		case QUANTILE_KNOWN: run->x[q] = log(fmax((double)ns, 1)); break;
		case QUANTILE_MISSED: run->x[q] = MISSED; break;
		default: run->x[q] = NAN;
		}
	}
}

/* Where the longest response took place, and why. 0 or -ENOMEM. */
static int take_worst(struct fleet_run *run, const struct result *r)
{
	char *text = NULL;
	size_t size;
	FILE *f;

	run->worst_ns = r->all.hist[TLOB_METRIC_RESPONSE].max;
	run->worst_cpu = -1;
	if (!r->nworst)
		return 0;
	run->worst_cpu = r->worst[0].w.cpu;
	f = open_memstream(&text, &size);
	if (f)
		cause_of_window_text(f, &r->worst[0].w,
			     hist_mean(&r->all.hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU]), r);
	run->cause = memstream_text(f, &text);
	return run->cause ? 0 : -ENOMEM;
}

static int add_run(struct fleet *f, struct fleet_host *h, const struct result *r, const char *name)
{
	struct fleet_group *g = &f->group[h->group];
	uint64_t id = result_fingerprint(r);
	struct fleet_run *run;
	size_t i;

	for (i = 0; i < h->nruns; i++)
		if (h->run[i].id == id)
			return fail(-EINVAL, "%s is a run of %s that was given before: it would count twice",
				    name, h->name);
	run = array_add(h->run, h->nruns, h->room);
	if (!run)
		return -ENOMEM;
	*run = (struct fleet_run){ .id = id };
	h->nruns++;
	f->nruns++;
	g->nruns++;
	if (!*g->undecidable)
		result_undecidable(r, g->undecidable);
	if (result_lowered(r, &g->lowered))
		return -ENOMEM;
	take_quantiles(run, r);
	return take_worst(run, r);
}

static int add(struct fleet *f, struct result *r, const char *name)
{
	struct fleet_host *h = NULL;
	struct fleet_group *g;
	size_t group;
	int err = find_group(f, r, name, &group);

	if (err)
		return err;
	if (group == f->ngroups) {
		g = array_add(f->group, f->ngroups, f->groups_room);
		if (!g)
			return -ENOMEM;
		*g = (struct fleet_group){ .nhosts = 0 };
		f->ngroups++;
	} else {
		h = find_host(f, r, group);
	}
	if (!h)
		h = add_host(f, r, group);
	return h ? add_run(f, h, r, name) : -ENOMEM;
}

int fleet_add(struct fleet *f, struct result *r, const char *name)
{
	size_t groups = f->ngroups;
	int err;

	if (r->partial)
		err = fail(-EINVAL, "%s: partial: it was written before the run had ended", name);
	else if (!r->host)
		err = fail(-EINVAL, "%s has no host, or is the sum of several: give the results of single hosts", name);
	else
		err = add(f, r, name);
	if (err == -ENOMEM)
		fail(err, "out of memory");
	/* the settings of a new group are those of its first run */
	if (!err && f->ngroups > groups) {
		f->group[groups].settings = *r;
		*r = (struct result){ 0 };
		free(f->group[groups].settings.all.hist);
		f->group[groups].settings.all.hist = NULL;
	}
	result_free(r);
	return err;
}

/* The largest group is what the others are compared with, in words. */
static int count_groups(struct fleet *f)
{
	size_t i;
	int err = 0;

	for (i = 0; i < f->nhosts; i++)
		f->group[f->host[i].group].nhosts++;
	for (i = 1; i < f->ngroups; i++)
		if (f->group[i].nhosts > f->group[f->largest].nhosts)
			f->largest = i;
	for (i = 0; i < f->ngroups && !err; i++) {
		struct fleet_group *g = &f->group[i], *most = &f->group[f->largest];

		if (i == f->largest)
			continue;
		err = settings_differ(&g->differs, &g->settings, &most->settings, "the largest group");
		if (!err && !same_text(g->settings.kernel, most->settings.kernel))
			err = notes_add(&g->differs, "kernel: %s", g->settings.kernel);
		if (!err && !same_text(tuning_of(&g->settings, "processor"), tuning_of(&most->settings, "processor")))
			err = notes_add(&g->differs, "processor: %s",
					tuning_of(&g->settings, "processor") ? tuning_of(&g->settings, "processor") : "unknown");
	}
	return err;
}

/* The value that most hosts of @group have. */
static const char *usual_value(const struct fleet *f, size_t group, const char *fact, size_t *most)
{
	const char *usual = NULL, *value;
	size_t i, k, n;

	*most = 0;
	for (i = 0; i < f->nhosts && *most <= f->group[group].nhosts / 2; i++) {
		if (f->host[i].group != group)
			continue;
		value = fleet_fact_of(&f->host[i], fact);
		for (k = n = 0; k < f->nhosts; k++)
			n += f->host[k].group == group && !strcmp(fleet_fact_of(&f->host[k], fact), value);
		if (n > *most) {
			*most = n;
			usual = value;
		}
	}
	return usual;
}

static bool has_difference(const struct fleet *f, size_t group, const char *fact)
{
	size_t i;

	for (i = 0; i < f->ndifferences; i++)
		if (f->difference[i].group == group && !strcmp(f->difference[i].fact, fact))
			return true;
	return false;
}

/* A fact that only some hosts have, such as a finding, is one of them. */
static int find_differences(struct fleet *f, size_t group)
{
	struct fleet_difference *d;
	size_t i, k, most;

	for (i = 0; i < f->nhosts; i++)
		for (k = 0; f->host[i].group == group && k < f->host[i].nfacts; k++) {
			const char *fact = f->host[i].fact[k].name;
			const char *usual;

			if (has_difference(f, group, fact))
				continue;
			usual = usual_value(f, group, fact, &most);
			/* kept for all, so that each fact is counted once */
			d = array_add(f->difference, f->ndifferences, f->differences_room);
			if (!d)
				return -ENOMEM;
			*d = (struct fleet_difference){ .group = group, .fact = fact, .usual = usual,
							.nusual = most };
			f->ndifferences++;
		}
	return 0;
}

static void drop_equal(struct fleet *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->ndifferences; i++)
		if (f->difference[i].nusual < f->group[f->difference[i].group].nhosts)
			f->difference[n++] = f->difference[i];
	f->ndifferences = n;
}

static int by_rank(const void *a, const void *b)
{
	const struct fleet_host *x = a, *y = b;

	return x->group != y->group ? (x->group > y->group) - (x->group < y->group) :
	       x->named != y->named ? y->named - x->named :
	       x->p != y->p ? (x->p > y->p) - (x->p < y->p) : strcmp(x->name, y->name);
}

/* The name is what reports and keys of JSON have: machines of a group that share one get numbers. */
static int number_names(struct fleet *f)
{
	size_t i, k, n;
	char *name;

	/* the last first, so that those before it still have their names */
	for (i = f->nhosts; i-- > 0; ) {
		for (k = n = 0; k < i; k++)
			n += f->host[k].group == f->host[i].group && !strcmp(f->host[k].name, f->host[i].name);
		if (!n)
			continue;
		if (asprintf(&name, "%s (%zu)", f->host[i].name, n + 1) < 0)
			return -ENOMEM;
		free(f->host[i].name);
		f->host[i].name = name;
	}
	return 0;
}

int fleet_judge(struct fleet *f)
{
	int err = count_groups(f);
	size_t i;

	if (!err)
		err = number_names(f);

	for (i = 0; i < f->ngroups && !err; i++) {
		err = judge_group(f, i);
		f->nnamed += f->group[i].nnamed;
		f->ndecided += f->group[i].decided;
	}
	qsort(f->host, f->nhosts, sizeof(*f->host), by_rank);
	for (i = 0; i < f->ngroups && !err; i++)
		err = find_differences(f, i);
	drop_equal(f);
	return err ? fail(err, "out of memory") : 0;
}

static void free_host(struct fleet_host *h)
{
	while (h->nruns)
		free(h->run[--h->nruns].cause);
	while (h->nfacts--) {
		free(h->fact[h->nfacts].name);
		free(h->fact[h->nfacts].value);
	}
	free(h->run);
	free(h->fact);
	free(h->name);
	free(h->machine_id);
}

void fleet_free(struct fleet *f)
{
	while (f->nhosts)
		free_host(&f->host[--f->nhosts]);
	while (f->ngroups) {
		notes_free(f->group[--f->ngroups].differs);
		notes_free(f->group[f->ngroups].lowered);
		result_free(&f->group[f->ngroups].settings);
	}
	free(f->host);
	free(f->group);
	free(f->difference);
}
