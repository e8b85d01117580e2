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
#include "report/page.h"
#include "report/pieces.h"
#include "report/plot.h"
#include "report/render.h"
#include "result/stats.h"
#include "util/markup.h"
#include "util/units.h"

#define FAR		3.5	/* robust standard deviations */
#define FEWEST		5	/* results of a group that have outliers */
#define OF_NORMAL	1.4826	/* standard deviation by median absolute deviation */
#define LEAST_SPREAD	(1.0 / 64)	/* what a histogram resolves, as a difference of ln */
#define ROWS_SHOWN	1000
#define STRIP_WIDTH	220.0
#define STRIP_HEIGHT	16.0

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
	if (!r->region && r->nworst && r->worst[0].w.response_ns)
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

/* Returns true if rows differ in the text at @offset. */
static bool differ(const struct rows *rows, size_t offset)
{
	size_t i;

	for (i = 1; i < rows->n; i++)
		if (strcmp(*(char **)((char *)&rows->at[i] + offset),
			   *(char **)((char *)&rows->at[0] + offset)))
			return true;
	return false;
}

#define DIFFER(rows, member) differ(rows, offsetof(struct row, member))

static struct axis axis_of(const struct rows *rows)
{
	uint64_t from = UINT64_MAX, to = 1;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const struct row *row = &rows->at[i];
		const struct latency *least = &row->response[ROW_P50];

		if (least->known == QUANTILE_KNOWN && least->ns < from)
			from = least->ns;
		if (row->has_max && row->budget_ns < from)
			from = row->budget_ns;
		if (row->has_max && row->max_ns > to)
			to = row->max_ns;
		if (row->has_max && row->budget_ns > to)
			to = row->budget_ns;
	}
	return axis_of_times(from < to ? from : to, to);
}

static double strip_x(const struct axis *a, uint64_t ns)
{
	double share = log(fmax(1, (double)ns) / a->from) / log(a->to / a->from);

	return 2 + (STRIP_WIDTH - 4) * fmax(0, fmin(1, share));
}

/* From the median to the largest, with the budget: all rows have the same scale. */
static void strip_cell(FILE *f, const struct axis *a, const struct row *row)
{
	double y = STRIP_HEIGHT / 2, at, last = -1;
	unsigned int i;

	fputs("<td>", f);
	if (!row->has_max || row->response[ROW_P50].known != QUANTILE_KNOWN)
		return;
	fprintf(f, "<svg class=\"strip\" viewBox=\"0 0 %g %g\"><path class=\"whisker\" d=\"M%.1f %gH%.1f\"/><path class=\"mark\" d=\"M%.1f 0V%g\"/>",
		STRIP_WIDTH, STRIP_HEIGHT, strip_x(a, row->response[ROW_P50].ns), y,
		strip_x(a, row->max_ns), strip_x(a, row->budget_ns), STRIP_HEIGHT);
	for (i = 0; i < NR_ROW_QUANTILES; i++) {
		if (row->response[i].known != QUANTILE_KNOWN)
			continue;
		at = strip_x(a, row->response[i].ns);
		if (at > last + 0.5)
			fprintf(f, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%g\" r=\"%d\"/>", at, y,
				i ? 3 : 4);
		last = at;
	}
	fprintf(f, "<path class=\"end\" d=\"M%.1f 3V%g\"/></svg>", strip_x(a, row->max_ns),
		STRIP_HEIGHT - 3);
}

static const char *against_median(char buf[32], const struct row *row)
{
	double share = expm1(row->from_median);

	if (isnan(row->from_median))
		snprintf(buf, 32, "–");
	else if (isinf(row->from_median))
		snprintf(buf, 32, "missed");
	else
		snprintf(buf, 32, share < 9.995 ? "%s%.1f %%" : "%s%.3g %%", share < 0 ? "−" : "+",
			 100 * fabs(share));
	return buf;
}

static void count_cell(FILE *f, uint64_t n, bool is_bad)
{
	char buf[COUNT_LEN];

	fprintf(f, "<td%s>%s", is_bad && n ? " class=\"bad\"" : "", count_prose(buf, n));
}

struct columns {
	bool setting, kernel, host;
	struct axis axis;
};

static void titles(FILE *f, const struct columns *c)
{
	static const char * const counted[] = { "of the budget", "violations", "missed", "windows" };
	size_t i;

	fputs("<div class=\"wide\"><table>\n<tr><th>result<th>", f);
	page_word(f, "against the median");
	fputs("<th class=\"l\">", f);
	page_word(f, "response");
	fputs(", p50 to max<th>p50<th>p99<th>p99.9<th>max", f);
	for (i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		fputs("<th>", f);
		page_word(f, counted[i]);
	}
	fputs("<th>", f);
	page_word(f, "wake");
	fputs(" p99.9<th class=\"l\">", f);
	page_word(f, "worst window");
	fprintf(f, "%s%s%s\n", c->setting ? "<th class=\"l\">setting" : "",
		c->host ? "<th class=\"l\">host" : "", c->kernel ? "<th class=\"l\">kernel" : "");
}

/* How much of the budget the longest response has: a share, or how many times it is. */
static void budget_cell(FILE *f, const struct row *row)
{
	double times = (double)row->max_ns / (double)row->budget_ns;
	char percent[PERCENT_LEN];

	fprintf(f, "<td%s>", is_late(row) ? " class=\"bad\"" : "");
	if (!row->has_max || !row->budget_ns)
		fputs("–", f);
	else if (times < 10)
		markup(f, "%s", percent_prose(percent, row->max_ns, row->budget_ns));
	else if (times < 999.5)
		fprintf(f, "%.3g ×", times);
	else
		fputs("> 999 ×", f);
}

static void row_of(FILE *f, const struct columns *c, const struct row *row)
{
	char buf[32], said[VERDICTS_TEXT];
	unsigned int i;

	markup(f, "<tr><td>%s", row->name);
	if (row->verdicts.failed || row->verdicts.undecided)
		fprintf(f, " <span class=\"%s\">%s</span>", row->verdicts.failed ? "bad" : "unsure",
			verdicts_text(said, row->verdicts));
	if (row->doubt)
		fprintf(f, " <span class=\"unsure\">%s</span>", row->doubt);
	fprintf(f, "<td%s>%s", is_outlier(row) ? " class=\"bad\"" : "", against_median(buf, row));
	strip_cell(f, &c->axis, row);
	for (i = 0; i < NR_ROW_QUANTILES; i++)
		cell_resolved(f, row->response[i].known, row->response[i].ns);
	cell_time(f, row->has_max, row->max_ns);
	budget_cell(f, row);
	count_cell(f, row->violations, true);
	count_cell(f, row->missed, true);
	count_cell(f, row->windows, false);
	if (row->has_wake)
		cell_resolved(f, row->wake.known, row->wake.ns);
	else
		cell_time(f, false, 0);
	cell_text(f, *row->cause ? row->cause : NULL);
	if (c->setting)
		cell_text(f, row->setting);
	if (c->host)
		cell_text(f, row->host);
	if (c->kernel)
		cell_text(f, row->kernel);
	fputc('\n', f);
}

static void verdict(FILE *f, const struct rows *rows)
{
	size_t outliers = 0, late = 0, failed = 0, undecided = 0, doubtful = 0, i;

	for (i = 0; i < rows->n; i++) {
		outliers += is_outlier(&rows->at[i]);
		late += is_late(&rows->at[i]);
		failed += rows->at[i].verdicts.failed != 0;
		undecided += !rows->at[i].verdicts.failed && rows->at[i].verdicts.undecided;
		doubtful += rows->at[i].doubt != NULL;
	}
	fprintf(f, "<p class=\"verdict %s\">", outliers || late || failed || undecided || doubtful ? "bad" : "good");
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
		markup(f, "; %zu outlier%s, the furthest %s</p>\n", outliers, outliers == 1 ? "" : "s",
		       rows->at[0].name);
	else
		fputs("; no outliers</p>\n", f);
}

/* A result that is there twice counts twice. The rows are sorted by now. */
static void copies(FILE *f, const struct rows *rows)
{
	size_t i, k;

	for (i = 1; i < rows->n; i++)
		for (k = 0; k < i; k++) {
			if (!rows->at[i].fingerprint ||
			    rows->at[i].fingerprint != rows->at[k].fingerprint)
				continue;
			markup(f, "<p class=\"unsure\">%s is the same run as %s</p>\n",
			       rows->at[i].name, rows->at[k].name);
			break;
		}
}

int page_rows(FILE *f, struct rows *rows)
{
	struct columns c;
	char from[DURATION_LEN], to[DURATION_LEN], title[32];
	size_t i;
	int err = judge(rows);

	if (err)
		return err;
	qsort(rows->at, rows->n, sizeof(*rows->at), compare_rows);
	c = (struct columns){
		.setting = DIFFER(rows, setting), .kernel = DIFFER(rows, kernel),
		.host = DIFFER(rows, host), .axis = axis_of(rows),
	};
	snprintf(title, sizeof(title), "%zu results", rows->n);
	html_begin(f, title);
	fprintf(f, "<h1>%s", title);
	if (!c.setting && rows->n)
		markup(f, " <span class=\"dim\">%s</span>", rows->at[0].setting);
	fputs("</h1>\n", f);
	verdict(f, rows);
	if (c.setting)
		fputs("<p>They differ in work, period or budget: each is compared with results of its own setting.</p>\n", f);
	copies(f, rows);
	titles(f, &c);
	for (i = 0; i < rows->n && i < ROWS_SHOWN; i++)
		row_of(f, &c, &rows->at[i]);
	fputs("</table></div>\n", f);
	if (rows->n > ROWS_SHOWN)
		fprintf(f, "<p>%zu more results are not shown.</p>\n", rows->n - ROWS_SHOWN);
	fprintf(f, "<p class=\"dim\">From p50 over p99 and p99.9 to the maximum, from %s to %s; the dashed line is the budget.</p>\n",
		duration_format(from, (uint64_t)llround(c.axis.from)),
		duration_format(to, (uint64_t)llround(c.axis.to)));
	fprintf(f, "<p class=\"dim\">Against the median: of the results of the same work, period and budget, at the last quantile that all of them have. An outlier is further from it than %g robust standard deviations; fewer than %d results have none. –: too few windows for the quantile, or not measured.</p>\n",
		FAR, FEWEST);
	return html_end(f, 0);
}
