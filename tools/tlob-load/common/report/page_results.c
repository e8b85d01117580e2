// SPDX-License-Identifier: GPL-2.0
/*
 * The page of results: the data of each as in its file, but without what is not drawn, and the
 * sentences and tables that the terminal shows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/assertions.h"
#include "report/cause_text.h"
#include "report/chain_text.h"
#include "report/findings_render.h"
#include "report/flames_page.h"
#include "report/functions_render.h"
#include "report/html.h"
#include "report/parts_text.h"
#include "report/places.h"
#include "report/region.h"
#include "report/render.h"
#include "report/report.h"
#include "report/samples_plot.h"
#include "report/timeline_render.h"
#include "report/window_waits.h"
#include "result/attached.h"
#include "result/parts.h"
#include "result/tables.h"
#include "result/timeline.h"
#include "util/memstream.h"
#include "util/text.h"

#define WORST_SHOWN	8

/* A worst window, to describe. */
struct worst {
	const struct result *r;
	size_t i;
};

static void put_cause(FILE *f, const void *data)
{
	const struct worst *of = data;
	const struct result *r = of->r;

	if (r->attached)
		region_put_cause(f, &(struct region_window){ r, &r->worst[of->i] });
	else if (!parts_are_unavailable(r->worst[of->i].w.unavailable))
		cause_of_window_text(f, &r->worst[of->i].w,
				     hist_mean(&r->all.hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU]), r);
}

static void put_wait(FILE *f, const void *data)
{
	const struct worst *of = data;
	const struct kept_window *k = &of->r->worst[of->i];

	if (k->kept.wait.ns || k->kept.waits)
		window_wait_text(f, k);
}

/* A sentence or a part of one, as text; nothing if it has none. */
static void put_sentence(struct builder *b, struct json_object *o, const char *key,
			 void (*put)(FILE *f, const void *data), const void *data)
{
	char *text = memstream_of(put, data);

	if (text && !*text)
		free(text);
	else
		put_printed(b, o, key, text);
}

/* Names in spans, as the terminal has them. */
static void name_spans(struct builder *b, struct json_object *window, const struct kept_window *k)
{
	const struct tlob_timeline *t = k->kept.timeline;
	struct json_object *spans = NULL;
	char who[SPAN_TEXT];
	uint32_t i;

	if (t && timeline_is_lost(t))
		put_bool(b, window, "timeline_lost", true);
	if (!t || timeline_is_lost(t) || !json_object_object_get_ex(window, "timeline", &spans) ||
	    !json_object_object_get_ex(spans, "spans", &spans))
		return;
	for (i = 0; i < t->spans && i < json_object_array_length(spans); i++) {
		struct json_object *span = json_object_array_get_idx(spans, i);

		json_object_object_del(span, "id");
		json_object_object_del(span, "name");
		if (*span_text(who, &t->span[i], &k->w))
			put_printed(b, span, "who", strdup(who));
	}
}

static void put_what(FILE *f, const void *segment)
{
	chain_what(f, segment);
}

/* Who did what in each segment of the chain behind the longest wait; nothing where that is not known. */
static void put_chain(struct builder *b, struct json_object *window, const struct attach_wait *wait)
{
	struct json_object *list = wait->nchain > 1 ? put_array(b, window, "chain") : NULL, *o;
	const struct chain_segment *s;
	char who[TASK_TEXT];

	for (s = wait->chain; list && s < wait->chain + wait->nchain; s++) {
		o = put_object(b, list, NULL);
		put_text(b, o, "kind", chain_kinds[s->kind]);
		put_u64(b, o, "ns", s->ns);
		if (s->kind == SEGMENT_UNKNOWN)
			continue;
		put_printed(b, o, "who", strdup(task_text(who, s->comm, s->tid)));
		if (*s->policy)
			put_text(b, o, "policy", s->policy);
		put_printed(b, o, "what", memstream_of(put_what, s));
	}
}

/* The worst windows that are shown, with sentences. */
static void describe_worst(struct builder *b, struct json_object *list, const struct result *r)
{
	size_t i, n = json_object_array_length(list);
	char who[128], task[TASK_TEXT];

	if (n > WORST_SHOWN)
		json_object_array_del_idx(list, WORST_SHOWN, n - WORST_SHOWN);
	for (i = 0; i < r->nworst && i < json_object_array_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		const struct worst of = { r, i };
		const struct kept_task *of_task = &r->worst[i].kept.task;
		const struct tlob_window *w = &r->worst[i].w;

		put_sentence(b, o, "cause", put_cause, &of);
		put_sentence(b, o, "waited", put_wait, &of);
		if (w->largest.ns)
			put_printed(b, o, "interrupted", strdup(noise_text(who, sizeof(who), &w->largest)));
		if (of_task->tid)
			put_printed(b, o, "who", strdup(task_text(task, of_task->comm, of_task->tid)));
		name_spans(b, o, &r->worst[i]);
		put_chain(b, o, &r->worst[i].kept.wait);
	}
}

static void put_outcome(FILE *f, const void *data)
{
	render_outcome(f, data);
}

static void put_doubts(FILE *f, const void *data)
{
	const struct result *r = data;

	if (r->attached)
		region_left_out(f, r);
	render_warnings(f, r);
}

/* The lines that @put prints, as a list. */
static void put_lines(struct builder *b, struct json_object *o, const char *key,
		      void (*put)(FILE *f, const void *data), const void *data)
{
	struct json_object *list = put_array(b, o, key);
	char *text = memstream_of(put, data), *rest = text, *line;

	if (!text)
		b->err = -ENOMEM;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			put_printed(b, list, NULL, strdup(line));
	free(text);
}

static int put_limits(struct builder *b, struct json_object *o, const struct result *r)
{
	char **lines = NULL;
	int err = r->all.windows ? outcome_limits(&lines, r) : 0;

	if (!err && r->all.windows)
		err = outcome_bounds(&lines, r);
	if (!err && r->deterministic)
		err = notes_add(&lines, EXECUTED_INSTRUCTIONS);
	if (!err)
		put_texts(b, o, "lines", lines);
	notes_free(lines);
	return err;
}

static void put_region_title(FILE *f, const void *data)
{
	const struct attached *a = data;

	fprintf(f, "%s to %s in %s", a->start.text, a->stop.text, without_folders(a->file));
}

static void put_fact(struct builder *b, struct json_object *list, const char *name, const char *value)
{
	struct json_object *fact = value ? put_array(b, list, NULL) : NULL;

	if (!fact)
		return;
	put_text(b, fact, NULL, name);
	put_text(b, fact, NULL, value);
}

/* Puts where a region begins and ends, its file and its process. */
static void put_watched(struct builder *b, struct json_object *o, const struct attached *a)
{
	struct json_object *list = put_array(b, o, "facts");
	char process[64];

	put_fact(b, list, "start", a->start.text);
	put_fact(b, list, "stop", a->stop.text);
	put_fact(b, list, "in", a->file);
	put_fact(b, list, "symbols of", a->debug_file);
	/* threads of a name or group belong to no process of their own */
	if (!a->pid)
		return;
	snprintf(process, sizeof(process), "%d%s", a->pid, a->all && !a->of_threads ? ", and others" : "");
	put_fact(b, list, "program", a->program);
	put_fact(b, list, "process", process);
}

/* The sentences of a result. */
static int put_says(struct builder *b, struct json_object *result, const struct result *r)
{
	struct json_object *o = put_object(b, result, "says"), *list;
	const struct findings *from = r->findings;
	size_t i;

	if (r->attached) {
		put_made(b, o, "title", memstream_of(put_region_title, r->attached));
		put_watched(b, o, r->attached);
	}
	put_bool(b, o, "of_task", r->attached != NULL);
	put_sentence(b, o, "verdict", put_outcome, r);
	put_text(b, o, "class", outcome_is_good(r) ? "good" : "bad");
	put_lines(b, o, "doubts", put_doubts, r);
	assertions_page(b, o, &r->said);
	list = put_array(b, o, "bearings");
	for (i = 0; from && i < from->nbearings; i++)
		put_text(b, list, NULL, from->bearing[i].text);
	return put_limits(b, o, r);
}

/* Each prints its tables as elements of a list, behind another. */
static int print_tables(FILE *f, const struct result *r)
{
	int err = 0;

	if (r->attached) {
		err = region_counters(f, TABLE_PAGE, r);
		if (!err)
			err = region_quantiles(f, TABLE_PAGE, r, 0);
		if (!err)
			err = threads_table(f, TABLE_PAGE, r);
	}
	if (!err)
		err = page_functions(f, r);
	if (!err)
		err = render_offenders(f, TABLE_PAGE, &r->noise, OFFENDERS_ON_PAGE, NOISE_TITLE);
	if (!err)
		err = render_offenders(f, TABLE_PAGE, &r->delay, OFFENDERS_ON_PAGE, DELAY_TITLE);
	if (!err)
		err = render_places(f, TABLE_PAGE, r, CAUSES_KEPT);
	if (!err && r->all.os)
		err = render_os(f, TABLE_PAGE, r);
	if (!err && r->findings)
		err = page_findings(f, r->findings);
	return err;
}

static int print_cpus(struct html *p, const struct result *r)
{
	struct builder b = { .page = true, .about = r->functions };
	struct json_object *o;
	size_t i;
	int err = 0;

	fputs(",\n\"cpu\":[", p->json);
	for (i = 0; i < r->ncpus && !err; i++) {
		o = json_object_new_object();
		record_put(&b, o, &cpu_record, &r->cpu[i]);
		fputs(i ? ",\n" : "", p->json);
		err = b.err ? b.err : json_print_part(p->json, o, true);
		json_object_put(o);
	}
	fputs("]", p->json);
	return err;
}

static int print_result(struct html *p, const struct report *rep, size_t i)
{
	struct builder b = { .page = true, .about = rep->r[i].functions };
	struct json_object *o = json_object_new_object(), *worst;
	const struct result *r = &rep->r[i];
	int err;

	put_text(&b, o, "name", rep->name[i]);
	record_put(&b, o, &result_record, r);
	if (json_object_object_get_ex(o, "worst", &worst))
		describe_worst(&b, worst, r);
	if (r->all.slices)
		record_put(&b, put_object(&b, o, "slices"), &slices_record, r->all.slices);
	err = put_says(&b, o, r);
	fputs(i ? ",\n{" : "{", p->json);
	if (!err)
		err = b.err ? b.err : json_print_part(p->json, o, false);
	json_object_put(o);
	if (!err)
		err = print_cpus(p, r);
	fputs(",\n\"tables\":[null", p->json);
	if (!err)
		err = print_tables(p->json, r);
	fputs("],\n\"flames\":[null", p->json);
	if (!err)
		err = places_flame(p->json, &r->places);
	fputs("]}", p->json);
	return err;
}

static int put_text_of(FILE *f, const void *data)
{
	const struct report *rep = data;
	size_t i;
	int err = 0;

	for (i = 0; i < rep->n && !err; i++) {
		fputs(i ? "\n" : "", f);
		err = render_outcome(f, &rep->r[i]);
		fputs("\n\n", f);
		if (!err)
			err = render_text(f, &rep->r[i], true);
	}
	return err;
}

static int put_markdown(FILE *f, const void *data)
{
	return report_markdown(f, data);
}

int page_results(FILE *f, const struct report *rep)
{
	struct html p;
	size_t i;
	int err = html_begin(&p, f, "results", rep->r[0].attached ? "attach" : rep->name[0], put_text_of, rep);

	html_key(&p, "results");
	fputs("[", p.json);
	for (i = 0; i < rep->n && !err; i++)
		err = print_result(&p, rep, i);
	fputs("]", p.json);
	if (!err && rep->samples)
		err = samples_plot_put(&p, rep->samples);
	if (!err && rep->flames)
		err = flames_put(&p, rep->flames);
	if (!err)
		err = html_markdown(&p, put_markdown, rep);
	return html_end(&p, err);
}
