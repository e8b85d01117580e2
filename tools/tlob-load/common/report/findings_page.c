// SPDX-License-Identifier: GPL-2.0
/* What doctor found, on a page. */
#include <inttypes.h>

#include "report/findings_render.h"
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

void page_unread(FILE *f, const struct finding *at, size_t n)
{
	const char *sep = "<p class=\"dim\">Not read, so neither good nor bad: ";
	const struct finding *one;

	for (one = at; one < at + n; one++) {
		if (one->status != STATUS_UNKNOWN)
			continue;
		fputs(sep, f);
		markup_text(f, one->id);
		sep = ", ";
	}
	if (*sep == ',')
		fputs(".</p>\n", f);
}

static const char *or_dash(const char *text)
{
	return text ? text : "–";
}

void page_finding_table(FILE *f, const struct finding *at, size_t n)
{
	const struct finding *one;
	struct findings_tally t;

	findings_count(&t, at, n);
	if (!tally_sum(t.findings))
		return;
	fputs("<div class=\"wide advice\"><table>\n<tr><th class=\"l\">severity<th class=\"l\">rule<th class=\"l\">found<th class=\"l\">wanted<th class=\"l\">now<th class=\"l\">for good\n", f);
	for (one = at; one < at + n; one++)
		if (one->status == STATUS_FINDING)
			markup(f, "<tr><td class=\"l%s\">%s<td class=\"l\">%s<td class=\"l prose\">%s<td class=\"l prose\">%s<td class=\"l prose\">%s<td class=\"l prose\">%s\n",
			       one->severity >= SEVERITY_HIGH ? " bad" : "",
			       severity_name(one->severity), or_dash(one->id), or_dash(one->found),
			       or_dash(one->wanted), or_dash(one->now), or_dash(one->for_good));
	fputs("</table></div>\n", f);
}

void page_findings(FILE *f, const struct result *r)
{
	const struct findings *from = r->findings;

	if (!from)
		return;
	fputs("<h2>What doctor found</h2>\n<p>", f);
	findings_words(f, from);
	fputs("</p>\n", f);
	page_finding_table(f, from->at, from->n);
	render_counts(f, TABLE_PAGE, from);
	page_unread(f, from->at, from->n);
}
