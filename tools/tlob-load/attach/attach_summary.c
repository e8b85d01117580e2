// SPDX-License-Identifier: GPL-2.0
/* The page at the end of attach. */
#include <inttypes.h>

#include "attach/attach_render.h"
#include "report/pager.h"
#include "report/parts_text.h"
#include "show/summary.h"

#define PARTS_LINES	5	/* of put_parts(), with the empty one before it */

struct outcome {
	const struct attach_result *r;
	unsigned int failed;
};

static int put_outcome(FILE *f, const void *data, unsigned int width)
{
	const struct outcome *o = data;

	(void)width;
	attach_outcome(f, o->r, o->failed);
	fputc('\n', f);
	return 0;
}

static int put_doubts(FILE *f, const void *data, unsigned int width)
{
	(void)width;
	attach_left_out(f, data);
	attach_warnings(f, data);
	return 0;
}

static int put_header(FILE *f, const void *data, unsigned int width)
{
	const struct attach_result *r = data;

	attach_header(f, r, width);
	fprintf(f, "windows %" PRIu64 ", violations %" PRIu64 ", cut %" PRIu64 ", open %" PRIu64 ", lost %" PRIu64 "\n",
		r->windows, r->violations, r->cut, r->open, r->lost);
	if (r->stopped_by)
		render_note(f, "stopped by", r->stopped_by);
	return 0;
}

static int put_quantiles(FILE *f, const void *data, unsigned int width)
{
	(void)width;
	return attach_quantiles(f, data);
}

static int put_functions(FILE *f, const void *data, unsigned int width)
{
	return attach_functions_table(f, data, width);
}

static int put_parts(FILE *f, const void *data, unsigned int width)
{
	attach_mean_and_worst(f, data, width);
	return 0;
}

static int put_clock(FILE *f, const void *data, unsigned int width)
{
	const struct attach_result *r = data;

	(void)width;
	if (r->clock_resolution_ns > 1)
		fprintf(f, RESULT_CLOCK_STEPS "\n", r->clock_resolution_ns);
	return 0;
}

static void add_outcome(struct page *p, const struct attach_result *r, unsigned int failed)
{
	const struct outcome o = { r, failed };

	page_section(p, false, attach_outcome_is_good(r, failed) ? PAGE_GOOD : PAGE_BAD,
		     put_outcome, &o);
}

int summary_attach_head(FILE *f, const struct attach_result *r, unsigned int failed)
{
	struct page p;

	page_begin(&p, f, 0);
	add_outcome(&p, r, failed);
	return page_end(&p);
}

int summary_attach(FILE *f, const struct attach_result *r, unsigned int failed)
{
	struct page p;

	page_begin(&p, f, SUMMARY_END + PARTS_LINES);
	add_outcome(&p, r, failed);
	page_section(&p, false, PAGE_PLAIN, put_doubts, r);
	page_section(&p, true, PAGE_PLAIN, put_header, r);
	if (r->windows)
		page_section(&p, true, PAGE_PLAIN, put_quantiles, r);
	page_section(&p, true, PAGE_PLAIN, put_functions, r);
	/* what the time was spent on is worth more than the table */
	p.left += PARTS_LINES;
	if (r->nworst) {
		page_section(&p, true, PAGE_PLAIN, put_parts, r);
		page_section(&p, false, PAGE_PLAIN, summary_names, &r->noise);
	}
	page_section(&p, true, PAGE_PLAIN, put_clock, r);
	return summary_end(&p, "attach", "the worst windows, the notes");
}
