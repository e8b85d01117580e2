// SPDX-License-Identifier: GPL-2.0
/* A history as a page: each number of each series over its sessions. */
#include <errno.h>
#include <math.h>

#include "history/history_render.h"
#include "history/series.h"
#include "report/html.h"
#include "util/file.h"

#define SESSIONS	300		/* the newest ones, which a page shows */
#define STEPS		8		/* of a number */

static void put_number(struct builder *b, struct json_object *list, double x)
{
	if (isinf(x))
		put_text(b, list, NULL, "missed");
	else
		put_double(b, list, NULL, x);
}

static void put_runs(struct builder *b, struct json_object *o, const struct session *s)
{
	struct json_object *medians = put_array(b, o, "medians"), *runs = put_array(b, o, "runs"), *run;
	unsigned int value;
	size_t i;

	for (value = 0; value < SESSION_VALUES; value++)
		put_number(b, medians, session_median(s, value));
	for (i = 0; i < s->nruns; i++) {
		run = put_array(b, runs, NULL);
		for (value = 0; value < SESSION_VALUES; value++)
			put_number(b, run, s->run[i].value[value]);
	}
}

static void put_session(struct builder *b, struct json_object *list, const struct series *of, size_t i)
{
	struct json_object *o = put_object(b, list, NULL);
	const struct session *s = of->at[i];
	char when[WHEN_LEN], gap[GAP_LEN];

	put_u64(b, o, "number", s->number);
	put_text(b, o, "began", history_when(when, session_started(s)));
	put_text(b, o, "build", s->build);
	put_text(b, o, "commit", s->commit);
	put_text(b, o, "state", session_states[s->state]);
	put_text(b, o, "verdict", s->verdict);
	put_text(b, o, "because", s->because);
	if (i && *history_gap(gap, series_gap(of, i)))
		put_text(b, o, "gap", gap);
	put_runs(b, o, s);
}

/* [value, session, share that it changed by or null] for each step of each number. */
static int put_steps(struct builder *b, struct json_object *o, const struct series *s)
{
	struct json_object *list = put_array(b, o, "steps"), *one;
	struct step step[STEPS];
	unsigned int value;
	int n, k;

	for (value = 0; value < SESSION_VALUES; value++) {
		n = series_steps(s, value, SERIES_ALPHA, step, STEPS);
		if (n < 0)
			return n;
		for (k = 0; k < n; k++) {
			one = put_array(b, list, NULL);
			put_u64(b, one, NULL, value);
			put_u64(b, one, NULL, s->at[step[k].at]->number);
			put_double(b, one, NULL, step[k].by);
		}
	}
	return 0;
}

static int put_series(struct builder *b, struct json_object *list, const struct history *h, unsigned int number)
{
	struct json_object *o = put_object(b, list, NULL), *sessions;
	struct series s;
	size_t i;
	int err = series_take(&s, h, number);

	if (err)
		return err;
	put_u64(b, o, "number", number);
	put_text(b, o, "host", s.at[0]->host);
	put_text(b, o, "settings", s.at[0]->settings);
	put_u64(b, o, "all", s.n);
	sessions = put_array(b, o, "sessions");
	for (i = s.n > SESSIONS ? s.n - SESSIONS : 0; i < s.n; i++)
		put_session(b, sessions, &s, i);
	err = put_steps(b, o, &s);
	series_free(&s);
	return err;
}

static int put_list(FILE *f, const void *data)
{
	return history_list(f, data);
}

int history_page(FILE *f, const struct history *h)
{
	struct json_object *o = json_object_new_object(), *list;
	struct builder b = { 0 };
	struct html p;
	unsigned int i;
	int err = html_begin(&p, f, "history", "history", put_list, h);

	put_text(&b, o, "dir", h->dir);
	list = put_array(&b, o, "values");
	for (i = 0; i < SESSION_VALUES; i++)
		put_text(&b, list, NULL, session_values[i]);
	list = put_array(&b, o, "series");
	for (i = 1; i <= h->nseries && !err; i++)
		err = put_series(&b, list, h, i);
	if (err)
		json_object_put(o);
	else
		err = html_put(&p, "history", &b, o);
	err = html_end(&p, err);
	return err ? output_failed(f, "the page", err) : 0;
}
