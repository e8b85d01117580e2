// SPDX-License-Identifier: GPL-2.0
/* What doctor found, as tables of a page. */
#include "report/findings_render.h"
#include "report/parts_text.h"
#include "result/result.h"

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

static void put_rule(struct table *t, const struct finding *one)
{
	table_cell(t, "%s", severity_name(one->severity));
	table_bad(t, one->severity >= SEVERITY_HIGH);
	cell_foreign(t, one->id);
	cell_foreign(t, or_dash(one->found));
	cell_foreign(t, or_dash(one->wanted));
	cell_foreign(t, or_dash(one->now));
	cell_foreign(t, or_dash(one->for_good));
}

int page_rules(FILE *f, const char *title, const struct finding *at, size_t n)
{
	struct table t = { .title = title, .align = "llllll", .form = TABLE_PAGE };
	const char *sep = "Not read, so neither good nor bad: ";
	const struct finding *one;
	char unread[1024];
	size_t len = 0;

	table_cell(&t, "severity\trule\tfound\twanted\tnow\tfor good");
	for (one = at; one < at + n; one++) {
		if (one->status == STATUS_FINDING)
			put_rule(&t, one);
		if (one->status != STATUS_UNKNOWN || len >= sizeof(unread))
			continue;
		len += (size_t)snprintf(unread + len, sizeof(unread) - len, "%s%s", sep, one->id);
		sep = ", ";
	}
	if (len)
		table_note(&t, "%s", unread);
	return table_print(&t, f);
}

int page_findings(FILE *f, const struct findings *from)
{
	int err = page_rules(f, "what doctor found", from->at, from->n);

	return err ? err : render_counts(f, TABLE_PAGE, from);
}
