// SPDX-License-Identifier: GPL-2.0
/* The page at the end of attach. */
#include <inttypes.h>

#include "show/attach_render.h"
#include "show/render_parts.h"
#include "terminal/page.h"
#include "terminal/summary.h"

#define PARTS_LINES	5	/* of add_parts(), with the empty one before it */

static void add_outcome(struct page *p, const struct attach_result *r, unsigned int failed)
{
	FILE *f = page_open(p);

	if (f) {
		attach_outcome(f, r, failed);
		fputc('\n', f);
	}
	page_add(p, false, attach_outcome_is_good(r, failed) ? PAGE_GOOD : PAGE_BAD);
}

static void add_header(struct page *p, const struct attach_result *r)
{
	FILE *f = page_open(p);

	if (f) {
		attach_header(f, r, p->width);
		fprintf(f, "windows %" PRIu64 ", violations %" PRIu64 ", cut %" PRIu64 ", open %" PRIu64 ", lost %" PRIu64 "\n",
			r->windows, r->violations, r->cut, r->open, r->lost);
	}
	if (f && r->stopped_by)
		render_note(f, "stopped by", r->stopped_by);
	page_add(p, true, PAGE_PLAIN);
}

static void add_quantiles(struct page *p, const struct attach_result *r)
{
	FILE *f = page_open(p);
	int err = 0;

	if (f)
		err = attach_quantiles(f, r);
	page_add(p, true, PAGE_PLAIN);
	if (err && !p->err)
		p->err = err;
}

static void add_functions(struct page *p, const struct attach_result *r)
{
	FILE *f = page_open(p);
	int err = f ? attach_functions_table(f, r, p->width) : 0;

	page_add(p, true, PAGE_PLAIN);
	if (err && !p->err)
		p->err = err;
}

static void add_parts(struct page *p, const struct attach_result *r)
{
	FILE *f = page_open(p);

	if (f)
		attach_mean_and_worst(f, r, p->width);
	page_add(p, true, PAGE_PLAIN);
	summary_names(p, &r->noise);
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

	page_begin(&p, f, 2 + PARTS_LINES);
	add_outcome(&p, r, failed);
	if (page_open(&p)) {
		attach_left_out(p.section, r);
		attach_warnings(p.section, r);
	}
	page_add(&p, false, PAGE_PLAIN);
	add_header(&p, r);
	if (r->windows)
		add_quantiles(&p, r);
	if (r->functions)
		add_functions(&p, r);
	/* what the time was spent on is worth more than the table */
	p.left += PARTS_LINES;
	if (r->nworst)
		add_parts(&p, r);
	if (r->clock_resolution_ns > 1) {
		if (page_open(&p))
			fprintf(p.section, RESULT_CLOCK_STEPS "\n", r->clock_resolution_ns);
		page_add(&p, true, PAGE_PLAIN);
	}
	p.left += 2;
	if (page_open(&p))
		summary_verbose(p.section, "attach", "the worst windows, the notes");
	page_add(&p, true, PAGE_PLAIN);
	return page_end(&p);
}
