// SPDX-License-Identifier: GPL-2.0
/* The result of run: the file, and a CPU in it. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "result/hist_json.h"
#include "result/parts.h"
#include "result/stats.h"
#include "result/tables.h"

#define MAX_FACTS	64U

static const struct words metrics = { .n = TLOB_NR_METRICS, .list = tlob_metric_names };
static const struct words latencies = { .n = TLOB_METRIC_PARTS, .list = tlob_metric_names };

#define COUNTER_ROW(name, how, line)						\
	ROW(result_cpu, name, COUNT, .flags = FIELD_SUM | (how), .text = line),
static const struct field counter_fields[] = {
	RESULT_COUNTERS(COUNTER_ROW)
};

const struct fields result_counters = RECORD(result_cpu, "counters", counter_fields);

static void check_order(struct reader *rd, void *data, size_t i)
{
	const struct os_name *name = data;

	if (i && name[0].count > name[-1].count)
		reader_fail(rd, "count", "larger than the one before: the list must descend");
}

static const struct field os_name_fields[] = {
	ROW(os_name, name, CHARS, .flags = FIELD_CUT),
	ROW(os_name, count, COUNT),
};

static const struct fields os_name_record =
	RECORD(os_name, "os_name", os_name_fields, .check = check_order);

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

/* Where these are, the structs of the record are the same: gaps are members of os_counts. */
static const struct field os_fields[] = {
	ROW(os_counts, run_delay_ns, COUNT, .flags = FIELD_SUM,
	    FIELD_KNOWN(os_counts, known, OS_RUN_DELAY),
	    .text = "how long the measuring thread was runnable and did not run"),
	ROW_AS("voluntary_switches", os_counts, voluntary, COUNT, .flags = FIELD_SUM,
	       FIELD_KNOWN(os_counts, known, OS_SWITCHES)),
	ROW_AS("involuntary_switches", os_counts, involuntary, COUNT,
	       .flags = FIELD_SUM | FIELD_NULL, .presence = switches_presence,
	       .text = "how often it went to sleep, and how often it was preempted"),
	ROW(os_counts, steal_ns, COUNT, .flags = FIELD_SUM, FIELD_KNOWN(os_counts, known, OS_STEAL),
	    .text = "time that a hypervisor gave to others, in ticks of `/proc/stat`"),
	ROW_WITHOUT("hw_or_interrupt", RECORD, .of = &gaps_record, .flags = FIELD_LATER,
		    FIELD_KNOWN(os_counts, known, OS_GAPS),
		    .text = "gaps in `spin` work above `hw_threshold_ns`, made by interrupts, "
		    "other tasks or the hardware: `windows` that had one, `ns` in sum, `max_ns` of "
		    "one window"),
	ROW_AS("interrupts", os_counts, irq, RECORD, .of = &os_list_record, .flags = FIELD_LATER,
	       FIELD_KNOWN(os_counts, known, OS_IRQS)),
	ROW_AS("softirqs", os_counts, softirq, RECORD, .of = &os_list_record, .flags = FIELD_LATER,
	       FIELD_KNOWN(os_counts, known, OS_SOFTIRQS),
	       .text = "what came to the CPU: `names`, each with its `count`, most frequent first "
	       "and at most 24; `dropped` counts names beyond them"),
};

const struct fields os_record = RECORD(os_counts, "os", os_fields);

static enum slice_metric slice_metric(const struct field *f)
{
	return f->at == offsetof(struct slice, bucket[SLICE_WAKE]) ? SLICE_WAKE : SLICE_RESPONSE;
}

static void put_slice_buckets(struct builder *b, struct json_object *o, const struct field *f,
			      const void *data)
{
	struct json_object *list = put_array(b, o, f->key);
	const struct slice *s = data;
	unsigned int i;

	for (i = 0; i < SLICE_BUCKETS; i++)
		if (s->bucket[slice_metric(f)][i])
			put_pair(b, list, slice_bucket_lower(i), s->bucket[slice_metric(f)][i]);
}

/* [smallest value, count]: ascending, and each the beginning of a bucket. */
static void read_slice_buckets(struct reader *rd, struct json_object *o, const struct field *f,
			       void *data)
{
	struct json_object *list = reader_list(rd, o, f->key, SLICE_BUCKETS);
	size_t place = reader_enter(rd, f->key, -1), i;
	struct slice *s = data;
	uint64_t left = s->windows, max_ns = s->max_ns[slice_metric(f)], pair[2];
	unsigned int k, above = 0;

	for (i = 0; list && i < json_object_array_length(list) && !*rd->error; i++) {
		read_pair(rd, list, i, "", pair);
		k = slice_bucket(pair[0]);
		s->bucket[slice_metric(f)][k] = pair[1];
		if (slice_bucket_lower(k) != pair[0] || k < above || !pair[1] || pair[1] > left)
			reader_fail(rd, "", "%llu does not begin a bucket, is out of order, or has more than the windows",
				    (unsigned long long)pair[0]);
		left -= pair[1];
		above = k + 1;
	}
	if (left)
		reader_fail(rd, "", "fewer than the windows");
	if (s->windows ? slice_bucket(max_ns) + 1 != above : max_ns)
		reader_fail(rd, "", "the last bucket does not have the maximum");
	reader_leave(rd, place);
}

static void check_slice(struct reader *rd, struct json_object *o, const struct field *f,
			const void *data)
{
	const struct slice *s = data;

	(void)o;
	if (s->violations > s->windows)
		reader_fail(rd, f->key, "more than windows");
}

#define SLICE_PAIRS							\
	"{\"type\": \"array\", \"maxItems\": 50, \"items\": {\"type\": \"array\", " \
	"\"minItems\": 2, \"maxItems\": 2, \"items\": {\"$ref\": \"#/$defs/u64\"}}}"

static const struct field slice_fields[] = {
	ROW(slice, windows, COUNT),
	ROW(slice, violations, COUNT, .check = check_slice, .text = "as above"),
	ROW(slice, missed, COUNT,
	    .text = "expiries between these windows and the window before each"),
	ROW_AS("wake_max_ns", slice, max_ns[SLICE_WAKE], COUNT),
	ROW_AS("response_max_ns", slice, max_ns[SLICE_RESPONSE], COUNT,
	       .text = "the longest; 0 without windows"),
	ROW_AS("wake", slice, bucket[SLICE_WAKE], OWN, .put = put_slice_buckets,
	       .read = read_slice_buckets, .def = SLICE_PAIRS),
	ROW_AS("response", slice, bucket[SLICE_RESPONSE], OWN, .put = put_slice_buckets,
	       .read = read_slice_buckets, .def = SLICE_PAIRS,
	       .text = "pairs [smallest value, count], as in a histogram, but with two buckets an "
	       "octave: 0, 384, 512, 768, 1024, … up to 6.4 s"),
};

const struct fields slice_record = RECORD(slice, "slice", slice_fields);

static void check_length(struct reader *rd, void *data, size_t i)
{
	const struct slices *s = data;
	uint64_t factor = s->slice_ns / SLICE_FIRST_NS;

	(void)i;
	if ((s->n || s->slice_ns) &&
	    (!s->slice_ns || s->slice_ns % SLICE_FIRST_NS || factor & (factor - 1)))
		reader_fail(rd, "slice_ns", "%llu is not %llu times a power of two",
			    (unsigned long long)s->slice_ns, SLICE_FIRST_NS);
}

static const struct field slices_fields[] = {
	ROW(slices, slice_ns, COUNT, .flags = FIELD_NULL,
	    .text = "the length: 10 ms times a power of two; null before the first window"),
	ROW(slices, at, LIST, FIELD_N(slices, n), .of = &slice_record, .max = SLICES,
	    .text = "list: one object per slice, up to the last with a window"),
};

const struct fields slices_record = RECORD(slices, "slices", slices_fields, .check = check_length);

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
	struct json_object *o = put_object(b, to, f->key);

	put_u64(b, o, "n", n);
	put_u64(b, o, "of", of);
	put(b, o, "upper_95", json_object_new_double(stats_share_upper(n, of, 1 - OVER_CONFIDENCE)));
}

static const struct {
	const char *name;
	unsigned int ppm;
} quantiles[] = {
	{ "p50", 500000 }, { "p90", 900000 }, { "p99", 990000 },
	{ "p99.9", 999000 }, { "p99.99", 999900 },
};

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
			put_u64(b, o, quantiles[i].name, ns);
			break;
		case QUANTILE_MISSED:
			put_text(b, o, quantiles[i].name, "missed");
			break;
		case QUANTILE_FEW:
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

static void check_counters(struct reader *rd, struct json_object *o, const struct field *f,
			   const void *data)
{
	const struct result_cpu *c = data;

	(void)o;
	(void)f;
	if (c->violations > c->windows)
		reader_fail(rd, "violations", "more than windows");
}

static void check_slices(struct reader *rd, struct json_object *o, const struct field *f,
			 const void *data)
{
	const struct result_cpu *c = data;

	(void)o;
	if (slices_windows(c->slices) > c->windows)
		reader_fail(rd, f->key, "more windows than the CPU");
}

/* A user thread's histograms lack the windows whose record was lost. */
static void check_cpu(struct reader *rd, void *data, size_t i)
{
	const struct result_cpu *c = data;
	uint64_t responses = c->hist[TLOB_METRIC_RESPONSE].n;

	(void)i;
	if (responses > c->windows || c->windows - responses > c->lost)
		reader_fail(rd, "windows", "differs from the number of responses by more than lost");
}

static const struct field cpu_fields[] = {
	ROW(result_cpu, cpu, NUMBER, .max = INT_MAX, .flags = FIELD_OF_ONE, .text = "its number"),
	ROW(result_cpu, host, TEXT, .flags = FIELD_OF_ONE | FIELD_NULL | FIELD_LATER,
	    .text = "its host, in merged results of several hosts; else null"),
	ROW_WITHOUT(NULL, SAME, .of = &result_counters, .check = check_counters),
	ROW(result_cpu, demand_ns, COUNT, .flags = FIELD_NULL),
	ROW(result_cpu, demand_spread_ns, COUNT, .flags = FIELD_NULL | FIELD_MAX,
	    FIELD_WITH(result_cpu, demand_ns),
	    .text = "the demand from calibration, and its spread; null without one. In `all`: mean "
	    "over the windows, largest spread"),
	ROW(result_cpu, overhead_ns, COUNT, .flags = FIELD_NULL | FIELD_SUM,
	    .text = "time of the tool between windows, summed; null if unknown, as after "
	    "`--stop-on`"),
	ROW_WITHOUT("worst_sum_ns", COUNT, .flags = FIELD_NULL | FIELD_NOT_READ,
		    .put = put_worst_sum,
		    .text = "for each part the longest time in any window of this CPU, added up: "
		    "the response if all of them came in one window. Null if no part is measured, "
		    "and in `all`. It is no bound, because longer parts may come"),
	ROW_WITHOUT("over", OWN, .flags = FIELD_NOT_READ, .put = put_over, .def = "over",
		    .text = "expiries over the budget or missed: `n`, `of` how many, which are the "
		    "windows, also those whose record was lost, and missed expiries, and "
		    "`upper_95`, the upper bound of their share with 95 % confidence by Clopper "
		    "and Pearson. It takes windows for independent, which they are not quite"),
	ROW(result_cpu, unavailable, MASK, .words = &part_words, .flags = FIELD_OR,
	    .text = "parts that cannot be measured here"),
	ROW(result_cpu, os, POINTER, .of = &os_record, .flags = FIELD_NULL | FIELD_LATER,
	    .text = "what the operating system counted over the run, see below; null with the "
	    "backend tlob"),
	/* the first files of version 2 lack it */
	ROW_WITHOUT("quantiles", OWN, .flags = FIELD_NOT_READ | FIELD_LEFT_OUT, .put = put_quantiles,
		    .words = &latencies, .def = "quantiles",
		    .text = "p50, p90, p99, p99.9 and p99.99 of `irq`, `wake` and `response` in "
		    "ns, or `\"missed\"`, see below; null with too few windows. Not read"),
	ROW(result_cpu, hist, HISTS, FIELD_WITHOUT(result_cpu, unavailable),
	    .first = TLOB_METRIC_PARTS, .words = &metrics, .text = "a histogram for each metric; "
	    "an unavailable part has none"),
	ROW(result_cpu, functions, OWN, FIELD_N(result_cpu, windows), .of = &function_totals_record,
	    .flags = FIELD_LEFT_OUT, .put = put_function_totals, .read = read_function_totals,
	    .text = "with `--functions`: times of the sets, see below"),
	ROW(result_cpu, slices, POINTER, .of = &slices_record,
	    .flags = FIELD_OF_ONE | FIELD_NULL | FIELD_LATER, .check = check_slices,
	    .text = "when it happened, see below; null if the run, or one that was merged, did not "
	    "keep them. `all` has none"),
};

const struct fields cpu_record = RECORD(result_cpu, "cpu", cpu_fields, .check = check_cpu);

const struct fields all_record = RECORD(result_cpu, "all", cpu_fields, .without = FIELD_OF_ONE);

static const char *const format_name[] = { RESULT_FORMAT };
static const struct words format = { .n = 1, .list = format_name };

static void put_facts(struct builder *b, struct json_object *to, const struct field *f,
		      const void *data)
{
	const struct result *r = data;
	struct json_object *o = put_object(b, to, f->key);
	size_t i;

	for (i = 0; i < r->ntuning; i++)
		put_text(b, o, r->tuning[i].name, r->tuning[i].value);
}

static void read_facts(struct reader *rd, struct json_object *parent, const struct field *f,
		       void *data)
{
	struct json_object *o = reader_object(rd, parent, f->key);
	size_t place = reader_enter(rd, f->key, -1);
	struct result *r = data;

	if (o && json_object_object_length(o) > (int)MAX_FACTS)
		reader_fail(rd, "", "more than %u facts", MAX_FACTS);
	r->tuning = calloc(MAX_FACTS, sizeof(*r->tuning));
	if (!r->tuning)
		reader_fail(rd, "", "out of memory");
	if (o && !*rd->error) {
		json_object_object_foreach(o, key, val) {
			struct fact *fact = &r->tuning[r->ntuning++];

			(void)val;
			fact->name = strdup(key);
			fact->value = reader_escaped(rd, o, key, false);
			if (!fact->name || !fact->value)
				reader_fail(rd, "", "out of memory");
		}
	}
	reader_leave(rd, place);
}

/* No key without a source. */
static void put_sources(struct builder *b, struct json_object *to, const struct field *f,
			const void *data)
{
	const struct result *r = data;
	struct json_object *o = NULL;
	size_t i;

	for (i = 0; i < r->ntuning; i++) {
		if (!r->tuning[i].source)
			continue;
		if (!o)
			o = put_object(b, to, f->key);
		put_text(b, o, r->tuning[i].name, r->tuning[i].source);
	}
}

/* A source of a fact that is missing is dropped. */
static void read_sources(struct reader *rd, struct json_object *parent, const struct field *f,
			 void *data)
{
	struct json_object *o = reader_object(rd, parent, f->key);
	size_t place = reader_enter(rd, f->key, -1), i;
	struct result *r = data;

	for (i = 0; o && i < r->ntuning && !*rd->error; i++)
		if (reader_find(o, r->tuning[i].name))
			r->tuning[i].source = reader_escaped(rd, o, r->tuning[i].name, true);
	reader_leave(rd, place);
}

static void check_runs(struct reader *rd, struct json_object *o, const struct field *f,
		       const void *data)
{
	(void)o;
	if (!field_get(f, data))
		reader_fail(rd, f->key, "none");
}

/* Each value once, with how often it came; a part that only some windows have is left out. */
static void put_exact(struct builder *b, struct json_object *to, const struct field *f,
		      const void *data)
{
	struct json_object *o = put_object(b, to, f->key), *list;
	const struct result *r = data;
	size_t i, same;
	unsigned int m;

	for (m = 0; m < TLOB_NR_METRICS; m++) {
		const struct samples *s = &r->exact[m];

		if (!result_is_exact(r, m) ||
		    (m >= TLOB_METRIC_PARTS &&
		     r->all.unavailable & 1U << (m - TLOB_METRIC_PARTS)))
			continue;
		list = put_array(b, o, tlob_metric_names[m]);
		for (i = 0; i < s->n; i += same) {
			for (same = 1; i + same < s->n && s->v[i + same] == s->v[i]; same++)
				;
			put_pair(b, list, s->v[i], same);
		}
	}
}

static void read_samples(struct reader *rd, struct json_object *list, struct samples *s)
{
	uint64_t last = 0, pair[2];
	size_t i;

	for (i = 0; i < json_object_array_length(list) && !*rd->error; i++) {
		read_pair(rd, list, i, "", pair);
		if ((i && pair[0] <= last) || !pair[1] || pair[1] > SAMPLES_MAX - s->n)
			reader_fail(rd, "", "out of order, or too many");
		for (last = pair[0]; !*rd->error && pair[1]; pair[1]--)
			samples_add(s, last);
		if (s->full)
			reader_fail(rd, "", "out of memory");
	}
	s->sorted = true;
}

/* The same histogram, sample by sample. */
static bool same_samples(const struct samples *s, const struct tlob_hist *h)
{
	struct tlob_hist *of = calloc(1, sizeof(*of));
	bool same;
	size_t i;

	if (of)
		of->step = h->step;
	for (i = 0; of && i < s->n; i++)
		tlob_hist_add(of, s->v[i]);
	same = of && !memcmp(of, h, sizeof(*of));
	free(of);
	return same;
}

/* A list that is not there is one that the histogram stands for. */
static void read_exact(struct reader *rd, struct json_object *parent, const struct field *f,
		       void *data)
{
	struct json_object *o = reader_object(rd, parent, f->key), *list;
	size_t outer = reader_enter(rd, f->key, -1), place;
	struct result *r = data;
	unsigned int m;

	for (m = 0; m < TLOB_NR_METRICS; m++) {
		if (!reader_find(o, tlob_metric_names[m]))
			continue;
		list = reader_list(rd, o, tlob_metric_names[m], SAMPLES_MAX);
		place = reader_enter(rd, tlob_metric_names[m], -1);
		if (list)
			read_samples(rd, list, &r->exact[m]);
		if (r->exact[m].n != r->all.hist[m].n)
			reader_fail(rd, "", "number of values differs from the histogram");
		else if (!*rd->error && !same_samples(&r->exact[m], &r->all.hist[m]))
			reader_fail(rd, "", "values differ from the histogram");
		reader_leave(rd, place);
		r->keeps_exact = true;
	}
	if (r->keeps_exact && r->ncpus > 1)
		reader_fail(rd, "", "is kept for one CPU only");
	reader_leave(rd, outer);
}

static enum presence causes_presence(const void *data)
{
	const struct result *r = data;

	return r->causes.n || r->causes.others ? PRESENT : NO_KEY;
}

static const struct field result_fields[] = {
	ROW_WITHOUT("format", CONST, .words = &format),
	ROW_WITHOUT("version", CONST, .max = RESULT_VERSION, .text = "`\"tlob-load result\"`, 2"),
	ROW(result, started, TIME, .flags = FIELD_MIN, .text = "when the run began, ISO 8601, UTC"),
	ROW(result, duration_ns, COUNT, .flags = FIELD_SUM, .text = "how long it ran"),
	ROW(result, command, TEXT, .text = "the command line, quoted for a shell"),
	ROW(result, kernel, TEXT),
	ROW(result, machine, TEXT),
	ROW(result, host, TEXT, .flags = FIELD_NULL | FIELD_LATER,
	    .text = "release and version, machine, and node name, as uname gives them; `host` is "
	    "null in a merged result of several hosts"),
	ROW(result, label, TEXT, .flags = FIELD_NULL | FIELD_LATER,
	    .text = "of `run --label`: a name that a person gave it; null: none. A merged result "
	    "has the label that all have"),
	ROW(result, backend, TEXT, .def = "{\"enum\": [\"tlob\", \"bpf\", \"posix\"]}",
	    .text = "what measured: `tlob`, `bpf` or `posix`; results of different "
	    "[backends](backends.md) do not compare"),
	ROW(result, backend_because, TEXT, .flags = FIELD_NULL | FIELD_LATER,
	    .text = "why no better backend, if it was chosen; else null"),
	ROW(result, workload, TEXT, .def = "{\"enum\": [\"user\", \"kthread\"]}",
	    .text = "`user` or `kthread`"),
	ROW(result, noise_source, TEXT,
	    .text = "the one in force: `osnoise`, `hooks`, `both`; `none` with the backend posix"),
	ROW(result, work, TEXT),
	ROW(result, policy, TEXT, .text = "what a window executes, and its scheduling policy"),
	ROW(result, policy_changed, TEXT, .flags = FIELD_NULL | FIELD_LATER,
	    .text = "null; or what another process made of the policy of a thread, and where: "
	    "`other (CPU 3)`. Such a run ends early with exit status 1, and does not compare with "
	    "others"),
	ROW(result, tune, TEXT, .flags = FIELD_LEFT_OUT | FIELD_LATER,
	    .text = "only of a run with `--tune`: how many settings it changed, by name; empty: "
	    "the machine had them all. Results with other settings compare only with `--vary "
	    "tune`"),
	ROW(result, load, TEXT, .flags = FIELD_LEFT_OUT | FIELD_LATER),
	ROW(result, load_cpus, TEXT, .flags = FIELD_LEFT_OUT | FIELD_LATER,
	    FIELD_WITH(result, load),
	    .text = "only of a run with `--load`: what ran beside it, as given, with ` + ` "
	    "between; a preset that another program than stress-ng makes has that program in "
	    "brackets; and the CPUs it ran on. Results of different loads compare only with "
	    "`--vary load`"),
	ROW(result, cpus, TEXT),
	ROW(result, housekeeping, TEXT, .flags = FIELD_NULL,
	    .text = "CPU lists; `housekeeping` may be null"),
	ROW(result, period_ns, COUNT),
	ROW(result, budget_ns, COUNT),
	ROW(result, align_ns, COUNT),
	ROW(result, hw_threshold_ns, COUNT, .text = "the [settings](kernel-interface.md#settings)"),
	ROW(result, clock_resolution_ns, COUNT, .flags = FIELD_NULL | FIELD_LATER,
	    .text = "a step of the clock, as the module tells, or without it the counter of arm64: "
	    "1 for a TSC, 16 for a counter of 62.5 MHz; null: not known"),
	ROW(result, deterministic, BOOL, .text = "true: the clock counts executed instructions"),
	ROW(result, seed, COUNT, FIELD_KNOWN(result, has_seed, 1), .flags = FIELD_LATER,
	    .text = "of `--seed`, or null"),
	ROW(result, phase_ns, COUNT, FIELD_KNOWN(result, has_phase, 1), .flags = FIELD_LATER,
	    .text = "how long after a tick the grid starts, from `--phase` or drawn from the seed; "
	    "null: not set"),
	ROW(result, runs, COUNT, .flags = FIELD_LATER | FIELD_SUM, .min = 1, .check = check_runs,
	    .text = "how many runs were merged into this one; 1: none"),
	ROW_WITHOUT("tuning", OWN, .flags = FIELD_LATER, .put = put_facts, .read = read_facts,
		    .def = "facts",
		    .text = "what latencies depend on, by name: processor, kernel arguments "
		    "(without those that name the kernel and its disks), preemption, clock source, "
		    "governors, SMT, isolated CPUs and others, as far as the machine has them"),
	ROW_WITHOUT("tuning_sources", OWN, .flags = FIELD_LEFT_OUT | FIELD_LATER,
		    .put = put_sources, .read = read_sources, .def = "facts",
		    .text = "the file that each fact of `tuning` comes from, by the same names. "
		    "`preemption` is `unknown` and has none if no file tells: "
		    "`/sys/kernel/realtime`, `/proc/version`, debugfs (`sched/preempt`), "
		    "`preempt=` in `/proc/cmdline`, the boot log (`/dev/kmsg`) and the kernel's "
		    "configuration are asked in that order. Files of older versions lack the key"),
	ROW(result, findings, POINTER, .of = &findings_record, .flags = FIELD_NULL | FIELD_LATER,
	    .text = "what doctor found on the machine, and what that has to do with violations, "
	    "see below; null in a merged result. compare does not look at it"),
	ROW(result, functions, POINTER, .of = &function_sets_record,
	    .flags = FIELD_LEFT_OUT | FIELD_NOT_READ,
	    .text = "only with `--functions`: the sets, see below"),
	ROW(result, partial, BOOL, .flags = FIELD_LATER,
	    .text = "true: the run had not ended when this was written (`--checkpoint`); compare, "
	    "gate and merge refuse it"),
	ROW(result, stopped_by, TEXT, .flags = FIELD_NULL,
	    .text = "what ended the run before its time, or null"),
	ROW_AS("stopped_window", result, stopped, POINTER, .of = &window_record,
	       .flags = FIELD_LEFT_OUT | FIELD_LATER,
	       .text = "only of a run that `--stop-on` ended: the window that met the "
	       "condition first, of all CPUs, as in `worst`. All windows of this file had "
	       "ended when that one did. Counters, histograms and slices have none that ended "
	       "later, and a window that was open is one of `aborted`"),
	ROW(result, trace_file, TEXT, .flags = FIELD_NULL,
	    .text = "the trace that was written, or null"),
	ROW(result, unavailable_because, TEXT, .flags = FIELD_NULL,
	    .text = "why parts are unavailable, or null"),
	ROW(result, notes, TEXTS, .max = RESULT_NOTES,
	    .text = "list of texts: what a reader of the numbers must know"),
	ROW(result, all, RECORD, .of = &all_record, .flags = FIELD_NOT_READ,
	    .text = "the sum of all CPUs: an object as in `cpu`, without the keys `cpu` and "
	    "`host`"),
	ROW(result, cpu, NEW_LIST, FIELD_N(result, ncpus), .of = &cpu_record,
	    .flags = FIELD_NOT_READ | FIELD_APART, .text = "list: one object per measured CPU"),
	ROW(result, worst, LIST, FIELD_N(result, nworst), .of = &window_record, .max = RESULT_KEPT,
	    .text = "list: the windows with the largest responses, largest first: at most 16, and "
	    "with `--timeline` violations up to 64; none that ended after `stopped_window`"),
	ROW(result, noise, RECORD, .of = &offenders_record,
	    .text = "who was the largest single interruption of a window"),
	ROW(result, delay, RECORD, .of = &offenders_record,
	    .text = "what was running when the timer's interrupt came late (`irq_delay`)"),
	ROW(result, causes, RECORD, .of = &causes_record, .flags = FIELD_LEFT_OUT | FIELD_LATER,
	    .presence = causes_presence,
	    .text = "what made the violations, see below. Missing without violations"),
	ROW_WITHOUT("exact", OWN, .flags = FIELD_LATER, .put = put_exact, .read = read_exact,
		    .words = &metrics, .masked = true, .def = "samples",
		    .text = "every value of a metric, see below; empty unless instructions are "
		    "counted and `--seed` is given"),
	ROW(result, assertions, OWN, FIELD_N(result, said), .of = &assertion_record,
	    .max = CONDITIONS_MAX, .flags = FIELD_LEFT_OUT | FIELD_LATER, .put = put_assertions,
	    .read = read_assertions,
	    .text = "only with `--assert`: list, for each the `condition` as given; `holds`: false "
	    "also without data; the `value` compared, in ns or a count, null for a missed expiry "
	    "and without data; `found`: the value in words, with its CPU, or what data lacks"),
};

const struct fields result_record = RECORD(result, "result", result_fields);
