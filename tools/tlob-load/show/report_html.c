// SPDX-License-Identifier: GPL-2.0
/*
 * The report page. It begins with the verdict and where the time went; details
 * follow. It consists of HTML, one style sheet and SVG by gnuplot, without scripts
 * and without anything to fetch.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compare/stats.h"
#include "result/parts.h"
#include "show/json.h"
#include "show/markup.h"
#include "show/render.h"
#include "show/render_parts.h"
#include "show/report.h"
#include "show/report_plot.h"
#include "util/printable.h"
#include "util/units.h"

#define WORST_SHOWN	8

static const char head[] =
"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
"<meta name=\"color-scheme\" content=\"light dark\">\n"
"<style>\n"
":root{--bg:#fff;--fg:#1a1a1a;--dim:#666;--line:#ddd;--card:#f6f6f6;--good:#00734f;--bad:#b03000}\n"
"@media(prefers-color-scheme:dark){:root{--bg:#16181c;--fg:#e8e8e8;--dim:#a0a0a0;--line:#3a3d42;--card:#202328;--good:#35c493;--bad:#ff8a5c}}\n"
"*{box-sizing:border-box}\n"
"body{font:15px/1.45 sans-serif;background:var(--bg);color:var(--fg);max-width:1200px;margin:0 auto;padding:1rem}\n"
"h1{font-size:1.1rem;margin:0 0 .6rem;overflow-wrap:anywhere}h2{font-size:1rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}\n"
".verdict{font-size:1.5rem;font-weight:600;margin:.2rem 0}.good{color:var(--good)}.bad{color:var(--bad)}\n"
".dim{color:var(--dim)}p{margin:.4rem 0}\n"
".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
"th,td{text-align:right;padding:.15rem .6rem;border-bottom:1px solid var(--line)}th{color:var(--dim);font-weight:500}\n"
"th:first-child,td:first-child,.l{text-align:left}td.w{width:40%;min-width:180px}\n"
".bar{display:flex;height:1.1rem;width:100%;background:var(--card)}.bar i{display:block;height:100%}\n"
".big .bar{height:2rem}.key{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:.4rem 0}.key b{font-weight:500}\n"
".key s{display:inline-block;width:.8rem;height:.8rem;margin-right:.35rem;vertical-align:-1px}\n"
".phase{display:flex;font-size:.85rem;color:var(--dim)}.phase span{overflow:hidden;white-space:nowrap;border-left:1px solid var(--dim);padding-left:3px}\n"
".wide{padding-bottom:.3rem}svg{width:100%;height:auto;display:block}svg text{fill:var(--fg)}\n"
"dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:0}dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}\n"
"@media(max-width:600px){dl{grid-template-columns:1fr}dt{margin-top:.4rem}.verdict{font-size:1.2rem}}\n"
"</style>\n";

static void us(FILE *f, bool known, uint64_t ns)
{
	char buf[DURATION_LEN];

	fprintf(f, "<td>%s", known ? duration_us(buf, ns) : "–");
}

static void quantile(FILE *f, const struct tlob_hist *h, unsigned int ppm)
{
	us(f, h->n && hist_has_quantile(h, ppm), hist_quantile(h, ppm));
}

static void part_of_bar(FILE *f, unsigned int part, double share, double ns)
{
	if (share > 0)
		fprintf(f, "<i style=\"width:%.4f%%;background:%s\" title=\"%s %.3f us, %.1f %%\"></i>",
			100 * share, part_colour(part), part_name(part), ns / 1000,
			100 * share);
}

/* @part in ns. The width of the bar stands for @whole. */
static void bar(FILE *f, const double part[TLOB_NR_PARTS], double whole)
{
	unsigned int i;

	fputs("<div class=\"bar\">", f);
	for (i = 0; i < TLOB_NR_PARTS && whole > 0; i++)
		part_of_bar(f, i, part[i] / whole, part[i]);
	fputs("</div>", f);
}

/* Fills in the mean parts and returns the mean response, which is their sum; ns. */
static double means(const struct result_cpu *c, double part[TLOB_NR_PARTS])
{
	const struct tlob_hist *h = c->hist;
	double n = (double)h[TLOB_METRIC_RESPONSE].n;
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		part[i] = n > 0 ? (double)h[TLOB_METRIC_PARTS + i].sum / n : 0;
	return n > 0 ? (double)h[TLOB_METRIC_RESPONSE].sum / n : 0;
}

static void parts_of(const struct tlob_window *w, double part[TLOB_NR_PARTS])
{
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		part[i] = (double)w->part_ns[i];
}

/* Parts of both phases together, the largest first. */
static void legend(FILE *f, const double part[TLOB_NR_PARTS], double whole)
{
	bool done[TLOB_NR_PARTS] = { false };
	double ns, best_ns;
	unsigned int i, k, best;

	fputs("<div class=\"key\">", f);
	for (;;) {
		best = TLOB_NR_PARTS;
		best_ns = 0;
		for (i = 0; i < TLOB_NR_PARTS; i++) {
			for (ns = 0, k = 0; k < TLOB_NR_PARTS; k++)
				if (!strcmp(part_short_name(i), part_short_name(k)))
					ns += part[k];
			if (!done[i] && ns > best_ns) {
				best = i;
				best_ns = ns;
			}
		}
		if (best == TLOB_NR_PARTS)
			break;
		for (i = 0; i < TLOB_NR_PARTS; i++)
			if (!strcmp(part_short_name(i), part_short_name(best)))
				done[i] = true;
		fprintf(f, "<span><s style=\"background:%s\"></s><b>%s</b> %.3f us <span class=\"dim\">%.1f %%</span></span>",
			part_colour(best), part_short_name(best), best_ns / 1000,
			100 * best_ns / whole);
	}
	fputs("</div>\n", f);
}

static int worst_cpu(const struct result *r)
{
	size_t i, worst = 0;

	for (i = 1; i < r->ncpus; i++)
		if (r->cpu[i].hist[TLOB_METRIC_RESPONSE].max >
		    r->cpu[worst].hist[TLOB_METRIC_RESPONSE].max)
			worst = i;
	return r->ncpus ? r->cpu[worst].cpu : -1;
}

/* A reason to distrust the run besides late windows, or NULL. */
static const char *doubt(const struct result *r)
{
	size_t i;

	if (r->stopped_by)
		return "The run was cut short.";
	if (r->all.lost && strcmp(r->workload, "kthread"))
		return "Windows were lost.";
	if (r->all.sum_failures)
		return "Parts do not add up: the numbers are wrong.";
	for (i = 0; i < r->ncpus; i++)
		if (!r->cpu[i].windows)
			return "A CPU has no windows.";
	return NULL;
}

/* Good means: the budget was kept, and there is no reason to distrust the run. */
static void verdict(FILE *f, const struct result *r)
{
	const struct result_cpu *all = &r->all;
	const struct tlob_hist *response = &all->hist[TLOB_METRIC_RESPONSE];
	char worst[DURATION_LEN], budget[DURATION_LEN];
	bool kept = all->windows && !all->violations && !all->missed;
	const char *but = doubt(r);

	fprintf(f, "<p class=\"verdict %s\">", kept && !but ? "good" : "bad");
	if (!all->windows)
		fputs("No window was measured.", f);
	else if (kept)
		fprintf(f, "All %" PRIu64 " windows are within the budget of %s.",
			all->windows, duration_exact(budget, r->budget_ns));
	else
		fprintf(f, "%" PRIu64 " of %" PRIu64 " windows are over the budget of %s; %" PRIu64 " expiries were missed.",
			all->violations, all->windows,
			duration_exact(budget, r->budget_ns), all->missed);
	if (but && all->windows)
		fprintf(f, " %s", but);
	fputs("</p>\n", f);
	if (response->n)
		fprintf(f, "<p>Worst response %s on CPU %d; mean %s.</p>\n",
			duration_format(worst, response->max), worst_cpu(r),
			duration_format(budget, hist_mean(response)));
}

static void where_it_went(FILE *f, const struct result *r)
{
	double part[TLOB_NR_PARTS], mean = means(&r->all, part);

	if (!(mean > 0))
		return;
	fputs("<p class=\"dim\">where the time of a mean window goes</p><div class=\"big\">", f);
	bar(f, part, mean);
	fputs("</div>", f);
	legend(f, part, mean);
}

static void cpu_row(FILE *f, const struct result_cpu *c, double longest)
{
	const struct tlob_hist *wake = &c->hist[TLOB_METRIC_WAKE];
	const struct tlob_hist *response = &c->hist[TLOB_METRIC_RESPONSE];
	double part[TLOB_NR_PARTS];

	fputs("<tr><td>", f);
	if (c->host) {
		markup_text(f, c->host);
		fputc(' ', f);
	}
	if (c->cpu < 0)
		fputs("all", f);
	else
		fprintf(f, "%d", c->cpu);
	fprintf(f, "<td>%" PRIu64 "<td%s>%" PRIu64 "<td%s>%" PRIu64 "<td>%" PRIu64,
		c->windows, c->violations ? " class=\"bad\"" : "", c->violations,
		c->missed ? " class=\"bad\"" : "", c->missed, c->lost);
	quantile(f, wake, 500000);
	quantile(f, wake, 999000);
	quantile(f, wake, 1000000);
	quantile(f, response, 500000);
	quantile(f, response, 990000);
	quantile(f, response, 999000);
	quantile(f, response, 1000000);
	fputs("<td class=\"w\">", f);
	means(c, part);
	bar(f, part, longest);
	fputs("\n", f);
}

static void cpus(FILE *f, const struct result *r)
{
	double part[TLOB_NR_PARTS], longest = 0, mean;
	size_t i;

	for (i = 0; i < r->ncpus; i++) {
		mean = means(&r->cpu[i], part);
		longest = mean > longest ? mean : longest;
	}
	fputs("<h2>CPUs</h2>\n<div class=\"wide\"><table>\n<tr><th>CPU<th>windows<th>violations<th>missed<th>lost"
	      "<th>wake p50<th>p99.9<th>max<th>response p50<th>p99<th>p99.9<th>max, us<th class=\"l\">mean response\n", f);
	if (r->ncpus > 1)
		cpu_row(f, &r->all, longest);
	for (i = 0; i < r->ncpus; i++)
		cpu_row(f, &r->cpu[i], longest);
	fputs("</table></div>\n", f);
}

static void phase(FILE *f, const char *name, uint64_t ns, double share)
{
	char buf[DURATION_LEN];

	fprintf(f, "<span style=\"width:%.4f%%\">%s %s</span>", 100 * share,
		name, duration_format(buf, ns));
}

/* The worst window from the expiry to the end of the work. */
static void timeline(FILE *f, const struct result *r)
{
	const struct tlob_window *w = &r->worst[0];
	double part[TLOB_NR_PARTS], whole = (double)w->response_ns;
	char name[PRINTABLE_NAME], buf[DURATION_LEN], who[128];

	if (!r->nworst || !(whole > 0))
		return;
	parts_of(w, part);
	fprintf(f, "<h2>The worst window</h2>\n<p>CPU %" PRIu32 ", activation %" PRIu64 ", expiry at %" PRIu64 ".%09" PRIu64 " s: response %s",
		(uint32_t)w->cpu, (uint64_t)w->activation,
		(uint64_t)w->t0_ns / 1000000000, (uint64_t)w->t0_ns % 1000000000,
		duration_format(buf, w->response_ns));
	fprintf(f, ", budget %s.", duration_exact(buf, w->budget_ns));
	if (w->largest.ns) {
		fputs(" The largest interruption was ", f);
		markup_text(f, noise_text(who, sizeof(who), &w->largest));
		fprintf(f, " with %s.", duration_format(buf, w->largest.ns));
	}
	if (w->delayed_by_pid) {
		fputs(" When the timer expired, ", f);
		markup_text(f, printable(name, w->delayed_by, TLOB_NAME_LEN));
		fputs(" was running.", f);
	}
	fputs("</p>\n<div class=\"big\"><div class=\"phase\">", f);
	phase(f, "wake", w->wake_ns, (double)w->wake_ns / whole);
	phase(f, "work", w->response_ns - w->wake_ns,
	      1 - (double)w->wake_ns / whole);
	fputs("</div>", f);
	bar(f, part, whole);
	fputs("</div>", f);
	legend(f, part, whole);
	fputs("<p class=\"dim\">Time runs from the timer's expiry to the right. Within a phase each part is a sum; its position is not the time at which it occurred.</p>\n",
	      f);
}

static void worst_windows(FILE *f, const struct result *r)
{
	size_t i, n = r->nworst < WORST_SHOWN ? r->nworst : WORST_SHOWN;
	double part[TLOB_NR_PARTS];
	char who[128];

	if (n < 2)
		return;
	fputs("<h2>The next worst</h2>\n<div class=\"wide\"><table>\n<tr><th>CPU<th>activation<th>response, us<th class=\"l\">largest interruption<th class=\"l\">parts\n", f);
	for (i = 1; i < n; i++) {
		const struct tlob_window *w = &r->worst[i];

		fprintf(f, "<tr><td>%" PRIu32 "<td>%" PRIu64, (uint32_t)w->cpu,
			(uint64_t)w->activation);
		us(f, true, w->response_ns);
		fputs("<td class=\"l\">", f);
		markup_text(f, w->largest.ns ?
			noise_text(who, sizeof(who), &w->largest) : "–");
		fputs("<td class=\"w\">", f);
		parts_of(w, part);
		bar(f, part, (double)r->worst[0].response_ns);
		fputc('\n', f);
	}
	fputs("</table></div>\n", f);
}

static void names(FILE *f, const struct offenders *list, const char *title)
{
	size_t i, n = list->n < 12 ? list->n : 12;
	char name[PRINTABLE_NAME];

	if (!n)
		return;
	fprintf(f, "<h2>%s</h2>\n<div class=\"wide\"><table>\n<tr><th>kind<th class=\"l\">name<th>id<th>windows<th>total, us<th>max, us\n",
		title);
	for (i = 0; i < n; i++) {
		const struct offender *o = &list->at[i];

		fprintf(f, "<tr><td>%s<td class=\"l\">", noise_kind_name(o->kind));
		markup_text(f, printable(name, o->name, TLOB_NAME_LEN));
		fprintf(f, "<td>%" PRId32 "<td>%" PRIu64, o->id, o->windows);
		us(f, true, o->total_ns);
		us(f, true, o->max_ns);
		fputc('\n', f);
	}
	fputs("</table></div>\n", f);
}

static void fact(FILE *f, const char *name, const char *value)
{
	if (!value)
		return;
	fputs("<dt>", f);
	markup_text(f, name);
	fputs("<dd>", f);
	markup_text(f, *value ? value : "–");
	fputc('\n', f);
}

static void fact_duration(FILE *f, const char *name, uint64_t ns)
{
	char buf[DURATION_LEN];

	fact(f, name, duration_exact(buf, ns));
}

static void circumstances(FILE *f, const struct result *r)
{
	char buf[DURATION_LEN], **note;
	size_t i;

	fputs("<h2>How it was measured</h2>\n<dl>\n", f);
	fact(f, "command", r->command);
	fact(f, "kernel", r->kernel);
	fact(f, "machine", r->machine);
	fact(f, "host", r->host);
	fact(f, "backend", r->backend);
	fact(f, "noise source", r->noise_source);
	fact(f, "workload", r->workload);
	fact(f, "work", r->work);
	fact(f, "policy", r->policy);
	fact(f, "CPUs", r->cpus);
	fact(f, "housekeeping", r->housekeeping);
	fact_duration(f, "period", r->period_ns);
	fact_duration(f, "budget", r->budget_ns);
	fact(f, "ran", duration_format(buf, r->duration_ns));
	fact(f, "stopped by", r->stopped_by);
	fact(f, "not measured", r->unavailable_because);
	for (note = r->notes; note && *note; note++)
		fact(f, "note", *note);
	fputs("</dl>\n", f);
	if (r->ntuning)
		fputs("<h2>Tuning</h2>\n<dl>\n", f);
	for (i = 0; i < r->ntuning; i++)
		fact(f, r->tuning[i].name, r->tuning[i].value);
	if (r->ntuning)
		fputs("</dl>\n", f);
}

static int plot(FILE *f, const struct report *rep, enum report_plot which,
		const char *title)
{
	char *svg;
	int err = report_plot(&svg, rep, which);

	if (!err)
		fprintf(f, "<h2>%s</h2>\n%s\n", title, svg);
	free(svg);
	return err;
}

/*
 * One quantile with its bounds, at 95 % confidence. The bounds are order statistics,
 * rounded outward to the edges of the histogram.
 */
static void quantile_cell(FILE *f, const struct tlob_hist *h, unsigned int ppm)
{
	struct rank_interval r;
	char lower[DURATION_LEN], upper[DURATION_LEN], at[DURATION_LEN];

	r = stats_quantile_ranks(h->n, (double)ppm / 1000000, 0.05);
	if (!r.lower || !r.upper) {
		fputs("<td class=\"dim\">not resolvable", f);
		return;
	}
	fprintf(f, "<td>%s <span class=\"dim\">%s … %s</span>",
		duration_us(at, hist_quantile(h, ppm)),
		duration_us(lower, hist_rank_lower(h, r.lower)),
		duration_us(upper, hist_rank_upper(h, r.upper)));
}

static void quantiles(FILE *f, const struct report *rep)
{
	static const struct {
		const char *name;
		unsigned int ppm;
	} at[] = {
		{ "p50", 500000 }, { "p90", 900000 }, { "p99", 990000 },
		{ "p99.9", 999000 }, { "p99.99", 999900 },
		{ "p99.999", 999990 },
	};
	size_t i, k;
	unsigned int m;

	fputs("<div class=\"wide\"><table>\n<tr><th>us", f);
	for (k = 0; k < sizeof(at) / sizeof(at[0]); k++)
		fprintf(f, "<th>%s", at[k].name);
	for (i = 0; i < rep->n; i++)
		for (m = TLOB_METRIC_IRQ; m < TLOB_METRIC_PARTS; m++) {
			fprintf(f, "\n<tr><td>%s", tlob_metric_names[m]);
			if (rep->n > 1) {
				fputs(", ", f);
				markup_text(f, rep->name[i]);
			}
			for (k = 0; k < sizeof(at) / sizeof(at[0]); k++)
				quantile_cell(f, &rep->r[i].all.hist[m],
					      at[k].ppm);
		}
	fputs("\n</table></div>\n<p class=\"dim\">The bounds have 95 % confidence if the windows are independent. They describe this run, not other runs. Not resolvable: too few windows for a bound.</p>\n",
	      f);
}

static int plots(FILE *f, const struct report *rep)
{
	int err;

	err = plot(f, rep, PLOT_TAIL, "Quantiles");
	if (err)
		return err;
	quantiles(f, rep);
	err = plot(f, rep, PLOT_HISTOGRAM, "Histogram");
	if (!err && rep->n == 2)
		err = plot(f, rep, PLOT_SHIFT,
			   "Shift: second minus first, by quantile");
	return err;
}

static void result_head(FILE *f, const struct report *rep, size_t i)
{
	const struct result *r = &rep->r[i];

	fputs("<h1>", f);
	markup_text(f, rep->name[i]);
	fputs(" <span class=\"dim\">", f);
	markup_text(f, r->work);
	fputs(", Linux ", f);
	markup_text(f, r->kernel);
	fputs("</span></h1>\n", f);
	verdict(f, r);
	if (r->deterministic)
		fputs("<p>Times are executed instructions: they show path length, not caches or devices.</p>\n", f);
	where_it_went(f, r);
}

static void result_rest(FILE *f, const struct report *rep, size_t i)
{
	const struct result *r = &rep->r[i];

	if (rep->n > 1) {
		fputs("<h1 style=\"margin-top:3rem\">", f);
		markup_text(f, rep->name[i]);
		fputs("</h1>\n", f);
	}
	cpus(f, r);
	timeline(f, r);
	worst_windows(f, r);
	names(f, &r->noise, "Offenders: the largest interruption of each window");
	names(f, &r->delay, "Offenders: what delayed the timer interrupt");
	circumstances(f, r);
}

/* False if a result has no windows, and so no curve. */
static bool can_draw(const struct report *rep)
{
	size_t i;

	for (i = 0; i < rep->n; i++)
		if (!rep->r[i].all.windows)
			return false;
	return true;
}

int report_html(FILE *f, const struct report *rep)
{
	size_t i;
	int err;

	fputs(head, f);
	fputs("<title>tlob-load: ", f);
	markup_text(f, rep->name[0]);
	fputs("</title>\n</head>\n<body>\n", f);
	for (i = 0; i < rep->n; i++)
		result_head(f, rep, i);
	err = can_draw(rep) ? plots(f, rep) : 0;
	if (err)
		return err;
	if (rep->n == 2)
		fputs("<p class=\"dim\">Two runs cannot show a regression. tlob-load compare decides from several runs of each.</p>\n", f);
	for (i = 0; i < rep->n; i++)
		result_rest(f, rep, i);
	fputs("</body>\n</html>\n", f);
	return ferror(f) ? -EIO : 0;
}
