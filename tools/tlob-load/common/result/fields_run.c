// SPDX-License-Identifier: GPL-2.0
/* The result of a run: all of the file but its CPUs. */
#include <stdlib.h>
#include <string.h>

#include "result/attached.h"
#include "result/hist_json.h"
#include "result/meaning.h"
#include "result/tables.h"

#define MAX_FACTS	64U

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

static enum presence causes_presence(const void *data)
{
	const struct result *r = data;

	return r->causes.n || r->causes.others ? PRESENT : NO_KEY;
}

static enum presence places_presence(const void *data)
{
	const struct result *r = data;

	return r->places.n || r->places.others ? PRESENT : NO_KEY;
}

static enum presence episodes_presence(const void *data)
{
	const struct result *r = data;

	return r->episodes.n ? PRESENT : NO_KEY;
}

static void put_conditions(struct builder *b, struct json_object *o, const struct field *f, const void *data)
{
	put_made(b, o, f->key, result_conditions(data));
}

static void put_lowered(struct builder *b, struct json_object *o, const struct field *f, const void *data)
{
	char **lowered = NULL;
	int err = result_lowered(data, &lowered);

	if (err && !b->err)
		b->err = err;
	put_texts(b, o, f->key, lowered);
	notes_free(lowered);
}

static const struct field result_fields[] = {
	ROW_WITHOUT("format", CONST, .words = &format),
	ROW_WITHOUT("version", CONST, .max = RESULT_VERSION, .text = "`\"tlob-load result\"`, 2"),
	ROW(result, started, TIME, .flags = FIELD_MIN),
	ROW(result, duration_ns, COUNT, .flags = FIELD_SUM),
	ROW(result, command, TEXT, .flags = FIELD_PRIVATE,
	    .text = "when the run began (ISO 8601, UTC), how long it ran, and its command line"),
	ROW(result, kernel, TEXT, .flags = FIELD_PUBLIC),
	ROW(result, machine, TEXT, .flags = FIELD_PUBLIC | FIELD_SETTING),
	ROW(result, host, TEXT, .flags = FIELD_NULL | FIELD_PRIVATE | FIELD_CIRCUMSTANCE,
	    .text = "as uname gives them; `host` is null after a merge of several"),
	ROW(result, boot_id, TEXT, .flags = FIELD_NULL | FIELD_PRIVATE),
	ROW(result, machine_id, TEXT, .flags = FIELD_NULL | FIELD_PRIVATE),
	ROW(result, run_id, TEXT, .flags = FIELD_NULL | FIELD_PRIVATE,
	    .text = "the kernel's id of the boot, a hash of `/etc/machine-id`, a random id of the "
	    "run; null: unknown, or several were merged"),
	ROW(result, run_ids, TEXTS, .flags = FIELD_LEFT_OUT | FIELD_FREE_TEXT, .max = RESULT_RUN_IDS,
	    .text = "in a sum: the `run_id` of each run, or a hash of its numbers; at most 8192. `merge` "
	    "refuses to count one twice"),
	ROW(result, label, TEXT, .flags = FIELD_NULL | FIELD_FREE_TEXT),
	ROW(result, tags, OWN, .flags = FIELD_LEFT_OUT | FIELD_FREE_TEXT, .put = put_tags, .def = "facts",
	    .text = "of `--label`, or null; with `--tag`: the values by name"),
	ROW(result, backend, TEXT, .flags = FIELD_PUBLIC | FIELD_SETTING,
	    .def = "{\"enum\": [\"tlob\", \"bpf\", \"posix\"]}"),
	ROW(result, backend_because, TEXT, .flags = FIELD_NULL | FIELD_FREE_TEXT,
	    .text = "[`tlob`, `bpf` or `posix`](backends.md); why no better one was chosen, or null"),
	ROW(result, workload, TEXT, .flags = FIELD_PUBLIC | FIELD_SETTING,
	    .def = "{\"enum\": [\"user\", \"kthread\", \"attach\"]}"),
	ROW(result, noise_source, TEXT, .flags = FIELD_PUBLIC | FIELD_SETTING,
	    .text = "`user`, `kthread`, or `attach`, whose `period_ns` is 0; `osnoise`, `hooks`, `both`, or `none` with posix"),
	ROW(result, work, TEXT, .flags = FIELD_PUBLIC | FIELD_SETTING),
	ROW(result, policy, TEXT, .flags = FIELD_PUBLIC | FIELD_SETTING,
	    .text = "what a window executes, and its scheduling policy"),
	ROW(result, policy_asked, TEXT, .flags = FIELD_LEFT_OUT | FIELD_PUBLIC,
	    .text = "the policy that was to be used, if it was not permitted"),
	ROW(result, dma_latency, TEXT, .flags = FIELD_LEFT_OUT | FIELD_PUBLIC | FIELD_SETTING,
	    .text = "what was held in `/dev/cpu_dma_latency`, such as `0us`; left out: nothing"),
	ROW(result, policy_changed, TEXT, .flags = FIELD_NULL | FIELD_PUBLIC | FIELD_SETTING,
	    .text = "the policy that another process gave to a thread, such as `other (CPU 3)`, or "
	    "null. `run` then exits with 1"),
	ROW(result, tune, TEXT, .flags = FIELD_LEFT_OUT | FIELD_PUBLIC | FIELD_SETTING,
	    .text = "with `--tune`: how many settings it changed, by name; may be empty"),
	ROW(result, tune_left_out, TEXT, .flags = FIELD_LEFT_OUT | FIELD_PUBLIC,
	    .text = "how many settings it could not change, by name, and why"),
	ROW(result, load, TEXT, .flags = FIELD_LEFT_OUT | FIELD_PRIVATE | FIELD_SETTING),
	ROW(result, load_cpus, TEXT, .flags = FIELD_LEFT_OUT | FIELD_PUBLIC | FIELD_SETTING,
	    FIELD_WITH(result, load),
	    .text = "with `--load`: the loads, with ` + ` between, and their CPUs. In brackets: "
	    "what made a preset, if not stress-ng"),
	ROW(result, cpus, TEXT, .flags = FIELD_PUBLIC | FIELD_CIRCUMSTANCE),
	ROW(result, housekeeping, TEXT, .flags = FIELD_NULL | FIELD_PUBLIC | FIELD_CIRCUMSTANCE,
	    .text = "CPU lists; `housekeeping` may be null"),
	ROW(result, period_ns, COUNT, .flags = FIELD_SETTING),
	ROW(result, budget_ns, COUNT, .flags = FIELD_SETTING),
	ROW(result, align_ns, COUNT, .flags = FIELD_SETTING),
	ROW(result, hw_threshold_ns, COUNT, .flags = FIELD_SETTING,
	    .text = "the [settings](kernel-interface.md#settings)"),
	ROW(result, clock_resolution_ns, COUNT, .flags = FIELD_NULL,
	    .text = "a step of the clock: 1 for a TSC; null: unknown"),
	ROW(result, timer_resolution_ns, COUNT, .flags = FIELD_LEFT_OUT | FIELD_SETTING,
	    .text = "only where timers wait for a tick, as with `highres=off`: the time between two"),
	ROW_AS("cpu_limits", result, limits.text, TEXT,
	       .flags = FIELD_LEFT_OUT | FIELD_PUBLIC | FIELD_SETTING),
	ROW_AS("limited_by", result, limits.by, TEXT, .flags = FIELD_LEFT_OUT | FIELD_PRIVATE),
	ROW_AS("nr_throttled", result, limits.nr_throttled, COUNT, .flags = FIELD_LEFT_OUT | FIELD_SUM),
	ROW_AS("throttled_ns", result, limits.throttled_ns, COUNT, .flags = FIELD_LEFT_OUT | FIELD_SUM,
	       .text = "only with a limit on the CPU time of the threads: the limits of their groups; the "
	       "one that throttled longest, or may; how often and how long it did in the run, over "
	       "all CPUs of the group, by `cpu.stat`"),
	ROW(result, deterministic, BOOL, .text = "true: the clock counts executed instructions"),
	ROW(result, seed, COUNT, FIELD_KNOWN(result, has_seed, 1)),
	ROW(result, phase_ns, COUNT, FIELD_KNOWN(result, has_phase, 1),
	    .text = "of `--seed`, and how long after a tick the grid starts, or null"),
	ROW(result, runs, COUNT, .flags = FIELD_SUM, .min = 1,
	    .text = "how many runs were merged into this one; 1: none"),
	ROW_WITHOUT("tuning", OWN, .flags = FIELD_PRIVATE, .put = put_facts, .def = "facts"),
	ROW_WITHOUT("tuning_sources", OWN, .flags = FIELD_LEFT_OUT | FIELD_FREE_TEXT,
		    .put = put_sources,
		    .def = "facts",
		    .text = "settings that latencies depend on, by name, and the file of each; an `unknown` "
		    "`preemption` has none"),
	ROW(result, findings, POINTER, .of = &findings_record, .flags = FIELD_NULL | FIELD_OFF_PAGE,
	    .text = "of [doctor](#findings); null in a merged result"),
	ROW(result, functions, POINTER, .of = &function_sets_record,
	    .flags = FIELD_LEFT_OUT | FIELD_NOT_READ | FIELD_SETTING,
	    .text = "with `--functions`: the [sets](#functions)"),
	ROW(result, partial, BOOL,
	    .text = "true: written before the run had ended (`--checkpoint`); compare, gate and "
	    "merge refuse it"),
	ROW(result, waits, BOOL, .flags = FIELD_LEFT_OUT, .def = "{\"const\": true}",
	    .text = "true: with `--waits`"),
	ROW(result, stopped_by, TEXT, .flags = FIELD_NULL | FIELD_PUBLIC,
	    .text = "what ended the run early, or null"),
	ROW_AS("stopped_window", result, stopped, POINTER, .of = &window_record,
	       .flags = FIELD_LEFT_OUT,
	       .text = "with `--stop-on`: the window that met the condition first. No later window is "
	       "in the file; those then open are `aborted`"),
	ROW(result, trace_file, TEXT, .flags = FIELD_NULL | FIELD_FREE_TEXT),
	ROW(result, unavailable_because, TEXT, .flags = FIELD_NULL | FIELD_FREE_TEXT,
	    .text = "the trace that was written, and why parts are unavailable, or null"),
	ROW(result, notes, TEXTS, .flags = FIELD_FREE_TEXT, .max = RESULT_NOTES,
	    .text = "texts that a reader of the numbers must know"),
	ROW_WITHOUT("conditions", OWN, .flags = FIELD_LEFT_OUT | FIELD_NOT_READ | FIELD_PUBLIC,
		    .put = put_conditions, .def = "{\"type\": \"string\"}"),
	ROW_WITHOUT("lowered", OWN, .flags = FIELD_LEFT_OUT | FIELD_NOT_READ | FIELD_PUBLIC,
		    .put = put_lowered, .def = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}",
		    .text = "what the numbers hold for, in words; list: why they mean less than they say"),
	ROW(result, all, RECORD, .of = &all_record, .flags = FIELD_NOT_READ,
	    .text = "the sum of all CPUs, without `cpu`, `host`, `episodes` and `slices`"),
	ROW(result, cpu, NEW_LIST, FIELD_N(result, ncpus), .of = &cpu_record,
	    .flags = FIELD_NOT_READ | FIELD_APART,
	    .text = "list: [an object](#a-cpu) per measured CPU"),
	ROW(result, attached, POINTER, .of = &attached_record, .flags = FIELD_LEFT_OUT | FIELD_OFF_PAGE,
	    .text = "of attach only: [what was watched](#attached)"),
	ROW(result, episodes, RECORD, .of = &episodes_record, .flags = FIELD_LEFT_OUT | FIELD_OFF_PAGE,
	    .presence = episodes_presence, .text = "[episodes](#episodes) over all CPUs"),
	ROW(result, actions, RECORD, .of = &actions_record, .flags = FIELD_LEFT_OUT,
	    FIELD_KNOWN(result, actions.asked, 1),
	    .text = "with `--on-violation`: [counts](#actions)"),
	ROW(result, samples, RECORD, .of = &samples_record, .flags = FIELD_LEFT_OUT,
	    FIELD_KNOWN(result, samples.asked, 1),
	    .text = "with `--samples`: rows `written` and `left_out`"),
	ROW(result, worst, LIST, FIELD_N(result, nworst), .of = &window_record, .max = RESULT_KEPT,
	    .text = "list: the [windows](#a-window-in-worst) with the largest responses"),
	ROW(result, noise, RECORD, .of = &offenders_record, .flags = FIELD_OFF_PAGE),
	ROW(result, delay, RECORD, .of = &offenders_record, .flags = FIELD_OFF_PAGE,
	    .text = "who was the largest single interruption of a window; what ran when the "
	    "timer's interrupt came late (`irq_delay`)"),
	ROW(result, causes, RECORD, .of = &causes_record, .flags = FIELD_LEFT_OUT | FIELD_OFF_PAGE,
	    .presence = causes_presence,
	    .text = "[what made the violations](#causes); missing without any"),
	ROW(result, places, RECORD, .of = &places_record, .flags = FIELD_LEFT_OUT | FIELD_OFF_PAGE,
	    .presence = places_presence,
	    .text = "[where in the kernel](#places) that was; missing if no place is known"),
	ROW_WITHOUT("exact", OWN, .flags = FIELD_PUBLIC | FIELD_OFF_PAGE, .put = put_exact,
		    .words = &metric_words, .masked = true, .def = "samples",
		    .text = "each value as `[value, how often]`, for each histogram of a run with one CPU, "
		    "`--seed`, counted instructions, no lost record and at most 65536 windows; "
		    "else empty"),
	ROW(result, assertions, OWN, FIELD_N(result, said), .of = &assertion_record,
	    .max = CONDITIONS_MAX, .flags = FIELD_LEFT_OUT | FIELD_PUBLIC | FIELD_OFF_PAGE,
	    .put = put_assertions,
	    .text = "with `--assert`, for each: the `condition`; `holds`, null if it is undecided; "
	    "the `value` compared, in ns or a count, null for a missed expiry and if "
	    "undecided; `found`, the value in words"),
};

const struct fields result_record = RECORD(result, "result", result_fields);
