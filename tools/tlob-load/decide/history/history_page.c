// SPDX-License-Identifier: GPL-2.0
/* A history as a page: for each series its sessions, and each number over them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history/history_render.h"
#include "history/series.h"
#include "report/pieces.h"
#include "report/plot.h"
#include "util/file.h"
#include "util/markup.h"
#include "util/printable.h"

#define SESSIONS	300		/* the newest ones, which a page shows */
#define STEPS		8		/* marks that have room in a plot */
#define BUILDS		9		/* labels below a plot */
#define BUILD_LABEL	12		/* characters of one */

static const char *class_of(const struct session *s)
{
	if (s->state == SESSION_REJECTED)
		return "bad";
	return s->state == SESSION_OPEN || (s->verdict && strcmp(s->verdict, "OK")) ? "unsure" : "good";
}

/* The numbers that all plots of a series share. */
struct view {
	struct series s;
	size_t	 from;			/* the first session that is shown */
};

static bool take_range(const struct view *v, unsigned int value, double *least, double *most)
{
	size_t i, k;

	*least = INFINITY;
	*most = -INFINITY;
	for (i = v->from; i < v->s.n; i++)
		for (k = 0; k < v->s.at[i]->nruns; k++) {
			double x = v->s.at[i]->run[k].value[value];

			if (!isfinite(x))
				continue;
			*least = fmin(*least, x);
			*most = fmax(*most, x);
		}
	return isfinite(*most);
}

/* What is missed lies at the upper edge. */
static double shown(const struct plot *p, double x)
{
	return isinf(x) ? p->y.to : x;
}

static void put_session(struct plot *p, const struct view *v, size_t i, unsigned int value)
{
	const struct session *s = v->s.at[i];
	double median = session_median(s, value), x = (double)(i - v->from) + 0.5;
	char title[256], kind[16], text[DURATION_LEN], when[WHEN_LEN], *build = printable_dup(s->build);
	size_t k;

	for (k = 0; k < s->nruns; k++)
		if (!isnan(s->run[k].value[value]))
			plot_dot(p, x, shown(p, s->run[k].value[value]), 1.3, "dot", "a run");
	snprintf(title, sizeof(title), "session %u, %.60s, %s: %s, %s%s%s", s->number, build ? build : "",
		 history_when(when, session_started(s)), history_value(text, value, median),
		 session_states[s->state], s->verdict ? ", " : "", s->verdict ? s->verdict : "");
	snprintf(kind, sizeof(kind), "dot %s", s->state == SESSION_REJECTED ? "bad" : "effect");
	if (!isnan(median))
		plot_dot(p, x, shown(p, median), 3.5, kind, title);
	free(build);
}

/* Between two sessions: a dashed line with its meaning under the pointer. */
static void put_gap(struct plot *p, double x, const char *text)
{
	markup(p->f, "<path class=\"irq\" stroke-width=\"2\" d=\"M%.1f %gV%g\"><title>%s</title></path>\n",
	       plot_x(p, x), PLOT_TOP, p->height - PLOT_BOTTOM, text);
}

/* Some builds, below the sessions that have them. */
static void put_builds(struct plot *p, const struct view *v)
{
	size_t n = v->s.n - v->from, every = (n + BUILDS - 1) / BUILDS, i;
	char label[BUILD_LABEL + 1];

	for (i = 0; i < n; i += every) {
		char *build = printable_dup(v->s.at[v->from + i]->build);

		snprintf(label, sizeof(label), "%.*s", BUILD_LABEL, build ? build : "");
		markup(p->f, "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%s</text>\n",
		       plot_x(p, (double)i + 0.5), p->height - PLOT_BOTTOM + 20, label);
		free(build);
	}
}

static int put_marks(struct plot *p, const struct view *v, unsigned int value)
{
	struct step step[STEPS];
	char text[GAP_LEN], by[32];
	int n = series_steps(&v->s, value, SERIES_ALPHA, step, STEPS), k, marks = 0;
	size_t i;

	for (i = v->from + 1; i < v->s.n; i++)
		if (*history_gap(text, series_gap(&v->s, i)))
			put_gap(p, (double)(i - v->from), text);
	for (k = 0; k < n; k++) {
		if (step[k].at < v->from)
			continue;
		*by = 0;
		if (isfinite(step[k].by))
			snprintf(by, sizeof(by), "%+.0f %% ", 100 * step[k].by);
		snprintf(text, sizeof(text), "%sfrom session %u", by, v->s.at[step[k].at]->number);
		plot_mark_x(p, (double)(step[k].at - v->from), text, (size_t)(marks++ % 3));
	}
	return n < 0 ? n : 0;
}

static int number(FILE *f, const struct view *v, unsigned int value)
{
	const struct axis x = { .from = 0, .to = (double)(v->s.n - v->from) };
	double least, most;
	struct axis y;
	struct plot p;
	size_t i;
	int err;

	if (!take_range(v, value, &least, &most))
		return 0;
	if (value == VALUE_MISS_RATE) {
		y = (struct axis){ .from = 0, .to = fmax(most, 1e-6) };
		axis_widen(&y);
		y.from = 0;
	} else {
		y = axis_of_times((uint64_t)least, (uint64_t)most);
	}
	markup(f, "<h3>%s</h3>\n", session_values[value]);
	plot_begin(&p, f, "history", &x, &y, PLOT_HEIGHT);
	if (value == VALUE_MISS_RATE)
		plot_ticks_share(&p, false);
	else
		plot_ticks_time(&p, false);
	put_builds(&p, v);
	for (i = v->from; i < v->s.n; i++)
		put_session(&p, v, i, value);
	err = put_marks(&p, v, value);
	plot_end(&p);
	return err;
}

static void row(FILE *f, const struct view *v, size_t i)
{
	const struct session *s = v->s.at[i];
	char when[WHEN_LEN], gap[GAP_LEN], text[DURATION_LEN];

	fprintf(f, "<tr><td>%u<td class=\"l\">%s", s->number, history_when(when, session_started(s)));
	cell_text(f, s->build);
	cell_text(f, s->commit);
	fprintf(f, "<td>%zu<td class=\"l %s\">%s", s->nruns, class_of(s), session_states[s->state]);
	cell_text(f, s->verdict);
	fprintf(f, "<td>%s", history_value(text, VALUE_WAKE_P99, session_median(s, VALUE_WAKE_P99)));
	fprintf(f, "<td>%s", history_value(text, VALUE_RESPONSE_P999,
					   session_median(s, VALUE_RESPONSE_P999)));
	fprintf(f, "<td>%s", history_value(text, VALUE_MISS_RATE, session_median(s, VALUE_MISS_RATE)));
	markup(f, "<td class=\"l prose\">%s%s%s\n", s->because ? s->because : "",
	       s->because && series_gap(&v->s, i) ? "; " : "", history_gap(gap, series_gap(&v->s, i)));
}

/* The newest one first. */
static void table(FILE *f, const struct view *v)
{
	size_t i;

	fprintf(f, "<div class=\"wide\"><table>\n<tr><th>session<th class=\"l\">began<th class=\"l\">build<th class=\"l\">commit<th>runs<th class=\"l\">state<th class=\"l\">verdict<th>%s<th>%s<th>%s<th class=\"l\">because\n",
		session_values[VALUE_WAKE_P99], session_values[VALUE_RESPONSE_P999],
		session_values[VALUE_MISS_RATE]);
	for (i = v->s.n; i-- > v->from;)
		row(f, v, i);
	fputs("</table></div>\n", f);
}

static int series(FILE *f, const struct history *h, unsigned int number_of_series)
{
	unsigned int value;
	struct view v;
	int err = series_take(&v.s, h, number_of_series);

	if (err)
		return err;
	v.from = v.s.n > SESSIONS ? v.s.n - SESSIONS : 0;
	markup(f, "<h2>Series %u: %s, %s</h2>\n", number_of_series,
	       v.s.at[0]->host ? v.s.at[0]->host : "unknown host", v.s.at[0]->settings);
	if (v.from)
		fprintf(f, "<p class=\"dim\">The newest %d of %zu sessions.</p>\n", SESSIONS, v.s.n);
	for (value = 0; value < SESSION_VALUES && !err; value++)
		err = number(f, &v, value);
	if (!err)
		table(f, &v);
	series_free(&v.s);
	return err;
}

int history_page(FILE *f, const struct history *h)
{
	unsigned int i;
	int err = 0;

	html_begin(f, "history");
	markup(f, "<h1>History <span class=\"dim\">%s</span></h1>\n", h->dir);
	fputs("<p class=\"dim\">A large dot is the median of a session, a small one a run; a red one was rejected. A dashed grey line is a gap in time or a clock that was set back. A red mark is a step: the ten sessions before, without rejected ones, and from there differ (rank sum, 0.1 %).</p>\n", f);
	for (i = 1; i <= h->nseries && !err; i++)
		err = series(f, h, i);
	err = html_end(f, err);
	return err ? output_failed(f, "the page", err) : 0;
}
