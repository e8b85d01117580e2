// SPDX-License-Identifier: GPL-2.0
/* Parsing a statistic, and taking its value from a run. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/statistic.h"
#include "options/option_value.h"
#include "result/condition.h"
#include "result/attached.h"
#include "result/stats.h"
#include "util/usage.h"

#define PPM 1000000U
#define ONE_SIGMA 0.3173		/* of a normal distribution, beyond +- one */

#define MISS_RATE "miss-rate"

/* A condition without its comparison: parsed as one, with a dummy comparison. */
static int parse_statistic(struct condition *c, const char *text, char *err,
			   unsigned int size)
{
	char condition[STATISTIC_LEN + 8], why[REASON_LEN];
	int ret;

	if (strlen(text) >= STATISTIC_LEN || strpbrk(text, "<>=!"))
		return usage_error(err, size, "invalid statistic '%.60s': give one such as p99.9(response)",
				   text);
	snprintf(condition, sizeof(condition), "%s<1ns", text);
	/* A counter takes a number without a unit. It is refused below. */
	ret = condition_parse_words(c, &condition_compare_words, condition, why, sizeof(why));
	if (ret) {
		snprintf(condition, sizeof(condition), "%s<1", text);
		ret = condition_parse_words(c, &condition_compare_words, condition, why, sizeof(why));
	}
	if (ret)
		return usage_error(err, size, "%s", why);
	if (condition_is_function(c))
		return usage_error(err, size, "'%s': times in functions are shown, but not compared: give a metric such as p99(wake)",
				   text);
	if (c->metric < 0 || c->metric >= RESULT_METRICS)
		return usage_error(err, size, "'%s' is a counter, which is not compared: give a quantile such as p50(METRIC), es99(METRIC), avg(METRIC) or " MISS_RATE,
				   text);
	if (c->stat == STAT_MIN || (c->stat == STAT_QUANTILE && c->ppm >= PPM))
		return usage_error(err, size, "'%s' is an extreme: give max(METRIC), or a quantile such as p99.9",
				   text);
	return 0;
}

/* "99.9" of 999000. */
static void format_percent(char *buf, size_t size, unsigned int ppm)
{
	size_t n;

	snprintf(buf, size, "%u.%04u", ppm / 10000, ppm % 10000);
	for (n = strlen(buf); buf[n - 1] == '0'; n--)
		;
	buf[buf[n - 1] == '.' ? n - 1 : n] = 0;
}

int statistic_parse(struct statistic *s, const char *text, char *err,
		  unsigned int size)
{
	char percent[16] = "";
	struct condition c = { .metric = -1 };
	int ret;

	memset(s, 0, sizeof(*s));
	if (!strcmp(text, MISS_RATE)) {
		s->kind = STATISTIC_MISS_RATE;
		strcpy(s->text, MISS_RATE);
		return 0;
	}
	ret = parse_statistic(&c, text, err, size);
	if (ret || c.metric < 0)
		return ret ? ret : -EINVAL;
	s->metric = (unsigned int)c.metric;
	s->ppm = c.ppm;
	if (c.stat == STAT_AVG || c.stat == STAT_MAX) {
		s->kind = c.stat == STAT_AVG ? STATISTIC_MEAN : STATISTIC_MAX;
		snprintf(s->text, sizeof(s->text), "%s(%s)", c.stat == STAT_AVG ? "avg" : "max",
			 result_metric_names[s->metric]);
		return 0;
	}
	s->kind = c.stat == STAT_SHORTFALL ? STATISTIC_SHORTFALL :
					     STATISTIC_QUANTILE;
	format_percent(percent, sizeof(percent), s->ppm);
	snprintf(s->text, sizeof(s->text), "%s%s(%s)",
		 s->kind == STATISTIC_SHORTFALL ? "es" : "p", percent,
		 result_metric_names[s->metric]);
	return 0;
}

uint64_t statistic_fewest(const struct statistic *s)
{
	if (s->kind == STATISTIC_SHORTFALL)
		return shortfall_fewest(s->ppm);
	return s->kind == STATISTIC_QUANTILE ? quantile_fewest(s->ppm) : STATISTIC_FEWEST;
}

/* Taken from the sorted expiries, among them the missed ones. */
static bool is_of_tail(const struct statistic *s)
{
	return s->kind == STATISTIC_QUANTILE || s->kind == STATISTIC_SHORTFALL;
}

/* INFINITY if the quantile is among the missed expiries. */
static double quantile_of(const struct statistic *s, const struct result *r,
			  const struct result_cpu *c)
{
	const struct tlob_hist *h = &c->hist[s->metric];
	uint64_t rank = quantile_rank(result_expiries(c, s->metric), s->ppm);

	if (rank > h->n)
		return INFINITY;
	if (result_is_exact(r, s->metric))
		return (double)r->exact[s->metric].v[rank - 1];
	return (double)hist_rank_upper(h, rank);
}

static double shortfall_of(const struct statistic *s, const struct result *r,
			   const struct result_cpu *c)
{
	const struct tlob_hist *h = &c->hist[s->metric];
	uint64_t from = quantile_rank(h->n, s->ppm), i, ns = 0;
	double total = 0;

	if (result_missed(c, s->metric))
		return INFINITY;
	if (!result_is_exact(r, s->metric))
		return hist_shortfall(h, 0, s->ppm, &ns) == QUANTILE_KNOWN ?
		       (double)ns : NAN;
	for (i = from; i < h->n; i++)
		total += (double)r->exact[s->metric].v[i];
	return total / (double)(h->n - from);
}

/* Missed expiries are also samples of a quantile, unless nothing was answered at all. */
static uint64_t samples_of(const struct statistic *s, const struct result_cpu *c)
{
	uint64_t n;

	if (s->kind == STATISTIC_MISS_RATE)
		return c->windows;
	n = c->hist[s->metric].n;
	return n && is_of_tail(s) ?
	       result_expiries(c, s->metric) : n;
}

/* "CPU 3"; a result of attach has windows of one region, on whatever CPU. */
static const char *whose(char buf[24], const struct result *r, const struct result_cpu *c)
{
	if (result_is_of_attach(r))
		return "the region";
	snprintf(buf, 24, "CPU %d", c->cpu);
	return buf;
}

/* Every CPU needs enough windows: without one of them the worst CPU is unknown. */
static int check_samples(const struct statistic *s, const struct result *r,
			 const struct result_cpu *c, char *err, unsigned int size)
{
	uint64_t n = samples_of(s, c);
	uint64_t least = statistic_fewest(s);
	char buf[24];

	if (n >= least)
		return 0;
	if (!n && c->windows)
		usage_error(err, size, "%s was not measured %s %s",
			    result_metric_names[s->metric],
			    result_is_of_attach(r) ? "in" : "on", whose(buf, r, c));
	else
		usage_error(err, size, "%s needs %" PRIu64 " windows, but %s has %" PRIu64,
			    s->text, least, whose(buf, r, c), n);
	return -ENODATA;
}

static double value_of(const struct statistic *s, const struct result *r,
		       const struct result_cpu *c)
{
	const struct tlob_hist *h = &c->hist[s->metric];
	double missed = (double)result_missed(c, TLOB_METRIC_RESPONSE);

	if (s->kind == STATISTIC_MISS_RATE)
		return ((double)c->violations + missed) / ((double)c->windows + missed);
	if (s->kind == STATISTIC_MEAN)
		return (double)h->sum / (double)h->n;
	if (s->kind == STATISTIC_MAX)
		return result_missed(c, s->metric) ? INFINITY : (double)h->max;
	return s->kind == STATISTIC_SHORTFALL ? shortfall_of(s, r, c) :
						quantile_of(s, r, c);
}

int statistic_cpu_values(const struct statistic *s, const struct result *r,
			 double value[], char *err, unsigned int size)
{
	size_t i;
	int ret;

	for (i = 0; i < r->ncpus; i++) {
		ret = check_samples(s, r, &r->cpu[i], err, size);
		if (ret)
			return ret;
		value[i] = value_of(s, r, &r->cpu[i]);
	}
	return 0;
}

int statistic_value(const struct statistic *s, const struct result *r,
		  double *value, char *err, unsigned int size)
{
	double *v = calloc(r->ncpus + 1, sizeof(*v));
	size_t i;
	int ret;

	*value = 0;
	if (!v) {
		usage_error(err, size, "out of memory");
		return -ENOMEM;
	}
	ret = statistic_cpu_values(s, r, v, err, size);
	for (i = 0; i < r->ncpus && !ret; i++)
		*value = fmax(*value, v[i]);
	free(v);
	return ret;
}

double statistic_noise(const struct statistic *s, const struct result *r)
{
	const struct tlob_hist *h;
	struct rank_interval ranks;
	double noise = 0, worst = 0, value;
	size_t i;

	if (s->kind != STATISTIC_QUANTILE)
		return 0;
	for (i = 0; i < r->ncpus; i++) {
		h = &r->cpu[i].hist[s->metric];
		value = value_of(s, r, &r->cpu[i]);
		ranks = stats_quantile_ranks(h->n, (double)s->ppm / PPM, ONE_SIGMA);
		if (value <= worst || !ranks.lower || !ranks.upper)
			continue;
		worst = value;
		noise = log((double)(hist_rank_upper(h, ranks.upper) + 1) /
			    (double)(hist_rank_lower(h, ranks.lower) + 1)) / 2;
	}
	return noise;
}

double statistic_resolution(const struct statistic *s, const struct result *r, double value)
{
	const bool rounded = is_of_tail(s) && !result_is_exact(r, s->metric);
	double error = 0;

	if (!is_of_tail(s) && s->kind != STATISTIC_MAX)
		return 0;
	if (rounded)
		error = 1.0 / TLOB_HIST_SUB;
	/* a small value is rounded up within a bucket as wide as a step */
	if (rounded && r->clock_resolution_ns > 1 && value > 0)
		error = fmax(error, (double)(hist_narrowest(r->clock_resolution_ns) - 1) / value);
	/* between two readings of a clock with steps there may be one step more or less */
	if (r->clock_resolution_ns > 1 && value > 0)
		error += (double)r->clock_resolution_ns / value;
	return error;
}
