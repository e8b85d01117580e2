// SPDX-License-Identifier: GPL-2.0
/* The page of an experiment: the verdicts, a bar for each effect, and how it was measured. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "options/option_value.h"
#include "report/pieces.h"
#include "report/plot.h"
#include "try/trial.h"
#include "util/markup.h"

#define ROW		26.0

static const char *class_of(enum try_verdict v)
{
	return v == TRY_HELPS ? "good" : v == TRY_HURTS || v == TRY_FAILS ? "bad" : v == TRY_OPEN ? "unsure" : "dim";
}

static void setting_rows(FILE *f, const struct trial *t, unsigned int i)
{
	enum try_verdict v = experiment_verdict(&t->e, i);
	char line[TRIAL_LINE];
	unsigned int c;

	for (c = 0; c < t->e.nconditions; c++) {
		const struct try_pairs *p = &t->e.setting[i].at[c];

		markup(f, "<tr><td class=\"l\">%s<td class=\"l %s\">%s<td class=\"l\">%s<td>%zu", c ? "" : t->setting[i].name,
		       class_of(v), c ? "" : try_verdict_name(v), t->condition[c], p->n);
		if (!try_has_looked(p)) {
			fputs("<td class=\"l\">–<td class=\"l\">–<td class=\"l\">–\n", f);
			continue;
		}
		markup(f, "<td class=\"l %s\">%s", class_of(p->verdict), trial_verdict_text(line, t, p));
		markup(f, "<td class=\"l\">%s", trial_tail_text(line, p));
		markup(f, "<td class=\"l\">%s\n", trial_events_text(line, p));
	}
}

static void table(FILE *f, const struct trial *t, const unsigned int order[])
{
	unsigned int i;

	markup(f, "<h2>Settings by effect</h2>\n<div class=\"wide\"><table>\n<tr><th class=\"l\">setting<th class=\"l\">verdict<th class=\"l\">condition<th>pairs<th class=\"l\"><th class=\"l\">%s<th class=\"l\">late expiries\n",
	       t->statistic.text);
	for (i = 0; i < t->e.nsettings; i++) {
		const struct trial_setting *s = &t->setting[order[i]];

		if (s->gone)
			markup(f, "<tr><td class=\"l\">%s<td class=\"l dim\">not tried<td class=\"l\">%s\n", s->name, s->gone);
		else
			setting_rows(f, t, order[i]);
	}
	fputs("</table></div>\n", f);
}

/* What is still open, and what may decide it. */
static void open_ones(FILE *f, const struct trial *t)
{
	char line[TRIAL_LINE];
	unsigned int i;

	for (i = 0; i < t->e.nsettings; i++)
		if (!t->setting[i].gone && *trial_needed_text(line, t, i))
			markup(f, "<p class=\"unsure\">%s: %s.</p>\n", t->setting[i].name, line);
}

static double in_scale(double effect, double edge)
{
	double shown = expm1(effect);

	return isfinite(shown) ? fmax(-1, fmin(shown, edge)) : effect > 0 ? edge : -1;
}

/* The scale of the plot: up to the largest effect that hurts, 20 % at least. */
static double edge_of(const struct trial *t)
{
	double edge = 0.2, by;
	unsigned int i, c;

	for (i = 0; i < t->e.nsettings; i++)
		for (c = 0; c < t->e.nconditions; c++) {
			by = trial_effect(&t->e.setting[i].at[c]).by;
			edge = isfinite(by) ? fmax(edge, 1.2 * expm1(by)) : edge;
		}
	return edge;
}

/* The interval of a few pairs may have no end. */
static bool is_beyond(const struct try_pairs *p, double edge)
{
	return !(expm1(trial_effect(p).upper) <= edge);
}

static void put_effect(struct plot *p, const struct trial *t, const char *name, unsigned int c,
		       const struct try_pairs *at, double row)
{
	const struct trial_effect e = trial_effect(at);
	char tail[TRIAL_LINE], title[2 * TRIAL_LINE];

	snprintf(title, sizeof(title), "%.100s, %.60s: %s, %s", name, t->condition[c], trial_tail_text(tail, at),
		 try_verdict_name(at->verdict));
	markup(p->f, "<path class=\"interval\" d=\"M%.1f %.1fH%.1f\"><title>%s</title></path>\n",
	       plot_x(p, in_scale(e.lower, p->x.to)), plot_y(p, row), plot_x(p, in_scale(e.upper, p->x.to)), title);
	if (is_beyond(at, p->x.to))
		fprintf(p->f, "<path class=\"beyond\" d=\"M%.1f %.1fl8 5l-8 5z\"/>\n", plot_x(p, p->x.to), plot_y(p, row) - 5);
	plot_dot(p, in_scale(e.by, p->x.to), row, 4, at->verdict == TRY_HURTS ? "dot bad" : "dot effect", title);
	markup(p->f, "<text x=\"%.1f\" y=\"%.1f\">%s, %s</text>\n", plot_x(p, -1) + 4, plot_y(p, row) - 7, name,
	       t->condition[c]);
}

/* A line for each setting and condition: the effect and its interval. */
static void plot(FILE *f, const struct trial *t, const unsigned int order[])
{
	const struct axis x = { .from = -1, .to = edge_of(t) };
	struct axis y = { .from = 0.3, .to = 0 };
	unsigned int i, c, row = 0;
	bool beyond = false;
	struct plot p;

	for (i = 0; i < t->e.nsettings; i++)
		y.from += t->setting[i].gone ? 0 : t->e.nconditions;
	fputs("<h2>Effects</h2>\n", f);
	plot_begin(&p, f, "effects", &x, &y, PLOT_TOP + PLOT_BOTTOM + ROW * (y.from + 1));
	plot_ticks_share(&p, true);
	fprintf(f, "<path class=\"axis\" d=\"M%.1f %gV%g\"/>", plot_x(&p, 0), PLOT_TOP, p.height - PLOT_BOTTOM);
	for (i = 0; i < t->e.nsettings; i++)
		for (c = 0; !t->setting[order[i]].gone && c < t->e.nconditions; c++) {
			const struct try_pairs *at = &t->e.setting[order[i]].at[c];

			row++;
			if (try_has_looked(at)) {
				put_effect(&p, t, t->setting[order[i]].name, c, at, row);
				beyond = beyond || is_beyond(at, x.to);
			}
		}
	plot_end(&p);
	fprintf(f, "<p class=\"dim\">A dot is the change of %s by a setting, the bar its interval.%s</p>\n", t->statistic.text,
		beyond ? " An arrow: the bar goes on beyond the plot." : "");
}

static void circumstances(FILE *f, const struct trial *t)
{
	char buf[TRIAL_LINE], **at;

	fputs("<h2>How it was measured</h2>\n<dl>\n", f);
	fact(f, "kernel", t->kernel);
	fact(f, "CPUs", t->cpus);
	fact(f, "conditions", t->conditions);
	for (at = t->lowered; at && *at; at++)
		fact(f, "but", *at);
	snprintf(buf, sizeof(buf), "%zu", experiment_measured(&t->e));
	fact(f, "runs", buf);
	fact_duration(f, "took", (uint64_t)t->took_s * NSEC_PER_SEC);
	snprintf(buf, sizeof(buf), "%g %%", 100 * t->e.margin);
	fact(f, "margin", buf);
	snprintf(buf, sizeof(buf), "%g %% of such experiments at most name a setting that does nothing", 100 * t->e.alpha);
	fact(f, "error rate", buf);
	fact(f, "interrupted by", t->signal);
	fact(f, "results", t->dir);
	fputs("</dl>\n", f);
}

int trial_page(FILE *f, const struct trial *t)
{
	char *sentence = trial_sentence(t);
	unsigned int order[TRY_SETTINGS];

	if (!sentence)
		return -ENOMEM;
	trial_order(t, order);
	html_begin(f, "settings");
	markup(f, "<h1>Which settings help? <span class=\"dim\">CPUs %s</span></h1>\n<p class=\"verdict\">%s</p>\n", t->cpus,
	       sentence);
	free(sentence);
	table(f, t, order);
	open_ones(f, t);
	plot(f, t, order);
	circumstances(f, t);
	return html_end(f, 0);
}
