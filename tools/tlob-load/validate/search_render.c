// SPDX-License-Identifier: GPL-2.0
/* The result of a search: one sentence, a table, JSON, and a page with the bound over the work. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"
#include "report/parts_text.h"
#include "report/pieces.h"
#include "report/plot.h"
#include "result/result.h"
#include "util/json_write.h"
#include "util/markup.h"
#include "util/memstream.h"
#include "util/units.h"
#include "validate/search.h"

/* The run that says most of @x: the last one. */
static const struct search_run *run_of(const struct search *s, uint64_t x)
{
	unsigned int i;

	for (i = s->n; i-- > 0; )
		if (s->run[i].x == x && s->run[i].step != SEARCH_PROBE)
			return &s->run[i];
	return NULL;
}

/* What the confirming run shows: a bound, or without an episode how long none can be. */
static void put_kept(FILE *f, const struct search *s, const struct search_run *r)
{
	char share[SHARE_LEN], n[COUNT_LEN], unseen[COUNT_LEN];

	if (r->over) {
		fprintf(f, "with 95 %% confidence less than %s of the expiries are over it or missed",
			share_prose(share, r->upper));
		return;
	}
	fprintf(f, "none of %s expiries is over it or missed: with 95 %% confidence less than %s, if no episode has more than %s",
		count_prose(n, r->of), share_prose(share, s->miss), count_prose(unseen, search_unseen(s)));
}

/* No value was confirmed: @r is what could not be decided, or refused. */
static void put_open(FILE *f, const struct search *s, const struct search_run *r)
{
	char value[SEARCH_VALUE], over[COUNT_LEN], of[COUNT_LEN], needs[COUNT_LEN];

	fprintf(f, "%s %s may keep the budget: %s of %s expiries over it or missed; ",
		s->period ? "period" : "work", search_value(value, s, r->x),
		r->over ? count_prose(over, r->over) : "none", count_prose(of, r->of));
	if (r->needs)
		fprintf(f, "--windows %s would decide", count_prose(needs, r->needs));
	else
		fputs("no number of windows decides, the rate is at the edge: try another --miss", f);
}

/* What is known of both sides of the edge; a value that was confirmed has been said. */
static void put_edge(FILE *f, const struct search *s)
{
	char kept[SEARCH_VALUE], exceeds[SEARCH_VALUE];

	search_value(kept, s, s->good);
	search_value(exceeds, s, s->exceeds);
	if (s->good && !s->confirmed && s->exceeds)
		fprintf(f, "; the edge is between %s, which a shorter run kept, and %s", kept, exceeds);
	else if (s->good && !s->confirmed)
		fprintf(f, "; a shorter run kept %s", kept);
	else if (s->exceeds)
		fprintf(f, "; %s does not keep it", exceeds);
}

static void put_sentence(FILE *f, const void *data)
{
	const struct search *s = data;
	const struct search_run *good = run_of(s, s->good), *last = &s->run[s->n - 1];
	char value[SEARCH_VALUE], work[DURATION_LEN], budget[DURATION_LEN];

	if (s->confirmed) {
		fprintf(f, "%s %s", s->period ? "period" : "work", search_value(value, s, s->good));
		if (!s->period)
			fprintf(f, " (%s of CPU time)", duration_prose(work, good->work_ns));
		fprintf(f, " keeps the budget of %s: ",
			s->budget_ns ? duration_prose_exact(budget, s->budget_ns) : "a period");
		put_kept(f, s, good);
	} else if (last->step != SEARCH_PROBE && last->verdict == SEARCH_UNDECIDED) {
		put_open(f, s, last);
	} else if (good) {
		fprintf(f, "%s %s was not confirmed: see the runs", s->period ? "period" : "work",
			search_value(value, s, s->good));
	} else {
		fprintf(f, "nothing that was tried keeps the budget: see the runs");
	}
	put_edge(f, s);
}

char *search_sentence(const struct search *s)
{
	return memstream_of(put_sentence, s);
}

/* The numbers of a run as a table shows them. */
struct shown {
	char	value[SEARCH_VALUE], late[DURATION_LEN], work[DURATION_LEN], share[SHARE_LEN];
	const char *kept;
};

static const char *kept_word(const struct search_run *r)
{
	static const char *const words[] = {
		[SEARCH_KEEPS] = "yes", [SEARCH_EXCEEDS] = "no", [SEARCH_UNDECIDED] = "undecided",
	};

	return r->step == SEARCH_PROBE ? "probe" : r->step == SEARCH_CONFIRM && r->verdict == SEARCH_KEEPS ?
	       "confirmed" : words[r->verdict];
}

static struct shown shown(const struct search *s, const struct search_run *r)
{
	struct shown x = { .late = "missed", .share = "-" };

	search_value(x.value, s, r->x);
	if (r->late_ns)
		duration_us(x.late, r->late_ns);
	duration_us(x.work, r->work_ns);
	/* how long an episode would be that was not seen is not known */
	if (r->over)
		share_prose(x.share, r->upper);
	x.kept = kept_word(r);
	return x;
}

static int put_runs(FILE *f, const struct search *s)
{
	struct table t = { .align = "rlrrrrrl", .gap = 2 };
	unsigned int i;

	table_cell(&t, "run\t%s\texpiries\tover\tless than\tresponse, us\twork, us\tkept",
		   s->period ? "period" : "work");
	for (i = 0; i < s->n; i++) {
		const struct search_run *r = &s->run[i];
		struct shown x = shown(s, r);

		table_cell(&t, "%u\t%s\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s\t%s\t%s", i + 1, x.value,
			   r->of, r->over, x.share, x.late, x.work, x.kept);
	}
	return table_print(&t, f);
}

int search_text(FILE *f, const struct search *s)
{
	char *text = search_sentence(s), share[SHARE_LEN];
	int err;

	if (!text)
		return -ENOMEM;
	render_note_wrapped(f, "", text);
	free(text);
	fputc('\n', f);
	err = put_runs(f, s);
	fprintf(f, "\nresponse: all but %s of the expiries are answered in this time\n",
		share_prose(share, s->miss));
	if (s->clock_ns > 1)
		fprintf(f, RESULT_CLOCK_STEPS "\n", s->clock_ns);
	return err ? err : ferror(f) ? -EIO : 0;
}

static void put_value(struct builder *b, struct json_object *to, const char *key, const struct search *s, uint64_t x)
{
	char value[SEARCH_VALUE];

	put_text(b, to, key, x ? search_value(value, s, x) : NULL);
}

int search_json(FILE *f, const struct search *s)
{
	struct json_object *o = json_object_new_object(), *list, *one;
	static const char *const step[] = {
		[SEARCH_PROBE] = "probe", [SEARCH_GUIDE] = "guide", [SEARCH_CONFIRM] = "confirm",
	};
	static const char *const verdict[] = {
		[SEARCH_KEEPS] = "keeps", [SEARCH_EXCEEDS] = "exceeds", [SEARCH_UNDECIDED] = "undecided",
	};
	const struct search_run *good = s->confirmed ? run_of(s, s->good) : NULL;
	struct builder b = { 0 };
	unsigned int i;

	put_text(&b, o, "format", "tlob-load search");
	put_int(&b, o, "version", 1);
	put_text(&b, o, "for", s->period ? "period" : "work");
	put_known(&b, o, "budget_ns", s->budget_ns, s->budget_ns);
	put_double(&b, o, "miss", s->miss);
	put_double(&b, o, "confidence", 1 - SEARCH_ALPHA);
	put_double(&b, o, "resolution", s->resolution);
	put_known(&b, o, "clock_resolution_ns", s->clock_ns, s->clock_ns);
	put_u64(&b, o, "windows", s->windows);
	put_value(&b, o, "keeps", s, s->confirmed ? s->good : 0);
	put_value(&b, o, "exceeds", s, s->exceeds);
	put_known(&b, o, "work_ns", good, good ? good->work_ns : 0);
	list = put_array(&b, o, "runs");
	for (i = 0; i < s->n; i++) {
		const struct search_run *r = &s->run[i];

		one = put_object(&b, list, NULL);
		put_value(&b, one, "value", s, r->x);
		put_text(&b, one, "step", step[r->step]);
		put_u64(&b, one, "over", r->over);
		put_u64(&b, one, "of", r->of);
		put_double(&b, one, "upper_95", r->over ? r->upper : NAN);
		put_known(&b, one, "response_ns", r->late_ns, r->late_ns);
		put_u64(&b, one, "work_ns", r->work_ns);
		put_u64(&b, one, "longest", r->longest);
		put_text(&b, one, "verdict", verdict[r->verdict]);
		put_known(&b, one, "needs", r->verdict == SEARCH_UNDECIDED && r->needs, r->needs);
	}
	return json_end(&b, f, o);
}

/* A run and where it stands on the x axis: CPU time of the work, or the period. */
struct place {
	double	 at;
	const struct search_run *run;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static void ticks_share(struct plot *p, double least)
{
	char label[16];
	int i;

	for (i = 0; pow(10, -i) >= least; i++) {
		snprintf(label, sizeof(label), "%g", pow(10, -i));
		plot_tick_y(p, pow(10, -i), label);
	}
}

/* Probes are left out: they are too short to compare with the others. Of a value the last run counts. */
static void curve(FILE *f, const struct search *s)
{
	struct place place[SEARCH_RUNS];
	double from = INFINITY, to = 0, least = s->miss / 10;
	struct axis x = { 0 }, y = { 0 };
	char title[160], value[SEARCH_VALUE], share[SHARE_LEN];
	struct plot p;
	size_t n = 0, i;

	for (i = 0; i < s->n; i++) {
		const struct search_run *r = &s->run[i];

		if (r->step == SEARCH_PROBE || r != run_of(s, r->x))
			continue;
		place[n] = (struct place){ .at = (double)(s->period ? r->x : r->work_ns), .run = r };
		from = fmin(from, place[n].at);
		to = fmax(to, place[n].at);
		n++;
	}
	if (!n)
		return;
	qsort(place, n, sizeof(place[0]), by_place);
	x = axis_of_times((uint64_t)(from * 0.8), (uint64_t)(to * 1.25));
	y = (struct axis){ .from = least, .to = 1, .log = true };
	fputs("<h2>The bound of the miss rate</h2>\n", f);
	plot_begin(&p, f, "search", &x, &y, PLOT_HEIGHT);
	plot_ticks_time(&p, true);
	ticks_share(&p, least);
	plot_line(&p, "response", "bound");
	for (i = 0; i < n; i++)
		plot_point(&p, place[i].at, fmax(place[i].run->upper, least));
	plot_line_end(&p);
	for (i = 0; i < n; i++) {
		const struct search_run *r = place[i].run;

		snprintf(title, sizeof(title), "%s: %" PRIu64 " of %" PRIu64 "%s%s", search_value(value, s, r->x),
			 r->over, r->of, r->over ? ", less than " : "",
			 r->over ? share_prose(share, r->upper) : "");
		plot_dot(&p, place[i].at, fmax(r->upper, least), 4, "response", title);
	}
	plot_mark_y(&p, s->miss, "allowed");
	plot_end(&p);
	fprintf(f, "<p class=\"dim\">%s to the right, the upper bound of the share of expiries over the budget or missed, with 95 %% confidence, upwards; where none was over, as if episodes had one. A dot is the last run of a value.</p>\n",
		s->period ? "The period" : "CPU time of the work");
}

static void rows(FILE *f, const struct search *s)
{
	unsigned int i;

	fprintf(f, "<h2>Runs</h2>\n<div class=\"wide\"><table>\n<tr><th>run<th class=\"l\">%s<th>expiries<th>over or missed<th>less than<th>response, us<th>work, us<th class=\"l\">kept\n",
		s->period ? "period" : "work");
	for (i = 0; i < s->n; i++) {
		const struct search_run *r = &s->run[i];
		struct shown x = shown(s, r);

		fprintf(f, "<tr><td>%u<td class=\"l\">%s<td>%" PRIu64 "<td>%" PRIu64 "<td>%s<td>%s<td>%s<td class=\"l\">%s\n",
			i + 1, x.value, r->of, r->over, x.share, x.late, x.work, x.kept);
	}
	fputs("</table></div>\n", f);
	if (s->clock_ns > 1)
		fprintf(f, "<p>" RESULT_CLOCK_STEPS "</p>\n", s->clock_ns);
}

int page_search(FILE *f, const struct search *s)
{
	char *text = search_sentence(s);

	if (!text)
		return -ENOMEM;
	html_begin(f, "search");
	markup(f, "<h1>%s that keeps the budget</h1>\n<p class=\"verdict %s\">%s</p>\n",
	       s->period ? "The shortest period" : "The largest work", s->confirmed ? "good" : "bad", text);
	free(text);
	curve(f, s);
	rows(f, s);
	return html_end(f, 0);
}
