// SPDX-License-Identifier: GPL-2.0
/* A history and its sessions as text. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_render.h"
#include "history/history_render.h"
#include "history/series.h"
#include "report/layout.h"
#include "util/file.h"
#include "util/markup.h"
#include "util/memstream.h"
#include "util/printable.h"

const char *history_value(char buf[DURATION_LEN], unsigned int value, double x)
{
	if (!isnan(x))
		return quantity_text(buf, value == VALUE_MISS_RATE, x);
	snprintf(buf, DURATION_LEN, "-");
	return buf;
}

const char *history_gap(char buf[GAP_LEN], double gap)
{
	double hours = fabs(gap) / 3600;

	*buf = 0;
	if (gap)
		snprintf(buf, GAP_LEN, "%.0f %s %s", hours < 48 ? fmax(hours, 1) : hours / 24,
			 hours >= 48 ? "days" : hours < 1.5 ? "hour" : "hours",
			 gap < 0 ? "earlier: the clock was set back" : "later");
	return buf;
}

const char *history_when(char buf[WHEN_LEN], time_t t)
{
	struct tm tm;

	*buf = 0;
	if (gmtime_r(&t, &tm))
		strftime(buf, WHEN_LEN, "%Y-%m-%d %H:%M", &tm);
	return buf;
}

static void list_session(struct table *t, const struct series *s, size_t i)
{
	const struct session *at = s->at[i];
	char when[WHEN_LEN], value[3][DURATION_LEN], gap[GAP_LEN], *build = printable_dup(at->build);

	table_cell(t, "%u\t%s\t%s\t%zu\t%s\t%s\t%s\t%s\t%s\t%s", at->number,
		   history_when(when, session_started(at)), build ? build : "", at->nruns,
		   session_states[at->state], at->verdict ? at->verdict : "-",
		   history_value(value[0], VALUE_WAKE_P99, session_median(at, VALUE_WAKE_P99)),
		   history_value(value[1], VALUE_RESPONSE_P999, session_median(at, VALUE_RESPONSE_P999)),
		   history_value(value[2], VALUE_MISS_RATE, session_median(at, VALUE_MISS_RATE)),
		   history_gap(gap, series_gap(s, i)));
	free(build);
}

static int list_series(FILE *f, const struct history *h, unsigned int number)
{
	/* the gap, runs, the rate of misses, the time, then latencies */
	struct table t = { .align = "rllrllrrrl", .indent = 2, .gap = 2, .least = "jdibgh",
			   .width = layout_width(f, UINT_MAX) };
	struct series s;
	size_t i;
	int err = series_take(&s, h, number);

	if (err)
		return err;
	if (number > 1)
		fputc('\n', f);
	wrap_printable(f, "series %u: %s, %s\n", number, s.at[0]->host ? s.at[0]->host : "unknown host",
		       s.at[0]->settings);
	table_cell(&t, "session\tbegan\tbuild\truns\tstate\tverdict\t%s\t%s\t%s\t", session_values[VALUE_WAKE_P99],
		   session_values[VALUE_RESPONSE_P999], session_values[VALUE_MISS_RATE]);
	for (i = 0; i < s.n; i++)
		list_session(&t, &s, i);
	err = table_print(&t, f);
	series_free(&s);
	return err;
}

int history_list(FILE *f, const struct history *h)
{
	unsigned int i;
	int err = 0;

	for (i = 1; i <= h->nseries && !err; i++)
		err = list_series(f, h, i);
	return err ? output_failed(f, "the list", err) : 0;
}

static void show_text(FILE *f, const char *name, const char *text)
{
	char label[16];

	if (!text)
		return;
	snprintf(label, sizeof(label), "  %-10s", name);
	wrap_printable(f, "%s%s\n", label, text);
}

/* A row for each number: its median, and the runs. */
static int show_values(FILE *f, const struct session *s)
{
	struct table t = { .align = "lrl", .indent = 2, .gap = 2 };
	char value[DURATION_LEN], *text = NULL;
	unsigned int i;
	size_t size, k;
	FILE *runs;

	table_cell(&t, "\tmedian\truns");
	for (i = 0; i < SESSION_VALUES; i++) {
		runs = open_memstream(&text, &size);
		for (k = 0; runs && k < s->nruns; k++)
			fprintf(runs, "%s%s", k ? " " : "", history_value(value, i, s->run[k].value[i]));
		if (!memstream_text(runs, &text))
			t.err = -ENOMEM;
		table_cell(&t, "%s\t%s\t%s", session_values[i],
			   history_value(value, i, session_median(s, i)), text ? text : "");
		free(text);
		text = NULL;
	}
	return table_print(&t, f);
}

int history_show(FILE *f, const struct history *h, const struct session *s)
{
	char when[WHEN_LEN], path[HISTORY_PATH];
	char *const *label;
	int err;

	put_printable(f, "session %u: %s\n", s->number, s->build);
	show_text(f, "commit", s->commit);
	for (label = s->labels; label && *label; label++)
		show_text(f, "label", *label);
	show_text(f, "began", history_when(when, session_started(s)));
	show_text(f, "added", history_when(when, s->added));
	show_text(f, "host", s->host);
	show_text(f, "kernel", s->kernel);
	show_text(f, "settings", s->settings);
	show_text(f, "state", session_states[s->state]);
	show_text(f, "verdict", s->verdict);
	show_text(f, "because", s->because);
	if (s->against)
		fprintf(f, "  %-10ssession %u\n", "against", s->against);
	show_text(f, "results", history_path(path, h->dir, s, SIZE_MAX));
	err = show_values(f, s);
	return err ? output_failed(f, "the session", err) : 0;
}
