// SPDX-License-Identifier: GPL-2.0
/* What doctor found on the machine of a run, for the page. */
#include <inttypes.h>

#include "doctor/findings_render.h"
#include "report/pieces.h"
#include "result/result.h"
#include "util/markup.h"

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

