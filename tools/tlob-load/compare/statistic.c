// SPDX-License-Identifier: GPL-2.0
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

/* The grammar of conditions has it, but for what is compared with. */
static int parse_statistic(struct condition *e, const char *text, char *err,
			   unsigned int size)
{
	char condition[STATISTIC_LEN + 8], why[160];
	int ret;

	if (strlen(text) >= STATISTIC_LEN || strpbrk(text, "<>=!"))
		return usage_error(err, size, "'%.60s' is no statistic of a metric, as in p99.9(response)",
				   text);
	snprintf(condition, sizeof(condition), "%s<1ns", text);
	/* a counter has no unit, and its own words below */
	ret = condition_parse_result(e, condition, why, sizeof(why));
	if (ret) {
		snprintf(condition, sizeof(condition), "%s<1", text);
		ret = condition_parse_result(e, condition, why, sizeof(why));
	}
	if (ret)
		return usage_error(err, size, "%s", why);
	if (e->metric < 0 || e->metric >= TLOB_NR_METRICS)
		return usage_error(err, size, "'%s' is a counter: runs are compared by p50(METRIC) and the like, avg(METRIC) or " MISS_RATE,
				   text);
	if (e->stat == STAT_MIN || e->stat == STAT_MAX ||
	    (e->stat == STAT_QUANTILE && e->ppm >= PPM))
		return usage_error(err, size, "'%s': an extreme of n windows grows with n, and is not compared: use a quantile such as p99.9",
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
	struct condition e = { .metric = -1 };
	int ret;

	memset(s, 0, sizeof(*s));
	if (!strcmp(text, MISS_RATE)) {
		s->kind = STATISTIC_MISS_RATE;
		strcpy(s->text, MISS_RATE);
		return 0;
	}
	ret = parse_statistic(&e, text, err, size);
	if (ret || e.metric < 0)
		return ret ? ret : -EINVAL;
	s->metric = (unsigned int)e.metric;
	s->ppm = e.ppm;
	if (e.stat == STAT_AVG) {
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

/* Either tail: a quantile of few samples is an extreme. */
static uint64_t fewest(const struct statistic *s)
{
	double q = (double)s->ppm / PPM;

	if (s->kind != STATISTIC_QUANTILE)
		return STATISTIC_FEWEST;
	return stats_fewest_samples(q > 0.5 ? q : 1 - q, CONFIDENCE_ALPHA);
}

/* One CPU without enough windows leaves the worst one unknown. */
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
		usage_error(err, size, "%s is not resolvable with %" PRIu64 " windows (CPU %d): it needs %" PRIu64,
			    s->text, n, c->cpu, least);
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
