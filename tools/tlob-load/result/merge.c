// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/comparable.h"
#include "result/merge.h"
#include "util/error.h"

static bool same_text(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* Each CPU says whose it is once results of several hosts are together. */
static int name_hosts(struct result *r)
{
	size_t i;

	for (i = 0; i < r->ncpus; i++) {
		if (r->cpu[i].host)
			continue;
		r->cpu[i].host = strdup(r->host ? r->host : "unknown");
		if (!r->cpu[i].host)
			return -ENOMEM;
	}
	free(r->host);
	r->host = NULL;
	return 0;
}

static int merge_hosts(struct result *a, struct result *b)
{
	int err;

	if (same_text(a->host, b->host))
		return 0;
	err = name_hosts(a);
	return err ? err : name_hosts(b);
}

/* As in the sum of all CPUs: the mean over the windows. */
static void merge_demand(struct result_cpu *a, const struct result_cpu *b)
{
	uint64_t n = a->windows + b->windows;

	if (!a->demand_ns || !b->demand_ns)
		a->demand_ns = 0;
	else if (n)
		a->demand_ns = (uint64_t)(((__uint128_t)a->demand_ns * a->windows +
					   (__uint128_t)b->demand_ns * b->windows +
					   n / 2) / n);
}

static struct result_cpu *find_cpu(struct result *r,
				   const struct result_cpu *like)
{
	size_t i;

	for (i = 0; i < r->ncpus; i++)
		if (r->cpu[i].cpu == like->cpu &&
		    (r->cpu[i].host == like->host ||
		     same_text(r->cpu[i].host, like->host)))
			return &r->cpu[i];
	return NULL;
}

static int by_host_and_cpu(const void *a, const void *b)
{
	const struct result_cpu *x = a, *y = b;
	int order = strcmp(x->host ? x->host : "", y->host ? y->host : "");

	return order ? order : (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* What has no histogram on one side has none in the sum: it is unavailable. */
static int merge_cpus(struct result *a, struct result *b)
{
	struct result_cpu *cpu, *to;
	unsigned int m;
	size_t i;

	for (i = 0; i < b->ncpus; i++) {
		to = find_cpu(a, &b->cpu[i]);
		if (to) {
			merge_demand(to, &b->cpu[i]);
			result_add_counters(to, &b->cpu[i]);
			for (m = 0; m < TLOB_NR_METRICS; m++)
				hist_merge(&to->hist[m], &b->cpu[i].hist[m]);
			continue;
		}
		cpu = realloc(a->cpu, (a->ncpus + 1) * sizeof(*cpu));
		if (!cpu)
			return -ENOMEM;
		a->cpu = cpu;
		a->cpu[a->ncpus++] = b->cpu[i];
		b->cpu[i].hist = NULL;	/* they are @a's now */
		b->cpu[i].host = NULL;
	}
	qsort(a->cpu, a->ncpus, sizeof(*a->cpu), by_host_and_cpu);
	return 0;
}

static void merge_worst(struct result *a, const struct result *b)
{
	struct tlob_window all[2 * RESULT_WORST] = { { .version = 0 } };
	size_t i = 0, j = 0, n = 0;

	while (i < a->nworst || j < b->nworst) {
		bool first = j == b->nworst ||
			     (i < a->nworst && a->worst[i].response_ns >=
					       b->worst[j].response_ns);

		all[n++] = first ? a->worst[i++] : b->worst[j++];
	}
	a->nworst = n < RESULT_WORST ? n : RESULT_WORST;
	memcpy(a->worst, all, a->nworst * sizeof(all[0]));
}

static void merge_exact(struct result *a, const struct result *b)
{
	unsigned int m;
	size_t i;

	a->keeps_exact = a->keeps_exact && b->keeps_exact && a->ncpus == 1;
	for (m = 0; m < TLOB_NR_METRICS; m++) {
		if (!a->keeps_exact) {
			samples_drop(&a->exact[m]);
			continue;
		}
		for (i = 0; i < b->exact[m].n; i++)
			samples_add(&a->exact[m], b->exact[m].v[i]);
		samples_sort(&a->exact[m]);
	}
}

/* Facts that are not the same everywhere are none of the sum. */
static int merge_tuning(struct result *a, const struct result *b,
			const char *name)
{
	size_t i, kept = 0;
	int err = 0;

	for (i = 0; i < a->ntuning; i++) {
		struct fact *f = &a->tuning[i];

		if (same_text(f->value, tuning_of(b, f->name))) {
			a->tuning[kept++] = *f;
			continue;
		}
		if (!err)
			err = result_note(a, "%s differs in %s", f->name, name);
		free(f->name);
		free(f->value);
	}
	a->ntuning = kept;
	return err;
}

static bool has_note(const struct result *r, const char *note)
{
	char **at = r->notes;

	while (at && *at && strcmp(*at, note))
		at++;
	return at && *at;
}

static int merge_notes(struct result *a, const struct result *b,
		       const char *name)
{
	char **note;
	int err = 0;

	for (note = b->notes; note && *note && !err; note++)
		if (!has_note(a, *note))
			err = result_note(a, "%s", *note);
	/* a sum with a part of a run is not the sum of runs */
	if (!err && b->stopped_by && !a->stopped_by) {
		a->stopped_by = strdup(b->stopped_by);
		err = a->stopped_by ? 0 : -ENOMEM;
	}
	if (!err && b->stopped_by)
		err = result_note(a, "%s was stopped by %s", name,
				  b->stopped_by);
	if (!err && !same_text(a->kernel, b->kernel))
		err = result_note(a, "%s ran on another kernel: %s", name,
				  b->kernel);
	return err;
}

/* One of those that @list has already. */
static bool has_list(const char *list, const char *one)
{
	size_t n = strlen(one);

	for (; list; list = strstr(list, " and ")) {
		list += strncmp(list, " and ", 5) ? 0 : 5;
		if (!strncmp(list, one, n) && (!list[n] || list[n] == ' '))
			return true;
	}
	return false;
}

/* "0-3", or "0-3 and 4-7" where they differ: text, for people. */
static int merge_list(char **a, const char *b)
{
	char *both;

	if (!*a || !b || has_list(*a, b))
		return 0;
	if (asprintf(&both, "%s and %s", *a, b) < 0)
		return -ENOMEM;
	free(*a);
	*a = both;
	return 0;
}

static int merge(struct result *a, struct result *b, const char *name)
{
	size_t i;
	int err;

	err = merge_hosts(a, b);
	if (!err)
		err = merge_list(&a->cpus, b->cpus);
	if (!err)
		err = merge_list(&a->housekeeping, b->housekeeping);
	if (!err)
		err = merge_tuning(a, b, name);
	if (!err)
		err = merge_notes(a, b, name);
	if (!err)
		err = merge_cpus(a, b);
	if (err)
		return err;
	merge_exact(a, b);
	merge_worst(a, b);
	for (i = 0; i < b->noise.n; i++)
		offenders_add(&a->noise, &b->noise.at[i]);
	for (i = 0; i < b->delay.n; i++)
		offenders_add(&a->delay, &b->delay.at[i]);
	a->noise.evicted += b->noise.evicted;
	a->delay.evicted += b->delay.evicted;
	a->duration_ns += b->duration_ns;
	a->started = b->started < a->started ? b->started : a->started;
	a->runs += b->runs;
	a->has_seed = false;
	if (!b->has_phase || a->phase_ns != b->phase_ns) {
		a->has_phase = false;
		a->phase_ns = 0;
	}
	result_sum(a);
	return 0;
}

int result_merge(struct result *a, struct result *b, const char *name)
{
	char **list = NULL;
	int err;

	err = settings_differ(&list, a, b, name);
	if (!err && list)
		err = fail(-EINVAL, "not the same measurement: %s", list[0]);
	else if (!err)
		err = merge(a, b, name);
	notes_free(list);
	return err == -ENOMEM ? fail(err, "out of memory") : err;
}
