// SPDX-License-Identifier: GPL-2.0
/* The page at the end of a run. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"
#include "show/functions.h"
#include "show/layout.h"
#include "show/render.h"
#include "show/render_findings.h"
#include "show/render_parts.h"
#include "terminal/page.h"
#include "terminal/summary.h"
#include "util/printable.h"
#include "util/units.h"

#define BEARINGS_SHOWN	3	/* -v shows all */
#define TOP_NAMES	3
#define FUNCTIONS_LINES	6	/* title, header, probes, and what is between */

static void add_outcome(struct page *p, const struct result *r, unsigned int failed)
{
	char **lines = NULL;
	FILE *f = page_open(p);
	size_t i;

	if (!f)
		return;
	render_outcome(f, r, failed);
	fputc('\n', f);
	page_add(p, false, outcome_is_good(r, failed) ? PAGE_GOOD : PAGE_BAD);
	if (outcome_limits(&lines, r))
		p->err = -ENOMEM;
	f = page_open(p);
	for (i = 0; f && lines && lines[i]; i++)
		fprintf(f, "%s\n", lines[i]);
	page_add(p, false, PAGE_PLAIN);
	notes_free(lines);
}

static void put(struct line *l, const char *label, const char *text)
{
	if (text)
		line_put(l, ", ", "%s%s", label, text);
}

/* Why there is no better backend: what the reader may do about it. */
static void put_because(FILE *f, const char *because)
{
	char *s = because ? printable_dup(because) : NULL;

	if (s)
		fprintf(f, "%s\n", s);
	free(s);
}

static void add_settings(struct page *p, const struct result *r)
{
	char buf[DURATION_LEN];
	FILE *f = page_open(p);
	struct line l = { .f = f, .indent = 2, .width = p->width };

	if (!f)
		return;
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
	put_because(f, r->backend_because);
	if (r->stopped_by)
		render_note(f, "stopped by", r->stopped_by);
	if (r->trace_file)
		render_note(f, "trace", r->trace_file);
	page_add(p, true, PAGE_PLAIN);
}

/* All CPUs together, and the one with the longest response. */
static void add_latencies(struct page *p, const struct result *r)
{
	struct table t = { .align = "rlrrrrrr", .gap = 2 };
	FILE *f = page_open(p);
	int err;

	if (!f)
		return;
	table_cell(&t, "cpu");
	table_cell(&t, "us");
	cell_latency_titles(&t);
	if (r->ncpus > 1)
		cell_latency_rows(&t, &r->all);
	if (r->ncpus)
		cell_latency_rows(&t, slowest_cpu(r));
	err = table_print(&t, f);
	if (err && !p->err)
		p->err = err;
	page_add(p, true, PAGE_PLAIN);
}

/* The times of --functions. */
static void add_functions(struct page *p, const struct result *r)
{
	FILE *f = page_open(p);
	int err = f ? render_functions(f, r, p->width, false) : 0;

	if (err && !p->err)
		p->err = err;
	page_add(p, true, PAGE_PLAIN);
}

static void add_parts(struct page *p, const struct result *r)
{
	FILE *f = page_open(p);

	if (f)
		render_mean_and_worst(f, r, p->width);
	page_add(p, true, PAGE_PLAIN);
}

void summary_names(struct page *p, const struct offenders *list)
{
	FILE *f = page_open(p);
	int err = 0;

	if (f)
		err = render_offenders(f, list, TOP_NAMES,
				       "largest interruption of each window, by name");
	if (err && !p->err)
		p->err = err;
	/* its title comes after an empty line already */
	page_add(p, false, PAGE_PLAIN);
}

static void add_warnings(struct page *p, const struct result *r)
{
	FILE *f = page_open(p);

	if (f)
		render_warnings(f, r);
	page_add(p, false, PAGE_PLAIN);
}

/* What explains a window over its budget. */
static void add_bearings(struct page *p, const struct result *r)
{
	FILE *f = page_open(p);

	if (f)
		render_bearings(f, r, BEARINGS_SHOWN);
	page_add(p, false, PAGE_PLAIN);
}

/* Findings that bear on no window are no news: every machine has some. */
static void add_doctor(struct page *p, const struct result *r)
{
	char words[FINDINGS_WORDS];
	FILE *f;

	if (!r->findings || !r->findings->nbearings)
		return;
	f = page_open(p);
	if (f) {
		findings_words(words, r->findings);
		fprintf(f, "doctor: %s\n", words);
	}
	page_add(p, false, PAGE_PLAIN);
}

static void add_bounds(struct page *p, const struct result *r)
{
	char **lines = NULL, **line;
	FILE *f = page_open(p);
	int err = outcome_bounds(&lines, r);

	for (line = lines; f && line && *line; line++)
		fprintf(f, "%s\n", *line);
	if (f && r->clock_resolution_ns > 1)
		fprintf(f, RESULT_CLOCK_STEPS "\n", r->clock_resolution_ns);
	notes_free(lines);
	if (err && !p->err)
		p->err = err;
	page_add(p, true, PAGE_PLAIN);
}

void summary_verbose(FILE *f, const char *command, const char *what)
{
	/* only a tool that is in PATH has a name that everybody can type */
	if (strchr(program_invocation_name, '/'))
		fprintf(f, "%s %s -v shows all of it\n", program_invocation_name, command);
	else
		fprintf(f, "-v shows all of it: %s\n", what);
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
	page_begin(&p, f, 2);
	add_outcome(&p, r, failed);
	add_warnings(&p, r);
	add_bearings(&p, r);
	add_doctor(&p, r);
	add_settings(&p, r);
	if (r->all.windows) {
		add_latencies(&p, r);
		if (r->functions) {
			/* it was asked for: it takes no room from the rest */
			p.left += (unsigned int)r->functions->n + FUNCTIONS_LINES;
			add_functions(&p, r);
		}
		add_parts(&p, r);
		add_bounds(&p, r);
		summary_names(&p, &r->noise);
	}
	p.left += 2;
	if (page_open(&p)) {
		snprintf(what, sizeof(what), "%sthe worst windows, the delays%s",
			 r->ncpus > 1 ? "each CPU, " : "", notes ? ", the notes" : "");
		summary_verbose(p.section, "run", what);
	}
	page_add(&p, true, PAGE_PLAIN);
	return page_end(&p);
}
