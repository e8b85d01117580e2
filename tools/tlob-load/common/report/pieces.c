// SPDX-License-Identifier: GPL-2.0
/* Pieces of the report page: bars, cells and facts. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts_text.h"
#include "report/pieces.h"
#include "result/parts.h"
#include "util/error.h"
#include "util/markup.h"
#include "util/memstream.h"
#include "util/units.h"


/* A phase is not one of the parts, so it has none of their colours. */
static const struct {
	const char *name, *colour, *meaning;
} phases[] = {
	[BAR_WAKE - BAR_WAKE] = { "wake", "#7fa7d1", "from the timer's expiry until the thread runs" },
	[BAR_WORK - BAR_WAKE] = { "work", "#8fc9a4", "from there to the end of the work" },
};

/* The names that attach gives to parts of a task; the other parts have one name. */
static const char * const task_names[NR_BAR_PIECES] = {
	[TLOB_WORK_ON_CPU] = "running", [TLOB_WORK_THREAD] = "waiting",
	[TLOB_WORK_SLEEP] = "sleeping",
};

static const char *short_name(const struct bar *b, unsigned int i)
{
	if (b->of_task && task_names[i])
		return task_names[i];
	return i < BAR_WAKE ? part_short_name(i) : phases[i - BAR_WAKE].name;
}

static const char *long_name(const struct bar *b, unsigned int i)
{
	return i < BAR_WAKE && !b->of_task ? part_name(i) : short_name(b, i);
}

static const char *meaning(unsigned int i)
{
	return i < BAR_WAKE ? part_meaning(i) : phases[i - BAR_WAKE].meaning;
}

static const char *colour(unsigned int i)
{
	return i < BAR_WAKE ? part_colour(i) : phases[i - BAR_WAKE].colour;
}

void bar_of_mean(struct bar *b, const struct result_cpu *c)
{
	const struct tlob_hist *h = c->hist;
	double n = (double)h[TLOB_METRIC_RESPONSE].n;
	unsigned int i;

	*b = (struct bar){ .whole = 0 };
	if (!(n > 0))
		return;
	b->whole = (double)h[TLOB_METRIC_RESPONSE].sum / n;
	if (parts_are_unavailable(c->unavailable)) {
		b->ns[BAR_WAKE] = (double)h[TLOB_METRIC_WAKE].sum / n;
		b->ns[BAR_WORK] = b->whole - b->ns[BAR_WAKE];
		return;
	}
	for (i = 0; i < TLOB_NR_PARTS; i++)
		b->ns[i] = (double)h[TLOB_METRIC_PARTS + i].sum / n;
}

void bar_of_window(struct bar *b, const struct tlob_window *w)
{
	unsigned int i;

	*b = (struct bar){ .whole = (double)w->response_ns };
	if (parts_are_unavailable(w->unavailable)) {
		b->ns[BAR_WAKE] = (double)w->wake_ns;
		b->ns[BAR_WORK] = (double)(w->response_ns - w->wake_ns);
		return;
	}
	for (i = 0; i < TLOB_NR_PARTS; i++)
		b->ns[i] = (double)w->part_ns[i];
}

static void put_piece(FILE *f, const struct bar *b, unsigned int i, double share)
{
	char buf[DURATION_LEN];

	if (share > 0)
		fprintf(f, "<i style=\"width:%.4f%%;background:%s\" title=\"%s %s, %.1f %%: %s\"></i>",
			100 * share, colour(i), long_name(b, i),
			duration_format(buf, (uint64_t)(b->ns[i] + 0.5)), 100 * share,
			meaning(i));
}

void bar_put(FILE *f, const struct bar *b, double width)
{
	unsigned int i;

	fputs("<div class=\"bar\">", f);
	for (i = 0; i < NR_BAR_PIECES && width > 0; i++)
		put_piece(f, b, i, b->ns[i] / width);
	fputs("</div>", f);
}

static const char *percent_text(char buf[16], double percent)
{
	if (percent < 0.05)
		snprintf(buf, 16, "&lt;0.1");
	else
		snprintf(buf, 16, "%.1f", percent);
	return buf;
}

void bar_legend(FILE *f, const struct bar *b)
{
	bool done[NR_BAR_PIECES] = { false };
	char buf[DURATION_LEN], share[16];
	double ns, best_ns;
	unsigned int i, k, best;

	fputs("<div class=\"key\">", f);
	for (;;) {
		best = NR_BAR_PIECES;
		best_ns = 0;
		for (i = 0; i < NR_BAR_PIECES; i++) {
			for (ns = 0, k = 0; k < NR_BAR_PIECES; k++)
				if (!strcmp(short_name(b, i), short_name(b, k)))
					ns += b->ns[k];
			if (!done[i] && ns > best_ns) {
				best = i;
				best_ns = ns;
			}
		}
		if (best == NR_BAR_PIECES)
			break;
		for (i = 0; i < NR_BAR_PIECES; i++)
			if (!strcmp(short_name(b, i), short_name(b, best)))
				done[i] = true;
		fprintf(f, "<span><s style=\"background:%s\"></s><b><abbr title=\"%s\">%s</abbr></b> %s <span class=\"dim\">%s %%</span></span>",
			colour(best), meaning(best), short_name(b, best),
			duration_format(buf, (uint64_t)(best_ns + 0.5)),
			percent_text(share, 100 * best_ns / b->whole));
	}
	fputs("</div>\n", f);
}

void page_word(FILE *f, const char *name)
{
	static const struct {
		const char *name, *meaning;
	} words[] = {
		{ "windows", "activations that were measured, after the warm-up" },
		{ "violations", "windows whose response was over the budget" },
		{ "missed", "expiries without a window: the thread was still busy" },
		{ "lost", "records that did not reach the tool, e.g. because the ring was full" },
		{ "wake", "from the timer's expiry until the thread runs" },
		{ "response", "from the timer's expiry to the end of the work" },
		{ "irq", "from the timer's expiry to its interrupt handler" },
		{ "against the median", "the longest response, compared with the median of all results of this setting" },
		{ "of the budget", "the longest response, as a share of the budget" },
		{ "worst window", "what the longest response spent most of its time on" },
		{ "effect", "how much longer B is than A, as a share of A, with its confidence interval" },
		{ "margin", "the smallest change that counts: below it both are equal for the verdict" },
		{ "pair", "a run of A and one of B that were made one after the other" },
		{ "metric", "the statistic of each run that is compared" },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].name, name)) {
			fprintf(f, "<abbr title=\"%s\">%s</abbr>", words[i].meaning, name);
			return;
		}
	fputs(name, f);
}

void cell_time(FILE *f, bool known, uint64_t ns)
{
	char shown[DURATION_LEN], exact[DURATION_LEN];

	if (!known) {
		fputs("<td class=\"dim\">–", f);
		return;
	}
	duration_format(shown, ns);
	duration_exact(exact, ns);
	if (strcmp(shown, exact))
		fprintf(f, "<td title=\"%s\">%s", exact, shown);
	else
		fprintf(f, "<td>%s", shown);
}

void cell_resolved(FILE *f, enum quantile known, uint64_t ns)
{
	if (known == QUANTILE_KNOWN)
		cell_time(f, true, ns);
	else if (known == QUANTILE_MISSED)
		fputs("<td class=\"bad\">missed", f);
	else
		fputs("<td class=\"dim\" title=\"too few windows for this quantile\">–", f);
}

void cell_quantile_of(FILE *f, const struct tlob_hist *h, uint64_t missed, unsigned int ppm)
{
	uint64_t ns = 0;
	enum quantile known = hist_quantile_missed(h, missed, ppm, &ns);

	cell_resolved(f, known, ns);
}

void cell_text(FILE *f, const char *text)
{
	markup(f, "<td class=\"l\">%s", text ? text : "–");
}

int cell_printed(FILE *f, void (*put)(FILE *f, const void *data), const void *data)
{
	fputs("<td class=\"l\">", f);
	if (data)
		return put_as_text(f, put, data);
	fputs("–", f);
	return 0;
}

void cell_bad(FILE *f, uint64_t n)
{
	fprintf(f, "<td%s>%" PRIu64, n ? " class=\"bad\"" : "", n);
}

void cell_count(FILE *f, uint64_t n)
{
	fprintf(f, "<td>%" PRIu64, n);
}

void page_notes(FILE *f, char *const *notes)
{
	for (; notes && *notes; notes++)
		markup(f, "<p>%s</p>\n", *notes);
}

void page_deterministic(FILE *f, bool deterministic)
{
	if (deterministic)
		fputs("<p>" EXECUTED_INSTRUCTIONS "</p>\n", f);
}

void page_heading(FILE *f, const char *name)
{
	markup(f, "<h1 style=\"margin-top:3rem\">%s</h1>\n", name);
}

bool page_mean(FILE *f, const struct result_cpu *c, bool of_task)
{
	struct bar mean;

	bar_of_mean(&mean, c);
	mean.of_task = of_task;
	if (!(mean.whole > 0))
		return false;
	fputs("<p class=\"dim\">where the time of a mean window goes</p><div class=\"big\">", f);
	bar_put(f, &mean, mean.whole);
	fputs("</div>", f);
	bar_legend(f, &mean);
	return true;
}

void fact(FILE *f, const char *name, const char *value)
{
	if (value)
		markup(f, "<dt>%s<dd>%s\n", name, *value ? value : "–");
}

void fact_duration(FILE *f, const char *name, uint64_t ns)
{
	char buf[DURATION_LEN];

	fact(f, name, duration_exact(buf, ns));
}

int put_as_text(FILE *f, void (*put)(FILE *f, const void *data), const void *data)
{
	char *text = memstream_of(put, data);

	if (!text)
		return -ENOMEM;
	markup_lines(f, text);
	free(text);
	return 0;
}

int copy_button(FILE *f, int (*put)(FILE *f, const void *data), const void *data)
{
	char *text = NULL;
	size_t size;
	FILE *mem = open_memstream(&text, &size);
	int err = mem ? put(mem, data) : 0;

	if (!memstream_text(mem, &text))
		keep_error(&err, -ENOMEM);
	fputs("<p class=\"script\"><button id=\"copy\">Copy as Markdown</button></p>\n<pre id=\"markdown\" hidden>", f);
	if (!err)
		markup_lines(f, text);
	fputs("</pre>\n", f);
	free(text);
	return err;
}
