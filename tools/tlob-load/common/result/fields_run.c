// SPDX-License-Identifier: GPL-2.0
/* The result of a run: all of the file but its CPUs. */
#include <stdlib.h>
#include <string.h>

#include "result/anonymize.h"
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

/* Drops the source of a fact that is missing. */
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

/* Facts that have the same few values everywhere; the kernel's arguments may name a host. */
static bool fact_is_public(const char *name)
{
	static const char *const facts[] = {
		"processor", "microcode", "preemption", "clocksource", "idle_driver",
		"idle_governor", "frequency_governor", "smt", "isolated", "nohz_full", "boost",
		"no_turbo", "rt_runtime_us", "timer_migration", "numa_balancing", "nmi_watchdog",
		"transparent_hugepage",
	};
	size_t i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (!strcmp(name, facts[i]))
			return true;
	return false;
}

static void hide_facts(struct aliases *a, const struct field *f, void *data)
{
	struct result *r = data;
	size_t i;

	(void)f;
	for (i = 0; i < r->ntuning; i++)
		if (!fact_is_public(r->tuning[i].name))
			hide_text(a, &r->tuning[i].value);
}

static void hide_sources(struct aliases *a, const struct field *f, void *data)
{
	struct result *r = data;
	size_t i;

	(void)a;
	(void)f;
	for (i = 0; i < r->ntuning; i++) {
		free(r->tuning[i].source);
		r->tuning[i].source = NULL;
	}
}

/* "@cpu + @io": presets stay, commands do not. */
static void hide_load(struct aliases *a, const struct field *f, void *data)
{
	struct result *r = data;
	const char *at = r->load;
	bool presets = true;

	(void)f;
	for (; at && presets; at = strstr(at, " + ") ? strstr(at, " + ") + 3 : NULL)
		presets = *at == '@';
	if (!presets)
		hide_text(a, &r->load);
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

/* Returns true if the samples make the same histogram. */
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

/* For a metric without a list, the histogram stands. */
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
	ROW(result, tags, OWN, .flags = FIELD_LEFT_OUT | FIELD_FREE_TEXT, .put = put_tags,
	    .read = read_tags, .hide = hide_tags, .def = "facts",
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
	ROW(result, load, TEXT, .flags = FIELD_LEFT_OUT | FIELD_PRIVATE | FIELD_SETTING,
	    .hide = hide_load),
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
	ROW(result, runs, COUNT, .flags = FIELD_SUM, .min = 1, .check = check_runs,
	    .text = "how many runs were merged into this one; 1: none"),
	ROW_WITHOUT("tuning", OWN, .flags = FIELD_PRIVATE, .put = put_facts,
		    .read = read_facts, .hide = hide_facts, .def = "facts"),
	ROW_WITHOUT("tuning_sources", OWN, .flags = FIELD_LEFT_OUT | FIELD_FREE_TEXT,
		    .put = put_sources, .read = read_sources, .hide = hide_sources,
		    .def = "facts",
		    .text = "facts that latencies depend on, by name, and the file of each; an `unknown` "
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
		    .read = read_exact,
		    .words = &metric_words, .masked = true, .def = "samples",
		    .text = "each value as `[value, how often]`, for each histogram of a run with one CPU, "
		    "`--seed`, counted instructions, no lost record and at most 65536 windows; "
		    "else empty"),
	ROW(result, assertions, OWN, FIELD_N(result, said), .of = &assertion_record,
	    .max = CONDITIONS_MAX, .flags = FIELD_LEFT_OUT | FIELD_PUBLIC | FIELD_OFF_PAGE,
	    .put = put_assertions, .read = read_assertions,
	    .text = "with `--assert`, for each: the `condition`; `holds`, null if it is undecided; "
	    "the `value` compared, in ns or a count, null for a missed expiry and if "
	    "undecided; `found`, the value in words"),
};

static void check_attached(struct reader *rd, void *data, size_t i)
{
	const struct result *r = data;

	if (result_is_of_attach(r) != !strcmp(r->workload, WORKLOAD_ATTACH))
		reader_fail(rd, "attached", "and workload attach must come together");
	for (i = 0; i < r->ncpus; i++)
		if (result_is_of_attach(r) != (r->cpu[i].cpu < 0))
			reader_fail(rd, "cpu", "a number of a CPU is for results of run, and null for those of attach");
}

const struct fields result_record =
	RECORD(result, "result", result_fields, .check = check_attached);
