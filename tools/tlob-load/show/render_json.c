// SPDX-License-Identifier: GPL-2.0
/*
 * The result file. Keys are in the order in which they are added here, so that
 * equal results give equal bytes; docs/reference/result.md describes them.
 */
#include <errno.h>
#include <stdlib.h>

#include "compare/stats.h"
#include "facts/timeline.h"
#include "result/parts.h"
#include "show/attach_wait.h"
#include "show/json.h"
#include "show/render.h"

static void put_unavailable(struct builder *b, struct json_object *to,
			    uint32_t unavailable)
{
	put_mask(b, to, "unavailable", unavailable,
		 tlob_metric_names + TLOB_METRIC_PARTS, TLOB_NR_PARTS);
}

static void put_os_list(struct builder *b, struct json_object *to, const char *key,
			bool known, const struct os_list *list)
{
	struct json_object *o, *names, *e;
	size_t i;

	if (!known) {
		put_null(b, to, key);
		return;
	}
	o = put_object(b, to, key);
	put_u64(b, o, "dropped", list->dropped);
	names = put_array(b, o, "names");
	for (i = 0; i < list->n; i++) {
		e = put_object(b, names, NULL);
		put_text(b, e, "name", list->at[i].name);
		put_u64(b, e, "count", list->at[i].count);
	}
}

static void put_os(struct builder *b, struct json_object *to,
		   const struct os_counts *os)
{
	struct json_object *o, *gaps;

	if (!os) {
		put_null(b, to, "os");
		return;
	}
	o = put_object(b, to, "os");
	put_known(b, o, "run_delay_ns", os->known & OS_RUN_DELAY, os->run_delay_ns);
	put_known(b, o, "voluntary_switches", os->known & OS_SWITCHES, os->voluntary);
	put_known(b, o, "involuntary_switches", os->known & OS_SWITCHES,
		  os->involuntary);
	put_known(b, o, "steal_ns", os->known & OS_STEAL, os->steal_ns);
	if (os->known & OS_GAPS) {
		gaps = put_object(b, o, "hw_or_interrupt");
		put_u64(b, gaps, "windows", os->gap_windows);
		put_u64(b, gaps, "ns", os->gap_ns);
		put_u64(b, gaps, "max_ns", os->gap_max_ns);
	} else {
		put_null(b, o, "hw_or_interrupt");
	}
	put_os_list(b, o, "interrupts", os->known & OS_IRQS, &os->irq);
	put_os_list(b, o, "softirqs", os->known & OS_SOFTIRQS, &os->softirq);
}

/* The quantiles of windows and missed expiries; null with too few of them. */
static void put_quantiles(struct builder *b, struct json_object *to,
			  const struct result_cpu *c, unsigned int metric)
{
	static const struct {
		const char *name;
		unsigned int ppm;
	} at[] = {
		{ "p50", 500000 }, { "p90", 900000 }, { "p99", 990000 },
		{ "p99.9", 999000 }, { "p99.99", 999900 },
	};
	struct json_object *o = put_object(b, to, tlob_metric_names[metric]);
	uint64_t ns;
	size_t i;

	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		switch (hist_quantile_missed(&c->hist[metric],
					     result_missed(c, metric), at[i].ppm,
					     &ns)) {
		case QUANTILE_KNOWN:
			put_u64(b, o, at[i].name, ns);
			break;
		case QUANTILE_MISSED:
			put_text(b, o, at[i].name, "missed");
			break;
		case QUANTILE_FEW:
			put_null(b, o, at[i].name);
			break;
		}
}

static void put_slice_buckets(struct builder *b, struct json_object *to,
			      const char *key, const __u64 bucket[SLICE_BUCKETS])
{
	struct json_object *list = put_array(b, to, key), *pair;
	unsigned int i;

	for (i = 0; i < SLICE_BUCKETS; i++) {
		if (!bucket[i])
			continue;
		pair = put_array(b, list, NULL);
		put_u64(b, pair, NULL, slice_bucket_lower(i));
		put_u64(b, pair, NULL, bucket[i]);
	}
}

static void put_slices(struct builder *b, struct json_object *to,
		       const struct slices *s)
{
	struct json_object *o, *list, *e;
	const struct slice *at;
	unsigned int i;

	if (!s) {
		put_null(b, to, "slices");
		return;
	}
	o = put_object(b, to, "slices");
	put_known(b, o, "slice_ns", s->slice_ns, s->slice_ns);
	list = put_array(b, o, "at");
	for (i = 0; i < s->n; i++) {
		at = &s->at[i];
		e = put_object(b, list, NULL);
		put_u64(b, e, "windows", at->windows);
		put_u64(b, e, "violations", at->violations);
		put_u64(b, e, "missed", at->missed);
		put_u64(b, e, "wake_max_ns", at->max_ns[SLICE_WAKE]);
		put_u64(b, e, "response_max_ns", at->max_ns[SLICE_RESPONSE]);
		put_slice_buckets(b, e, "wake", at->bucket[SLICE_WAKE]);
		put_slice_buckets(b, e, "response", at->bucket[SLICE_RESPONSE]);
	}
}

/* Expiries over the budget or missed, and the bound of their share. */
static void put_over(struct builder *b, struct json_object *to, const struct result_cpu *c)
{
	uint64_t of = result_due(c), n = outcome_over(c);
	struct json_object *o = put_object(b, to, "over");

	put_u64(b, o, "n", n);
	put_u64(b, o, "of", of);
	put(b, o, "upper_95", json_object_new_double(stats_share_upper(n, of, 1 - OUTCOME_CONFIDENCE)));
}

/* The counters and histograms of one CPU or of all. */
static void put_cpu(struct builder *b, struct json_object *o,
		    const struct result_cpu *c, const struct function_sets *sets)
{
	struct json_object *hist, *quantiles;
	unsigned int m;

	if (c->cpu >= 0) {
		put_int(b, o, "cpu", c->cpu);
		put_text(b, o, "host", c->host);
	}
	put_counters(b, o, &result_counters, c);
	put_known(b, o, "demand_ns", c->demand_ns, c->demand_ns);
	put_known(b, o, "demand_spread_ns", c->demand_ns, c->demand_spread_ns);
	put_known(b, o, "overhead_ns", c->overhead_ns, c->overhead_ns);
	put_known(b, o, "worst_sum_ns", result_worst_sum(c) && c->cpu >= 0, result_worst_sum(c));
	put_over(b, o, c);
	put_unavailable(b, o, c->unavailable);
	put_os(b, o, c->os);
	quantiles = put_object(b, o, "quantiles");
	for (m = TLOB_METRIC_IRQ; m <= TLOB_METRIC_RESPONSE; m++)
		put_quantiles(b, quantiles, c, m);
	hist = put_object(b, o, "hist");
	for (m = 0; m < TLOB_NR_METRICS; m++)
		if (m < TLOB_METRIC_PARTS ||
		    !(c->unavailable & 1U << (m - TLOB_METRIC_PARTS)))
			put_hist(b, hist, tlob_metric_names[m], &c->hist[m]);
	put_function_totals(b, o, sets, c->functions, "functions");
	if (c->cpu >= 0)
		put_slices(b, o, c->slices);
}

static void put_flags(struct builder *b, struct json_object *to,
		      uint32_t flags)
{
	struct json_object *list = put_array(b, to, "flags");
	size_t i;

	for (i = 0; i < nwindow_flags; i++)
		if (flags & window_flags[i].flag)
			put(b, list, NULL,
			    json_object_new_string(window_flags[i].name));
}

static void put_largest(struct builder *b, struct json_object *to,
			const struct tlob_noise *n)
{
	struct json_object *o = put_noise(b, to, "largest", n);

	if (o)
		put(b, o, "phase",
		    json_object_new_string(n->in_work ? "work" : "wake"));
}

/* null: lost; no key: the run had no --timeline. */
static void put_timeline(struct builder *b, struct json_object *to,
			 const struct tlob_timeline *t)
{
	struct json_object *o, *list, *e;
	uint32_t i;

	if (!t)
		return;
	if (timeline_is_lost(t)) {
		put_null(b, to, "timeline");
		return;
	}
	o = put_object(b, to, "timeline");
	put_u64(b, o, "start_ns", t->start_ns);
	put_u64(b, o, "not_kept", t->not_kept);
	list = put_array(b, o, "spans");
	for (i = 0; i < t->spans; i++) {
		e = put_object(b, list, NULL);
		put_text(b, e, "part", part_name(t->span[i].part));
		put_u64(b, e, "end_ns", t->span[i].end_ns);
		if (part_noise(t->span[i].part) == TLOB_NR_NOISE)
			continue;
		put_int(b, e, "id", t->span[i].id);
		put_name(b, e, "name", t->span[i].name);
	}
}

static struct json_object *put_window(struct builder *b,
				      struct json_object *to,
				      const char *key, const struct result *r,
				      const struct tlob_window *w,
				      const struct tlob_timeline *t,
				      const struct window_functions *f)
{
	struct json_object *o = put_object(b, to, key);
	struct json_object *parts, *delayed;
	unsigned int i;

	put_u64(b, o, "cpu", w->cpu);
	put_u64(b, o, "activation", w->activation);
	put_u64(b, o, "t0_ns", w->t0_ns);
	put_known(b, o, "irq_latency_ns", irq_is_available(w->unavailable),
		  w->irq_latency_ns);
	put_u64(b, o, "wake_ns", w->wake_ns);
	put_u64(b, o, "response_ns", w->response_ns);
	put_u64(b, o, "budget_ns", w->budget_ns);
	put_u64(b, o, "missed", w->missed);
	parts = put_object(b, o, "parts");
	for (i = 0; i < TLOB_NR_PARTS; i++)
		if (!(w->unavailable & 1U << i))
			put_u64(b, parts, part_name(i), w->part_ns[i]);
	put_counts(b, o, "wake_count", w->wake_count);
	put_counts(b, o, "work_count", w->work_count);
	put_flags(b, o, w->flags);
	put_unavailable(b, o, w->unavailable);
	put_largest(b, o, &w->largest);
	delayed = put_object(b, o, "delayed_by");
	put_int(b, delayed, "pid", w->delayed_by_pid);
	put_name(b, delayed, "name", w->delayed_by);
	if (w->delayed_by_idle_state >= 0)
		put_int(b, delayed, "idle_state", w->delayed_by_idle_state);
	else
		put_null(b, delayed, "idle_state");
	put_u64(b, o, "adjusted_ns", w->adjusted_ns);
	put_u64(b, o, "clock_steps", w->clock_steps);
	put_u64(b, o, "errors", w->errors);
	put_timeline(b, o, t);
	if (r->waits.measured)
		put_attach_wait(b, o, run_wait_of(r, w));
	put_window_functions(b, o, r->functions, f);
	return o;
}

static void put_tuning(struct builder *b, struct json_object *to,
		       const struct result *r)
{
	struct json_object *o = put_object(b, to, "tuning"), *sources = NULL;
	size_t i;

	for (i = 0; i < r->ntuning; i++)
		put_text(b, o, r->tuning[i].name, r->tuning[i].value);
	for (i = 0; i < r->ntuning; i++) {
		if (!r->tuning[i].source)
			continue;
		if (!sources)
			sources = put_object(b, to, "tuning_sources");
		put_text(b, sources, r->tuning[i].name, r->tuning[i].source);
	}
}

static void put_found(struct builder *b, struct json_object *to, const char *key,
		      const struct findings *f, bool unread)
{
	struct json_object *list = put_array(b, to, key), *o;
	size_t i;

	for (i = 0; i < f->n; i++) {
		const struct machine_finding *one = &f->at[i];

		if (one->unread != unread)
			continue;
		o = put_object(b, list, NULL);
		put_text(b, o, "id", one->id);
		put_text(b, o, "severity", one->severity);
		put_text(b, o, "path", one->path);
		put_text(b, o, "found", one->found);
		put_text(b, o, "wanted", one->wanted);
		put_text(b, o, "now", one->now);
		put_text(b, o, "for_good", one->for_good);
	}
}

static void put_machine_counts(struct builder *b, struct json_object *to, const struct findings *f)
{
	struct json_object *list = put_array(b, to, "counters"), *o;
	unsigned int k;
	size_t i;

	for (i = 0; i < f->ncounts; i++) {
		o = put_object(b, list, NULL);
		put_int(b, o, "cpu", f->count[i].cpu);
		for (k = 0; k < NR_MACHINE_COUNTS; k++)
			put_known(b, o, machine_count_keys[k], f->count[i].known & 1U << k, f->count[i].value[k]);
	}
}

static void put_findings(struct builder *b, struct json_object *to, const struct findings *f)
{
	struct json_object *o, *list, *one;
	size_t i;

	if (!f) {
		put_null(b, to, "findings");
		return;
	}
	o = put_object(b, to, "findings");
	put_u64(b, o, "rules", f->rules);
	put_u64(b, o, "took_ns", f->took_ns);
	put_found(b, o, "found", f, false);
	put_found(b, o, "unread", f, true);
	if (f->rt_throttled == RT_THROTTLED_UNKNOWN)
		put_null(b, o, "rt_throttled");
	else
		put_bool(b, o, "rt_throttled", f->rt_throttled == RT_THROTTLED_YES);
	put_machine_counts(b, o, f);
	list = put_array(b, o, "violations");
	for (i = 0; i < f->nbearings; i++) {
		one = put_object(b, list, NULL);
		put_int(b, one, "cpu", f->bearing[i].cpu);
		put_u64(b, one, "activation", f->bearing[i].activation);
		put_text(b, one, "id", f->bearing[i].id);
		put_text(b, one, "text", f->bearing[i].text);
	}
}

/* Each value once, with how often it came. */
static void put_exact(struct builder *b, struct json_object *to,
		      const struct result *r)
{
	struct json_object *o = put_object(b, to, "exact"), *list, *pair;
	size_t i, same;
	unsigned int m;

	for (m = 0; m < TLOB_NR_METRICS; m++) {
		const struct samples *s = &r->exact[m];

		/* of a part that only some windows have, neither */
		if (!result_is_exact(r, m) ||
		    (m >= TLOB_METRIC_PARTS &&
		     r->all.unavailable & 1U << (m - TLOB_METRIC_PARTS)))
			continue;
		list = put_array(b, o, tlob_metric_names[m]);
		for (i = 0; i < s->n; i += same) {
			for (same = 1; i + same < s->n &&
			     s->v[i + same] == s->v[i]; same++)
				;
			pair = put_array(b, list, NULL);
			put_u64(b, pair, NULL, s->v[i]);
			put_u64(b, pair, NULL, same);
		}
	}
}

/* What ran, where, and how: all that is not a number of the measurement. */
static void put_circumstances(struct builder *b, struct json_object *o,
			      const struct result *r)
{
	put(b, o, "format", json_object_new_string(RESULT_FORMAT));
	put_int(b, o, "version", RESULT_VERSION);
	put_time(b, o, "started", r->started);
	put_u64(b, o, "duration_ns", r->duration_ns);
	put_text(b, o, "command", r->command);
	put_text(b, o, "kernel", r->kernel);
	put_text(b, o, "machine", r->machine);
	put_text(b, o, "host", r->host);
	put_text(b, o, "label", r->label);
	put_text(b, o, "backend", r->backend);
	put_text(b, o, "backend_because", r->backend_because);
	put_text(b, o, "workload", r->workload);
	put_text(b, o, "noise_source", r->noise_source);
	put_text(b, o, "work", r->work);
	put_text(b, o, "policy", r->policy);
	put_text(b, o, "policy_changed", r->policy_changed);
	if (r->tune)
		put_text(b, o, "tune", r->tune);
	if (r->load) {
		put_text(b, o, "load", r->load);
		put_text(b, o, "load_cpus", r->load_cpus);
	}
	put_text(b, o, "cpus", r->cpus);
	put_text(b, o, "housekeeping", r->housekeeping);
	put_u64(b, o, "period_ns", r->period_ns);
	put_u64(b, o, "budget_ns", r->budget_ns);
	put_u64(b, o, "align_ns", r->align_ns);
	put_u64(b, o, "hw_threshold_ns", r->hw_threshold_ns);
	put_known(b, o, "clock_resolution_ns", r->clock_resolution_ns, r->clock_resolution_ns);
	put_bool(b, o, "deterministic", r->deterministic);
	put_known(b, o, "seed", r->has_seed, r->seed);
	put_known(b, o, "phase_ns", r->has_phase, r->phase_ns);
	put_u64(b, o, "runs", r->runs);
	put_tuning(b, o, r);
	put_findings(b, o, r->findings);
	put_function_sets(b, o, r->functions);
	put_bool(b, o, "partial", r->partial);
	put_text(b, o, "stopped_by", r->stopped_by);
	if (r->stopped_window)
		put_window(b, o, "stopped_window", r, r->stopped_window,
			   r->stopped_timeline, r->stopped_functions);
	put_text(b, o, "trace_file", r->trace_file);
	put_text(b, o, "unavailable_because", r->unavailable_because);
	put_texts(b, o, "notes", r->notes);
}

/* Prints what @put adds to an object. @braces as for json_print_part(). */
static int print_new(FILE *f, bool braces, const void *from,
		     void (*put_all)(struct builder *b, struct json_object *o,
				     const void *from))
{
	struct json_object *o = json_object_new_object();
	struct builder b = { .err = 0 };
	int err;

	put_all(&b, o, from);
	err = b.err ? b.err : json_print_part(f, o, braces);
	json_object_put(o);
	return err;
}

static void put_head(struct builder *b, struct json_object *o, const void *from)
{
	const struct result *r = from;

	put_circumstances(b, o, r);
	put_cpu(b, put_object(b, o, "all"), &r->all, r->functions);
}

/* A CPU, and the sets of the result that it is of. */
struct one_cpu {
	const struct result_cpu *c;
	const struct function_sets *sets;
};

static void put_one_cpu(struct builder *b, struct json_object *o, const void *from)
{
	const struct one_cpu *one = from;

	put_cpu(b, o, one->c, one->sets);
}

static void put_tail(struct builder *b, struct json_object *o, const void *from)
{
	const struct result *r = from;
	struct json_object *list = put_array(b, o, "worst"), *w;
	size_t i;

	for (i = 0; i < r->nworst; i++) {
		w = put_window(b, list, NULL, r, &r->worst[i], r->worst_timeline[i],
			       r->worst_functions[i]);
		put_host(b, w, r->worst_host[i]);
	}
	put_offenders(b, o, "noise", &r->noise);
	put_offenders(b, o, "delay", &r->delay);
	put_causes(b, o, &r->causes, false);
	put_exact(b, o, r);
	put_assertions(b, o, &r->assertions);
}

/* The histograms and slices of one CPU are in memory at a time. */
static int print_packed(FILE *f, const struct one_cpu *one, size_t i,
			const struct packed_source *source)
{
	struct result_cpu whole = *one->c;
	const struct one_cpu of = { &whole, one->sets };
	int err;

	whole.hist = calloc(TLOB_NR_METRICS, sizeof(*whole.hist));
	whole.slices = calloc(1, sizeof(*whole.slices));
	err = whole.hist && whole.slices ?
	      source->read(source->data, i, &whole) : -ENOMEM;
	if (!err)
		err = print_new(f, true, &of, put_one_cpu);
	free(whole.hist);
	free(whole.slices);
	return err;
}

static int print_cpus(FILE *f, const struct result *r,
		      const struct packed_source *source)
{
	size_t i;
	int err = 0;

	fputs(",\"cpu\":[", f);
	for (i = 0; i < r->ncpus && !err; i++) {
		const struct one_cpu one = { &r->cpu[i], r->functions };

		if (i)
			fputc(',', f);
		err = source ? print_packed(f, &one, i, source) :
			       print_new(f, true, &one, put_one_cpu);
	}
	fputs("],", f);
	return err;
}

int render_json_from(FILE *f, const struct result *r,
		     const struct packed_source *source)
{
	int err;

	fputc('{', f);
	err = print_new(f, false, r, put_head);
	if (!err)
		err = print_cpus(f, r, source);
	if (!err)
		err = print_new(f, false, r, put_tail);
	if (!err)
		fputs("}\n", f);
	return err ? err : ferror(f) ? -EIO : 0;
}

int render_json(FILE *f, const struct result *r)
{
	return render_json_from(f, r, NULL);
}
