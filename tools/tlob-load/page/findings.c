// SPDX-License-Identifier: GPL-2.0
/* What doctor found on the machine of a run, for the page. */
#include <inttypes.h>

#include "page/findings.h"
#include "result/result.h"
#include "show/render_findings.h"
#include "util/markup.h"

void page_bearings(FILE *f, const struct result *r)
{
	const struct findings *from = r->findings;
	size_t i;

	if (!from || !from->nbearings)
		return;
	fputs("<ul class=\"bearings\">\n", f);
	for (i = 0; i < from->nbearings; i++) {
		fputs("<li>", f);
		markup_text(f, from->bearing[i].text);
		fprintf(f, " <span class=\"dim\">(activation %" PRIu64 ", rule ", from->bearing[i].activation);
		markup_text(f, from->bearing[i].id);
		fputs(")</span>\n", f);
	}
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
			if (from->count[i].known & 1U << k)
				fprintf(f, "<td>%" PRIu64, from->count[i].value[k]);
			else
				fputs("<td>–", f);
	}
	fputs("\n</table></div>\n", f);
}

/* @class: "l", or "l prose" of a text that may take several lines. */
static void cell(FILE *f, const char *class, const char *text)
{
	fprintf(f, "<td class=\"%s\">", class);
	markup_text(f, text ? text : "–");
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
		fputs("<tr>", f);
		cell(f, "l", one->severity);
		cell(f, "l", one->id);
		cell(f, "l prose", one->found);
		cell(f, "l prose", one->wanted);
		cell(f, "l prose", one->now);
		cell(f, "l prose", one->for_good);
		fputc('\n', f);
	}
	if (findings_of(from, NULL))
		fputs("</table></div>\n", f);
	counts(f, from);
	unread(f, from);
}

void page_assertions(FILE *f, const struct said *said)
{
	size_t i;

	for (i = 0; i < said->n; i++) {
		const struct said_assertion *a = &said->at[i];

		fprintf(f, "<p><span class=\"%s\">%s</span> ", a->holds ? "good" : "bad",
			a->holds ? "holds" : "FAILED");
		markup_text(f, a->condition);
		fputs(" <span class=\"dim\">found ", f);
		markup_text(f, a->found);
		fputs("</span></p>\n", f);
	}
}
