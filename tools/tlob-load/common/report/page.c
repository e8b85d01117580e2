// SPDX-License-Identifier: GPL-2.0
/*
 * The report page. It begins with the verdict and where the time went; details
 * follow.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/assertions.h"
#include "report/cause_text.h"
#include "report/curves.h"
#include "report/findings_render.h"
#include "report/flames_page.h"
#include "report/functions_render.h"
#include "report/page.h"
#include "report/parts_text.h"
#include "report/pieces.h"
#include "report/places.h"
#include "report/region.h"
#include "report/render.h"
#include "report/samples_plot.h"
#include "report/timeline_render.h"
#include "report/window_waits.h"
#include "result/parts.h"
#include "result/stats.h"
#include "util/markup.h"
#include "util/printable.h"
#include "util/units.h"

#define WORST_SHOWN	8
#define SPANS_SHOWN	1024	/* of all timelines: a span takes some 200 bytes */

static void put_outcome(FILE *f, const void *data)
{
	render_outcome(f, data);
}

static void put_cause(FILE *f, const void *data)
{
	const struct result *r = data;

	cause_of_window_text(f, &r->worst[0].w,
			     hist_mean(&r->all.hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU]), r);
}

int page_verdict(FILE *f, const struct result *r)
{
	int err;

	fprintf(f, "<p class=\"verdict %s\">", outcome_is_good(r) ? "good" : "bad");
	err = put_as_text(f, put_outcome, r);
	fputs("</p>\n", f);
	page_assertions(f, &r->said);
	return err;
}

static int verdict(FILE *f, const struct result *r)
{
	const struct tlob_hist *response = &r->all.hist[TLOB_METRIC_RESPONSE];
	char **limits = NULL, mean[DURATION_LEN];
	int err = page_verdict(f, r);

	if (err || !r->all.windows)
		return err;
	err = outcome_limits(&limits, r);
	if (!err)
		err = outcome_bounds(&limits, r);
	page_notes(f, limits);
	notes_free(limits);
	page_bearings(f, r);
	fprintf(f, "<p class=\"dim\">The mean response is %s.</p>\n",
		duration_format(mean, hist_mean(response)));
	return err;
}

static void where_it_went(FILE *f, const struct result *r)
{
	if (page_mean(f, &r->all, false) && parts_are_unavailable(r->all.unavailable) &&
	    r->unavailable_because)
		markup(f, "<p>irq and the parts of wake and work are not measured: %s.</p>\n",
		       r->unavailable_because);
}

static void cpu_row(FILE *f, const struct result_cpu *c, double longest)
{
	const struct tlob_hist *wake = &c->hist[TLOB_METRIC_WAKE];
	const struct tlob_hist *response = &c->hist[TLOB_METRIC_RESPONSE];
	uint64_t late = result_missed(c, TLOB_METRIC_RESPONSE);
	struct bar mean;

	markup(f, "<tr><td>%s%s", c->host ? c->host : "", c->host ? " " : "");
	if (c->cpu < 0)
		fputs("all", f);
	else
		fprintf(f, "%d", c->cpu);
	cell_count(f, c->windows);
	cell_bad(f, c->violations);
	cell_bad(f, c->missed);
	cell_count(f, c->lost);
	cell_quantile_of(f, wake, result_missed(c, TLOB_METRIC_WAKE), 500000);
	cell_quantile_of(f, wake, result_missed(c, TLOB_METRIC_WAKE), 999000);
	cell_time(f, wake->n, wake->max);
	cell_quantile_of(f, response, late, 500000);
	cell_quantile_of(f, response, late, 990000);
	cell_quantile_of(f, response, late, 999000);
	cell_time(f, response->n, response->max);
	fputs("<td class=\"w\">", f);
	bar_of_mean(&mean, c);
	bar_put(f, &mean, longest);
	fputs("\n", f);
}

static void cpus(FILE *f, const struct result *r)
{
	static const char * const counted[] = { "windows", "violations", "missed", "lost" };
	struct bar mean;
	double longest = 0;
	size_t i;

	for (i = 0; i < r->ncpus; i++) {
		bar_of_mean(&mean, &r->cpu[i]);
		longest = mean.whole > longest ? mean.whole : longest;
	}
	fputs("<div class=\"wide\"><table>\n<tr><th>CPU", f);
	for (i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		fputs("<th>", f);
		page_word(f, counted[i]);
	}
	fputs("<th>", f);
	page_word(f, "wake");
	fputs(" p50<th>p99.9<th>max<th>", f);
	page_word(f, "response");
	fputs(" p50<th>p99<th>p99.9<th>max<th class=\"l\">mean response\n", f);
	if (r->ncpus > 1)
		cpu_row(f, &r->all, longest);
	for (i = 0; i < r->ncpus; i++)
		cpu_row(f, &r->cpu[i], longest);
	fputs("</table></div>\n", f);
}

/* So much of the width has room for the name and the time. */
#define PHASE_LEAST	0.1

/* At the right end the text of a narrow one begins to the left of it. */
static void phase(FILE *f, const char *name, uint64_t ns, double share)
{
	char buf[DURATION_LEN];

	fprintf(f, "<span%s style=\"width:%.4f%%\">%s %s</span>", share < PHASE_LEAST ? " class=\"narrow\"" : "",
		100 * share, name, duration_format(buf, ns));
}

/* The worst window from the expiry to the end of the work. */
static int timeline(FILE *f, const struct result *r)
{
	const struct tlob_window *w = &r->worst[0].w;
	char buf[DURATION_LEN];
	struct bar whole;
	int err = 0;

	if (!r->nworst || !w->response_ns)
		return 0;
	bar_of_window(&whole, w);
	fprintf(f, "<h2>The worst window</h2>\n<p>CPU %" PRIu32 ", activation %" PRIu64 ", expiry at %" PRIu64 ".%09" PRIu64 " s: response %s",
		(uint32_t)w->cpu, (uint64_t)w->activation,
		(uint64_t)w->t0_ns / 1000000000, (uint64_t)w->t0_ns % 1000000000,
		duration_format(buf, w->response_ns));
	fprintf(f, ", budget %s.", duration_exact(buf, w->budget_ns));
	if (!parts_are_unavailable(w->unavailable)) {
		fputs(" It was ", f);
		err = put_as_text(f, put_cause, r);
		fputc('.', f);
	}
	fputs("</p>\n<div class=\"big\"><div class=\"phase\">", f);
	phase(f, "wake", w->wake_ns, (double)w->wake_ns / whole.whole);
	phase(f, "work", w->response_ns - w->wake_ns,
	      1 - (double)w->wake_ns / whole.whole);
	fputs("</div>", f);
	if (timeline_can_draw(r, 0))
		timeline_bar(f, r, 0);
	else
		bar_put(f, &whole, whole.whole);
	fputs("</div>", f);
	bar_legend(f, &whole);
	fputs("<p class=\"dim\">Time runs from the timer's expiry to the right. ", f);
	fputs(timeline_can_draw(r, 0) ?
	      "Each piece is where it occurred. An nmi is at the end of what it interrupted." :
	      "Within a phase each part is a sum; its position is not the time at which it occurred.",
	      f);
	if (timeline_can_draw(r, 0) && w->part_ns[TLOB_WORK_HW])
		fputs(" Gaps that the kernel cannot explain, hw, were found after the work: they lie somewhere in on_cpu.", f);
	fputs("</p>\n", f);
	return err;
}

static void worst_windows(FILE *f, const struct result *r)
{
	size_t i, n = r->nworst < WORST_SHOWN ? r->nworst : WORST_SHOWN;
	struct bar bar;
	char who[128];

	if (n < 2)
		return;
	fputs("<h2>The next worst</h2>\n<div class=\"wide\"><table>\n<tr><th>CPU<th>activation<th>response<th class=\"l\">largest interruption<th class=\"l\">parts\n", f);
	for (i = 1; i < n; i++) {
		const struct tlob_window *w = &r->worst[i].w;

		fprintf(f, "<tr><td>%" PRIu32 "<td>%" PRIu64, (uint32_t)w->cpu,
			(uint64_t)w->activation);
		cell_time(f, true, w->response_ns);
		cell_text(f, w->largest.ns ? noise_text(who, sizeof(who), &w->largest) : NULL);
		fputs("<td class=\"w\">", f);
		bar_of_window(&bar, w);
		bar_put(f, &bar, (double)r->worst[0].w.response_ns);
		fputc('\n', f);
	}
	fputs("</table></div>\n", f);
}

static void circumstances(FILE *f, const struct result *r)
{
	char buf[DURATION_LEN], **note, *tags = tags_text(&r->tags);
	size_t i;

	fputs("<h2>How it was measured</h2>\n<dl>\n", f);
	fact(f, "command", r->command);
	fact(f, "kernel", r->kernel);
	fact(f, "machine", r->machine);
	fact(f, "host", r->host);
	fact(f, "label", r->label);
	fact(f, "tags", tags);
	fact(f, "backend", r->backend);
	fact(f, "why this backend", r->backend_because);
	fact(f, "noise source", r->noise_source);
	fact(f, "workload", r->workload);
	fact(f, "work", r->work);
	fact(f, "policy", r->policy);
	fact(f, "functions", r->function_words);
	fact(f, "settings by --tune", r->tune);
	fact(f, "could not be changed", r->tune_left_out);
	fact(f, "load", r->load);
	if (r->load)
		fact(f, "CPUs of the load", r->load_cpus);
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
	free(tags);
}

static const char *rank_text(char buf[DURATION_LEN], const struct tlob_hist *h,
			     uint64_t rank,
			     uint64_t (*edge)(const struct tlob_hist *, uint64_t))
{
	if (rank <= h->n)
		return duration_format(buf, edge(h, rank));
	/* Missed expiries are the latest of all. */
	snprintf(buf, DURATION_LEN, "missed");
	return buf;
}

/*
 * One quantile with its bounds, at 95 % confidence. The bounds are order statistics,
 * rounded outward to the edges of the histogram.
 */
static void quantile_cell(FILE *f, const struct result_cpu *c,
			  unsigned int metric, unsigned int ppm)
{
	const struct tlob_hist *h = &c->hist[metric];
	uint64_t n = result_expiries(c, metric);
	struct rank_interval r = stats_quantile_ranks(n, (double)ppm / 1000000, 0.05);
	char lower[DURATION_LEN], upper[DURATION_LEN], at[DURATION_LEN];
	uint64_t ns;

	if (hist_quantile_missed(h, result_missed(c, metric), ppm, &ns) == QUANTILE_FEW) {
		fputs("<td class=\"dim\">–", f);
		return;
	}
	fprintf(f, "<td>%s<br>", rank_text(at, h, quantile_rank(n, ppm), hist_rank_upper));
	if (r.lower && r.upper)
		fprintf(f, "<span class=\"dim\">%s … %s</span>",
			rank_text(lower, h, r.lower, hist_rank_lower),
			rank_text(upper, h, r.upper, hist_rank_upper));
	else
		fputs("<span class=\"dim\">no bounds</span>", f);
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

	fputs("<div class=\"wide\"><table>\n<tr><th>", f);
	for (k = 0; k < sizeof(at) / sizeof(at[0]); k++)
		fprintf(f, "<th>%s", at[k].name);
	for (i = 0; i < rep->n; i++)
		for (m = TLOB_METRIC_IRQ; m < TLOB_METRIC_PARTS; m++) {
			if (!rep->r[i].all.hist[m].n)
				continue;
			fputs("\n<tr><td>", f);
			page_word(f, tlob_metric_names[m]);
			if (rep->n > 1)
				markup(f, ", %s", rep->name[i]);
			for (k = 0; k < sizeof(at) / sizeof(at[0]); k++)
				quantile_cell(f, &rep->r[i].all, m, at[k].ppm);
		}
	fputs("\n</table></div>\n<p class=\"dim\">The bounds have 95 % confidence if the windows are independent. They describe this run, not other runs. No bounds: too few windows for them. –: too few for the quantile.</p>\n",
	      f);
}

static void plots(FILE *f, const struct report *rep)
{
	bool of_region = rep->r[0].region;

	if (of_region) {
		fputs("<h2>Histogram of the elapsed time</h2>\n", f);
		curves_histogram(f, rep);
	}
	fputs("<h2>Quantiles</h2>\n", f);
	curves_quantiles(f, rep);
	if (!of_region) {
		quantiles(f, rep);
		fputs("<h2>Histogram</h2>\n", f);
		curves_histogram(f, rep);
	}
	if (rep->n == 2) {
		fputs("<h2>Shift: second minus first, by quantile</h2>\n", f);
		curves_shift(f, rep);
	}
}

static int result_head(FILE *f, const struct report *rep, size_t i)
{
	const struct result *r = &rep->r[i];
	int err;

	if (r->region)
		return region_page_head(f, rep, i);
	markup(f, "<h1>%s <span class=\"dim\">%s, Linux %s</span></h1>\n", rep->name[i], r->work,
	       r->kernel);
	err = verdict(f, r);
	page_deterministic(f, r->deterministic);
	where_it_went(f, r);
	return err;
}

static int result_rest(FILE *f, const struct report *rep, size_t i)
{
	const struct result *r = &rep->r[i];
	char buf[DURATION_LEN];
	int err = 0;

	if (rep->n > 1)
		page_heading(f, rep->name[i]);
	if (r->region)
		return region_page_details(f, r);
	if (r->all.slices && r->all.slices->n > 1) {
		fputs("<h2>When it happened</h2>\n", f);
		err = heat_times(f, r);
		fprintf(f, "<p class=\"dim\">Time runs from the begin of the run, in slices of %s. The stronger its colour, the more windows a cell has.</p>\n",
			heat_since(buf, sizeof(buf), r->all.slices->slice_ns));
	}
	fputs("<h2>CPUs</h2>\n", f);
	if (r->ncpus > 1 && !err)
		err = heat_cpus(f, r);
	if (r->ncpus > 1 && !err && r->all.windows)
		err = multiples_cpus(f, r, i);
	cpus(f, r);
	if (!err)
		err = timeline(f, r);
	worst_windows(f, r);
	timelines(f, r, WORST_SHOWN, (uint32_t)(SPANS_SHOWN / rep->n));
	if (!err)
		err = page_run_waits(f, r, WORST_SHOWN);
	page_functions(f, r, WORST_SHOWN);
	if (!err)
		err = render_offenders(f, TABLE_PAGE, &r->noise, OFFENDERS_ON_PAGE, NOISE_TITLE);
	if (!err)
		err = render_offenders(f, TABLE_PAGE, &r->delay, OFFENDERS_ON_PAGE, DELAY_TITLE);
	if (!err)
		err = page_places(f, r);
	if (r->all.os && !err)
		err = render_os(f, TABLE_PAGE, r);
	page_findings(f, r);
	circumstances(f, r);
	return err;
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

static int put_markdown(FILE *f, const void *data)
{
	return report_markdown(f, data);
}

int page_results(FILE *f, const struct report *rep)
{
	bool of_region = rep->r[0].region;
	size_t i;
	int err = 0;

	html_begin(f, of_region ? "attach" : rep->name[0]);
	for (i = 0; i < rep->n && !err; i++)
		err = result_head(f, rep, i);
	if (can_draw(rep))
		plots(f, rep);
	if (rep->n == 2 && !of_region)
		fputs("<p class=\"dim\">Two runs cannot show a regression. tlob-load compare decides from several runs of each.</p>\n", f);
	for (i = 0; i < rep->n && !err; i++)
		err = result_rest(f, rep, i);
	if (!err && rep->samples)
		samples_plot_put(f, rep->samples);
	if (!err && rep->flames)
		err = flames_put(f, rep->flames);
	if (!err)
		err = copy_button(f, put_markdown, rep);
	return html_end(f, err);
}
