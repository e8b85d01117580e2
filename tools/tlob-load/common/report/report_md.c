// SPDX-License-Identifier: GPL-2.0
/* A result as tables in Markdown. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/assertions.h"
#include "report/findings_render.h"
#include "report/functions_render.h"
#include "report/parts_text.h"
#include "report/places.h"
#include "report/region.h"
#include "report/render.h"
#include "report/report.h"
#include "result/parts.h"
#include "util/markup.h"
#include "util/memstream.h"
#include "util/units.h"

static void parts(FILE *f, const struct result *r)
{
	const struct tlob_hist *h = r->all.hist;
	double all = (double)h[TLOB_METRIC_RESPONSE].sum;
	unsigned int m;

	if (parts_are_unavailable(r->all.unavailable)) {
		markdown(f, "\nirq and the parts of a window are not measured: %s.\n",
			 r->unavailable_because ? r->unavailable_because : "");
		return;
	}
	fputs("\n| part | mean, us | share |\n|---|---:|---:|\n", f);
	for (m = TLOB_METRIC_PARTS; m < TLOB_NR_METRICS; m++)
		if (h[m].sum && all > 0)
			fprintf(f, "| %s | %.3f | %.1f %% |\n",
				tlob_metric_names[m],
				(double)h[m].sum / (double)h[m].n / 1000,
				100 * (double)h[m].sum / all);
}

/* Findings that explain a window over its budget; then all settings that are bad. */
static void findings(FILE *f, const struct result *r)
{
	const struct findings *from = r->findings;
	struct findings_tally t;
	size_t i;

	if (!from)
		return;
	for (i = 0; i < from->nbearings; i++)
		markdown(f, "%s- %s\n", i ? "" : "\n", from->bearing[i].text);
	fputs("\nDoctor: ", f);
	findings_words(f, from);
	fputs(".\n", f);
	findings_count(&t, from->at, from->n);
	if (tally_sum(t.findings))
		fputs("\n| severity | rule | found | wanted |\n|---|---|---|---|\n", f);
	for (i = 0; i < from->n; i++)
		if (from->at[i].status == STATUS_FINDING)
			markdown(f, "| %s | %s | %s | %s |\n", severity_name(from->at[i].severity),
				 from->at[i].id, from->at[i].found, from->at[i].wanted);
}

static void put_outcome(FILE *f, const void *data)
{
	render_outcome(f, data);
}

/* The first line of all outputs. */
static int outcome(FILE *f, const struct result *r)
{
	char *text = memstream_of(put_outcome, r);

	if (!text)
		return -ENOMEM;
	markdown(f, "\n%s.\n\n", text);
	free(text);
	return 0;
}

static void put_warnings(FILE *f, const void *data)
{
	render_warnings(f, data);
}

static int warnings(FILE *f, const struct result *r)
{
	char *text = memstream_of(put_warnings, r), *rest = text, *line;

	if (!text)
		return -ENOMEM;
	if (r->stopped_by)
		markdown(f, "\n> stopped by %s\n", r->stopped_by);
	while ((line = strsep(&rest, "\n")))
		if (*line)
			markdown(f, "\n> %s\n", line);
	free(text);
	return 0;
}

static const char *remark_of(const struct result *r)
{
	return r->deterministic ? ". Times are executed instructions" : "";
}

static int begin(FILE *f, const struct result *r, const char *name)
{
	char budget[DURATION_LEN];
	int err;

	if (r->attached)
		markdown(f, "## %s to %s, budget %s\n", r->attached->start.text, r->attached->stop.text,
			 duration_exact(budget, r->budget_ns));
	else
		markdown(f, "## %s\n", name);
	err = outcome(f, r);
	if (r->attached)
		markdown(f, "In %s.\n\n", r->attached->file);
	markdown(f, "Linux %s%s.\n\n", r->kernel, remark_of(r));
	if (!err)
		err = meaning_markdown(f, r);
	markdown_said(f, &r->said);
	return err;
}

static int tables_of_attach(FILE *f, const struct result *r)
{
	int err = region_counters(f, TABLE_MARKDOWN, r);

	if (!err)
		err = region_quantiles(f, TABLE_MARKDOWN, r, 0);
	if (!err)
		err = threads_table(f, TABLE_MARKDOWN, r);
	return err ? err : region_worst(f, TABLE_MARKDOWN, r);
}

static int tables_of_run(FILE *f, const struct result *r)
{
	int err = render_overview(f, TABLE_MARKDOWN, r);

	parts(f, r);
	return err;
}

static int put_result(FILE *f, const struct result *r, const char *name)
{
	int err = begin(f, r, name);

	if (!err)
		err = r->attached ? tables_of_attach(f, r) : tables_of_run(f, r);
	if (!err)
		err = markdown_functions(f, r);
	if (!err)
		err = render_offenders(f, TABLE_MARKDOWN, &r->noise, TOP_OFFENDERS, NOISE_TITLE);
	if (!err)
		err = render_places(f, TABLE_MARKDOWN, r, TOP_PLACES);
	findings(f, r);
	if (!err)
		err = warnings(f, r);
	markdown_notes(f, "", r->notes);
	return err;
}

int report_markdown(FILE *f, const struct report *rep)
{
	size_t i;
	int err = 0;

	for (i = 0; i < rep->n && !err; i++) {
		if (i)
			fputc('\n', f);
		err = put_result(f, &rep->r[i], rep->name[i]);
	}
	return err ? err : ferror(f) ? -EIO : 0;
}
