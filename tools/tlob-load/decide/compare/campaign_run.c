// SPDX-License-Identifier: GPL-2.0
/* Loading one run of a comparison, and refusing one that proves nothing. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/campaign.h"
#include "read/read.h"
#include "util/error.h"

const char * const campaign_at_names[NR_AT] = {
	"mean", "p50", "p90", "p99", "p99.9",
};

static const unsigned int at_ppm[NR_AT] = { 0, 500000, 900000, 990000, 999000 };

static double at_value(const struct result *r, unsigned int metric,
		       unsigned int at)
{
	const struct tlob_hist *h = &r->all.hist[metric];
	uint64_t missed = result_missed(&r->all, metric), ns = 0;

	if (!h->n)
		return NAN;
	if (at == AT_MEAN)
		return (double)h->sum / (double)h->n;
	switch (hist_quantile_missed(h, missed, at_ppm[at], &ns)) {
	case QUANTILE_FEW:
		return NAN;
	case QUANTILE_MISSED:
		return INFINITY;
	case QUANTILE_KNOWN:
		break;
	}
	if (result_is_exact(r, metric))
		ns = r->exact[metric].v[quantile_rank(result_expiries(&r->all, metric), at_ppm[at]) - 1];
	return (double)ns;
}

/* By the parts of the windows, or else as far as /proc/stat knows it of the CPUs. */
static double stolen_share(const struct result *r)
{
	const struct tlob_hist *wake = &r->all.hist[TLOB_METRIC_PARTS + TLOB_WAKE_STEAL];
	const struct tlob_hist *work = &r->all.hist[TLOB_METRIC_PARTS + TLOB_WORK_STEAL];
	double ns = 0, of = (double)r->all.hist[TLOB_METRIC_RESPONSE].sum;
	size_t i;

	if (wake->n || work->n)
		return ((double)wake->sum + (double)work->sum) / of;
	for (i = 0; i < r->ncpus; i++) {
		if (!r->cpu[i].os || !(r->cpu[i].os->known & OS_STEAL))
			return NAN;
		ns += (double)r->cpu[i].os->steal_ns;
	}
	return r->duration_ns ? ns / ((double)r->duration_ns * (double)r->ncpus) : NAN;
}

/* Histograms take most of the memory, and a campaign may have hundreds of runs. */
static void drop_histograms(struct result *r)
{
	unsigned int m;
	size_t i;

	for (i = 0; i < r->ncpus; i++) {
		free(r->cpu[i].hist);
		r->cpu[i].hist = NULL;
		free(r->cpu[i].functions);
		r->cpu[i].functions = NULL;
		free(r->cpu[i].slices);
		r->cpu[i].slices = NULL;
	}
	free(r->all.hist);
	r->all.hist = NULL;
	free(r->all.functions);
	r->all.functions = NULL;
	for (m = 0; m < RESULT_METRICS; m++)
		samples_free(&r->exact[m]);
}

/* "0,2-5", as cpulist_format() writes it. */
static const char *cpu_list(char *buf, size_t size, const struct result *r)
{
	size_t i, last, n = 0;

	buf[0] = 0;
	for (i = 0; i < r->ncpus && n < size; i = last + 1) {
		for (last = i; last + 1 < r->ncpus &&
		     r->cpu[last + 1].cpu == r->cpu[last].cpu + 1; last++)
			;
		n += (size_t)snprintf(buf + n, size - n, i ? ",%d" : "%d",
				      r->cpu[i].cpu);
		if (last > i && n < size)
			n += (size_t)snprintf(buf + n, size - n, "-%d",
					      r->cpu[last].cpu);
	}
	return buf;
}

/* Refuses runs whose numbers do not stand for the whole run. */
static int check_run(const struct campaign_run *run)
{
	const struct result *r = &run->r;
	char list[4096];

	if (!r->all.windows)
		return fail(-ENODATA, "%s: no window was measured", run->path);
	if (r->partial)
		return fail(-EINVAL, "%s: partial: it was written before the run had ended: give the final result",
			    run->path);
	if (r->stopped_by)
		return fail(-EINVAL, "%s: the run was cut short by %s: leave it out, and count it with --cut-short A,B",
			    run->path, r->stopped_by);
	if (r->runs > 1)
		return fail(-EINVAL, "%s: merged from %" PRIu64 " runs, which count as one: give the results of the single runs",
			    run->path, r->runs);
	if (r->all.lost && strcmp(r->workload, "kthread"))
		return fail(-EINVAL, "%s: %" PRIu64 " records were lost, and their windows are missing from its numbers",
			    run->path, r->all.lost);
	if (!r->attached && strcmp(r->cpus, cpu_list(list, sizeof(list), r)))
		return fail(-EINVAL, "%s: the run should have measured CPUs %s, but has results for CPUs %s",
			    run->path, r->cpus, list);
	if (r->all.sum_failures)
		return fail(-EINVAL, "%s: the parts of %" PRIu64 " windows do not add up: its numbers are wrong",
			    run->path, r->all.sum_failures);
	return 0;
}

/* Without a count of episodes all events are one: nothing is known of them. */
void campaign_run_events(struct events *e, const struct result_cpu *c)
{
	uint64_t missed = result_missed(c, TLOB_METRIC_RESPONSE);
	size_t i;

	*e = (struct events){
		.expiries = c->windows + missed, .late = c->violations + missed, .e = c->episodes,
	};
	if (e->e.n)
		return;
	e->e.n = EPISODE_GAPS;
	for (i = 0; i < EPISODE_GAPS; i++)
		e->e.at[i] = (struct episode_row){
			.n = e->late != 0, .longest = e->late, .squares = e->late * e->late,
		};
}

static int take_all_events(struct campaign_run *run)
{
	size_t i;

	run->cpu_events = calloc(run->r.ncpus, sizeof(*run->cpu_events));
	if (!run->cpu_events)
		return fail(-ENOMEM, "out of memory");
	campaign_run_events(&run->events, &run->r.all);
	for (i = 0; i < run->r.ncpus; i++)
		campaign_run_events(&run->cpu_events[i], &run->r.cpu[i]);
	return 0;
}

void campaign_run_free(struct campaign_run *run)
{
	size_t i;

	free(run->cpu_events);
	for (i = 0; i < STATISTICS_MAX; i++)
		free(run->cpu[i]);
	result_free(&run->r);
}

/* Finds out whether the slow windows of all CPUs of the run came together. 0 or -ENOMEM. */
static int find_burst(struct campaign_run *run)
{
	struct slices *sum = calloc(1, sizeof(*sum));
	size_t i;

	if (!sum)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < run->r.ncpus; i++)
		if (run->r.cpu[i].slices)
			slices_add(sum, run->r.cpu[i].slices);
	run->has_burst = slices_burst(&run->burst, sum);
	run->burst_of = sum->n;
	run->burst_ns = sum->slice_ns;
	free(sum);
	return 0;
}

int campaign_run_read(struct campaign_run *run, const char *path)
{
	int err;

	run->path = path;
	err = result_load(&run->r, path);
	return err ? err : check_run(run);
}

int campaign_run_load(struct campaign_run *run, const char *path,
		      const struct statistic *statistic, size_t nstatistics)
{
	unsigned int m, at;
	char why[200];
	size_t i;
	int err = 0;

	if (!run->r.ncpus)
		err = campaign_run_read(run, path);
	for (i = 0; i < nstatistics && !err; i++) {
		err = statistic_value(&statistic[i], &run->r, &run->value[i], why,
				    sizeof(why));
		if (err)
			return fail(err, "%s: %s", path, why);
		run->cpu[i] = calloc(run->r.ncpus, sizeof(*run->cpu[i]));
		if (!run->cpu[i])
			return fail(-ENOMEM, "out of memory");
		statistic_cpu_values(&statistic[i], &run->r, run->cpu[i], why,
				     sizeof(why));
		run->resolution[i] = statistic_resolution(&statistic[i], &run->r, run->value[i]);
		run->noise[i] = statistic_noise(&statistic[i], &run->r);
	}
	if (err)
		return err;
	for (m = 0; m < RESULT_METRICS; m++)
		for (at = 0; at < NR_AT; at++)
			run->at[m][at] = at_value(&run->r, m, at);
	run->stolen = stolen_share(&run->r);
	function_values_take(&run->function, &run->r);
	err = take_all_events(run);
	if (!err)
		err = find_burst(run);
	drop_histograms(&run->r);
	return err;
}
