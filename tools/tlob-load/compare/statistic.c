// SPDX-License-Identifier: GPL-2.0
/* Parsing a statistic, and taking its value from a run. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "compare/statistic.h"
#include "compare/stats.h"
#include "result/condition.h"
#include "util/usage.h"

#define CONFIDENCE_ALPHA 0.05
#define PPM 1000000U

#define MISS_RATE "miss-rate"

/* A condition without its comparison: parsed as one, with a dummy comparison. */
static int parse_statistic(struct condition *c, const char *text, char *err,
			   unsigned int size)
{
	char condition[STATISTIC_LEN + 8], why[160];
	int ret;

	if (strlen(text) >= STATISTIC_LEN || strpbrk(text, "<>=!"))
		return usage_error(err, size, "invalid statistic '%.60s': give one such as p99.9(response)",
				   text);
	snprintf(condition, sizeof(condition), "%s<1ns", text);
	/* A counter takes a number without a unit. It is refused below. */
	ret = condition_parse_result(c, condition, why, sizeof(why));
	if (ret) {
		snprintf(condition, sizeof(condition), "%s<1", text);
		ret = condition_parse_result(c, condition, why, sizeof(why));
	}
	if (ret)
		return usage_error(err, size, "%s", why);
	if (c->metric < 0 || c->metric >= TLOB_NR_METRICS)
		return usage_error(err, size, "'%s' is a counter, which is not compared: give a quantile such as p50(METRIC), avg(METRIC) or " MISS_RATE,
				   text);
	if (c->stat == STAT_MIN || c->stat == STAT_MAX ||
	    (c->stat == STAT_QUANTILE && c->ppm >= PPM))
		return usage_error(err, size, "'%s' is an extreme, which grows with the number of windows: give a quantile such as p99.9",
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
	if (c.stat == STAT_AVG) {
		s->kind = STATISTIC_MEAN;
		snprintf(s->text, sizeof(s->text), "avg(%s)",
			 tlob_metric_names[s->metric]);
		return 0;
	}
	s->kind = STATISTIC_QUANTILE;
	format_percent(percent, sizeof(percent), s->ppm);
	snprintf(s->text, sizeof(s->text), "p%s(%s)", percent,
		 tlob_metric_names[s->metric]);
	return 0;
}

/* The fewest windows for a bound of the quantile, in the tail where it lies. */
static uint64_t fewest(const struct statistic *s)
{
	double q = (double)s->ppm / PPM;

	if (s->kind != STATISTIC_QUANTILE)
		return STATISTIC_FEWEST;
	return stats_fewest_samples(q > 0.5 ? q : 1 - q, CONFIDENCE_ALPHA);
}

/* Every CPU needs enough windows: without one of them the worst CPU is unknown. */
static int check_samples(const struct statistic *s, const struct result_cpu *c,
			 char *err, unsigned int size)
{
	bool rate = s->kind == STATISTIC_MISS_RATE;
	uint64_t n = rate ? c->windows : c->hist[s->metric].n;
	uint64_t least = fewest(s);

	if (n >= least)
		return 0;
	if (!n && c->windows)
		usage_error(err, size, "%s was not measured on CPU %d",
			    tlob_metric_names[s->metric], c->cpu);
	else
		usage_error(err, size, "%s needs %" PRIu64 " windows, but CPU %d has %" PRIu64,
			    s->text, least, c->cpu, n);
	return -ENODATA;
}

static double value_of(const struct statistic *s, const struct result *r,
		       const struct result_cpu *c)
{
	const struct tlob_hist *h = &c->hist[s->metric];

	if (s->kind == STATISTIC_MISS_RATE)
		return ((double)c->violations + (double)c->missed) /
		       ((double)c->windows + (double)c->missed);
	if (s->kind == STATISTIC_MEAN)
		return (double)h->sum / (double)h->n;
	if (result_is_exact(r, s->metric))
		return (double)samples_quantile(&r->exact[s->metric], s->ppm);
	return (double)hist_quantile(h, s->ppm);
}

int statistic_value(const struct statistic *s, const struct result *r,
		  double *value, char *err, unsigned int size)
{
	double v;
	size_t i;
	int ret;

	*value = 0;
	for (i = 0; i < r->ncpus; i++) {
		ret = check_samples(s, &r->cpu[i], err, size);
		if (ret)
			return ret;
		v = value_of(s, r, &r->cpu[i]);
		*value = v > *value ? v : *value;
	}
	return 0;
}

double statistic_resolution(const struct statistic *s, const struct result *r)
{
	if (s->kind != STATISTIC_QUANTILE || result_is_exact(r, s->metric))
		return 0;
	return 1.0 / TLOB_HIST_SUB;
}
