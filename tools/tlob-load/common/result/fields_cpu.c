// SPDX-License-Identifier: GPL-2.0
/* A CPU in the result of a run: its counters, its histograms, and when windows came. */
#include <limits.h>
#include <math.h>

#include "result/hist_json.h"
#include "result/parts.h"
#include "result/stats.h"
#include "result/tables.h"

const struct words metric_words = { .n = TLOB_NR_METRICS, .list = tlob_metric_names };
static const struct words result_metrics = { .n = RESULT_METRICS, .list = result_metric_names };
static const struct words latencies = { .n = TLOB_METRIC_PARTS, .list = tlob_metric_names };

#define COUNTER_ROW(name, how, line)						\
	ROW(result_cpu, name, COUNT, .flags = FIELD_SUM | (how), .text = line),
static const struct field counter_fields[] = {
	RESULT_COUNTERS(COUNTER_ROW)
};

const struct fields result_counters = RECORD(result_cpu, "counters", counter_fields);

static const struct field os_name_fields[] = {
	ROW(os_name, name, CHARS, .flags = FIELD_CUT | FIELD_PUBLIC),
	ROW(os_name, count, COUNT),
};

const struct fields os_name_record = RECORD(os_name, "os_name", os_name_fields);

static const struct field os_list_fields[] = {
	ROW(os_list, dropped, COUNT),
	ROW_AS("names", os_list, at, LIST, FIELD_N(os_list, n), .of = &os_name_record,
	       .max = OS_NAMES),
};

static const struct fields os_list_record = RECORD(os_list, "os_list", os_list_fields);

static enum presence switches_presence(const void *data)
{
	const struct os_counts *os = data;

	return os->known & OS_SWITCHES ? PRESENT : NO_VALUE;
}

static const struct field gaps_fields[] = {
	ROW_AS("windows", os_counts, gap_windows, COUNT, .flags = FIELD_SUM),
	ROW_AS("ns", os_counts, gap_ns, COUNT, .flags = FIELD_SUM),
	ROW_AS("max_ns", os_counts, gap_max_ns, COUNT, .flags = FIELD_MAX),
};

static const struct fields gaps_record = RECORD(os_counts, "gaps", gaps_fields);

/* The gaps are an object of the file, and members of struct os_counts itself. */
static const struct field os_fields[] = {
	ROW(os_counts, run_delay_ns, COUNT, .flags = FIELD_SUM,
	    FIELD_KNOWN(os_counts, known, OS_RUN_DELAY),
	    .text = "how long the thread was runnable and did not run"),
	ROW_AS("voluntary_switches", os_counts, voluntary, COUNT, .flags = FIELD_SUM,
	       FIELD_KNOWN(os_counts, known, OS_SWITCHES)),
	ROW_AS("involuntary_switches", os_counts, involuntary, COUNT,
	       .flags = FIELD_SUM | FIELD_NULL, .presence = switches_presence,
	       .text = "how often it went to sleep, and how often it was preempted"),
	ROW(os_counts, steal_ns, COUNT, .flags = FIELD_SUM, FIELD_KNOWN(os_counts, known, OS_STEAL),
	    .text = "what a hypervisor gave to others, by `/proc/stat`"),
	ROW_WITHOUT("hw_or_interrupt", RECORD, .of = &gaps_record,
		    FIELD_KNOWN(os_counts, known, OS_GAPS),
		    .text = "gaps in `spin` work above `hw_threshold_ns`: `windows` with one, `ns` in sum, "
		    "`max_ns` of one window"),
	ROW_AS("interrupts", os_counts, irq, RECORD, .of = &os_list_record,
	       FIELD_KNOWN(os_counts, known, OS_IRQS)),
	ROW_AS("softirqs", os_counts, softirq, RECORD, .of = &os_list_record,
	       FIELD_KNOWN(os_counts, known, OS_SOFTIRQS),
	       .text = "what came to the CPU: at most 24 `names`, each with its `count`, most "
	       "frequent first; `dropped` counts names beyond them"),
};

const struct fields os_record = RECORD(os_counts, "os", os_fields);

/* As in print_buckets(): objects of json-c would cost more than all other keys. */
static int print_slice_buckets(struct json_object *o, struct printbuf *to, int level, int flags)
{
	const __u64 *bucket = json_object_get_userdata(o);
	char sep = '[';
	unsigned int i;
	int err = 0;

	(void)level;
	(void)flags;
	for (i = 0; i < SLICE_BUCKETS && err >= 0; i++) {
		if (!bucket[i])
			continue;
		err = print_pair(to, sep, slice_bucket_lower(i), bucket[i]);
		sep = ',';
	}
	return err < 0 ? err : printbuf_memappend(to, "]", 1);
}

/* @data must not change before it is printed. */
static void put_slice_buckets(struct builder *b, struct json_object *o, const struct field *f,
			      const void *data)
{
	struct json_object *list = put_array(b, o, f->key);
	const struct slice *s = data;

	if (list && s->windows)
		json_object_set_serializer(list, print_slice_buckets, (void *)((const char *)data + f->at), NULL);
}

#define SLICE_PAIRS							\
	"{\"type\": \"array\", \"maxItems\": 50, \"items\": {\"type\": \"array\", " \
	"\"minItems\": 2, \"maxItems\": 2, \"items\": {\"$ref\": \"#/$defs/u64\"}}}"

static const struct field slice_fields[] = {
	ROW(slice, windows, COUNT),
	ROW(slice, violations, COUNT),
	ROW(slice, missed, COUNT,
	    .text = "as above; `missed`: expiries between these windows and the window before each"),
	ROW_AS("wake_max_ns", slice, max_ns[SLICE_WAKE], COUNT),
	ROW_AS("response_max_ns", slice, max_ns[SLICE_RESPONSE], COUNT,
	       .text = "the longest; 0 without windows"),
	ROW_AS("wake", slice, bucket[SLICE_WAKE], OWN, .flags = FIELD_PUBLIC,
	       .put = put_slice_buckets, .def = SLICE_PAIRS),
	ROW_AS("response", slice, bucket[SLICE_RESPONSE], OWN, .flags = FIELD_PUBLIC,
	       .put = put_slice_buckets, .def = SLICE_PAIRS,
	       .text = "pairs [smallest value, count], two buckets an octave: 0, 384, 512, 768, 1024, "
	       "… up to 6.4 s"),
};

const struct fields slice_record = RECORD(slice, "slice", slice_fields);

static const struct field slices_fields[] = {
	ROW(slices, slice_ns, COUNT, .flags = FIELD_NULL,
	    .text = "10 ms times a power of two; null before the first window"),
	ROW(slices, at, LIST, FIELD_N(slices, n), .of = &slice_record, .max = SLICES,
	    .text = "list: one object per slice, up to the last with a window"),
};

const struct fields slices_record = RECORD(slices, "slices", slices_fields);

/* null in the sum: each CPU has its own worst case. */
static void put_worst_sum(struct builder *b, struct json_object *o, const struct field *f,
			  const void *data)
{
	const struct result_cpu *c = data;

	put_known(b, o, f->key, result_worst_sum(c) && c->cpu >= 0, result_worst_sum(c));
}

/* Expiries over the budget or missed, and the bound of their share. */
static void put_over(struct builder *b, struct json_object *to, const struct field *f,
		     const void *data)
{
	uint64_t of = result_due(data), n = result_over(data);
	double upper = result_over_upper(data);
	struct json_object *o = put_object(b, to, f->key);

	put_u64(b, o, "n", n);
	put_u64(b, o, "of", of);
	if (isnan(upper))
		put_null(b, o, "upper_95");
	else
		put_double(b, o, "upper_95", upper);
}

static const struct {
	const char *name;
	unsigned int ppm;
} quantiles[] = {
	{ "p50", 500000 }, { "p90", 900000 }, { "p99", 990000 },
	{ "p99.9", 999000 }, { "p99.99", 999900 },
};

/* The value of @rank; missed expiries are the latest of all. */
static void put_rank(struct builder *b, struct json_object *list, const struct tlob_hist *h, uint64_t rank,
		     uint64_t (*edge)(const struct tlob_hist *h, uint64_t rank))
{
	if (rank <= h->n)
		put_u64(b, list, NULL, edge(h, rank));
	else
		put_text(b, list, NULL, "missed");
}

/*
 * For a page, of all CPUs: the quantile and its bounds with 95 % confidence. They are order
 * statistics, rounded outward to the edges of the histogram; with too few windows there are none.
 */
static void put_bounded(struct builder *b, struct json_object *o, const char *key,
			const struct tlob_hist *h, uint64_t n, unsigned int ppm)
{
	struct rank_interval r = stats_quantile_ranks(n, (double)ppm / 1000000, 0.05);
	struct json_object *list = put_array(b, o, key);

	put_rank(b, list, h, quantile_rank(n, ppm), hist_rank_upper);
	if (!r.lower || !r.upper)
		return;
	put_rank(b, list, h, r.lower, hist_rank_lower);
	put_rank(b, list, h, r.upper, hist_rank_upper);
}

static void put_known_quantile(struct builder *b, struct json_object *o, const struct result_cpu *c,
			       unsigned int metric, unsigned int i, uint64_t ns)
{
	if (b->page && c->cpu < 0)
		put_bounded(b, o, quantiles[i].name, &c->hist[metric], result_expiries(c, metric),
			    quantiles[i].ppm);
	else
		put_u64(b, o, quantiles[i].name, ns);
}

/* The quantiles of windows and missed expiries; null with too few of them. */
static void put_quantiles_of(struct builder *b, struct json_object *to,
			     const struct result_cpu *c, unsigned int metric)
{
	struct json_object *o = put_object(b, to, tlob_metric_names[metric]);
	uint64_t ns;
	size_t i;

	for (i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		switch (hist_quantile_missed(&c->hist[metric], result_missed(c, metric),
					     quantiles[i].ppm, &ns)) {
		case QUANTILE_KNOWN:
			put_known_quantile(b, o, c, metric, (unsigned int)i, ns);
			break;
		case QUANTILE_MISSED:
			put_text(b, o, quantiles[i].name, "missed");
			break;
		case QUANTILE_FEW:
			if (!b->page)
				put_null(b, o, quantiles[i].name);
			break;
		}
}

static void put_quantiles(struct builder *b, struct json_object *to, const struct field *f,
			  const void *data)
{
	struct json_object *o = put_object(b, to, f->key);
	unsigned int m;

	for (m = TLOB_METRIC_IRQ; m <= TLOB_METRIC_RESPONSE; m++)
		put_quantiles_of(b, o, data, m);
}

static enum presence episodes_presence(const void *data)
{
	const struct result_cpu *c = data;

	return c->episodes.n ? PRESENT : NO_KEY;
}

static enum presence cpu_presence(const void *data)
{
	const struct result_cpu *c = data;

	return c->cpu < 0 ? NO_VALUE : PRESENT;
}

static const struct field cpu_fields[] = {
	ROW(result_cpu, cpu, NUMBER, .max = INT_MAX, .flags = FIELD_OF_ONE | FIELD_NULL,
	    .presence = cpu_presence),
	ROW(result_cpu, host, TEXT, .flags = FIELD_OF_ONE | FIELD_NULL | FIELD_PRIVATE,
	    .text = "its number, of attach null; and its host in merged results of several, else null"),
	ROW_WITHOUT(NULL, SAME, .of = &result_counters),
	ROW(result_cpu, demand_ns, COUNT, .flags = FIELD_NULL),
	ROW(result_cpu, demand_spread_ns, COUNT, .flags = FIELD_NULL | FIELD_MAX,
	    FIELD_WITH(result_cpu, demand_ns),
	    .text = "the demand from calibration, and its spread, or null. In `all`: mean over the "
	    "windows, largest spread"),
	ROW(result_cpu, overhead_ns, COUNT, .flags = FIELD_NULL | FIELD_SUM,
	    .text = "the tool's time between windows, summed; null: unknown"),
	ROW_WITHOUT("worst_sum_ns", COUNT, .flags = FIELD_NULL | FIELD_NOT_READ | FIELD_OFF_PAGE,
		    .put = put_worst_sum,
		    .text = "the longest time of each part in any window, added up; not an upper bound. "
		    "Null in `all`, and if no part is measured"),
	ROW_WITHOUT("over", OWN, .flags = FIELD_NOT_READ | FIELD_PUBLIC | FIELD_OFF_PAGE, .put = put_over, .def = "over",
		    .text = "`n` expiries over the budget or missed, `of` all; `upper_95`: the "
		    "[bound](../explanation/statistics.md#episodes) of their share with 95 % "
		    "confidence in this run, if no episode is longer than the longest seen; null without "
		    "an episode"),
	ROW(result_cpu, episodes, RECORD, .of = &episodes_record,
	    .flags = FIELD_OF_ONE | FIELD_LEFT_OUT | FIELD_OFF_PAGE, .presence = episodes_presence,
	    .text = NO_ROW),
	ROW(result_cpu, unavailable, MASK, .words = &part_words, .flags = FIELD_OR,
	    .text = "parts that cannot be measured here"),
	ROW(result_cpu, os, POINTER, .of = &os_record, .flags = FIELD_NULL | FIELD_OFF_PAGE,
	    .text = "[counters of the kernel](#os); null with the backend tlob"),
	ROW_WITHOUT("quantiles", OWN, .flags = FIELD_NOT_READ | FIELD_LEFT_OUT | FIELD_PUBLIC,
		    .put = put_quantiles,
		    .words = &latencies, .def = "quantiles",
		    .text = "p50, p90, p99, p99.9 and p99.99 of `irq`, `wake` and `response` in ns, or "
		    "`\"missed\"`; null with too few windows"),
	ROW(result_cpu, hist, HISTS, FIELD_WITHOUT(result_cpu, unavailable),
	    .first = TLOB_METRIC_PARTS, .optional = RESULT_INTERVAL, .words = &result_metrics,
	    .text = "a [histogram](#a-histogram) of each metric, without unavailable parts; of attach "
	    "`interval`, from the begin of a window to that of the next one of its thread, if there is any"),
	ROW(result_cpu, functions, OWN, FIELD_N(result_cpu, windows), .of = &function_totals_record,
	    .flags = FIELD_LEFT_OUT | FIELD_PUBLIC | FIELD_OFF_PAGE, .put = put_function_totals,
	    .text = NO_ROW),
	ROW(result_cpu, slices, POINTER, .of = &slices_record,
	    .flags = FIELD_OF_ONE | FIELD_NULL | FIELD_OFF_PAGE,
	    .text = "[when it happened](#slices); null if it was not kept"),
};

const struct fields cpu_record = RECORD(result_cpu, "cpu", cpu_fields);

const struct fields all_record = RECORD(result_cpu, "all", cpu_fields, .without = FIELD_OF_ONE);
