// SPDX-License-Identifier: GPL-2.0
/*
 * The result file. Keys are in the order in which they are added here, so that
 * equal results give equal bytes; docs/reference/result.md describes them.
 */
#include "result/parts.h"
#include "show/json.h"
#include "show/render.h"

static void put_unavailable(struct builder *b, struct json_object *to,
			    uint32_t unavailable)
{
	put_mask(b, to, "unavailable", unavailable,
		 tlob_metric_names + TLOB_METRIC_PARTS, TLOB_NR_PARTS);
}

/* The counters and histograms of one CPU or of all. */
static void put_cpu(struct builder *b, struct json_object *o,
		    const struct result_cpu *c)
{
	struct json_object *hist;
	unsigned int m;

	if (c->cpu >= 0) {
		put_int(b, o, "cpu", c->cpu);
		put_text(b, o, "host", c->host);
	}
	put_counters(b, o, &result_counters, c);
	put_known(b, o, "demand_ns", c->demand_ns, c->demand_ns);
	put_known(b, o, "demand_spread_ns", c->demand_ns, c->demand_spread_ns);
	put_known(b, o, "overhead_ns", c->overhead_ns, c->overhead_ns);
	put_unavailable(b, o, c->unavailable);
	hist = put_object(b, o, "hist");
	for (m = 0; m < TLOB_NR_METRICS; m++)
		if (m < TLOB_METRIC_PARTS ||
		    !(c->unavailable & 1U << (m - TLOB_METRIC_PARTS)))
			put_hist(b, hist, tlob_metric_names[m], &c->hist[m]);
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

static void put_window(struct builder *b, struct json_object *to,
		       const struct tlob_window *w)
{
	struct json_object *o = put_object(b, to, NULL);
	struct json_object *parts, *delayed;
	unsigned int i;

	put_u64(b, o, "cpu", w->cpu);
	put_u64(b, o, "activation", w->activation);
	put_u64(b, o, "t0_ns", w->t0_ns);
	put_u64(b, o, "irq_latency_ns", w->irq_latency_ns);
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
}

static void put_tuning(struct builder *b, struct json_object *to,
		       const struct result *r)
{
	struct json_object *o = put_object(b, to, "tuning");
	size_t i;

	for (i = 0; i < r->ntuning; i++)
		put_text(b, o, r->tuning[i].name, r->tuning[i].value);
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
	put_text(b, o, "backend", r->backend);
	put_text(b, o, "workload", r->workload);
	put_text(b, o, "noise_source", r->noise_source);
	put_text(b, o, "work", r->work);
	put_text(b, o, "policy", r->policy);
	put_text(b, o, "cpus", r->cpus);
	put_text(b, o, "housekeeping", r->housekeeping);
	put_u64(b, o, "period_ns", r->period_ns);
	put_u64(b, o, "budget_ns", r->budget_ns);
	put_u64(b, o, "align_ns", r->align_ns);
	put_u64(b, o, "hw_threshold_ns", r->hw_threshold_ns);
	put_bool(b, o, "deterministic", r->deterministic);
	put_known(b, o, "seed", r->has_seed, r->seed);
	put_known(b, o, "phase_ns", r->has_phase, r->phase_ns);
	put_u64(b, o, "runs", r->runs);
	put_tuning(b, o, r);
	put_text(b, o, "stopped_by", r->stopped_by);
	put_text(b, o, "trace_file", r->trace_file);
	put_text(b, o, "unavailable_because", r->unavailable_because);
	put_texts(b, o, "notes", r->notes);
}

static struct json_object *result_to_json(const struct result *r, int *err)
{
	struct json_object *o = json_object_new_object();
	struct builder b = { .err = 0 };
	struct json_object *list;
	size_t i;

	put_circumstances(&b, o, r);
	put_cpu(&b, put_object(&b, o, "all"), &r->all);
	list = put_array(&b, o, "cpu");
	for (i = 0; i < r->ncpus; i++)
		put_cpu(&b, put_object(&b, list, NULL), &r->cpu[i]);
	list = put_array(&b, o, "worst");
	for (i = 0; i < r->nworst; i++)
		put_window(&b, list, &r->worst[i]);
	put_offenders(&b, o, "noise", &r->noise);
	put_offenders(&b, o, "delay", &r->delay);
	put_exact(&b, o, r);
	*err = b.err;
	return o;
}

int render_json(FILE *f, const struct result *r)
{
	struct json_object *o;
	int err;

	o = result_to_json(r, &err);
	if (!err)
		err = json_print(f, o);
	json_object_put(o);
	return err;
}
