// SPDX-License-Identifier: GPL-2.0
/* The page at the end of a run. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/findings_render.h"
#include "functions/render.h"
#include "report/layout.h"
#include "report/pager.h"
#include "report/parts_text.h"
#include "result/result.h"
#include "show/render.h"
#include "show/summary.h"
#include "util/markup.h"
#include "util/units.h"

#define BEARINGS_SHOWN	3	/* -v shows all */
#define TOP_NAMES	3
#define FUNCTIONS_LINES	6	/* title, header, probes, and what is between */

struct outcome {
	const struct result *r;
	unsigned int failed;
};

static int put_outcome(FILE *f, const void *data, unsigned int width)
{
	const struct outcome *o = data;

	(void)width;
	render_outcome(f, o->r, o->failed);
	fputc('\n', f);
	return 0;
}

/* A line for each of the notes that @add adds. */
static int put_notes(FILE *f, const struct result *r,
		     int (*add)(char ***lines, const struct result *r))
{
	char **lines = NULL, **line;
	int err = add(&lines, r);

	for (line = lines; line && *line; line++)
		fprintf(f, "%s\n", *line);
	notes_free(lines);
	return err;
}

static int put_limits(FILE *f, const void *data, unsigned int width)
{
	(void)width;
	return put_notes(f, data, outcome_limits);
}

static void add_outcome(struct page *p, const struct result *r, unsigned int failed)
{
	const struct outcome o = { r, failed };

	page_section(p, false, outcome_is_good(r, failed) ? PAGE_GOOD : PAGE_BAD, put_outcome, &o);
	page_section(p, false, PAGE_PLAIN, put_limits, r);
}

static void put(struct line *l, const char *label, const char *text)
{
	if (text)
		line_put(l, ", ", "%s%s", label, text);
}

static int put_settings(FILE *f, const void *data, unsigned int width)
{
	struct line l = { .f = f, .indent = 2, .width = width };
	const struct result *r = data;
	char buf[DURATION_LEN];

	l.col = (unsigned int)fprintf(f, "%s workload", r->workload ? r->workload : "unknown");
	put(&l, "work ", r->work);
	line_put(&l, ", ", "period %s", duration_exact(buf, r->period_ns));
	put(&l, "", r->policy);
	put(&l, "CPUs ", r->cpus);
	put(&l, "backend ", r->backend);
	line_put(&l, ", ", "ran %s", duration_format(buf, r->duration_ns));
	if (r->deterministic)
		line_put(&l, ", ", "times are executed instructions");
	line_end(&l);
	/* why there is no better backend: what the reader may do about it */
	if (r->backend_because)
		put_printable(f, "%s\n", r->backend_because);
	if (r->stopped_by)
		render_note(f, "stopped by", r->stopped_by);
	if (r->trace_file)
		render_note(f, "trace", r->trace_file);
	return 0;
}

/* All CPUs together, and the one with the longest response. */
static int put_latencies(FILE *f, const void *data, unsigned int width)
{
	struct table t = { .align = "rlrrrrrr", .gap = 2 };
	const struct result *r = data;

	(void)width;
	table_cell(&t, "cpu\tus");
	cell_latency_titles(&t);
	if (r->ncpus > 1)
		cell_latency_rows(&t, &r->all);
	if (r->ncpus)
		cell_latency_rows(&t, slowest_cpu(r));
	return table_print(&t, f);
}

static int put_functions(FILE *f, const void *data, unsigned int width)
{
	return render_functions(f, data, width, false);
}

static int put_parts(FILE *f, const void *data, unsigned int width)
{
	render_mean_and_worst(f, data, width);
	return 0;
}

int summary_names(FILE *f, const void *list, unsigned int width)
{
	(void)width;
	return render_offenders(f, list, TOP_NAMES, "largest interruption of each window, by name");
}

static int put_warnings(FILE *f, const void *data, unsigned int width)
{
	(void)width;
	render_warnings(f, data);
	return 0;
}

/* What explains a window over its budget. */
static int put_bearings(FILE *f, const void *data, unsigned int width)
{
	(void)width;
	render_bearings(f, data, BEARINGS_SHOWN);
	return 0;
}

/* Findings that bear on no window are no news: every machine has some. */
static int put_doctor(FILE *f, const void *data, unsigned int width)
{
	const struct findings *from = ((const struct result *)data)->findings;
	char words[FINDINGS_WORDS];

	(void)width;
	if (!from || !from->nbearings)
		return 0;
	findings_words(words, from);
	fprintf(f, "doctor: %s\n", words);
	return 0;
}

static int put_bounds(FILE *f, const void *data, unsigned int width)
{
	const struct result *r = data;
	int err = put_notes(f, r, outcome_bounds);

	(void)width;
	if (r->clock_resolution_ns > 1)
		fprintf(f, RESULT_CLOCK_STEPS "\n", r->clock_resolution_ns);
	return err;
}

static int put_end(FILE *f, const void *data, unsigned int width)
{
	const char *const *said = data;

	(void)width;
	/* only a tool that is in PATH has a name that everybody can type */
	if (strchr(program_invocation_name, '/'))
		fprintf(f, "%s %s -v shows all of it\n", program_invocation_name, said[0]);
	else
		fprintf(f, "-v shows all of it: %s\n", said[1]);
	return 0;
}

int summary_end(struct page *p, const char *command, const char *what)
{
	const char *const said[] = { command, what };

	p->left += SUMMARY_END;
	page_section(p, true, PAGE_PLAIN, put_end, said);
	return page_end(p);
}

int summary_head(FILE *f, const struct result *r, unsigned int failed)
{
	struct page p;

	page_begin(&p, f, 0);
	add_outcome(&p, r, failed);
	return page_end(&p);
}

int summary_run(FILE *f, const struct result *r, unsigned int failed)
{
	size_t notes = 0;
	struct page p;
	char what[64];

	while (r->notes && r->notes[notes])
		notes++;
	page_begin(&p, f, SUMMARY_END);
	add_outcome(&p, r, failed);
	page_section(&p, false, PAGE_PLAIN, put_warnings, r);
	page_section(&p, false, PAGE_PLAIN, put_bearings, r);
	page_section(&p, false, PAGE_PLAIN, put_doctor, r);
	page_section(&p, true, PAGE_PLAIN, put_settings, r);
	if (r->all.windows) {
		page_section(&p, true, PAGE_PLAIN, put_latencies, r);
		/* they were asked for: they take no room from the rest */
		if (r->functions)
			p.left += (unsigned int)r->functions->n + FUNCTIONS_LINES;
		page_section(&p, true, PAGE_PLAIN, put_functions, r);
		page_section(&p, true, PAGE_PLAIN, put_parts, r);
		page_section(&p, true, PAGE_PLAIN, put_bounds, r);
		/* its title comes after an empty line already */
		page_section(&p, false, PAGE_PLAIN, summary_names, &r->noise);
	}
	snprintf(what, sizeof(what), "%sthe worst windows, the delays%s",
		 r->ncpus > 1 ? "each CPU, " : "", notes ? ", the notes" : "");
	return summary_end(&p, "run", what);
}
