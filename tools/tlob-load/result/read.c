// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "result/read.h"
#include "result/read_window.h"
#include "util/error.h"
#include "util/file.h"
#include "util/printable.h"

#define MAX_CPUS	8192U		/* NR_CPUS of the largest configuration */
#define MAX_FACTS	64U
#define MAX_TIME	253402300799LL	/* 9999-12-31T23:59:59Z */
#define MAX_NOTES	256U

static char *text(struct reader *rd, struct json_object *o, const char *key,
		  bool null)
{
	char *s = reader_text(rd, o, key, null);

	return s ? printable_undo(s) : NULL;
}

/* A key that older files lack: then NULL. */
static char *new_text(struct reader *rd, struct json_object *o,
		      const char *key)
{
	return reader_find(o, key) ? text(rd, o, key, true) : NULL;
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

static void read_hist(struct reader *rd, struct json_object *parent,
		      const char *key, struct tlob_hist *h)
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
	size_t i;

	for (i = 0; i < result_counters.n; i++)
		counter_set(&result_counters.at[i], c,
			    reader_u64(rd, o, result_counters.at[i].name));
	c->demand_ns = reader_known(rd, o, "demand_ns");
	c->demand_spread_ns = reader_known(rd, o, "demand_spread_ns");
	c->overhead_ns = reader_known(rd, o, "overhead_ns");
	c->unavailable = read_unavailable(rd, o);
	if (c->violations > c->windows)
		reader_fail(rd, "violations", "more than windows");
}

/* @c->hist is zeroed. */
static void read_cpu(struct reader *rd, struct json_object *o,
		     struct result_cpu *c)
{
	struct json_object *hist;
	unsigned int m;
	size_t place;

	c->cpu = reader_int(rd, o, "cpu", 0, INT_MAX);
	c->host = new_text(rd, o, "host");
	read_counters(rd, o, c);
	hist = reader_object(rd, o, "hist");
	place = reader_enter(rd, "hist", -1);
	for (m = 0; m < TLOB_NR_METRICS; m++)
		if (m < TLOB_METRIC_PARTS ||
		    !(c->unavailable & 1U << (m - TLOB_METRIC_PARTS)))
			read_hist(rd, hist, tlob_metric_names[m], &c->hist[m]);
	reader_leave(rd, place);
	if (c->hist[TLOB_METRIC_RESPONSE].n != c->windows)
		reader_fail(rd, "windows", "differs from the number of responses");
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
			f->value = text(rd, o, key, false);
			if (!f->name || !f->value)
				reader_fail(rd, "", "out of memory");
		}
	}
	reader_leave(rd, place);
}

static void read_notes(struct reader *rd, struct json_object *o,
		       struct result *r)
{
	struct json_object *list = reader_list(rd, o, "notes", MAX_NOTES);
	size_t place = reader_enter(rd, "notes", -1), i;

	for (i = 0; list && i < json_object_array_length(list); i++) {
		char *note = strdup(reader_word_at(rd, list, i));

		if (!note || result_note(r, "%s", printable_undo(note)))
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

static void read_circumstances(struct reader *rd, struct json_object *o,
			       struct result *r)
{
	struct tm tm = { 0 };
	char *end;

	end = strptime(reader_word(rd, o, "started"), "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (!end || *end || timegm(&tm) > MAX_TIME)
		reader_fail(rd, "started", "invalid time: use the form 2026-01-31T23:59:59Z");
	r->started = timegm(&tm);
	r->duration_ns = reader_u64(rd, o, "duration_ns");
	r->command = text(rd, o, "command", false);
	r->kernel = text(rd, o, "kernel", false);
	r->machine = text(rd, o, "machine", false);
	r->host = new_text(rd, o, "host");
	r->backend = text(rd, o, "backend", false);
	r->workload = text(rd, o, "workload", false);
	r->noise_source = text(rd, o, "noise_source", false);
	r->work = text(rd, o, "work", false);
	r->policy = text(rd, o, "policy", false);
	r->cpus = text(rd, o, "cpus", false);
	r->housekeeping = text(rd, o, "housekeeping", true);
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
	r->stopped_by = text(rd, o, "stopped_by", true);
	r->trace_file = text(rd, o, "trace_file", true);
	r->unavailable_because = text(rd, o, "unavailable_because", true);
	read_notes(rd, o, r);
	read_tuning(rd, o, r);
}

/* An unknown version is not a mistake in the file: it has its own words. */
static void check_format(struct reader *rd, struct json_object *o)
{
	struct json_object *version = reader_find(o, "version");
	const char *format = "";

	if (json_object_is_type(reader_find(o, "format"), json_type_string))
		format = json_object_get_string(reader_find(o, "format"));
	if (!strcmp(format, "tlob-load attach"))
		reader_fail(rd, "", "this is a result of attach; compare takes results of run");
	else if (strcmp(format, RESULT_FORMAT))
		reader_fail(rd, "", "not a result of tlob-load");
	else if (json_object_is_type(version, json_type_int) &&
		 json_object_get_int64(version) > RESULT_VERSION)
		reader_fail(rd, "", "version %lld is newer than this tlob-load, which reads up to %d",
			    (long long)json_object_get_int64(version),
			    RESULT_VERSION);
	else
		reader_int(rd, o, "version", RESULT_VERSION, RESULT_VERSION);
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
	size_t n = 0;

	memset(rd, 0, sizeof(*rd));
	memset(r, 0, sizeof(*r));
	if (!json[strspn(json, " \t\r\n")])
		reader_fail(rd, "", "empty");
	else
		o = reader_parse_but(rd, json, "cpu", &piece, &n);
	if (!*rd->error)
		check_format(rd, o);
	if (!*rd->error)
		read_cpus(rd, piece, n, r);
	if (!*rd->error) {
		result_sum(r);
		read_circumstances(rd, o, r);
		read_worst(rd, o, r);
		read_offenders(rd, o, "noise", &r->noise);
		read_offenders(rd, o, "delay", &r->delay);
		read_exact(rd, o, r);
	}
	free(piece);
	json_object_put(o);
	if (!*rd->error)
		return 0;
	result_free(r);
	return -EINVAL;
}

int result_load(struct result *r, const char *path)
{
	struct reader reader;
	char *json;
	int err;

	memset(r, 0, sizeof(*r));
	err = file_read(path, &json);
	if (err)
		return fail(err, "%s: %s", path, strerror(-err));
	err = result_parse(r, json, &reader);
	r->fingerprint = file_fingerprint(json);
	free(json);
	return err ? fail(err, "%s: %s", path, reader.error) : 0;
}
