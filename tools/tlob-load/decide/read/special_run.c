// SPDX-License-Identifier: GPL-2.0
/* What rows cannot say of a result but its CPUs and windows, and of the report of doctor. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read/anonymize.h"
#include "read/fields.h"
#include "read/histogram.h"
#include "read/read.h"
#include "result/attached.h"
#include "result/meaning.h"
#include "result/tables.h"
#include "util/error.h"
#include "util/file.h"

#define MAX_FACTS	64U

static void read_facts(struct reader *rd, struct json_object *parent, const struct field *f,
		       void *data)
{
	struct json_object *o = reader_object(rd, parent, f->key);
	size_t place = reader_enter(rd, f->key, -1);
	struct result *r = data;

	if (o && json_object_object_length(o) > (int)MAX_FACTS)
		reader_fail(rd, "", "more than %u settings", MAX_FACTS);
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

static void read_tags(struct reader *rd, struct json_object *parent, const struct field *f, void *data)
{
	struct json_object *o = reader_object(rd, parent, f->key);
	struct tags *tags = (void *)((char *)data + f->at);
	size_t place = reader_enter(rd, f->key, -1);

	if (o && json_object_object_length(o) > TAGS_MAX)
		reader_fail(rd, "", "more than %d tags", TAGS_MAX);
	if (o && !*rd->error) {
		json_object_object_foreach(o, key, val) {
			(void)val;
			if (!tag_is_name(key, strlen(key)))
				reader_fail(rd, "", "invalid name of a tag");
			else if (tags_add(tags, strdup(key), reader_escaped(rd, o, key, false)))
				reader_fail(rd, "", "out of memory");
			if (*rd->error)
				break;
		}
	}
	reader_leave(rd, place);
}

static void hide_tags(struct aliases *a, const struct field *f, void *data)
{
	(void)a;
	tags_free((void *)((char *)data + f->at));
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

static void read_assertions(struct reader *rd, struct json_object *o, const struct field *f, void *data)
{
	record_read(rd, o, &said_list_record, (char *)data + f->n);
}

static void check_attached(struct reader *rd, void *data, size_t i)
{
	const struct result *r = data;

	if (result_is_of_attach(r) != !strcmp(r->workload, WORKLOAD_ATTACH))
		reader_fail(rd, "attached", "and workload attach must come together");
	for (i = 0; i < r->ncpus; i++)
		if (result_is_of_attach(r) != (r->cpu[i].cpu < 0))
			reader_fail(rd, "cpu", "a number of a CPU is for results of run, and null for those of attach");
}

static void read_others(struct reader *rd, struct json_object *o, const struct field *f, void *data)
{
	struct json_object *list = reader_list(rd, o, f->key, TLOB_BINDING_OFFSETS - 1);
	size_t n = list ? json_object_array_length(list) : 0, i;
	struct attach_place *p = data;

	for (i = 0; i < n; i++)
		p->at.at[p->at.nr++] = reader_u64_at(rd, list, i);
}

static void read_end(struct reader *rd, struct json_object *o, const struct field *f, void *data)
{
	uint64_t n = reader_known(rd, o, f->key);
	struct attached *r = data;

	if (n > f->max)
		reader_fail(rd, "exit_status", "or signal is not one of a process");
	else
		r->status |= (int)(f->bits ? n : n << 8);
}

/* Appends to the list. */
static void read_found(struct reader *rd, struct json_object *o, const struct field *f, void *data)
{
	struct json_object *list = reader_list(rd, o, f->key, f->max);
	size_t i, n = list ? json_object_array_length(list) : 0;
	struct findings *all = data;

	if (!all->at)
		all->at = calloc(2UL * FINDINGS_MAX, sizeof(*all->at));
	if (!all->at)
		reader_fail(rd, f->key, "out of memory");
	for (i = 0; i < n && !*rd->error; i++) {
		all->at[all->n].status = f->bits ? STATUS_UNKNOWN : STATUS_FINDING;
		record_read_at(rd, list, f->key, i, f->of, &all->at[all->n++]);
	}
}

static void read_throttled(struct reader *rd, struct json_object *o, const struct field *f,
			   void *data)
{
	struct findings *all = data;

	/* null: not known */
	if (reader_find(o, f->key) || !json_object_object_get_ex(o, f->key, NULL))
		all->rt_throttled = reader_bool(rd, o, f->key) ? RT_THROTTLED_YES : RT_THROTTLED_NO;
}

int examination_load(struct examination *e, const char *path)
{
	struct reader rd = { 0 };
	struct json_object *o;
	char *text;
	int err = file_load_text(path, &text);

	*e = (struct examination){ 0 };
	if (err)
		return err;
	o = reader_parse(&rd, text, strlen(text));
	free(text);
	if (!*rd.error && strcmp(reader_word(&rd, o, "format"), EXAMINATION_FORMAT))
		reader_fail(&rd, "", "not a report of doctor");
	if (!*rd.error)
		record_read(&rd, o, &examination_record, e);
	json_object_put(o);
	return *rd.error ? fail(-EINVAL, "%s: %s", path, rd.error) : 0;
}

const struct special special_run[] = {
	{ &result_record, "tags", .read = read_tags, .hide = hide_tags },
	{ &result_record, "load", .hide = hide_load },
	{ &result_record, "tuning", .read = read_facts, .hide = hide_facts },
	{ &result_record, "tuning_sources", .read = read_sources, .hide = hide_sources },
	{ &result_record, "exact", .read = read_exact },
	{ &result_record, "assertions", .read = read_assertions },
	{ &result_record, NULL, .check = check_attached },
	{ &attach_place_record, "other_offsets", .read = read_others },
	{ &process_record, "exit_status", .read = read_end },
	{ &process_record, "signal", .read = read_end },
	{ &findings_record, "found", .read = read_found },
	{ &findings_record, "unread", .read = read_found },
	{ &findings_record, "rt_throttled", .read = read_throttled },
	{ .of = NULL }
};
