// SPDX-License-Identifier: GPL-2.0
/* A result as tables in Markdown. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "result/parts.h"
#include "show/functions.h"
#include "show/render.h"
#include "show/render_findings.h"
#include "show/render_parts.h"
#include "show/report.h"
#include "util/markup.h"
#include "util/memstream.h"
#include "util/printable.h"
#include "util/units.h"

static void quantile(FILE *f, const struct result_cpu *c, unsigned int metric,
		     unsigned int ppm)
{
	char buf[QUANTILE_LEN];

	fprintf(f, " %s |", quantile_text(buf, &c->hist[metric],
					  result_missed(c, metric), ppm, "-"));
}

static void largest(FILE *f, const struct tlob_hist *h)
{
	char buf[DURATION_LEN];

	fprintf(f, " %s |", h->n ? duration_us(buf, h->max) : "-");
}

static void row(FILE *f, const struct result_cpu *c)
{
	if (c->cpu < 0) {
		fputs("| all |", f);
	} else {
		fputs("| ", f);
		if (c->host) {
			markdown_text(f, c->host);
			fputc(' ', f);
		}
		fprintf(f, "%d |", c->cpu);
	}
	fprintf(f, " %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |", c->windows,
		c->violations, c->missed);
	quantile(f, c, TLOB_METRIC_WAKE, 500000);
	quantile(f, c, TLOB_METRIC_WAKE, 999000);
	largest(f, &c->hist[TLOB_METRIC_WAKE]);
	quantile(f, c, TLOB_METRIC_RESPONSE, 500000);
	quantile(f, c, TLOB_METRIC_RESPONSE, 999000);
	largest(f, &c->hist[TLOB_METRIC_RESPONSE]);
	fputc('\n', f);
}

static void parts(FILE *f, const struct result *r)
{
	const struct tlob_hist *h = r->all.hist;
	double all = (double)h[TLOB_METRIC_RESPONSE].sum;
	unsigned int m;

	if (parts_are_unavailable(r->all.unavailable)) {
		fputs("\nirq and the parts of a window are not measured: ", f);
		markdown_text(f, r->unavailable_because ? r->unavailable_because : "");
		fputs(".\n", f);
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

static void offenders(FILE *f, const struct result *r)
{
	size_t i, n = r->noise.n < 8 ? r->noise.n : 8;
	char name[PRINTABLE_NAME], max[DURATION_LEN];

	if (n)
		fputs("\n| largest interruption of a window | windows | max, us |\n|---|---:|---:|\n",
		      f);
	for (i = 0; i < n; i++) {
		const struct offender *o = &r->noise.at[i];

		fprintf(f, "| %s ", noise_kind_name(o->kind));
		markdown_text(f, printable(name, o->name, TLOB_NAME_LEN));
		fprintf(f, " | %" PRIu64 " | %s |\n", o->windows,
			duration_us(max, o->max_ns));
	}
}

/* What explains a window over its budget first; then what is set badly. */
static void findings(FILE *f, const struct result *r)
{
	const struct findings *from = r->findings;
	char words[FINDINGS_WORDS];
	size_t i;

	if (!from)
		return;
	for (i = 0; i < from->nbearings; i++) {
		fputs(i ? "- " : "\n- ", f);
		markdown_text(f, from->bearing[i].text);
		fputc('\n', f);
	}
	findings_words(words, from);
	fprintf(f, "\nDoctor: %s.\n", words);
	if (findings_of(from, NULL))
		fputs("\n| severity | rule | found | wanted |\n|---|---|---|---|\n", f);
	for (i = 0; i < from->n; i++) {
		const struct machine_finding *one = &from->at[i];

		if (one->unread)
			continue;
		fprintf(f, "| %s | ", one->severity);
		markdown_text(f, one->id);
		fputs(" | ", f);
		markdown_text(f, one->found);
		fputs(" | ", f);
		markdown_text(f, one->wanted);
		fputs(" |\n", f);
	}
}

void markdown_said(FILE *f, const struct said *said)
{
	size_t i;

	for (i = 0; i < said->n; i++) {
		fprintf(f, "%s- %s: ", i ? "" : "\n", said->at[i].holds ? "holds" : "**FAILED**");
		markdown_text(f, said->at[i].condition);
		fputs(", found ", f);
		markdown_text(f, said->at[i].found);
		fputc('\n', f);
	}
}

static void functions(FILE *f, const struct result *r)
{
	const struct functions_shown s = { .sets = r->functions, .all = r->all.functions };

	markdown_functions(f, &s);
}

static void put_outcome(FILE *f, const void *data)
{
	const struct result *r = data;

	render_outcome(f, r, said_failed(&r->said) + (unsigned int)r->assertions.failed);
}

/* The first line of all outputs. */
static void outcome(FILE *f, const struct result *r)
{
	char *text = memstream_of(put_outcome, r);

	if (text) {
		markdown_text(f, text);
		fputs(".\n\n", f);
	}
	free(text);
}

static void result(FILE *f, const struct result *r, const char *name)
{
	char period[DURATION_LEN], budget[DURATION_LEN];
	char **note;
	size_t i;

	fputs("## ", f);
	markdown_text(f, name);
	fputs("\n\n", f);
	outcome(f, r);
	markdown_text(f, r->work);
	fprintf(f, " every %s, budget %s, ",
		duration_exact(period, r->period_ns),
		duration_exact(budget, r->budget_ns));
	markdown_text(f, r->policy);
	fputs(". Linux ", f);
	markdown_text(f, r->kernel);
	fputs(r->deterministic ? ". Times are executed instructions.\n" : ".\n", f);
	markdown_said(f, &r->said);
	fputs("\n| CPU | windows | violations | missed | wake p50, us | p99.9 | max | response p50 | p99.9 | max |\n"
	      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n", f);
	for (i = 0; i < r->ncpus; i++)
		row(f, &r->cpu[i]);
	if (r->ncpus > 1)
		row(f, &r->all);
	parts(f, r);
	functions(f, r);
	offenders(f, r);
	findings(f, r);
	for (note = r->notes; note && *note; note++) {
		fputs("\n> ", f);
		markdown_text(f, *note);
		fputc('\n', f);
	}
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
