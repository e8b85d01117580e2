// SPDX-License-Identifier: GPL-2.0
/*
 * Results of attach: what was read, written and read again is the same, and all that
 * prints one or makes a run of it can do so.
 */
#include "fuzz.h"
#include "page_check.h"
#include "report/report.h"
#include "report/render.h"
#include "result/read.h"
#include "result/read_attach.h"

static char *printed(int (*print)(FILE *, const struct result *), const struct result *r)
{
	struct fuzz_output o;

	CHECK(!print(fuzz_output_open(&o), r));
	fuzz_output_close(&o);
	CHECK(o.size && o.text[o.size - 1] == '\n');
	return o.text;
}

static int print_outcome(FILE *f, const struct result *r)
{
	int err = render_outcome(f, r);

	fputc('\n', f);
	return err;
}

static int print_text(FILE *f, const struct result *r)
{
	return render_text(f, r, true);
}

static int print_junit(FILE *f, const struct result *r)
{
	return render_as(f, r, RENDER_JUNIT);
}

static int print_ktap(FILE *f, const struct result *r)
{
	return render_as(f, r, RENDER_KTAP);
}

static int print_markdown(FILE *f, const struct result *r)
{
	return render_as(f, r, RENDER_MARKDOWN);
}

/* Checks what users of a result rely on. */
static void check_attach(const struct attach_result *r)
{
	unsigned int m;
	size_t i;

	CHECK(r->command && r->kernel && r->machine && r->file && r->program);
	CHECK(r->start.text && r->stop.text);
	CHECK(r->nworst <= RESULT_WORST && r->noise.n <= RESULT_OFFENDERS);
	CHECK(r->nother <= ATTACH_OTHERS);
	CHECK(r->hist[ATTACH_ELAPSED].n == r->windows);
	for (m = 0; m < ATTACH_NR_METRICS; m++) {
		const struct tlob_hist *h = &r->hist[m];

		CHECK(h->n ? h->min <= h->max : !h->min && !h->max);
		CHECK(hist_quantile(h, 1000000) == h->max);
	}
	for (i = 1; i < r->nworst; i++)
		CHECK(r->worst[i].w.elapsed_ns <= r->worst[i - 1].w.elapsed_ns);
}

static void check_again(const struct result *r)
{
	char *text = printed(render_json, r), *again;
	struct attach_result back;
	struct reader reader;
	struct result view;

	CHECK(!attach_parse(&back, text, &reader) && !*reader.error);
	CHECK(!attach_view(&view, &back));
	again = printed(render_json, &view);
	CHECK(!strcmp(text, again));
	attach_view_free(&view);
	attach_result_free(&back);
	free(again);
	free(text);
}

/* No byte of a foreign file may reach a terminal as it is: names have no escapes. */
static void check_prints(const struct result *r)
{
	static int (*const print[])(FILE *, const struct result *) = {
		print_text, print_outcome, print_junit, print_ktap, print_markdown,
	};
	char *text, *at;
	size_t i;

	for (i = 0; i < sizeof(print) / sizeof(print[0]); i++) {
		text = printed(print[i], r);
		for (at = text; *at; at++)
			CHECK((unsigned char)*at >= ' ' || *at == '\n' || *at == '\t');
		free(text);
	}
}

/* Alone, and next to itself. */
static int print_page(FILE *f, const struct result *r)
{
	static const char *const name[] = { "one.json", "<z\"two.json" };
	struct result both[] = { *r, *r };
	const struct report rep = { .r = both, .name = name, .n = 1 + r->nworst % 2 };

	return page_results(f, &rep);
}

static void check_pages(const struct result *r)
{
	char *text = printed(print_page, r);

	check_page(text);
	free(text);
}

static void check_view(const struct attach_result *a)
{
	struct result r;

	CHECK(!attach_view(&r, a));
	check_again(&r);
	check_prints(&r);
	check_pages(&r);
	attach_view_free(&r);
}

/* The run that comparisons see. */
static void check_run(const struct attach_result *a)
{
	struct result r;

	CHECK(!attach_as_result(&r, a));
	CHECK(r.ncpus == 1 && r.all.windows == a->windows);
	CHECK(r.all.violations <= r.all.windows);
	CHECK(r.all.hist[TLOB_METRIC_RESPONSE].n == r.all.windows);
	result_free(&r);
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
	struct attach_result r;
	struct reader reader;

	if (attach_parse(&r, text, &reader)) {
		check_error(reader.error);
	} else {
		CHECK(!*reader.error);
		check_attach(&r);
		check_view(&r);
		check_run(&r);
		attach_result_free(&r);
	}
	free(text);
	return 0;
}
