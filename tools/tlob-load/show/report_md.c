// SPDX-License-Identifier: GPL-2.0
/* A result as tables in Markdown. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/findings_render.h"
#include "functions/render.h"
#include "report/assertions.h"
#include "report/parts_text.h"
#include "result/parts.h"
#include "show/page.h"
#include "show/render.h"
#include "util/markup.h"
#include "util/memstream.h"
#include "util/printable.h"
#include "util/units.h"

/* p50, p99.9 and the largest. */
static void latency(FILE *f, const struct result_cpu *c, unsigned int metric)
{
	char p50[QUANTILE_LEN], p999[QUANTILE_LEN], max[DURATION_LEN];
	const struct tlob_hist *h = &c->hist[metric];
	uint64_t missed = result_missed(c, metric);

	fprintf(f, " %s | %s | %s |", quantile_text(p50, h, missed, 500000, "-"),
		quantile_text(p999, h, missed, 999000, "-"), h->n ? duration_us(max, h->max) : "-");
}

static void row(FILE *f, const struct result_cpu *c)
{
	if (c->cpu < 0)
		fputs("| all |", f);
	else
		markdown(f, "| %s%s%d |", c->host ? c->host : "", c->host ? " " : "", c->cpu);
	fprintf(f, " %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |", c->windows,
		c->violations, c->missed);
	latency(f, c, TLOB_METRIC_WAKE);
	latency(f, c, TLOB_METRIC_RESPONSE);
	fputc('\n', f);
}

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

/* What explains a window over its budget first; then what is set badly. */
static void findings(FILE *f, const struct result *r)
{
	const struct findings *from = r->findings;
	char words[FINDINGS_WORDS];
	size_t i;

	if (!from)
		return;
	for (i = 0; i < from->nbearings; i++)
		markdown(f, "%s- %s\n", i ? "" : "\n", from->bearing[i].text);
	findings_words(words, from);
	fprintf(f, "\nDoctor: %s.\n", words);
	if (findings_of(from, NULL))
		fputs("\n| severity | rule | found | wanted |\n|---|---|---|---|\n", f);
	for (i = 0; i < from->n; i++)
		if (!from->at[i].unread)
			markdown(f, "| %s | %s | %s | %s |\n", from->at[i].severity,
				 from->at[i].id, from->at[i].found, from->at[i].wanted);
}

static void put_outcome(FILE *f, const void *data)
{
	const struct result *r = data;

	render_outcome(f, r, said_failed(&r->said) + (unsigned int)r->assertions.failed);
}

static void result(FILE *f, const struct result *r, const char *name)
{
	const struct functions_shown functions = { .sets = r->functions, .all = r->all.functions };
	char period[DURATION_LEN], budget[DURATION_LEN], *outcome = memstream_of(put_outcome, r);
	size_t i;

	markdown(f, "## %s\n\n", name);
	/* the first line of all outputs */
	if (outcome)
		markdown(f, "%s.\n\n", outcome);
	free(outcome);
	markdown(f, "%s every %s, budget %s, %s. Linux %s%s.\n", r->work,
		 duration_exact(period, r->period_ns), duration_exact(budget, r->budget_ns),
		 r->policy, r->kernel, r->deterministic ? ". Times are executed instructions" : "");
	markdown_said(f, &r->said);
	fputs("\n| CPU | windows | violations | missed | wake p50, us | p99.9 | max | response p50 | p99.9 | max |\n"
	      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n", f);
	for (i = 0; i < r->ncpus; i++)
		row(f, &r->cpu[i]);
	if (r->ncpus > 1)
		row(f, &r->all);
	parts(f, r);
	markdown_functions(f, &functions);
	markdown_offenders(f, &r->noise);
	findings(f, r);
	markdown_notes(f, "", r->notes);
}

int report_markdown(FILE *f, const struct report *rep)
{
	size_t i;

	for (i = 0; i < rep->n; i++) {
		if (i)
			fputc('\n', f);
		result(f, &rep->r[i], rep->name[i]);
	}
	return ferror(f) ? -EIO : 0;
}
