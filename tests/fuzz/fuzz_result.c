// SPDX-License-Identifier: GPL-2.0
/* Result files: what was read, written and read again is the same. */
#include "fuzz.h"
#include "page_check.h"
#include "read/anonymize.h"
#include "read/read.h"
#include "report/render.h"
#include "report/report.h"
#include "report/timeline_render.h"
#include "result/timeline.h"

static char *rendered(const struct result *r)
{
	struct fuzz_output o;

	CHECK(!render_json(fuzz_output_open(&o), r));
	fuzz_output_close(&o);
	CHECK(o.size && o.text[o.size - 1] == '\n');
	return o.text;
}

/* One that is shown fits to its window. */
static void check_timeline(const struct tlob_timeline *t, const struct tlob_window *w)
{
	CHECK(!t || timeline_is_lost(t) || !timeline_defect(t, w));
}

/* Checks what users of a result rely on. */
static void check_result(const struct result *r)
{
	size_t i;

	CHECK(r->ncpus && r->all.hist && r->kernel && r->work && r->command);
	CHECK(r->nworst <= RESULT_KEPT && r->noise.n <= RESULT_OFFENDERS);
	for (i = 0; i < r->nworst; i++)
		check_timeline(r->worst[i].kept.timeline, &r->worst[i].w);
	if (r->stopped)
		check_timeline(r->stopped->kept.timeline, &r->stopped->w);
	for (i = 0; i < r->ncpus; i++) {
		const struct result_cpu *c = &r->cpu[i];

		CHECK(c->cpu >= -1 && c->violations <= c->windows);
		CHECK(c->hist[TLOB_METRIC_RESPONSE].n == c->windows);
		for (unsigned int m = 0; m < TLOB_NR_METRICS; m++) {
			const struct tlob_hist *h = &c->hist[m];

			CHECK(!h->n || h->min <= h->max);
			CHECK(h->n || (!h->min && !h->max));
			CHECK(hist_quantile(h, 1) >= h->min);
			CHECK(hist_quantile(h, 1000000) == h->max);
		}
	}
	CHECK(!r->functions || (r->functions->n && r->functions->n <= FUNCTION_SETS && r->function_words));
	for (i = 0; i < r->nworst; i++)
		CHECK(!r->worst[i].kept.functions || r->worst[i].kept.functions->lost ||
		      r->worst[i].kept.functions->n == r->functions->n);
	for (i = 0; i < r->ntuning; i++)
		CHECK(r->tuning[i].name && r->tuning[i].value);
}

static void check_again(const struct result *r)
{
	char *text = rendered(r), *again;
	struct reader reader;
	struct result back;

	CHECK(!result_parse(&back, text, &reader) && !*reader.error);
	again = rendered(&back);
	CHECK(!strcmp(text, again));
	result_free(&back);
	free(again);
	free(text);
}

/* A copy without names is a result as well. */
static void check_anonymous(struct result *r)
{
	struct aliases aliases;

	aliases_begin(&aliases);
	CHECK(!result_anonymize(r, &aliases));
	aliases_free(&aliases);
	check_again(r);
}

/* The page of one result, or of it twice. */
static int print_results(FILE *f, struct result *r)
{
	static const char *const name[] = { "one.json", "<z\"two.json" };
	struct result both[] = { *r, *r };
	const struct report rep = { .r = both, .name = name, .n = 1 + r->nworst % 2 };

	return page_results(f, &rep);
}

static int print_text(FILE *f, struct result *r)
{
	return render_text(f, r, true);
}

static int print_summary(FILE *f, struct result *r)
{
	return render_summary(f, r);
}

static int print_junit(FILE *f, struct result *r)
{
	return render_as(f, r, RENDER_JUNIT);
}

static int print_markdown(FILE *f, struct result *r)
{
	return render_as(f, r, RENDER_MARKDOWN);
}

/* No byte of a foreign file may reach a terminal as it is: names have no escapes. */
static void check_prints(struct result *r)
{
	static int (*const print[])(FILE *, struct result *) = {
		print_text, print_summary, print_junit, print_markdown,
	};
	struct fuzz_output o;
	const char *at;
	size_t i;

	for (i = 0; i < sizeof(print) / sizeof(print[0]); i++) {
		CHECK(!print[i](fuzz_output_open(&o), r));
		for (at = fuzz_output_close(&o); *at; at++)
			CHECK((unsigned char)*at >= ' ' || *at == '\n' || *at == '\t');
		free(o.text);
	}
}

/* A row for each of six, which is enough for outliers. */
static int print_rows(FILE *f, struct result *r)
{
	struct rows rows = { .at = NULL };
	int err = 0, i;

	for (i = 0; i < 6 && !err; i++)
		err = rows_add(&rows, r, "<z\"row.json");
	if (!err)
		err = page_rows(f, &rows);
	rows_free(&rows);
	return err;
}

/* Trace events of a foreign result are JSON, whatever its names and times are. */
static void check_trace_events(const struct result *r)
{
	struct fuzz_output out;
	struct json_object *o;

	CHECK(!render_trace_events(fuzz_output_open(&out), r));
	o = json_tokener_parse(fuzz_output_close(&out));
	CHECK(json_object_object_get(o, "traceEvents"));
	json_object_put(o);
	free(out.text);
}

static void check_pages(struct result *r)
{
	static int (*const print[])(FILE *, struct result *) = { print_results, print_rows };
	struct fuzz_output o;
	size_t i;

	for (i = 0; i < sizeof(print) / sizeof(print[0]); i++) {
		CHECK(!print[i](fuzz_output_open(&o), r));
		check_page(fuzz_output_close(&o));
		free(o.text);
	}
}

static void check_error(const char *error)
{
	CHECK(*error);
	for (; *error; error++)
		CHECK((unsigned char)*error >= ' ' && *error != 127);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct reader reader;
	struct result r;

	if (result_parse(&r, text, &reader)) {
		check_error(reader.error);
		CHECK(!r.ncpus && !r.cpu && !r.all.hist && !r.notes && !r.tuning);
	} else {
		CHECK(!*reader.error);
		check_result(&r);
		check_again(&r);
		check_trace_events(&r);
		check_prints(&r);
		check_pages(&r);
		check_anonymous(&r);
	}
	result_free(&r);
	free(text);
	return 0;
}
