// SPDX-License-Identifier: GPL-2.0
/*
 * The text format of Prometheus (exposition format 0.0.4), which the textfile collector of the node
 * exporter takes, with the names that OpenMetrics asks for: base units, and _total for counters.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/export.h"
#include "report/render.h"
#include "util/printable.h"

/* The edges of the histogram, in ns: each is a series of each CPU and metric. */
static const struct {
	uint64_t ns;
	const char *s;
} edges[] = {
	{ 1000, "1e-06" }, { 2000, "2e-06" }, { 5000, "5e-06" }, { 10000, "1e-05" },
	{ 20000, "2e-05" }, { 50000, "5e-05" }, { 100000, "0.0001" }, { 200000, "0.0002" },
	{ 500000, "0.0005" }, { 1000000, "0.001" }, { 2000000, "0.002" }, { 10000000, "0.01" },
};

/* Of attach there is one metric. */
static unsigned int nr_metrics(const struct result *r)
{
	return r->region ? 1 : TLOB_METRIC_RESPONSE + 1;
}

/* Of the value of a label: backslash and quote are escaped, controls were before. */
static void label_char(FILE *f, char c)
{
	if (c == '\\' || c == '"')
		fputc('\\', f);
	fputc(c, f);
}

static void put_label(FILE *f, const char *name, const char *value)
{
	fprintf(f, "%s=\"", name);
	printable_put(f, value ? value : "", true, label_char);
	fputc('"', f);
}

static void put_tag(FILE *f, const struct tag *tag)
{
	char name[TAG_NAME_MAX + 5];

	snprintf(name, sizeof(name), "tag_%s", tag->name);
	put_label(f, name, tag->value);
}

/* NAME{cpu="3",tag_rack="b7",MORE}: the name and labels of a sample. */
static void put_series(FILE *f, const char *name, const struct result *r, const struct result_cpu *c,
		       const char *more)
{
	const char *sep = "{";
	size_t i;

	fputs(name, f);
	if (!r->region && c->cpu >= 0) {
		fprintf(f, "{cpu=\"%d\"", c->cpu);
		sep = ",";
	}
	if (c->host) {
		fputs(sep, f);
		put_label(f, "host", c->host);
		sep = ",";
	}
	for (i = 0; i < r->tags.n; i++) {
		fputs(sep, f);
		put_tag(f, &r->tags.at[i]);
		sep = ",";
	}
	if (*more)
		fprintf(f, "%s%s", sep, more);
	if (*more || *sep == ',')
		fputc('}', f);
}

static void head(FILE *f, const char *name, const char *type, const char *help)
{
	fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_bucket(FILE *f, const struct result *r, const struct result_cpu *c,
		       const char *metric, const char *le, uint64_t n)
{
	char more[64];

	snprintf(more, sizeof(more), "metric=\"%s\",le=\"%s\"", metric, le);
	put_series(f, "tlob_load_latency_seconds_bucket", r, c, more);
	fprintf(f, " %" PRIu64 "\n", n);
}

/* A bucket of ours that an edge cuts counts above it: a number is never too good. */
static void put_histogram(FILE *f, const struct result *r, const struct result_cpu *c,
			  const struct tlob_hist *h, const char *metric)
{
	unsigned int i = 0, e;
	char more[64];
	uint64_t n = 0;

	for (e = 0; e < sizeof(edges) / sizeof(*edges); e++) {
		for (; i < TLOB_HIST_BUCKETS - 1 && hist_upper(h, i) <= edges[e].ns; i++)
			n += h->bucket[i];
		put_bucket(f, r, c, metric, edges[e].s, n);
	}
	put_bucket(f, r, c, metric, "+Inf", h->n);
	snprintf(more, sizeof(more), "metric=\"%s\"", metric);
	put_series(f, "tlob_load_latency_seconds_sum", r, c, more);
	fprintf(f, " %.9f\n", (double)h->sum / 1e9);
	put_series(f, "tlob_load_latency_seconds_count", r, c, more);
	fprintf(f, " %llu\n", h->n);
}

static void put_latencies(FILE *f, const struct result *r)
{
	unsigned int m;
	size_t i;

	head(f, "tlob_load_latency_seconds", "histogram",
	     r->region ? "Time in the region." : "From the expiry: irq to the handler, wake to the thread, response to the end of the work.");
	for (i = 0; i < r->ncpus; i++)
		for (m = 0; m < nr_metrics(r); m++) {
			const struct tlob_hist *h = &r->cpu[i].hist[r->region ? TLOB_METRIC_RESPONSE : m];

			if (h->n)
				put_histogram(f, r, &r->cpu[i], h, r->region ? "elapsed" : tlob_metric_names[m]);
		}
}

static void put_counter(FILE *f, const struct result *r, const char *name, const char *help,
			size_t at)
{
	size_t i;

	head(f, name, "counter", help);
	for (i = 0; i < r->ncpus; i++) {
		put_series(f, name, r, &r->cpu[i], "");
		fprintf(f, " %" PRIu64 "\n", *(const uint64_t *)((const char *)&r->cpu[i] + at));
	}
}

#define COUNTER(name)	offsetof(struct result_cpu, name)

int export_openmetrics(FILE *f, const struct result *r)
{
	static const struct result_cpu whole = { .cpu = -1 };

	put_latencies(f, r);
	put_counter(f, r, "tlob_load_windows_total", "Windows that ended.", COUNTER(windows));
	put_counter(f, r, "tlob_load_violations_total", "Windows over the budget.", COUNTER(violations));
	if (!r->region)
		put_counter(f, r, "tlob_load_missed_total", "Expiries without a window.", COUNTER(missed));
	head(f, "tlob_load_last_run_timestamp_seconds", "gauge", "When the run ended.");
	put_series(f, "tlob_load_last_run_timestamp_seconds", r, &whole, "");
	fprintf(f, " %llu\n", (unsigned long long)r->started + r->duration_ns / 1000000000);
	head(f, "tlob_load_last_run_in_doubt", "gauge",
	     "1 if the run had not ended, was cut short, lost windows or had not its policy.");
	put_series(f, "tlob_load_last_run_in_doubt", r, &whole, "");
	fprintf(f, " %d\n", !!outcome_doubt(r));
	return ferror(f) ? -EIO : 0;
}

static void put_states(FILE *f, const struct verdict_file *v, const char *name)
{
	enum verdict_state s;

	head(f, name, "gauge", "1 for the verdict that was given.");
	for (s = STATE_GOOD; s <= STATE_UNDECIDED; s++)
		fprintf(f, "%s{verdict=\"%s\"} %d\n", name, verdict_word(v, s), v->state == s);
}

static void put_items(FILE *f, const struct verdict_file *v, const char *name, const char *label,
		      const char *help)
{
	size_t i;

	head(f, name, "gauge", help);
	for (i = 0; i < v->n; i++) {
		if (isnan(v->at[i].number))
			continue;
		fprintf(f, "%s{", name);
		put_label(f, label, v->at[i].name);
		fprintf(f, "} %.9g\n", v->at[i].number);
	}
}

int export_verdict_openmetrics(FILE *f, const struct verdict_file *v)
{
	if (v->of_machine) {
		put_states(f, v, "tlob_load_validate_verdict");
		put_items(f, v, "tlob_load_validate_response_max_seconds", "phase",
			  "The longest response of a phase.");
	} else {
		put_states(f, v, "tlob_load_compare_verdict");
		put_items(f, v, "tlob_load_compare_effect_ratio", "metric",
			  "Growth of B over A, as a share.");
	}
	return ferror(f) ? -EIO : 0;
}
