// SPDX-License-Identifier: GPL-2.0
/*
 * A page of many results. Only what a row shows stays in memory, so their number is
 * not limited by it.
 *
 * Results of the same work, period and budget are a group. In it an outlier is further
 * from the median than 3.5 robust standard deviations, on the scale of ln (Iglewicz &
 * Hoaglin 1993): a few that are far off do not hide one another.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/cause_text.h"
#include "report/html.h"
#include "report/report.h"
#include "report/render.h"
#include "result/stats.h"
#include "util/error.h"
#include "util/markup.h"
#include "util/memstream.h"
#include "util/units.h"

#define FAR		3.5	/* robust standard deviations */
#define FEWEST		5	/* results of a group that have outliers */
#define OF_NORMAL	1.4826	/* standard deviation by median absolute deviation */
#define LEAST_SPREAD	(1.0 / 64)	/* what a histogram resolves, as a difference of ln */
#define ROWS_SHOWN	1000

/* Quantiles of the response. The last one that every result of the group has decides. */
enum { ROW_P50, ROW_P99, ROW_P999, NR_ROW_QUANTILES };

static const unsigned int ppm_of[NR_ROW_QUANTILES] = { 500000, 990000, 999000 };

struct latency {
	enum quantile known;
	uint64_t ns;
};

struct row {
	char	*name, *setting, *kernel, *host;
	char	 cause[PRINTABLE_NAME];	/* of the worst window */
	uint64_t fingerprint;		/* 0: none */
	uint64_t windows, violations, missed, budget_ns, max_ns;
	const char *doubt;		/* or NULL */
	struct verdicts verdicts;
	bool	 has_max, has_wake;
	struct latency wake, response[NR_ROW_QUANTILES];
	size_t	 group;			/* the first row with the same setting */
	unsigned int by;		/* the quantile that the group is judged by */
	double	 from_median;		/* ln; INFINITY: missed, NAN: unknown */
	double	 score;			/* how far, in standard deviations; 0: too few results */
};

static struct latency latency_of(const struct result_cpu *c, unsigned int metric,
				 unsigned int ppm)
{
	struct latency l = { .ns = 0 };

	l.known = hist_quantile_missed(&c->hist[metric], result_missed(c, metric), ppm, &l.ns);
	return l;
}

static char *setting_of(const struct result *r)
{
	char period[DURATION_LEN], budget[DURATION_LEN], *text;
	bool has_period = r->period_ns != 0;

	if (asprintf(&text, "%s%s%s, budget %s", r->work, has_period ? ", period " : "",
		     has_period ? duration_exact(period, r->period_ns) : "",
		     duration_exact(budget, r->budget_ns)) < 0)
		return NULL;
	return text;
}

/* @text up to its first blank: the release of a kernel. "unknown" for NULL. */
static char *first_word(const char *text)
{
	return text ? strndup(text, strcspn(text, " ")) : strdup("unknown");
}

static struct row *new_row(struct rows *rows)
{
	struct row *more;

	if (rows->n == rows->room) {
		size_t room = rows->room ? 2 * rows->room : 64;

		more = reallocarray(rows->at, room, sizeof(*more));
		if (!more)
			return NULL;
		rows->at = more;
		rows->room = room;
	}
	rows->at[rows->n] = (struct row){ .name = NULL };
	return &rows->at[rows->n++];
}

int rows_add(struct rows *rows, const struct result *r, const char *name)
{
	const struct tlob_hist *response = &r->all.hist[TLOB_METRIC_RESPONSE];
	const uint64_t work = hist_mean(&r->all.hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU]);
	struct row *row = new_row(rows);
	unsigned int i;

	if (!row)
		return -ENOMEM;
	row->name = strdup(name);
	row->setting = setting_of(r);
	row->kernel = first_word(r->kernel);
	row->host = strdup(r->host ? r->host : "–");
	if (!row->name || !row->setting || !row->kernel || !row->host)
		return -ENOMEM;
	if (r->nworst && r->worst[0].w.response_ns)
		cause_name(row->cause, &r->worst[0].w, work);
	row->fingerprint = r->fingerprint;
	row->windows = r->all.windows;
	row->violations = r->all.violations;
	row->missed = result_missed(&r->all, TLOB_METRIC_RESPONSE);
	row->budget_ns = r->budget_ns;
	row->max_ns = response->max;
	row->has_max = response->n != 0;
	row->doubt = outcome_doubt(r);
	row->verdicts = verdicts_of(&r->assertions, &r->said);
	row->has_wake = r->all.hist[TLOB_METRIC_WAKE].n != 0;
	row->wake = latency_of(&r->all, TLOB_METRIC_WAKE, ppm_of[ROW_P999]);
	for (i = 0; i < NR_ROW_QUANTILES; i++)
		row->response[i] = latency_of(&r->all, TLOB_METRIC_RESPONSE, ppm_of[i]);
	return 0;
}

void rows_free(struct rows *rows)
{
	size_t i;

	for (i = 0; i < rows->n; i++) {
		free(rows->at[i].name);
		free(rows->at[i].setting);
		free(rows->at[i].kernel);
		free(rows->at[i].host);
	}
	free(rows->at);
	*rows = (struct rows){ .at = NULL };
}

static bool is_late(const struct row *row)
{
	return row->violations || row->missed;
}

/* It says nothing good, even within the budget. */
static bool is_wrong(const struct row *row)
{
	return row->doubt || verdicts_exit(row->verdicts) != EXIT_PASS;
}

static bool is_outlier(const struct row *row)
{
	return row->score > FAR;
}

/* The last quantile that each result of @group has; NR_ROW_QUANTILES: none. */
static unsigned int judged_by(const struct rows *rows, size_t group)
{
	unsigned int by = ROW_P999 + 1, i;
	size_t k;

	for (k = group; k < rows->n && by; k++) {
		if (rows->at[k].group != group)
			continue;
		for (i = by; i && rows->at[k].response[i - 1].known == QUANTILE_FEW;)
			i--;
		by = i;
	}
	return by ? by - 1 : NR_ROW_QUANTILES;
}

/* ln of what the row is judged by. */
static double value_of(const struct row *row)
{
	const struct latency *l = &row->response[row->by];

	return l->known == QUANTILE_MISSED ? INFINITY : log(fmax(1, (double)l->ns));
}

/* @x has room for all rows. */
static void judge_group(struct rows *rows, size_t group, double x[])
{
	unsigned int by = judged_by(rows, group);
	double median, spread;
	size_t i, n = 0;

	for (i = group; i < rows->n; i++) {
		if (rows->at[i].group != group)
			continue;
		rows->at[i].by = by;
		rows->at[i].from_median = NAN;
		if (by < NR_ROW_QUANTILES)
			x[n++] = value_of(&rows->at[i]);
	}
	median = stats_median(x, n);
	/* without any, or with half of them missed there is nothing to be far from */
	if (!n || !isfinite(median))
		return;
	for (i = 0; i < n; i++)
		x[i] = fabs(x[i] - median);
	spread = fmax(OF_NORMAL * stats_median(x, n), LEAST_SPREAD);
	for (i = group; i < rows->n; i++) {
		if (rows->at[i].group != group)
			continue;
		rows->at[i].from_median = value_of(&rows->at[i]) - median;
		if (n >= FEWEST)
			rows->at[i].score = fabs(rows->at[i].from_median) / spread;
	}
}

static int judge(struct rows *rows)
{
	double *x = calloc(rows->n + 1, sizeof(*x));
	size_t i, k;

	if (!x)
		return -ENOMEM;
	for (i = 0; i < rows->n; i++) {
		for (k = 0; strcmp(rows->at[k].setting, rows->at[i].setting);)
			k++;
		rows->at[i].group = k;
	}
	for (i = 0; i < rows->n; i++)
		if (rows->at[i].group == i)
			judge_group(rows, i, x);
	free(x);
	return 0;
}

static double late_share(const struct row *row)
{
	return is_late(row) ? ((double)row->violations + (double)row->missed) /
			      ((double)row->windows + (double)row->missed) : 0;
}

static int descending(double a, double b)
{
	return (a < b) - (a > b);
}

/* Outliers first, the furthest of them; then what was late or is wrong; then the slowest. */
static int compare_rows(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	int by = is_outlier(b) - is_outlier(a);

	if (!by && is_outlier(a))
		by = descending(a->score, b->score);
	if (!by)
		by = descending(late_share(a), late_share(b));
	if (!by)
		by = is_wrong(b) - is_wrong(a);
	if (!by)
		by = descending((double)a->max_ns, (double)b->max_ns);
	return by ? by : strcmp(a->name, b->name);
}

static void put_latency(struct builder *b, struct json_object *o, const char *key, const struct latency *l)
{
	if (l->known == QUANTILE_KNOWN)
		put_u64(b, o, key, l->ns);
	else if (l->known == QUANTILE_MISSED)
		put_text(b, o, key, "missed");
}

static void put_row(struct builder *b, struct json_object *list, const struct row *row)
{
	static const char * const names[NR_ROW_QUANTILES] = { "p50", "p99", "p99.9" };
	struct json_object *o = put_object(b, list, NULL);
	char said[VERDICTS_TEXT];
	unsigned int i;

	put_text(b, o, "name", row->name);
	put_text(b, o, "setting", row->setting);
	put_text(b, o, "kernel", row->kernel);
	put_text(b, o, "host", row->host);
	put_printed(b, o, "cause", strdup(row->cause));
	put_u64(b, o, "windows", row->windows);
	put_u64(b, o, "violations", row->violations);
	put_u64(b, o, "missed", row->missed);
	put_u64(b, o, "budget_ns", row->budget_ns);
	if (row->has_max)
		put_u64(b, o, "max_ns", row->max_ns);
	if (row->verdicts.failed || row->verdicts.undecided)
		put_text(b, o, "said", verdicts_text(said, row->verdicts));
	put_bool(b, o, "failed", row->verdicts.failed);
	if (row->doubt)
		put_text(b, o, "doubt", row->doubt);
	put_bool(b, o, "outlier", is_outlier(row));
	if (isinf(row->from_median))
		put_text(b, o, "from_median", "missed");
	else if (!isnan(row->from_median))
		put_double(b, o, "from_median", expm1(row->from_median));
	if (row->has_wake)
		put_latency(b, o, "wake", &row->wake);
	for (i = 0; i < NR_ROW_QUANTILES; i++)
		put_latency(b, o, names[i], &row->response[i]);
}

static int put_verdict(FILE *f, const void *data)
{
	size_t outliers = 0, late = 0, failed = 0, undecided = 0, doubtful = 0, i;
	const struct rows *rows = data;

	for (i = 0; i < rows->n; i++) {
		outliers += is_outlier(&rows->at[i]);
		late += is_late(&rows->at[i]);
		failed += rows->at[i].verdicts.failed != 0;
		undecided += !rows->at[i].verdicts.failed && rows->at[i].verdicts.undecided;
		doubtful += rows->at[i].doubt != NULL;
	}
	if (late)
		fprintf(f, "%zu of %zu results exceeded the budget", late, rows->n);
	else if (doubtful)
		fprintf(f, "none of %zu results exceeded the budget", rows->n);
	else
		fprintf(f, "%zu results within the budget", rows->n);
	if (failed)
		fprintf(f, "; %zu FAILED an assertion", failed);
	if (undecided)
		fprintf(f, "; %zu UNDECIDED", undecided);
	if (doubtful)
		fprintf(f, "; %zu in doubt", doubtful);
	if (outliers)
		put_printable(f, "; %zu outlier%s, the furthest %s", outliers, outliers == 1 ? "" : "s",
			      rows->at[0].name);
	else
		fputs("; no outliers", f);
	return 0;
}

static void put_verdict_line(FILE *f, const void *data)
{
	put_verdict(f, data);
}

/* Returns whether all that the rows say is good. */
static bool all_good(const struct rows *rows)
{
	size_t i;

	for (i = 0; i < rows->n; i++)
		if (is_outlier(&rows->at[i]) || is_late(&rows->at[i]) || is_wrong(&rows->at[i]))
			return false;
	return true;
}

/* A result that is there twice counts twice. The rows are sorted by now. */
static int add_copies(char ***lines, const struct rows *rows)
{
	size_t i, k;
	int err = 0;

	for (i = 1; i < rows->n && !err; i++)
		for (k = 0; k < i; k++)
			if (rows->at[i].fingerprint && rows->at[i].fingerprint == rows->at[k].fingerprint) {
				err = notes_add(lines, "%s is the same run as %s", rows->at[i].name, rows->at[k].name);
				break;
			}
	return err;
}

static int put_says(struct builder *b, struct json_object *page, const struct rows *rows)
{
	struct json_object *o = put_object(b, page, "says");
	char **copies = NULL, text[200];
	int err = add_copies(&copies, rows);

	put_printed(b, o, "verdict", memstream_of(put_verdict_line, rows));
	put_text(b, o, "class", all_good(rows) ? "good" : "bad");
	put_texts(b, o, "doubts", copies);
	snprintf(text, sizeof(text), "An outlier is further from the median of its setting than %g robust standard deviations; fewer than %d results have none.",
		 FAR, FEWEST);
	put_text(b, o, "outlier", text);
	put_u64(b, o, "left_out", rows->n > ROWS_SHOWN ? rows->n - ROWS_SHOWN : 0);
	notes_free(copies);
	return err;
}

int page_rows(FILE *f, struct rows *rows)
{
	struct builder b = { 0 };
	struct json_object *o, *list;
	char title[32];
	struct html p;
	size_t i;
	int err = judge(rows);

	if (err)
		return err;
	qsort(rows->at, rows->n, sizeof(*rows->at), compare_rows);
	snprintf(title, sizeof(title), "%zu results", rows->n);
	err = html_begin(&p, f, "rows", title, put_verdict, rows);
	o = json_object_new_object();
	list = put_array(&b, o, "rows");
	for (i = 0; i < rows->n && i < ROWS_SHOWN; i++)
		put_row(&b, list, &rows->at[i]);
	keep_error(&err, put_says(&b, o, rows));
	if (err)
		json_object_put(o);
	else
		err = html_put(&p, "many", &b, o);
	return html_end(&p, err);
}
