// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>

#include "facts/timeline.h"
#include "page/timeline.h"
#include "result/parts.h"
#include "show/timeline.h"
#include "util/markup.h"
#include "util/units.h"

bool timeline_can_draw(const struct result *r, size_t i)
{
	return i < r->nworst && r->worst_timeline[i] &&
	       !timeline_is_lost(r->worst_timeline[i]) && r->worst[i].response_ns;
}

/* Begins a piece of the bar from @from to @to; its title follows. */
static void piece(FILE *f, const struct tlob_window *w, uint64_t from, uint64_t to,
		  const char *colour)
{
	char at[DURATION_LEN], took[DURATION_LEN];

	fprintf(f, "<i style=\"width:%.4f%%;background:%s\" title=\"at %s for %s: ",
		100 * (double)(to - from) / (double)w->response_ns, colour,
		duration_format(at, from), duration_format(took, to - from));
}

static void put_span(FILE *f, const struct tlob_span *s, const struct tlob_window *w)
{
	char who[SPAN_TEXT];

	markup_text(f, part_name(s->part));
	if (!*span_text(who, s, w))
		return;
	fputs(", ", f);
	markup_text(f, who);
}

void timeline_bar(FILE *f, const struct result *r, size_t i)
{
	const struct tlob_timeline *t = r->worst_timeline[i];
	const struct tlob_window *w = &r->worst[i];
	uint32_t k;

	fputs("<div class=\"bar\">", f);
	if (t->not_kept) {
		piece(f, w, 0, t->start_ns, "none");
		fprintf(f, "%" PRIu32 " spans that were not kept\"></i>", (uint32_t)t->not_kept);
	}
	for (k = 0; k < t->spans; k++) {
		piece(f, w, timeline_start(t, k), t->span[k].end_ns,
		      part_colour(t->span[k].part));
		put_span(f, &t->span[k], w);
		fputs("\"></i>", f);
	}
	fputs("</div>", f);
}

static void list(FILE *f, const struct tlob_window *w, const struct tlob_timeline *t)
{
	char at[DURATION_LEN], took[DURATION_LEN], who[SPAN_TEXT];
	uint32_t k;

	fputs("<div class=\"wide\"><table>\n<tr><th>at, us<th>us<th class=\"l\">part<th class=\"l\">what\n",
	      f);
	if (t->not_kept)
		fprintf(f, "<tr><td>%s<td>%s<td class=\"l\">%" PRIu32 " spans that were not kept<td>\n",
			duration_us(at, 0), duration_us(took, t->start_ns),
			(uint32_t)t->not_kept);
	for (k = 0; k < t->spans; k++) {
		const struct tlob_span *s = &t->span[k];

		fprintf(f, "<tr><td>%s<td>%s<td class=\"l\"><s class=\"part\" style=\"background:%s\"></s>%s<td class=\"l\">",
			duration_us(at, timeline_start(t, k)),
			duration_us(took, s->end_ns - timeline_start(t, k)),
			part_colour(s->part), part_name(s->part));
		markup_text(f, span_text(who, s, w));
		fputc('\n', f);
	}
	fputs("</table></div>", f);
}

static void title(FILE *f, const struct result *r, size_t i)
{
	const struct tlob_window *w = &r->worst[i];
	char buf[DURATION_LEN];

	fprintf(f, "CPU %" PRIu32, (uint32_t)w->cpu);
	if (*r->worst_host[i]) {
		fputs(" of ", f);
		markup_text(f, r->worst_host[i]);
	}
	fprintf(f, ", activation %" PRIu64 ": %s", (uint64_t)w->activation,
		duration_format(buf, w->response_ns));
}

void timelines(FILE *f, const struct result *r, size_t n)
{
	bool any = false;
	size_t i;

	for (i = 0; i < r->nworst; i++)
		any = any || r->worst_timeline[i];
	if (!any)
		return;
	fputs("<h2>What happened in them, in order</h2>\n<p class=\"dim\">Each bar is one window, from the timer's expiry to the end of the work. <span class=\"script\">A click on it lists its spans.</span></p>\n",
	      f);
	for (i = 0; i < r->nworst && i < n; i++) {
		if (!r->worst_timeline[i])
			continue;
		if (!timeline_can_draw(r, i)) {
			fputs("<p>", f);
			title(f, r, i);
			fputs(", whose timeline was lost</p>\n", f);
			continue;
		}
		fputs("<details class=\"spans\" open><summary>", f);
		title(f, r, i);
		fprintf(f, ", %" PRIu32 " spans", (uint32_t)r->worst_timeline[i]->spans);
		timeline_bar(f, r, i);
		fputs("</summary>", f);
		list(f, &r->worst[i], r->worst_timeline[i]);
		fputs("</details>\n", f);
	}
}
