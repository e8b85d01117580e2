// SPDX-License-Identifier: GPL-2.0
/* The JSON of Bencher (Bencher Metric Format): benchmark, measure, then value and bounds. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/export.h"
#include "util/json_write.h"
#include "util/printable.h"
#include "util/units.h"

static void put_metric(struct builder *b, struct json_object *to, const char *measure,
		       double value, double lower, double upper)
{
	struct json_object *o = put_object(b, to, measure);

	put_double(b, o, "value", value);
	if (!isnan(lower))
		put_double(b, o, "lower_value", lower);
	if (!isnan(upper))
		put_double(b, o, "upper_value", upper);
}

/* A quantile among the missed expiries has no number: the share of those says so. */
static void put_quantiles(struct builder *b, struct json_object *o, const struct result *r,
			  unsigned int metric)
{
	unsigned int q;

	for (q = 0; q < EXPORT_QUANTILES; q++) {
		struct export_quantile x = export_quantile(&r->all, metric, q);

		if (x.kind == QUANTILE_KNOWN)
			put_metric(b, o, export_quantile_names[q], (double)x.ns,
				   x.lower_ns ? (double)x.lower_ns : NAN,
				   x.upper_ns ? (double)x.upper_ns : NAN);
	}
}

/* A name has words of a file in it, and is a key, which the builder does not escape. */
static struct json_object *put_benchmark(struct builder *b, struct json_object *to, const char *name)
{
	char *key = name ? printable_dup(name) : NULL;
	struct json_object *o = key ? put_object(b, to, key) : NULL;

	if (!key)
		b->err = -ENOMEM;
	free(key);
	return o;
}

/* "spin:100us, 1ms: wake": what is compared has the same name in each run. */
static char *benchmark_name(const struct result *r, const char *metric)
{
	char period[DURATION_LEN], *name;

	return asprintf(&name, "%s, %s: %s", r->work,
			duration_exact(period, r->region ? r->budget_ns : r->period_ns), metric) < 0 ? NULL : name;
}

int export_bmf(FILE *f, const struct result *r)
{
	struct json_object *o = json_object_new_object(), *benchmark;
	uint64_t due = result_due(&r->all);
	struct builder b = { 0 };
	unsigned int m;
	char *name;

	for (m = 0; m < export_metrics(r); m++) {
		unsigned int metric = r->region ? TLOB_METRIC_RESPONSE : m;

		if (!r->all.hist[metric].n)
			continue;
		name = benchmark_name(r, export_metric_name(r, m));
		benchmark = put_benchmark(&b, o, name);
		free(name);
		put_quantiles(&b, benchmark, r, metric);
		if (metric == TLOB_METRIC_RESPONSE && due)
			put_metric(&b, benchmark, "over-or-missed",
				   (double)result_over(&r->all) / (double)due, NAN, NAN);
	}
	return json_end(&b, f, o);
}

int export_verdict_bmf(FILE *f, const struct verdict_file *v)
{
	struct json_object *o = json_object_new_object();
	struct builder b = { 0 };
	size_t i;

	for (i = 0; i < v->n; i++) {
		const struct verdict_item *item = &v->at[i];

		if (!isnan(item->number))
			put_metric(&b, put_benchmark(&b, o, item->name),
				   v->of_machine ? "response_max" : "effect",
				   item->number * (v->of_machine ? 1e9 : 1), item->lower, item->upper);
	}
	return json_end(&b, f, o);
}
