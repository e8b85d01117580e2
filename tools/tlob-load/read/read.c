// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read/cpu.h"
#include "read/findings.h"
#include "read/functions.h"
#include "read/read.h"
#include "read/window.h"
#include "util/error.h"
#include "util/file.h"
#include "util/printable.h"

#define MAX_FACTS	64U
#define MAX_TIME	253402300799LL	/* 9999-12-31T23:59:59Z */

char *read_text(struct reader *rd, struct json_object *o, const char *key, bool null)
{
	char *s = reader_text(rd, o, key, null);

	return s ? printable_undo(s) : NULL;
}

char *read_new_text(struct reader *rd, struct json_object *o, const char *key)
{
	return reader_find(o, key) ? read_text(rd, o, key, true) : NULL;
}

/* Older files have none. A source of a fact that is missing is dropped. */
static void read_tuning_sources(struct reader *rd, struct json_object *parent, struct result *r)
{
	struct json_object *o;
	size_t place, i;

	if (!reader_find(parent, "tuning_sources"))
		return;
	o = reader_object(rd, parent, "tuning_sources");
	place = reader_enter(rd, "tuning_sources", -1);
	for (i = 0; o && i < r->ntuning && !*rd->error; i++)
		r->tuning[i].source = read_new_text(rd, o, r->tuning[i].name);
	reader_leave(rd, place);
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
	read_tuning_sources(rd, parent, r);
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

	if (of)
		of->step = h->step;
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
	r->host = read_new_text(rd, o, "host");
	r->label = read_new_text(rd, o, "label");
	r->tune = read_new_text(rd, o, "tune");
	r->load = read_new_text(rd, o, "load");
	r->load_cpus = read_new_text(rd, o, "load_cpus");
	r->backend = read_text(rd, o, "backend", false);
	r->backend_because = read_new_text(rd, o, "backend_because");
	r->workload = read_text(rd, o, "workload", false);
	r->noise_source = read_text(rd, o, "noise_source", false);
	r->work = read_text(rd, o, "work", false);
	r->policy = read_text(rd, o, "policy", false);
	r->policy_changed = read_new_text(rd, o, "policy_changed");
	r->cpus = read_text(rd, o, "cpus", false);
	r->housekeeping = read_text(rd, o, "housekeeping", true);
	r->period_ns = reader_u64(rd, o, "period_ns");
	r->budget_ns = reader_u64(rd, o, "budget_ns");
	r->align_ns = reader_u64(rd, o, "align_ns");
	r->hw_threshold_ns = reader_u64(rd, o, "hw_threshold_ns");
	if (reader_find(o, "clock_resolution_ns"))
		result_set_clock(r, reader_u64(rd, o, "clock_resolution_ns"));
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
	read_findings(rd, o, &r->findings);
	read_assertions(rd, o, &r->said);
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

int result_parse(struct result *r, const char *json, struct reader *rd)
{
	struct json_object *o = NULL;
	struct function_sets *sets = NULL;
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
		sets = read_function_sets(rd, o);
	if (!*rd->error)
		read_cpus(rd, piece, n, r, sets);
	r->functions = sets;
	if (!*rd->error && sets && function_sets_describe(r))
		reader_fail(rd, "functions", "out of memory");
	if (!*rd->error) {
		r->version = version;
		result_sum(r);
		read_circumstances(rd, o, r);
		read_stopped_window(rd, o, r);
		read_worst(rd, o, r);
		read_offenders(rd, o, "noise", &r->noise);
		read_offenders(rd, o, "delay", &r->delay);
		read_causes(rd, o, &r->causes, false);
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
