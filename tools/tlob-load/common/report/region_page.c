// SPDX-License-Identifier: GPL-2.0
/*
 * The page of a region: the verdict, where its time went, and its worst windows. It has the
 * same plots as the page of a run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/functions_render.h"
#include "report/page.h"
#include "report/parts_text.h"
#include "report/pieces.h"
#include "report/places.h"
#include "report/region.h"
#include "report/render.h"
#include "util/markup.h"
#include "util/memstream.h"
#include "util/text.h"
#include "util/units.h"

#define WORST_SHOWN	8

static void put_doubts(FILE *f, const void *data)
{
	region_left_out(f, data);
	region_warnings(f, data);
}

/* Each line of left out windows and of warnings, as a paragraph of the page. */
static int doubts(FILE *f, const struct attach_result *a)
{
	char *text = memstream_of(put_doubts, a), *rest = text, *line;

	if (!text)
		return -ENOMEM;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			markup(f, "<p class=\"unsure\">%s</p>\n", line);
	free(text);
	return 0;
}

int region_page_head(FILE *f, const struct report *rep, size_t i)
{
	const struct attach_result *a = rep->r[i].region;
	char **bounds = NULL;
	int err;

	markup(f, "<h1>%s%s%s to %s <span class=\"dim\">in %s</span></h1>\n",
	       rep->n > 1 ? rep->name[i] : "", rep->n > 1 ? ": " : "", a->start.text,
	       a->stop.text, without_folders(a->file));
	err = page_verdict(f, &rep->r[i]);
	if (!err)
		err = outcome_bounds(&bounds, &rep->r[i]);
	page_notes(f, bounds);
	notes_free(bounds);
	page_notes(f, a->notes);
	if (!err)
		err = doubts(f, a);
	page_deterministic(f, a->deterministic);
	page_mean(f, &rep->r[i].all, true);
	return err;
}

static int worst(FILE *f, const struct result *r)
{
	const struct attach_result *a = r->region;
	char task[TASK_TEXT], who[128];
	struct bar bar;
	int err = 0;
	size_t i;

	if (!a->nworst)
		return 0;
	fprintf(f, "<h2>The worst windows</h2>\n<div class=\"wide\"><table>\n<tr><th>task<th>elapsed<th class=\"l\">what made it long<th class=\"l\">largest interruption%s<th class=\"l\">parts\n",
		a->waits ? "<th class=\"l\">longest wait" : "");
	for (i = 0; i < a->nworst && i < WORST_SHOWN && !err; i++) {
		const struct tlob_task_window *w = &a->worst[i].w;
		const struct attach_wait *wait = &a->worst[i].kept.wait;
		const struct region_window one = { a, &a->worst[i] };

		markup(f, "<tr><td>%s", task_text(task, w->comm, w->tid));
		cell_time(f, true, w->elapsed_ns);
		err = cell_printed(f, region_put_cause, &one);
		cell_text(f, w->largest.ns ? noise_text(who, sizeof(who), &w->largest) : NULL);
		if (!err && a->waits)
			err = cell_printed(f, region_put_wait, wait->ns ? wait : NULL);
		fputs("<td class=\"w\">", f);
		bar_of_window(&bar, &r->worst[i].w);
		bar.of_task = true;
		bar_put(f, &bar, (double)a->worst[0].w.elapsed_ns);
		fputc('\n', f);
	}
	fputs("</table></div>\n<p class=\"dim\">Each part is a sum; its position is not the time at which it occurred.</p>\n", f);
	return err;
}

static void circumstances(FILE *f, const struct attach_result *a)
{
	char buf[64];

	fputs("<h2>How it was measured</h2>\n<dl>\n", f);
	fact(f, "command", a->command);
	fact(f, "kernel", a->kernel);
	fact(f, "machine", a->machine);
	fact(f, "start", a->start.text);
	fact(f, "stop", a->stop.text);
	fact(f, "in", a->file);
	fact(f, "symbols of", a->debug_file);
	/* threads of a name or group belong to no process of their own */
	if (a->pid) {
		fact(f, "program", a->program);
		snprintf(buf, sizeof(buf), "%d%s", a->pid,
			 a->all && !a->of_threads ? ", and others" : "");
		fact(f, "process", buf);
	}
	fact_duration(f, "budget", a->budget_ns);
	fact(f, "ran", duration_format(buf, a->duration_ns));
	fputs("</dl>\n", f);
}

int region_page_details(FILE *f, const struct result *r)
{
	const struct attach_result *a = r->region;
	int err;

	fputs("<h2>Windows and times</h2>\n", f);
	err = region_counters(f, TABLE_PAGE, a);
	if (!err)
		err = region_quantiles(f, TABLE_PAGE, a, 0);
	if (!err)
		err = threads_table(f, TABLE_PAGE, a);
	if (!err)
		err = worst(f, r);
	page_attach_functions(f, a, WORST_SHOWN);
	if (!err)
		err = render_offenders(f, TABLE_PAGE, &a->noise, OFFENDERS_ON_PAGE, NOISE_TITLE);
	if (!err)
		err = page_places(f, r);
	circumstances(f, a);
	return err;
}
