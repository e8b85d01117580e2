// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "read/read.h"
#include "read/window.h"
#include "util/error.h"
#include "util/file.h"
#include "util/printable.h"

#define MAX_CPUS	8192U		/* NR_CPUS of the largest configuration */
#define MAX_FACTS	64U
#define MAX_TIME	253402300799LL	/* 9999-12-31T23:59:59Z */

char *read_text(struct reader *rd, struct json_object *o, const char *key, bool null)
{
	char *s = reader_text(rd, o, key, null);

	return s ? printable_undo(s) : NULL;
}

/* A key that older files lack: then NULL. */
static char *new_text(struct reader *rd, struct json_object *o,
		      const char *key)
{
	return reader_find(o, key) ? read_text(rd, o, key, true) : NULL;
}

/* [smallest value, count]: ascending, and each the beginning of a bucket. */
static uint64_t read_bucket(struct reader *rd, struct json_object *pair,
			    struct tlob_hist *h, unsigned int *above)
{
	uint64_t lower, count;
	unsigned int i;

	if (!json_object_is_type(pair, json_type_array) ||
	    json_object_array_length(pair) != 2) {
		reader_fail(rd, "buckets", "not pairs");
		return 0;
	}
	lower = reader_u64_at(rd, pair, 0);
	count = reader_u64_at(rd, pair, 1);
	i = tlob_hist_index(lower);
	if (!*rd->error && (tlob_hist_lower(i) != lower || i < *above || !count))
		reader_fail(rd, "buckets", "%llu does not begin a bucket, or is out of order",
			    (unsigned long long)lower);
	*above = i + 1;
	h->bucket[i] = count;
	return count;
}

/* The sum of one CPU wraps after 584 years; that of all CPUs may wrap earlier. */
static bool sum_is_possible(const struct tlob_hist *h)
{
	return (__uint128_t)h->n * h->min <= h->sum &&
	       (__uint128_t)h->n * h->max >= h->sum;
}

void read_hist(struct reader *rd, struct json_object *parent, const char *key,
	       struct tlob_hist *h)
{
	struct json_object *o = reader_object(rd, parent, key), *list;
	size_t place = reader_enter(rd, key, -1), i, len = 0;
	unsigned int above = 0, first = 0;
	uint64_t left;

	h->n = reader_u64(rd, o, "n");
	h->sum = reader_u64(rd, o, "sum");
	h->min = reader_known(rd, o, "min");
	h->max = reader_known(rd, o, "max");
	list = reader_list(rd, o, "buckets", (size_t)TLOB_HIST_BUCKETS);
	if (list)
		len = json_object_array_length(list);
	for (i = 0, left = h->n; i < len && !*rd->error; i++) {
		uint64_t count = read_bucket(rd, json_object_array_get_idx(list, i),
					     h, &above);

		if (!i)
			first = above - 1;
		if (!*rd->error && count > left)
			reader_fail(rd, "n", "smaller than the sum of the buckets");
		left -= count;
	}
	if (!*rd->error && left)
		reader_fail(rd, "n", "larger than the sum of the buckets");
	if (!*rd->error && h->n &&
	    (tlob_hist_index(h->min) != first || h->min > h->max ||
	     tlob_hist_index(h->max) + 1 != above))
		reader_fail(rd, "min", "or max lies outside the outermost bucket");
	if (!*rd->error && h->n && !sum_is_possible(h))
		reader_fail(rd, "sum", "must lie between n * min and n * max");
	if (!*rd->error && !h->n && (h->sum || h->min || h->max))
		reader_fail(rd, "n", "is 0, but sum, min or max is not");
	reader_leave(rd, place);
}

static void read_counters(struct reader *rd, struct json_object *o,
			  struct result_cpu *c)
{
	const struct counter *at = result_counters.at;
	size_t i;

	for (i = 0; i < result_counters.n; i++, at++)
		if (!(at->flags & COUNTER_NEW) || reader_find(o, at->name))
			counter_set(at, c, reader_u64(rd, o, at->name));
	c->demand_ns = reader_known(rd, o, "demand_ns");
	c->demand_spread_ns = reader_known(rd, o, "demand_spread_ns");
	c->overhead_ns = reader_known(rd, o, "overhead_ns");
	c->unavailable = read_unavailable(rd, o);
	if (c->violations > c->windows)
		reader_fail(rd, "violations", "more than windows");
}

static void read_os_list(struct reader *rd, struct json_object *parent,
			 const char *key, struct os_list *list)
{
	struct json_object *o = reader_object(rd, parent, key), *names, *e;
	size_t outer = reader_enter(rd, key, -1), i, place;
	uint64_t above = UINT64_MAX;

	list->dropped = reader_u64(rd, o, "dropped");
	names = reader_list(rd, o, "names", OS_NAMES);
	for (i = 0; names && i < json_object_array_length(names); i++) {
		char *name;

		place = reader_enter(rd, "names", (int)i);
		e = reader_object_at(rd, names, i);
		name = read_text(rd, e, "name", false);
		snprintf(list->at[i].name, OS_NAME_LEN, "%s", name ? name : "");
		free(name);
		list->at[i].count = reader_u64(rd, e, "count");
		if (!*rd->error && list->at[i].count > above)
			reader_fail(rd, "count", "larger than the one before: the list must descend");
		above = list->at[i].count;
		reader_leave(rd, place);
		list->n = i + 1;
	}
	reader_leave(rd, outer);
}

static void read_gaps(struct reader *rd, struct json_object *parent,
		      struct os_counts *os)
{
	struct json_object *o = reader_object(rd, parent, "hw_or_interrupt");
	size_t place = reader_enter(rd, "hw_or_interrupt", -1);

	os->gap_windows = reader_u64(rd, o, "windows");
	os->gap_ns = reader_u64(rd, o, "ns");
	os->gap_max_ns = reader_u64(rd, o, "max_ns");
	reader_leave(rd, place);
}

/* A key that is null is unknown; older files and other backends have no "os". */
static struct os_counts *read_os(struct reader *rd, struct json_object *parent)
{
	struct json_object *o;
	struct os_counts *os;
	size_t place;

	if (!reader_find(parent, "os"))
		return NULL;
	o = reader_object(rd, parent, "os");
	place = reader_enter(rd, "os", -1);
	os = calloc(1, sizeof(*os));
	if (!os) {
		reader_fail(rd, "", "out of memory");
		reader_leave(rd, place);
		return NULL;
	}
	os->run_delay_ns = reader_known(rd, o, "run_delay_ns");
	os->voluntary = reader_known(rd, o, "voluntary_switches");
	os->involuntary = reader_known(rd, o, "involuntary_switches");
	os->steal_ns = reader_known(rd, o, "steal_ns");
	os->known = (reader_find(o, "run_delay_ns") ? OS_RUN_DELAY : 0U) |
		    (reader_find(o, "voluntary_switches") ? OS_SWITCHES : 0U) |
		    (reader_find(o, "steal_ns") ? OS_STEAL : 0U) |
		    (reader_find(o, "hw_or_interrupt") ? OS_GAPS : 0U) |
		    (reader_find(o, "interrupts") ? OS_IRQS : 0U) |
		    (reader_find(o, "softirqs") ? OS_SOFTIRQS : 0U);
	if (os->known & OS_GAPS)
		read_gaps(rd, o, os);
	if (os->known & OS_IRQS)
		read_os_list(rd, o, "interrupts", &os->irq);
	if (os->known & OS_SOFTIRQS)
		read_os_list(rd, o, "softirqs", &os->softirq);
	reader_leave(rd, place);
	return os;
}

/* @c->hist is zeroed. */
static void read_cpu(struct reader *rd, struct json_object *o,
		     struct result_cpu *c)
{
	struct json_object *hist;
	uint64_t responses;
	unsigned int m;
	size_t place;

	c->cpu = reader_int(rd, o, "cpu", 0, INT_MAX);
	c->host = new_text(rd, o, "host");
	read_counters(rd, o, c);
	c->os = read_os(rd, o);
	hist = reader_object(rd, o, "hist");
	place = reader_enter(rd, "hist", -1);
	for (m = 0; m < TLOB_NR_METRICS; m++)
		if (m < TLOB_METRIC_PARTS ||
		    !(c->unavailable & 1U << (m - TLOB_METRIC_PARTS)))
			read_hist(rd, hist, tlob_metric_names[m], &c->hist[m]);
	reader_leave(rd, place);
	slices_read(rd, o, &c->slices);
	if (c->slices && slices_windows(c->slices) > c->windows)
		reader_fail(rd, "slices", "more windows than the CPU");
	/* A user thread's histograms lack the windows whose record was lost. */
	responses = c->hist[TLOB_METRIC_RESPONSE].n;
	if (responses > c->windows || c->windows - responses > c->lost)
		reader_fail(rd, "windows", "differs from the number of responses by more than lost");
}

static void read_tuning(struct reader *rd, struct json_object *parent,
			struct result *r)
{
	struct json_object *o;
	size_t place;

	if (!reader_find(parent, "tuning"))
		return;
	o = reader_object(rd, parent, "tuning");
	place = reader_enter(rd, "tuning", -1);
	if (o && json_object_object_length(o) > (int)MAX_FACTS)
		reader_fail(rd, "", "more than %u facts", MAX_FACTS);
	r->tuning = calloc(MAX_FACTS, sizeof(*r->tuning));
	if (!r->tuning)
		reader_fail(rd, "", "out of memory");
	if (o && r->tuning && !*rd->error) {
		json_object_object_foreach(o, key, val) {
			struct fact *f = &r->tuning[r->ntuning++];

			(void)val;
			f->name = strdup(key);
			f->value = read_text(rd, o, key, false);
			if (!f->name || !f->value)
				reader_fail(rd, "", "out of memory");
		}
	}
	reader_leave(rd, place);
}

void read_notes(struct reader *rd, struct json_object *o, char ***notes)
{
	struct json_object *list = reader_list(rd, o, "notes", RESULT_NOTES);
	size_t place = reader_enter(rd, "notes", -1), i;

	for (i = 0; list && i < json_object_array_length(list); i++) {
		char *note = strdup(reader_word_at(rd, list, i));

		if (!note || notes_add(notes, "%s", printable_undo(note)))
			reader_fail(rd, "", "out of memory");
		free(note);
	}
	reader_leave(rd, place);
}

static void read_samples(struct reader *rd, struct json_object *list,
			 struct samples *s)
{
	uint64_t last = 0, ns, count;
	size_t i;

	for (i = 0; i < json_object_array_length(list) && !*rd->error; i++) {
		struct json_object *pair = json_object_array_get_idx(list, i);

		if (!json_object_is_type(pair, json_type_array) ||
		    json_object_array_length(pair) != 2) {
			reader_fail(rd, "", "not pairs");
			break;
		}
		ns = reader_u64_at(rd, pair, 0);
		count = reader_u64_at(rd, pair, 1);
		if (*rd->error)
			break;
		if ((i && ns <= last) || !count || count > SAMPLES_MAX - s->n)
			reader_fail(rd, "", "out of order, or too many");
		for (last = ns; !*rd->error && count; count--)
			samples_add(s, ns);
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

	for (i = 0; of && i < s->n; i++)
		tlob_hist_add(of, s->v[i]);
	same = of && !memcmp(of, h, sizeof(*of));
	free(of);
	return same;
}

/* A list that is not there is one that the histogram stands for. */
static void read_exact(struct reader *rd, struct json_object *parent,
		       struct result *r)
{
	struct json_object *o, *list;
	size_t outer, place;
	unsigned int m;

	if (!reader_find(parent, "exact"))
		return;
	o = reader_object(rd, parent, "exact");
	outer = reader_enter(rd, "exact", -1);
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

/* timegm() makes a day in March of 31 February. */
time_t read_time(struct reader *rd, struct json_object *o, const char *key)
{
	const char *word = reader_word(rd, o, key), *end;
	struct tm tm = { 0 };
	int mday;
	time_t t;

	end = strptime(word, "%Y-%m-%dT%H:%M:%SZ", &tm);
	mday = tm.tm_mday;
	t = timegm(&tm);
	if (!end || *end || t > MAX_TIME || tm.tm_mday != mday)
		reader_fail(rd, key, "invalid time: use the form 2026-01-31T23:59:59Z");
	return t;
}

/* @c->hist has what the counters say. */
static void check_violations(struct reader *rd, const struct result *r)
{
	const struct result_cpu *c;
	size_t i, place;

	for (i = 0; i < r->ncpus && !*rd->error; i++) {
		c = &r->cpu[i];
		place = reader_enter(rd, "cpu", (int)i);
		if (c->violations && !r->budget_ns)
			reader_fail(rd, "violations", "of no budget");
		else if (c->violations && c->hist[TLOB_METRIC_RESPONSE].max <= r->budget_ns)
			reader_fail(rd, "violations", "but all responses are within the budget");
		reader_leave(rd, place);
	}
}

static void read_circumstances(struct reader *rd, struct json_object *o,
			       struct result *r)
{
	r->started = read_time(rd, o, "started");
	r->duration_ns = reader_u64(rd, o, "duration_ns");
	r->command = read_text(rd, o, "command", false);
	r->kernel = read_text(rd, o, "kernel", false);
	r->machine = read_text(rd, o, "machine", false);
	r->host = new_text(rd, o, "host");
	r->backend = read_text(rd, o, "backend", false);
	r->backend_because = new_text(rd, o, "backend_because");
	r->workload = read_text(rd, o, "workload", false);
	r->noise_source = read_text(rd, o, "noise_source", false);
	r->work = read_text(rd, o, "work", false);
	r->policy = read_text(rd, o, "policy", false);
	r->policy_changed = new_text(rd, o, "policy_changed");
	r->cpus = read_text(rd, o, "cpus", false);
	r->housekeeping = read_text(rd, o, "housekeeping", true);
	r->period_ns = reader_u64(rd, o, "period_ns");
	r->budget_ns = reader_u64(rd, o, "budget_ns");
	r->align_ns = reader_u64(rd, o, "align_ns");
	r->hw_threshold_ns = reader_u64(rd, o, "hw_threshold_ns");
	r->deterministic = reader_bool(rd, o, "deterministic");
	r->has_seed = reader_find(o, "seed");
	if (r->has_seed)
		r->seed = reader_u64(rd, o, "seed");
	r->has_phase = reader_find(o, "phase_ns");
	if (r->has_phase)
		r->phase_ns = reader_u64(rd, o, "phase_ns");
	if (reader_find(o, "runs"))
		r->runs = reader_u64(rd, o, "runs");
	if (!r->runs)
		reader_fail(rd, "runs", "none");
	r->partial = reader_find(o, "partial") && reader_bool(rd, o, "partial");
	r->stopped_by = read_text(rd, o, "stopped_by", true);
	r->trace_file = read_text(rd, o, "trace_file", true);
	r->unavailable_because = read_text(rd, o, "unavailable_because", true);
	read_notes(rd, o, &r->notes);
	read_tuning(rd, o, r);
}

static const char *format_of(struct json_object *o)
{
	struct json_object *format = o ? reader_find(o, "format") : NULL;

	return json_object_is_type(format, json_type_string) ?
	       json_object_get_string(format) : "";
}

static bool is_of_attach(struct json_object *o)
{
	return !strcmp(format_of(o), "tlob-load attach");
}

/* An unknown version is not a mistake in the file: it has its own words. */
static unsigned int read_format(struct reader *rd, struct json_object *o)
{
	struct json_object *version = reader_find(o, "version");

	if (is_of_attach(o))
		reader_fail(rd, "", "this is a result of attach, and only report, compare and gate take those");
	else if (strcmp(format_of(o), RESULT_FORMAT))
		reader_fail(rd, "", "not a result of tlob-load");
	else if (json_object_is_type(version, json_type_int) &&
		 json_object_get_int64(version) > RESULT_VERSION)
		reader_fail(rd, "", "version %lld is newer than this tlob-load, which reads up to %d",
			    (long long)json_object_get_int64(version),
			    RESULT_VERSION);
	else
		return (unsigned int)reader_int(rd, o, "version", 1, RESULT_VERSION);
	return 0;
}

static bool same_cpu(const struct result_cpu *a, const struct result_cpu *b)
{
	return a->cpu == b->cpu && (a->host && b->host ?
				    !strcmp(a->host, b->host) :
				    a->host == b->host);
}

static void check_cpus(struct reader *rd, const struct result *r)
{
	size_t i, k;

	for (i = 1; i < r->ncpus; i++)
		for (k = 0; k < i; k++)
			if (same_cpu(&r->cpu[i], &r->cpu[k]))
				reader_fail(rd, "cpu", "%d stands there twice",
					    r->cpu[i].cpu);
}

/* Histograms are large, but a bucket that is not there is never touched. */
static void read_cpus(struct reader *rd, const struct piece *piece, size_t n,
		      struct result *r)
{
	static const int none[1];
	struct json_object *o;
	size_t i, place;

	if (n < 1 || n > MAX_CPUS) {
		reader_fail(rd, "cpu", "not 1 to %u", MAX_CPUS);
		return;
	}
	if (result_init(r, none, 0)) {
		reader_fail(rd, "", "out of memory");
		return;
	}
	free(r->cpu);
	r->cpu = calloc(n, sizeof(*r->cpu));
	for (i = 0; r->cpu && i < n && !*rd->error; i++) {
		place = reader_enter(rd, "cpu", (int)i);
		o = reader_parse(rd, piece[i].text, piece[i].n);
		r->cpu[i].hist = o ? calloc(TLOB_NR_METRICS,
					    sizeof(*r->cpu[i].hist)) : NULL;
		if (r->cpu[i].hist) {
			r->ncpus = i + 1;
			read_cpu(rd, o, &r->cpu[i]);
		} else {
			reader_fail(rd, "", "out of memory");
		}
		json_object_put(o);
		reader_leave(rd, place);
	}
	if (!r->cpu)
		reader_fail(rd, "", "out of memory");
	else if (!*rd->error)
		check_cpus(rd, r);
}

int result_parse(struct result *r, const char *json, struct reader *rd)
{
	struct json_object *o = NULL;
	struct piece *piece = NULL;
	unsigned int version = 0;
	bool is_attach;
	size_t n = 0;

	memset(rd, 0, sizeof(*rd));
	memset(r, 0, sizeof(*r));
	if (!json[strspn(json, " \t\r\n")])
		reader_fail(rd, "", "empty");
	else
		o = reader_parse_but(rd, json, "cpu", &piece, &n);
	if (!*rd->error)
		version = read_format(rd, o);
	if (!*rd->error)
		read_cpus(rd, piece, n, r);
	if (!*rd->error) {
		r->version = version;
		result_sum(r);
		read_circumstances(rd, o, r);
		read_stopped_window(rd, o, r);
		read_worst(rd, o, r);
		read_offenders(rd, o, "noise", &r->noise);
		read_offenders(rd, o, "delay", &r->delay);
		read_exact(rd, o, r);
		check_violations(rd, r);
	}
	is_attach = is_of_attach(o);
	free(piece);
	json_object_put(o);
	if (!*rd->error)
		return 0;
	result_free(r);
	return is_attach ? RESULT_IS_OF_ATTACH : -EINVAL;
}

int result_load(struct result *r, const char *path)
{
	struct reader reader;
	char *json;
	int err;

	memset(r, 0, sizeof(*r));
	err = file_read_text(path, &json);
	if (err == -EILSEQ)
		return fail(-EINVAL, "%s: not a text: it contains a NUL", path);
	if (err)
		return fail(err, "%s: %s", path, strerror(-err));
	err = result_parse(r, json, &reader);
	free(json);
	if (err)
		return fail(err, "%s: %s", path, reader.error);
	r->fingerprint = result_fingerprint(r);
	return 0;
}
