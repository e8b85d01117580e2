// SPDX-License-Identifier: GPL-2.0
/* The page of a validation: the verdict, the phases, the worst one, and what doctor found. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/curves.h"
#include "report/findings_render.h"
#include "report/parts_text.h"
#include "report/pieces.h"
#include "report/rate.h"
#include "util/markup.h"
#include "util/units.h"
#include "validate/validate.h"

/* A text, which is freed. 0 or -ENOMEM. */
static int put_text(FILE *f, char *text)
{
	if (!text)
		return -ENOMEM;
	markup_text(f, text);
	free(text);
	return 0;
}

static int verdict(FILE *f, const struct validate *v)
{
	static const char * const classes[] = {
		[FITNESS_UNDECIDED] = "unsure", [FITNESS_FIT] = "good", [FITNESS_NOT] = "bad",
	};
	char *sentence = validate_sentence(v), *gaps = validate_gaps(v);
	char *conditions = validate_conditions(v), **lowered, **at;
	int err = validate_lowered(v, &lowered);

	if (!err && sentence && gaps && conditions)
		markup(f, "<p class=\"verdict %s\">%s</p>\n<p class=\"dim\">%s</p>\n<p>%s</p>\n",
		       classes[validate_judge(v)], sentence, conditions, gaps);
	else
		err = -ENOMEM;
	for (at = lowered; at && *at; at++)
		markup(f, "<p class=\"unsure\">%s</p>\n", *at);
	notes_free(lowered);
	free(conditions);
	free(sentence);
	free(gaps);
	return err;
}

/* Bars of all phases have one scale: the longest response, or the budget if that is more. */
static double scale(const struct validate *v)
{
	double most = (double)v->budget_ns;
	unsigned int i;

	for (i = 0; i < v->n; i++)
		if (v->phase[i].state == PHASE_DONE &&
		    (double)v->phase[i].r.all.hist[TLOB_METRIC_RESPONSE].max > most)
			most = (double)v->phase[i].r.all.hist[TLOB_METRIC_RESPONSE].max;
	return most;
}

static int phase_row(FILE *f, const struct validate *v, const struct validate_phase *p, double width)
{
	const struct result *r = &p->r;
	char count[COUNT_LEN], share[SHARE_LEN];
	struct main_offender o;
	struct bar worst;
	int err = 0;

	markup(f, "<tr><td>%s", p->name);
	if (p->state != PHASE_DONE) {
		markup(f, "<td class=\"l %s\">%s<td><td><td><td><td><td><td><td><td class=\"l prose\">%s\n",
		       p->state == PHASE_SKIPPED ? "dim" : "unsure",
		       p->state == PHASE_SKIPPED ? "skipped" : "missing", p->because ? p->because : "");
		return 0;
	}
	fprintf(f, "<td class=\"l %s\">%s<td>%s", p->kept ? "good" : p->exceeds ? "bad" : "unsure",
		p->kept ? "kept" : p->exceeds ? "not kept" : "open",
		count_prose(count, p->of));
	fprintf(f, "<td%s>%s<td>%s<td>%d", p->over ? " class=\"bad\"" : "", count_prose(count, p->over),
		p->over ? share_prose(share, p->upper) : "–", p->cpu);
	fprintf(f, "<td>%s", isnan(validate_episodes(p)) ? "–" : rate_number(count, validate_episodes(p)));
	cell_quantile_of(f, &r->all.hist[TLOB_METRIC_RESPONSE],
			 result_missed(&r->all, TLOB_METRIC_RESPONSE), 999000);
	cell_time(f, r->all.windows, r->all.hist[TLOB_METRIC_RESPONSE].max);
	fputs("<td class=\"w\">", f);
	if (r->nworst) {
		bar_of_window(&worst, &r->worst[0].w);
		bar_put(f, &worst, width);
	}
	fputs("<td class=\"l prose\">", f);
	validate_offender_of(&o, v, p);
	if (o.window)
		err = put_text(f, validate_why(&o));
	fputc('\n', f);
	return err;
}

static int phases(FILE *f, const struct validate *v)
{
	char buf[DURATION_LEN];
	double width = scale(v);
	unsigned int i;
	int err = 0;

	fputs("<h2>Phases</h2>\n<div class=\"wide phases\"><table>\n<tr><th>phase<th class=\"l\">budget<th>expiries<th>over or missed<th>less than<th>on CPU<th>episodes/h &lt;<th>p99.9<th>longest<th class=\"l\">the worst window<th class=\"l\">what made it long\n", f);
	for (i = 0; i < v->n && !err; i++)
		err = phase_row(f, v, &v->phase[i], width);
	fprintf(f, "</table></div>\n<p class=\"dim\">Expiries, those over the budget or missed, and the upper bound of their share with 95 %% confidence are those of the CPU with the largest bound, of those with too many if any has. Episodes are those of all CPUs together; their bound has 95 %% confidence, too. Both hold in this phase; that of the share if no episode is longer than %d or the longest seen. A whole bar is %s; the budget is ",
		VALIDATE_EPISODE, duration_prose(buf, (uint64_t)width));
	fprintf(f, "%s.</p>\n", duration_prose_exact(buf, v->budget_ns));
	if (validate_clock(v) > 1)
		fprintf(f, "<p>" RESULT_CLOCK_STEPS "</p>\n", validate_clock(v));
	return err;
}

/* Idle and the worst load, or only one curve if idle is the worst. */
static int curves(FILE *f, const struct validate *v, const struct validate_phase *worst)
{
	const char *name[2] = { v->phase[0].name, worst->name };
	struct result *r = calloc(2, sizeof(*r));
	struct report rep = { .r = r, .name = name, .n = 2 };

	if (!r)
		return -ENOMEM;
	/* copies that share what they point to */
	r[0] = v->phase[0].r;
	r[1] = worst->r;
	if (worst == &v->phase[0] || v->phase[0].state != PHASE_DONE)
		rep = (struct report){ .r = &r[1], .name = &name[1], .n = 1 };
	if (r[1].all.windows && (rep.n == 1 || r[0].all.windows)) {
		fprintf(f, "<h2>Quantiles%s</h2>\n", rep.n == 2 ? ": idle, and the worst load" : "");
		curves_quantiles(f, &rep);
	}
	free(r);
	return 0;
}

/* The worst window of all phases, what made it long, and what doctor says of that. */
static int offender(FILE *f, const struct main_offender *o)
{
	struct bar bar;
	int err;

	fputs("<h2>The worst window and its main offender</h2>\n<p class=\"next\">", f);
	err = put_text(f, validate_cause(o));
	fputs("</p>\n", f);
	page_bearings(f, &o->phase->r);
	if (o->window) {
		bar_of_window(&bar, o->window);
		fputs("<div class=\"big\">", f);
		bar_put(f, &bar, bar.whole);
		fputs("</div>", f);
		bar_legend(f, &bar);
	}
	if (!o->known)
		fputs("<p class=\"dim\">The parts of a window are not measured here, so no rule of doctor can be named.</p>\n", f);
	else if (!o->nfindings)
		fputs("<p>doctor found nothing that it depends on.</p>\n", f);
	if (o->nfindings)
		fputs("<p>doctor's findings about that:</p>\n", f);
	page_finding_table(f, o->finding, o->nfindings);
	render_offenders(f, TABLE_PAGE, &o->phase->r.noise, OFFENDERS_ON_PAGE, NOISE_TITLE);
	return err;
}

static void doctor(FILE *f, const struct validate *v)
{
	const struct examination *e = &v->doctor;
	const unsigned int *n = e->tally.findings;

	fprintf(f, "<h2>What doctor found</h2>\n<p>%s: %u fatal, %u high, %u medium%s.</p>\n",
		outcome_name(e->outcome), n[SEVERITY_FATAL], n[SEVERITY_HIGH], n[SEVERITY_MEDIUM],
		v->tune ? ", before --tune" : "");
	page_finding_table(f, e->at, e->n);
	page_unread(f, e->at, e->n);
}

static void circumstances(FILE *f, const struct validate *v, const struct result *r)
{
	fputs("<h2>How it was measured</h2>\n<dl>\n", f);
	if (r) {
		fact(f, "kernel", r->kernel);
		fact(f, "host", r->host);
		fact(f, "backend", r->backend);
		fact(f, "work", r->work);
		fact(f, "policy", r->policy);
		fact(f, "settings by --tune", r->tune);
	}
	fact(f, "CPUs", v->doctor.cpus);
	fact(f, "CPUs of the loads", v->load_cpus);
	fact_duration(f, "period", v->period_ns);
	fact_duration(f, "budget", v->budget_ns);
	fact_duration(f, "each phase", v->duration_ns);
	fact(f, "results", v->dir);
	fputs("</dl>\n", f);
}

int page_validate(FILE *f, const struct validate *v)
{
	struct main_offender o;
	int err;

	validate_offender(&o, v);
	html_begin(f, "validation");
	markup(f, "<h1>Is this machine fit? <span class=\"dim\">CPUs %s</span></h1>\n",
	       v->doctor.cpus ? v->doctor.cpus : "–");
	err = verdict(f, v);
	if (!err)
		err = phases(f, v);
	if (!err && o.phase)
		err = offender(f, &o);
	if (!err && o.phase)
		err = curves(f, v, o.phase);
	if (!err)
		doctor(f, v);
	circumstances(f, v, o.phase ? &o.phase->r : NULL);
	return html_end(f, err);
}
