// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>

#include "report/parts_text.h"
#include "report/timeline_render.h"
#include "result/parts.h"
#include "result/timeline.h"
#include "util/markup.h"
#include "util/units.h"

bool timeline_can_draw(const struct result *r, size_t i)
{
	return i < r->nworst && r->worst[i].kept.timeline &&
	       !timeline_is_lost(r->worst[i].kept.timeline) && r->worst[i].w.response_ns;
}

/* A piece of the bar from @from to @to; its title, if it has one, and ></i> follow. */
static void piece(FILE *f, const struct tlob_window *w, uint64_t from, uint64_t to,
		  const char *colour)
{
	fprintf(f, "<i style=\"width:%.2f%%;background:%s\"",
		100 * (double)(to - from) / (double)w->response_ns, colour);
}

/* Begins a title, which a quotation mark ends. */
static void title(FILE *f, uint64_t from, uint64_t to)
{
	char at[DURATION_LEN], took[DURATION_LEN];

	fprintf(f, " title=\"at %s for %s: ", duration_format(at, from),
		duration_format(took, to - from));
}

static void span_title(FILE *f, const struct tlob_timeline *t, uint32_t k,
		       const struct tlob_window *w)
{
	char who[SPAN_TEXT];

	title(f, timeline_start(t, k), t->span[k].end_ns);
	span_text(who, &t->span[k], w);
	markup(f, "%s%s%s\"", part_name(t->span[k].part), *who ? ", " : "", who);
}

/* @titled: else the script takes the titles from the list. */
static void bar(FILE *f, const struct result *r, size_t i, bool titled)
{
	const struct tlob_timeline *t = r->worst[i].kept.timeline;
	const struct tlob_window *w = &r->worst[i].w;
	uint32_t k;

	fputs("<div class=\"bar\">", f);
	if (t->not_kept) {
		piece(f, w, 0, t->start_ns, "none");
		if (titled) {
			title(f, 0, t->start_ns);
			fprintf(f, "%" PRIu32 " spans that were not kept\"", (uint32_t)t->not_kept);
		}
		fputs("></i>", f);
	}
	for (k = 0; k < t->spans; k++) {
		piece(f, w, timeline_start(t, k), t->span[k].end_ns,
		      part_colour(t->span[k].part));
		if (titled)
			span_title(f, t, k, w);
		fputs("></i>", f);
	}
	fputs("</div>", f);
}

void timeline_bar(FILE *f, const struct result *r, size_t i)
{
	bar(f, r, i, true);
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

		markup(f, "<tr><td>%s<td>%s<td class=\"l\"><s class=\"part\" style=\"background:%s\"></s>%s<td class=\"l\">%s\n",
		       duration_us(at, timeline_start(t, k)),
		       duration_us(took, s->end_ns - timeline_start(t, k)), part_colour(s->part),
		       part_name(s->part), span_text(who, s, w));
	}
	fputs("</table></div>", f);
}

static void heading(FILE *f, const struct result *r, size_t i)
{
	const struct tlob_window *w = &r->worst[i].w;
	char buf[DURATION_LEN], who[128];

	markup(f, "CPU %" PRIu32 "%s%s, activation %" PRIu64 ": %s", (uint32_t)w->cpu,
	       *r->worst[i].kept.host ? " of " : "", r->worst[i].kept.host, (uint64_t)w->activation,
	       duration_format(buf, w->response_ns));
	if (w->largest.ns)
		markup(f, ", the largest interruption %s %s", noise_text(who, sizeof(who), &w->largest),
		       duration_format(buf, w->largest.ns));
}

/* The @i-th of the worst windows. @open: its list is open without a script. */
static void one(FILE *f, const struct result *r, size_t i, bool open)
{
	if (!timeline_can_draw(r, i)) {
		fputs("<p>", f);
		heading(f, r, i);
		fputs(", whose timeline was lost</p>\n", f);
		return;
	}
	fprintf(f, "<details class=\"spans\"%s><summary>", open ? " open" : "");
	heading(f, r, i);
	fprintf(f, ", %" PRIu32 " spans", (uint32_t)r->worst[i].kept.timeline->spans);
	bar(f, r, i, false);
	fputs("</summary>", f);
	list(f, &r->worst[i].w, r->worst[i].kept.timeline);
	fputs("</details>\n", f);
}

/* Windows that have a timeline from @i on, up to @end. */
static size_t count(const struct result *r, size_t i, size_t end)
{
	size_t n = 0;

	for (; i < end; i++)
		n += !!r->worst[i].kept.timeline;
	return n;
}

/* Those from @from to @end that fit into *@room spans. Returns how many did not. */
static size_t draw(FILE *f, const struct result *r, size_t from, size_t end, uint32_t *room)
{
	size_t i;

	for (i = from; i < end; i++) {
		if (!r->worst[i].kept.timeline)
			continue;
		if (r->worst[i].kept.timeline->spans > *room) {
			*room = 0;
			return count(r, i, end);
		}
		*room -= r->worst[i].kept.timeline->spans;
		one(f, r, i, !from);
	}
	return 0;
}

void timelines(FILE *f, const struct result *r, size_t n, uint32_t room)
{
	size_t end = r->nworst, rest;

	n = n < end ? n : end;
	while (end > n && !(r->worst[end - 1].w.flags & TLOB_WINDOW_VIOLATION))
		end--;
	if (!count(r, 0, end))
		return;
	fputs("<h2>What happened in them, in order</h2>\n<p class=\"dim\">Each bar is one window, from the timer's expiry to the end of the work. A click on it lists its spans.</p>\n",
	      f);
	rest = draw(f, r, 0, n, &room);
	if (count(r, n, end)) {
		fprintf(f, "<h2>What happened in %s violations</h2>\n",
			r->all.violations > end ? "the next longest" : "the other");
		rest += draw(f, r, n, end, &room);
	}
	if (rest)
		fprintf(f, "<p>The page has no room for %zu more window%s with a timeline. The result has %s.</p>\n",
			rest, rest == 1 ? "" : "s", rest == 1 ? "it" : "them");
}
