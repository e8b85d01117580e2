// SPDX-License-Identifier: GPL-2.0
/*
 * The text format of Prometheus (exposition format 0.0.4), which the textfile collector of the node
 * exporter takes, with the names that OpenMetrics asks for: base units, and _total for counters.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/render.h"
#include "result/meaning.h"
#include "results/export.h"
#include "util/memstream.h"
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
	if (c->cpu >= 0) {
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
	     r->attached ? "Time in the region." : "From the expiry: irq to the handler, wake to the thread, response to the end of the work.");
	for (i = 0; i < r->ncpus; i++)
		for (m = 0; m <= TLOB_METRIC_RESPONSE; m++) {
			const struct tlob_hist *h = &r->cpu[i].hist[m];

			if (h->n)
				put_histogram(f, r, &r->cpu[i], h, tlob_metric_names[m]);
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

/* A label after the first ones: put_series() has the tags before it. */
static void put_condition(void *to, const char *between, const char *before, const char *key, const char *value)
{
	(void)before;
	fputs(*between ? "," : "", to);
	put_label(to, key, value);
}

static void put_conditions(FILE *f, const void *r)
{
	result_each_condition(r, put_condition, f);
}

static void put_reason(FILE *f, const void *reason)
{
	put_label(f, "reason", reason);
}

/* @r: NULL for a verdict, which has no tags. */
static int put_reasons(FILE *f, const char *name, const struct result *r, char *const *lowered)
{
	static const struct result none = { .tags.n = 0 };
	static const struct result_cpu whole = { .cpu = -1 };
	char *label;

	if (lowered)
		head(f, name, "gauge", "1 for each reason why the result means less than it says.");
	for (; lowered && *lowered; lowered++) {
		label = memstream_of(put_reason, *lowered);
		if (!label)
			return -ENOMEM;
		put_series(f, name, r ? r : &none, &whole, label);
		fputs(" 1\n", f);
		free(label);
	}
	return 0;
}

/* What the numbers hold for, and what of them is not decided. */
static int put_meaning(FILE *f, const struct result *r, const struct result_cpu *whole)
{
	const struct verdicts v = verdicts_of(&r->assertions, &r->said);
	const struct {
		const char *label;
		unsigned int n;
	} outcome[] = {
		{ "outcome=\"holds\"", v.n - v.failed - v.undecided }, { "outcome=\"failed\"", v.failed },
		{ "outcome=\"undecided\"", v.undecided },
	};
	char **lowered = NULL, *labels = memstream_of(put_conditions, r);
	int err = labels ? result_lowered(r, &lowered) : -ENOMEM;
	size_t i;

	if (!err) {
		head(f, "tlob_load_last_run_info", "gauge", "What the numbers hold for.");
		put_series(f, "tlob_load_last_run_info", r, whole, labels);
		fputs(" 1\n", f);
		err = put_reasons(f, "tlob_load_last_run_lowered", r, lowered);
		head(f, "tlob_load_last_run_assertions", "gauge", "Assertions of the run.");
		for (i = 0; i < sizeof(outcome) / sizeof(outcome[0]); i++) {
			put_series(f, "tlob_load_last_run_assertions", r, whole, outcome[i].label);
			fprintf(f, " %u\n", outcome[i].n);
		}
		head(f, "tlob_load_last_run_in_doubt", "gauge",
		     "1 if the run had not ended, was cut short, lost windows, had not its policy, or left an assertion undecided.");
		put_series(f, "tlob_load_last_run_in_doubt", r, whole, "");
		fprintf(f, " %d\n", outcome_doubt(r) || v.undecided);
	}
	notes_free(lowered);
	free(labels);
	return err;
}

int export_openmetrics(FILE *f, const struct result *r)
{
	static const struct result_cpu whole = { .cpu = -1 };
	int err;

	put_latencies(f, r);
	put_counter(f, r, "tlob_load_windows_total", "Windows that ended.", COUNTER(windows));
	put_counter(f, r, "tlob_load_violations_total", "Windows over the budget.", COUNTER(violations));
	put_counter(f, r, "tlob_load_missed_total",
		    r->attached ? "Windows over the budget that did not end." : "Expiries without a window.",
		    COUNTER(missed));
	head(f, "tlob_load_last_run_timestamp_seconds", "gauge", "When the run ended.");
	put_series(f, "tlob_load_last_run_timestamp_seconds", r, &whole, "");
	fprintf(f, " %llu\n", (unsigned long long)r->started + r->duration_ns / 1000000000);
	err = put_meaning(f, r, &whole);
	return err ? err : ferror(f) ? -EIO : 0;
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
	const char *info = v->of_machine ? "tlob_load_validate_info" : "tlob_load_compare_info";
	int err;

	if (v->conditions) {
		head(f, info, "gauge", "What the verdict holds for.");
		fprintf(f, "%s{", info);
		put_label(f, "conditions", v->conditions);
		fputs("} 1\n", f);
	}
	err = put_reasons(f, v->of_machine ? "tlob_load_validate_lowered" : "tlob_load_compare_lowered", NULL, v->lowered);
	if (err)
		return err;
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
