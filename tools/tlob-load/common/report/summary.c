// SPDX-License-Identifier: GPL-2.0
/* The page at the end of a measurement. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings_render.h"
#include "report/functions_render.h"
#include "report/layout.h"
#include "report/pager.h"
#include "report/parts_text.h"
#include "report/region.h"
#include "report/render.h"
#include "result/meaning.h"
#include "result/result.h"
#include "util/markup.h"
#include "util/units.h"

#define BEARINGS_SHOWN	3	/* -v shows all */
#define TOP_NAMES	3
#define END_LINES	2	/* of put_end(), with the empty one before it */
#define TABLE_SHARE	3	/* the table of each CPU takes at most one of so many parts of the page */

static int put_outcome(FILE *f, const void *data, unsigned int width)
{
	(void)width;
	render_outcome(f, data);
	fputc('\n', f);
	return 0;
}

static int put_limits(FILE *f, const void *data, unsigned int width)
{
	(void)width;
	return render_notes_of(f, data, outcome_limits);
}

/* Whatever the terminal's size, this and the table after it are there. */
static void add_outcome(struct page *p, const struct result *r)
{
	p->must = true;
	page_section(p, false, outcome_is_good(r) ? PAGE_GOOD : PAGE_BAD, put_outcome, r);
	page_section(p, false, PAGE_PLAIN, put_limits, r);
}

static void put(struct line *l, const char *label, const char *text)
{
	if (text)
		line_put(l, ", ", "%s%s", label, text);
}

/* The settings that most runs lack. */
static void put_rare(void *to, const char *between, const char *before, const char *key, const char *value)
{
	if (strcmp(key, "dma_latency") && strcmp(key, "tune") && strcmp(key, "load") && strcmp(key, "load_cpus"))
		return;
	line_put(to, *between ? between : ", ", "%s%s", before, value);
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
	result_each_condition(r, put_rare, &l);
	line_put(&l, ", ", "ran %s", duration_format(buf, r->duration_ns));
	if (r->deterministic)
		line_put(&l, ", ", "times are executed instructions");
	line_end(&l);
	if (r->trace_file)
		render_note(f, "trace", r->trace_file);
	return 0;
}

/* Why there is no better backend: what the reader may do about it. */
static int put_because(FILE *f, const void *data, unsigned int width)
{
	const struct result *r = data;

	(void)width;
	if (r->backend_because)
		put_printable(f, "%s\n", r->backend_because);
	return 0;
}

struct latencies {
	const struct result *r;
	unsigned int room;		/* lines that the table of each CPU may take */
};

/* All CPUs together, and each of them where there is room. */
static int put_latencies(FILE *f, const void *data, unsigned int width)
{
	struct table t = { .align = "rlrrrrrr", .gap = 2, .width = width, .labels = 2 };
	const struct latencies *of = data;
	const struct result *r = of->r;
	size_t i;

	table_cell(&t, "cpu\tus");
	cell_latency_titles(&t);
	if (r->ncpus != 1)
		cell_latency_rows(&t, &r->all);
	if (r->ncpus == 1 || 1 + (TLOB_METRIC_RESPONSE + 1) * (r->ncpus + 1) <= of->room)
		for (i = 0; i < r->ncpus; i++)
			cell_latency_rows(&t, &r->cpu[i]);
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

static int put_names(FILE *f, const void *data, unsigned int width)
{
	const struct result *r = data;

	(void)width;
	return render_offenders(f, TABLE_TEXT, &r->noise, TOP_NAMES, NOISE_TITLE);
}

static int put_warnings(FILE *f, const void *data, unsigned int width)
{
	const struct result *r = data;

	(void)width;
	if (r->attached)
		region_left_out(f, r);
	render_warnings(f, r);
	return 0;
}

/* Findings that explain a window over its budget. */
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

	(void)width;
	if (!from || !from->nbearings)
		return 0;
	fputs("doctor: ", f);
	findings_words(f, from);
	fputc('\n', f);
	return 0;
}

/* The bounds of the worst case, and the resolution of times. */
static int put_bounds(FILE *f, const void *data, unsigned int width)
{
	const struct result *r = data;
	int err = render_notes_of(f, r, outcome_bounds);

	(void)width;
	if (r->clock_resolution_ns > 1)
		fprintf(f, RESULT_CLOCK_STEPS "\n", r->clock_resolution_ns);
	return err;
}

static int put_region(FILE *f, const void *data, unsigned int width)
{
	const struct result_cpu *c = &((const struct result *)data)->all;

	region_header(f, data, width);
	fprintf(f, "windows %" PRIu64 ", violations %" PRIu64 ", missed %" PRIu64 ", cut %" PRIu64 "%s, open %" PRIu64 "%s, lost %" PRIu64 "\n",
		c->windows, c->violations, c->missed, c->cut, c->cut ? " (no stop)" : "",
		c->open, c->open ? " (running)" : "", c->lost);
	return 0;
}

static int put_region_quantiles(FILE *f, const void *data, unsigned int width)
{
	return region_quantiles(f, TABLE_TEXT, data, width);
}

/* Whether waits can say more of that: of a task that is stopped or frozen it knows nothing. */
static bool is_wait(unsigned int part, const char *name)
{
	return part == TLOB_WORK_SLEEP && strcmp(name, TLOB_STOPPED) != 0 && strcmp(name, TLOB_FROZEN) != 0;
}

/* Whether the first line says that late threads slept: the most, the next ones, or else the worst. */
static bool says_wait(const struct result *r)
{
	const struct cause_count *most = outcome_cause(r, false), *next = outcome_cause(r, true);
	struct cause worst;

	if (!most)
		return r->nworst && attach_cause_of(r, &r->worst[0], &worst) && is_wait(worst.part, worst.name);
	return is_wait(most->part, most->name) || (next && is_wait(next->part, next->name));
}

/* The first line says that late threads slept, and each violation's line who woke them. waits has the call. */
static int put_waits_advice(FILE *f, const void *data, unsigned int width)
{
	const struct result *r = data;

	(void)width;
	if (!r->attached || !r->attached->of_threads || r->waits || !says_wait(r))
		return 0;
	fputs("next  tlob-load waits -d 10s", f);
	if (r->attached->pid)
		fprintf(f, " --pid %d", r->attached->pid);
	fputs(": where they sleep, and who wakes them\n", f);
	return 0;
}

/* Most late windows waited for a thread of softirqs, which had a lower priority than who ran. */
static int put_timer_advice(FILE *f, const void *data, unsigned int width)
{
	const struct result *r = data;
	const struct cause_count *most = outcome_cause(r, false);
	char who[PRINTABLE_NAME];
	struct cause worst;

	(void)width;
	if (!most && r->attached && r->nworst && attach_cause_of(r, &r->worst[0], &worst) && worst.soft && *worst.name)
		printable(who, worst.name, TLOB_NAME_LEN);
	else if (most && most->soft && *most->name)
		printable(who, most->name, TLOB_NAME_LEN);
	else
		return 0;
	fprintf(f, "next  raise ktimers of that CPU above %s (chrt -f -p): it runs the timer\n", who);
	return 0;
}

/* Says how to see the rest. Without a command the tool takes no -v. */
static int put_end(FILE *f, const void *data, unsigned int width)
{
	const struct result *r = data;
	bool notes = r->notes && r->notes[0];

	(void)width;
	if (r->command && !strcmp(r->command, "tlob-load"))
		fprintf(f, "%s run -w none -d 10s -v shows all of it\n", program_invocation_name);
	else if (r->attached)
		fputs("-v shows all of it: the worst windows, the notes\n", f);
	else
		fprintf(f, "-v shows all of it: %sthe worst windows, the delays%s\n",
			r->ncpus > 1 ? "each CPU, " : "", notes ? ", the notes" : "");
	return 0;
}

int render_summary_head(FILE *f, const struct result *r)
{
	struct page p;

	page_begin(&p, f, 0);
	add_outcome(&p, r);
	return page_end(&p);
}

/* They were asked for: they take no room from the rest. */
static void add_functions(struct page *p, const struct result *r)
{
	unsigned int left = p->left;

	p->must = true;
	page_section(p, true, PAGE_PLAIN, put_functions, r);
	p->must = false;
	p->left = left;
}

/*
 * In the order of what a reader asks: how late it was and why, whether that can be believed, what it
 * holds for, and what may be done. Advice is the first to go.
 */
static void add_body(struct page *p, const struct result *r)
{
	const struct latencies latencies = { r, p->lines / TABLE_SHARE };

	if (r->all.windows && r->attached)
		page_section(p, true, PAGE_PLAIN, put_region_quantiles, r);
	else if (r->all.windows)
		page_section(p, true, PAGE_PLAIN, put_latencies, &latencies);
	p->must = false;
	if (r->all.windows || r->nworst)
		page_section(p, true, PAGE_PLAIN, put_parts, r);
	if (r->all.windows)
		add_functions(p, r);
	page_section(p, true, PAGE_PLAIN, put_warnings, r);
	page_section(p, true, PAGE_PLAIN, r->attached ? put_region : put_settings, r);
	if (r->all.windows)
		page_section(p, true, PAGE_PLAIN, put_bounds, r);
	/* its title comes after an empty line already */
	if (r->all.windows || r->nworst)
		page_section(p, false, PAGE_PLAIN, put_names, r);
	page_section(p, true, PAGE_PLAIN, put_bearings, r);
	page_section(p, false, PAGE_PLAIN, put_doctor, r);
	page_section(p, false, PAGE_PLAIN, put_because, r);
	page_section(p, false, PAGE_PLAIN, put_waits_advice, r);
	page_section(p, false, PAGE_PLAIN, put_timer_advice, r);
}

int render_summary(FILE *f, const struct result *r)
{
	struct page p;

	page_begin(&p, f, END_LINES);
	add_outcome(&p, r);
	add_body(&p, r);
	p.must = true;
	page_section(&p, true, PAGE_PLAIN, put_end, r);
	return page_end(&p);
}
