// SPDX-License-Identifier: GPL-2.0
/* Loading the runs of a comparison, and refusing those that prove nothing. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compare/campaign.h"
#include "compare/stats.h"
#include "result/comparable.h"
#include "read/attach.h"
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

/* Histograms take most of the memory, and a campaign may have hundreds of runs. */
static void drop_histograms(struct result *r)
{
	unsigned int m;
	size_t i;

	for (i = 0; i < r->ncpus; i++) {
		free(r->cpu[i].hist);
		r->cpu[i].hist = NULL;
	}
	free(r->all.hist);
	r->all.hist = NULL;
	for (m = 0; m < TLOB_NR_METRICS; m++)
		samples_free(&r->exact[m]);
}

/* "0,2-5", as cpus_format() writes it. */
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
		return fail(-EINVAL, "%s: partial: the run had not ended when it was written: give the result that its end leaves",
			    run->path);
	if (r->stopped_by)
		return fail(-EINVAL, "%s: the run was cut short by %s",
			    run->path, r->stopped_by);
	if (r->runs > 1)
		return fail(-EINVAL, "%s: merged from %" PRIu64 " runs, which count as one: give the results of the single runs",
			    run->path, r->runs);
	if (r->all.lost && strcmp(r->workload, "kthread"))
		return fail(-EINVAL, "%s: %" PRIu64 " records were lost, and their windows are missing from its numbers",
			    run->path, r->all.lost);
	if (strcmp(r->cpus, cpu_list(list, sizeof(list), r)))
		return fail(-EINVAL, "%s: the run was to measure CPUs %s, but has results of CPUs %s",
			    run->path, r->cpus, list);
	if (r->all.sum_failures)
		return fail(-EINVAL, "%s: the parts of %" PRIu64 " windows do not add up: its numbers are wrong",
			    run->path, r->all.sum_failures);
	return 0;
}

void campaign_run_free(struct campaign_run *run)
{
	size_t i;

	for (i = 0; i < STATISTICS_MAX; i++)
		free(run->cpu[i]);
	result_free(&run->r);
}

/* A file of attach becomes a run of one CPU. */
static int load(struct result *r, const char *path)
{
	struct attach_result a;
	bool is_attach;
	int err = result_load_any(r, &a, &is_attach, path);

	if (err || !is_attach)
		return err;
	err = attach_as_result(r, &a);
	attach_result_free(&a);
	return err ? fail(err, "out of memory") : 0;
}

int campaign_run_load(struct campaign_run *run, const char *path,
		      const struct statistic *statistic, size_t nstatistics)
{
	unsigned int m, at;
	char why[200];
	size_t i;
	int err;

	run->path = path;
	err = load(&run->r, path);
	if (!err)
		err = check_run(run);
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
		run->resolution[i] = statistic_resolution(&statistic[i], &run->r);
		run->noise[i] = statistic_noise(&statistic[i], &run->r);
	}
	if (err)
		return err;
	for (m = 0; m < TLOB_NR_METRICS; m++)
		for (at = 0; at < NR_AT; at++)
			run->at[m][at] = at_value(&run->r, m, at);
	drop_histograms(&run->r);
	return 0;
}

struct campaign_run *campaign_a(const struct campaign *c, size_t i)
{
	return &c->run[i];
}

struct campaign_run *campaign_b(const struct campaign *c, size_t i)
{
	return &c->run[c->n + i];
}

/*
 * A run that is given twice would narrow the spread. Deterministic runs may be
 * equal: check_copies() compares their seeds.
 */
static int check_files(const struct campaign *c)
{
	size_t i, k;

	for (i = 1; i < c->nruns; i++)
		for (k = 0; k < i; k++)
			if (!c->run[i].r.deterministic &&
			    c->run[i].r.fingerprint == c->run[k].r.fingerprint)
				return fail(-EINVAL, "%s and %s are the same run: give each run once",
					    c->run[k].path, c->run[i].path);
	return 0;
}

static int check_paths(const struct campaign *c)
{
	struct stat st, other;
	size_t i, k;

	for (i = 1; i < c->nruns; i++) {
		if (stat(c->run[i].path, &st) || !S_ISREG(st.st_mode))
			continue;	/* reading it reports the error */
		for (k = 0; k < i; k++)
			if (!stat(c->run[k].path, &other) &&
			    st.st_dev == other.st_dev &&
			    st.st_ino == other.st_ino)
				return fail(-EINVAL, "%s is given twice: give each run once",
					    c->run[i].path);
	}
	return 0;
}

/*
 * Counting the same instructions again gives the same number. Only another seed
 * makes another run.
 */
static int check_copies(const struct campaign *c, size_t from, size_t to)
{
	size_t i, k;

	for (i = from; i < to; i++) {
		const struct result *r = &c->run[i].r;

		if (!r->deterministic)
			continue;
		if (!r->has_seed)
			return fail(-EINVAL, "%s counted instructions without --seed: such runs are copies, not replicates",
				    c->run[i].path);
		for (k = from; k < i; k++)
			if (c->run[k].r.has_seed && c->run[k].r.seed == r->seed)
				return fail(-EINVAL, "%s and %s counted instructions with the same seed: they are copies, not replicates",
					    c->run[k].path, c->run[i].path);
	}
	return 0;
}

/* True if the list has the same line about another file, whose name is its last word. */
static bool said_before(char **list, const char *line)
{
	const char *in = strrchr(line, ' ');
	size_t n = in ? (size_t)(in - line) : strlen(line);

	for (; list && *list; list++)
		if (!strncmp(*list, line, n) && (*list)[n] == ' ')
			return true;
	return false;
}

static int add_differences(struct campaign *c, const struct campaign_run *first,
			   const struct campaign_run *run, bool varied)
{
	static const struct vary none;
	char **list = NULL, **at;
	int err;

	err = facts_differ(&list, &first->r, &run->r, run->path,
			   c->vary ? c->vary : &none, varied);
	for (at = list; at && *at && !err; at++)
		if (!said_before(c->differences, *at))
			err = notes_add(&c->differences, "%s", *at);
	notes_free(list);
	return err;
}

/* What --vary names is compared with the first run of the same side only. */
static int check_run_settings(struct campaign *c, size_t i)
{
	size_t side = i < c->nruns - c->n ? 0 : c->nruns - c->n;
	int err = add_differences(c, &c->run[0], &c->run[i], false);

	return err ? err : add_differences(c, &c->run[side], &c->run[i], true);
}

static int unknown_fact(const struct campaign *c, const char *fact)
{
	char *names = fact_names(&c->run[0].r);

	fail(0, "--vary %s: the results have no such fact; they have: %s", fact,
	     names ? names : "");
	free(names);
	return -EUSAGE;
}

static int take_varied(struct campaign *c, const char *fact)
{
	struct varied *v = &c->varied[c->nvaried];
	char *value[2], *a, *b;
	int err;

	fact_values(&c->run[0].r, &campaign_b(c, 0)->r, fact, value);
	a = value[0];
	b = value[1];
	if (!a && !b)
		return unknown_fact(c, fact);
	if (a && b && !strcmp(a, b)) {
		err = notes_add(&c->notes, "--vary %s: it does not differ, both sides have %s",
				fact, a);
		free(a);
		free(b);
		return err ? fail(err, "out of memory") : 0;
	}
	*v = (struct varied){
		.fact = fact, .a = a ? a : strdup("unknown"),
		.b = b ? b : strdup("unknown"),
	};
	c->nvaried++;
	return v->a && v->b ? 0 : fail(-ENOMEM, "out of memory");
}

static int check_vary(struct campaign *c)
{
	unsigned int i;
	int err = 0;

	for (i = 0; c->vary && i < c->vary->n && !err; i++)
		err = take_varied(c, c->vary->fact[i]);
	return err;
}

static int check_settings(struct campaign *c, bool force)
{
	size_t i;
	int err = 0;

	for (i = 1; i < c->nruns && !err; i++)
		err = check_run_settings(c, i);
	if (err)
		return fail(err, "out of memory");
	if (!c->differences || force)
		return 0;
	for (i = 0; c->differences[i]; i++)
		fail(-EINVAL, "%s", c->differences[i]);
	return fail(-EINVAL, "the runs used different settings; name what is meant to differ with --vary, or use --force to compare anyway");
}

static bool same_kernel(const struct result *a, const struct result *b)
{
	return a->kernel && b->kernel && !strcmp(a->kernel, b->kernel);
}

/* The first run whose kernel differs from that of run @from, or NULL. */
static const char *other_kernel(const struct campaign *c, size_t from,
				size_t to)
{
	size_t i;

	for (i = from + 1; i < to; i++)
		if (!same_kernel(&c->run[i].r, &c->run[from].r))
			return c->run[i].path;
	return NULL;
}

static bool all_before(const struct campaign *c, size_t from, size_t to,
		       size_t from2, size_t to2)
{
	size_t i, k;

	for (i = from; i < to; i++)
		for (k = from2; k < to2; k++)
			if (c->run[i].r.started >= c->run[k].r.started)
				return false;
	return true;
}

static time_t first_of(const struct campaign *c, size_t pair)
{
	time_t a = campaign_a(c, pair)->r.started;
	time_t b = campaign_b(c, pair)->r.started;

	return a < b ? a : b;
}

static time_t last_of(const struct campaign *c, size_t pair)
{
	time_t a = campaign_a(c, pair)->r.started;
	time_t b = campaign_b(c, pair)->r.started;

	return a > b ? a : b;
}

/* True if no run began after a run of the next pair. Time stamps have whole seconds. */
static bool neighbours(const struct campaign *c)
{
	size_t i;

	for (i = 0; i + 1 < c->n; i++)
		if (last_of(c, i) > first_of(c, i + 1))
			return false;
	return true;
}

static int check_order(struct campaign *c, bool force)
{
	size_t i;
	const char *other = other_kernel(c, 0, c->n);
	uint64_t lost = 0, shortest = UINT64_MAX, longest = 0;
	size_t doubtful = 0;
	int err = 0;

	if (!other)
		other = other_kernel(c, c->n, c->nruns);
	if (other)
		err = notes_add(&c->notes, "one side ran on several kernels: %s differs from the first",
				other);
	/* In deterministic guests the clock starts again with each boot. */
	c->ordered = c->n > 1 && !c->run[0].r.deterministic &&
		     (all_before(c, 0, c->n, c->n, c->nruns) ||
		      all_before(c, c->n, c->nruns, 0, c->n));
	if (!err && c->ordered && force) {
		c->ordered = false;
		err = notes_add(&c->differences, "all runs of one side came before the other side, so drift can look like an effect");
	} else if (!err && !c->ordered && !c->run[0].r.deterministic && !neighbours(c))
		err = notes_add(&c->notes, "the runs of a pair did not follow each other: are the files in the order of their pairs?");
	for (i = 0; i < c->nruns; i++) {
		const struct result *r = &c->run[i].r;

		lost += r->all.lost;
		doubtful += r->all.errors || r->all.inexact;
		if (r->duration_ns < shortest)
			shortest = r->duration_ns;
		if (r->duration_ns > longest)
			longest = r->duration_ns;
	}
	if (!err && lost)
		err = notes_add(&c->notes, "%" PRIu64 " records were lost: worst windows and names may be incomplete, histograms of kernel threads are not",
				lost);
	if (!err && doubtful)
		err = notes_add(&c->notes, "%zu runs have windows with uncertain parts (errors, inexact)",
				doubtful);
	if (!err && longest / 2 > shortest)
		err = notes_add(&c->notes, "the longest run is more than twice as long as the shortest");
	return err ? fail(err, "out of memory") : 0;
}

static int count_pairs(struct campaign *c, size_t na, size_t nb)
{
	if (!na || !nb)
		return fail(-EUSAGE, "one side has no results: give A... -- B...");
	if (na != nb)
		return fail(-EUSAGE, "%zu results before -- and %zu after it: give as many of A as of B",
			    na, nb);
	if (nb > STATS_MAX_PAIRS)
		return fail(-EUSAGE, "%zu pairs: give at most %d", nb,
			    STATS_MAX_PAIRS);
	c->n = nb;
	c->nruns = na + nb;
	return 0;
}

int campaign_load(struct campaign *c, char *const *a, size_t na,
		  char *const *b, size_t nb, bool force)
{
	size_t i;
	int err;

	err = count_pairs(c, na, nb);
	if (err)
		return err;
	c->run = calloc(c->nruns, sizeof(*c->run));
	if (!c->run)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < c->nruns; i++)
		c->run[i].path = i < na ? a[i] : b[i - na];
	err = check_paths(c);
	for (i = 0; i < c->nruns && !err; i++)
		err = campaign_run_load(&c->run[i], c->run[i].path, c->statistic,
					c->nstatistics);
	if (!err)
		err = check_files(c);
	if (!err)
		err = check_vary(c);
	if (!err)
		err = check_settings(c, force);
	if (!err)
		err = check_copies(c, 0, na);
	if (!err)
		err = check_copies(c, na, c->nruns);
	return err ? err : check_order(c, force);
}

void campaign_free(struct campaign *c)
{
	size_t i;

	for (i = 0; c->run && i < c->nruns; i++)
		campaign_run_free(&c->run[i]);
	free(c->run);
	for (i = 0; i < c->nvaried; i++) {
		free(c->varied[i].a);
		free(c->varied[i].b);
	}
	c->nvaried = 0;
	notes_free(c->differences);
	notes_free(c->notes);
	c->run = NULL;
	c->differences = c->notes = NULL;
}

bool campaign_common_seeds(const struct campaign *c)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		const struct result *a = &campaign_a(c, i)->r;
		const struct result *b = &campaign_b(c, i)->r;

		if (!a->deterministic || !a->has_seed || !b->has_seed ||
		    a->seed != b->seed)
			return false;
	}
	return true;
}

/* The fewest expiries of a CPU: any of them may be the worst one. */
static uint64_t fewest_expiries(const struct result *r)
{
	uint64_t least = UINT64_MAX, n;
	size_t i;

	for (i = 0; i < r->ncpus; i++) {
		n = r->cpu[i].windows + r->cpu[i].missed;
		least = n < least ? n : least;
	}
	return least;
}

/* No miss in n expiries is compatible with up to three (95 % confidence). */
static double resolution(const struct campaign *c, size_t s)
{
	uint64_t least = UINT64_MAX, n;
	double worst = 0;
	size_t i;

	for (i = 0; i < c->nruns; i++) {
		worst = fmax(worst, c->run[i].resolution[s]);
		n = fewest_expiries(&c->run[i].r);
		least = n < least ? n : least;
	}
	return c->statistic[s].kind == STATISTIC_MISS_RATE ? 1.5 / (double)least :
							 worst;
}

/* True if all runs have the CPUs of the first one: with --force they may differ. */
static bool same_cpus(const struct campaign *c)
{
	size_t i;

	for (i = 1; i < c->nruns; i++)
		if (strcmp(c->run[i].r.cpus, c->run[0].r.cpus))
			return false;
	return true;
}

/* The values of each CPU, for a decision about the worst one. */
static int fill_cpus(const struct campaign *c, size_t s, struct decision *d)
{
	size_t n = c->run[0].r.ncpus, i, k;
	double *x;

	if (n < 2 || !same_cpus(c))
		return 0;
	x = calloc(n * c->nruns, sizeof(*x));
	if (!x)
		return fail(-ENOMEM, "out of memory");
	d->cpu_a = x;
	d->cpu_b = x + n * c->n;
	d->ncpus = n;
	d->stride = c->n;
	for (k = 0; k < n; k++)
		for (i = 0; i < c->n; i++) {
			x[k * c->n + i] = campaign_a(c, i)->cpu[s][k];
			x[(n + k) * c->n + i] = campaign_b(c, i)->cpu[s][k];
		}
	return 0;
}

static int fill(const struct campaign *c, size_t s, struct decision *d)
{
	double *x = calloc(2 * c->n, sizeof(*x));
	size_t i;

	if (!x)
		return fail(-ENOMEM, "out of memory");
	d->absolute = c->statistic[s].kind == STATISTIC_MISS_RATE;
	d->a = x;
	d->b = x + c->n;
	d->n = c->n;
	d->resolution = resolution(c, s);
	for (i = 0; i < c->nruns; i++) {
		x[i] = c->run[i].value[s];
		if (!d->absolute && !(x[i] > 0))
			return fail(-EINVAL, "%s is 0 in %s: a ratio needs values above 0",
				    c->statistic[s].text, c->run[i].path);
	}
	return fill_cpus(c, s, d);
}

int campaign_decide(struct campaign *c, struct rule *rule, struct decision d[],
		    struct sequential *at)
{
	size_t s;
	int err = 0;

	rule->least_margin = c->run[0].r.deterministic ?
			     DECISION_LEAST_COUNTED : DECISION_LEAST_MARGIN;
	rule->most_margin = c->run[0].r.deterministic ?
			    DECISION_MOST_COUNTED : DECISION_MOST_MARGIN;
	memset(d, 0, c->nstatistics * sizeof(*d));
	for (s = 0; s < c->nstatistics && !err; s++)
		err = fill(c, s, &d[s]);
	if (err)
		return err;
	err = at ? decide_sequentially(d, c->nstatistics, rule, at) :
		   decide(d, c->nstatistics, rule);
	for (s = 0; s < c->nstatistics && c->ordered && !err; s++) {
		d[s].verdict = VERDICT_INCONCLUSIVE;
		d[s].ordered = true;
	}
	if (err == -ENOMEM)
		return fail(err, "out of memory");
	return err ? fail(err, "these values have no ratios") : 0;
}

void campaign_decided(struct decision d[], size_t n)
{
	while (n--) {
		free((double *)d[n].a);
		free((double *)d[n].cpu_a);
	}
}

struct campaign_misses campaign_misses(const struct campaign *c)
{
	struct campaign_misses m = { .p = NAN };
	uint64_t all;
	size_t i;

	for (i = 0; i < c->nruns; i++) {
		const struct result_cpu *r = &c->run[i].r.all;
		int side = i >= c->n;

		m.expiries[side] += r->windows + r->missed;
		m.missed[side] += r->violations + r->missed;
	}
	all = m.missed[0] + m.missed[1];
	if (all)
		m.p = !m.missed[1] ? 1 :
		      1 - stats_binomial_cdf(m.missed[1] - 1, all,
					     (double)m.expiries[1] /
					     ((double)m.expiries[0] +
					      (double)m.expiries[1]));
	return m;
}

bool campaign_shift(const struct campaign *c, unsigned int metric,
		    unsigned int at, double *a, double *shift)
{
	double *x = calloc(2 * c->n, sizeof(*x));
	bool known = x;
	size_t i;

	for (i = 0; i < c->n && known; i++) {
		x[i] = campaign_a(c, i)->at[metric][at];
		x[c->n + i] = campaign_b(c, i)->at[metric][at] - x[i];
		known = isfinite(x[c->n + i]);
	}
	if (known) {
		*a = stats_median(x, c->n);
		*shift = stats_median(x + c->n, c->n);
	}
	free(x);
	return known;
}
