// SPDX-License-Identifier: GPL-2.0
/* Doctor's findings on the machine of a run, as text and on a page. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "doctor/findings_render.h"
#include "report/layout.h"
#include "report/parts_text.h"
#include "report/pieces.h"
#include "result/result.h"
#include "util/markup.h"
#include "util/printable.h"

#define CPUS_IN_FULL	8		/* with more only those with something to show */

void findings_words(char buf[FINDINGS_WORDS], const struct findings *f)
{
	static const char * const severities[] = { "fatal", "high", "medium" };
	size_t i, n, all = findings_of(f, NULL), not_read = findings_unread(f), len = 0;

	if (!all)
		len = (size_t)snprintf(buf, FINDINGS_WORDS, "no finding");
	for (i = 0; i < sizeof(severities) / sizeof(severities[0]); i++) {
		n = findings_of(f, severities[i]);
		if (n)
			len += (size_t)snprintf(buf + len, FINDINGS_WORDS - len, "%s%zu %s", len ? ", " : "", n,
						severities[i]);
	}
	if (all)
		len += (size_t)snprintf(buf + len, FINDINGS_WORDS - len, " finding%s", all == 1 ? "" : "s");
	snprintf(buf + len, FINDINGS_WORDS - len, " in %u rules, %zu not read", f->rules, not_read);
}

void render_bearings(FILE *f, const struct result *r, size_t most)
{
	size_t i, n = r->findings ? r->findings->nbearings : 0;

	for (i = 0; i < n && i < most; i++)
		render_note_wrapped(f, "because", r->findings->bearing[i].text);
}

static bool has_something(const struct machine_counts *c)
{
	return c->value[MACHINE_SMI] || c->value[MACHINE_THROTTLED] || c->value[MACHINE_INTERRUPTS] ||
	       c->value[MACHINE_FAULTS] || c->value[MACHINE_STEAL];
}

static int render_counts(FILE *f, const struct findings *from)
{
	struct table t = { .align = "rrrrrrrrr", .gap = 2 };
	unsigned int k, shown = 0;
	size_t i;

	table_cell(&t, "cpu");
	for (k = 0; k < NR_MACHINE_COUNTS; k++)
		table_cell(&t, "%s", machine_count_titles[k]);
	for (i = 0; i < from->ncounts; i++) {
		const struct machine_counts *c = &from->count[i];

		if (from->ncounts > CPUS_IN_FULL && !has_something(c))
			continue;
		shown++;
		table_cell(&t, "%d", c->cpu);
		for (k = 0; k < NR_MACHINE_COUNTS; k++)
			if (c->known & 1U << k)
				table_cell(&t, "%" PRIu64, c->value[k]);
			else
				table_cell(&t, "-");
	}
	if (!shown)
		return 0;
	fputs("\nwhat the machine counted during the run\n", f);
	return table_print(&t, f);
}

int render_findings(FILE *f, const struct result *r)
{
	const struct findings *from = r->findings;
	char words[FINDINGS_WORDS], *line;
	size_t i;
	int err;

	if (!from)
		return 0;
	err = render_counts(f, from);
	if (err)
		return err;
	findings_words(words, from);
	fprintf(f, "\ndoctor  %s\n", words);
	for (i = 0; i < from->n; i++) {
		const struct machine_finding *one = &from->at[i];

		if (one->unread)
			continue;
		if (asprintf(&line, "%s: %s; wanted: %s%s%s", one->id, one->found, one->wanted,
			     one->now ? "; now: " : "", one->now ? one->now : "") < 0)
			return -ENOMEM;
		render_note_wrapped(f, one->severity, line);
		free(line);
	}
	if (from->rt_throttled == RT_THROTTLED_YES)
		render_note_wrapped(f, "note", "the kernel said during the run that it throttles real-time threads");
	render_bearings(f, r, from->nbearings);
	return 0;
}

void page_bearings(FILE *f, const struct result *r)
{
	const struct findings *from = r->findings;
	size_t i;

	if (!from || !from->nbearings)
		return;
	fputs("<ul class=\"bearings\">\n", f);
	for (i = 0; i < from->nbearings; i++)
		markup(f, "<li>%s <span class=\"dim\">(activation %" PRIu64 ", rule %s)</span>\n",
		       from->bearing[i].text, from->bearing[i].activation, from->bearing[i].id);
	fputs("</ul>\n", f);
}

static void counts(FILE *f, const struct findings *from)
{
	unsigned int k;
	size_t i;

	if (!from->ncounts)
		return;
	fputs("<div class=\"wide\"><table>\n<tr><th>CPU", f);
	for (k = 0; k < NR_MACHINE_COUNTS; k++)
		fprintf(f, "<th>%s", machine_count_titles[k]);
	for (i = 0; i < from->ncounts; i++) {
		fprintf(f, "\n<tr><td>%d", from->count[i].cpu);
		for (k = 0; k < NR_MACHINE_COUNTS; k++)
			cell_known(f, from->count[i].known & 1U << k, from->count[i].value[k]);
	}
	fputs("\n</table></div>\n", f);
}

static void unread(FILE *f, const struct findings *from)
{
	const char *sep = "<p class=\"dim\">Not read, so neither good nor bad: ";
	size_t i;

	for (i = 0; i < from->n; i++) {
		if (!from->at[i].unread)
			continue;
		fputs(sep, f);
		markup_text(f, from->at[i].id);
		sep = ", ";
	}
	if (findings_unread(from))
		fputs(".</p>\n", f);
}

static const char *or_dash(const char *text)
{
	return text ? text : "–";
}

void page_findings(FILE *f, const struct result *r)
{
	const struct findings *from = r->findings;
	char words[FINDINGS_WORDS];
	size_t i;

	if (!from)
		return;
	findings_words(words, from);
	fprintf(f, "<h2>What doctor found</h2>\n<p>%s</p>\n", words);
	if (findings_of(from, NULL))
		fputs("<div class=\"wide advice\"><table>\n<tr><th class=\"l\">severity<th class=\"l\">rule<th class=\"l\">found<th class=\"l\">wanted<th class=\"l\">now<th class=\"l\">for good\n", f);
	for (i = 0; i < from->n; i++) {
		const struct machine_finding *one = &from->at[i];

		if (one->unread)
			continue;
		markup(f, "<tr><td class=\"l\">%s<td class=\"l\">%s<td class=\"l prose\">%s<td class=\"l prose\">%s<td class=\"l prose\">%s<td class=\"l prose\">%s\n",
		       or_dash(one->severity), or_dash(one->id), or_dash(one->found),
		       or_dash(one->wanted), or_dash(one->now), or_dash(one->for_good));
	}
	if (findings_of(from, NULL))
		fputs("</table></div>\n", f);
	counts(f, from);
	unread(f, from);
}

