// SPDX-License-Identifier: GPL-2.0
/*
 * A comparison for programs: JSON, JUnit XML, KTAP, Markdown. docs/reference/comparison.md
 * describes the keys of JSON.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_render.h"
#include "report/assertions.h"
#include "report/layout.h"
#include "report/verdict_format.h"
#include "util/json_write.h"
#include "util/markup.h"
#include "util/testcases.h"

/* The values of the runs: a quantile among the missed expiries is "missed". */
static void put_values(struct builder *b, struct json_object *to,
		       const char *key, const double x[], size_t n)
{
	struct json_object *list = put_array(b, to, key);
	size_t i;

	for (i = 0; i < n; i++)
		if (isinf(x[i]))
			put_text(b, list, NULL, "missed");
		else
			put_double(b, list, NULL, x[i]);
}

void compare_put_side(struct builder *b, struct json_object *to, const char *key, const struct events *e, size_t gap)
{
	struct json_object *o = put_object(b, to, key);

	put_u64(b, o, "late", e->late);
	put_u64(b, o, "expiries", e->expiries);
	put_u64(b, o, "episodes", e->e.at[gap].n);
	put_u64(b, o, "longest", e->e.at[gap].longest);
}

static void put_events(struct builder *b, struct json_object *to, const char *key,
		       const struct events sum[2], size_t gap)
{
	struct json_object *o = put_object(b, to, key);

	compare_put_side(b, o, "a", &sum[0], gap);
	compare_put_side(b, o, "b", &sum[1], gap);
}

static void put_decision(struct builder *b, struct json_object *to,
			 const struct comparison *all, size_t s)
{
	const struct decision *d = &all->d[s];
	struct json_object *o = put_object(b, to, NULL);
	char buf[COMPARE_LINE];

	put_text(b, o, "metric", all->c->statistic[s].text);
	put_text(b, o, "verdict", verdict_name(d->verdict));
	put_text(b, o, "because", compare_why(buf, all, s));
	put_double(b, o, "effect", decision_pairs(d) ? decision_shown(d, d->effect) : NAN);
	put_double(b, o, "lower", decision_shown(d, d->lower));
	put_double(b, o, "upper", decision_shown(d, d->upper));
	put_double(b, o, "lower_alpha", d->lower_alpha);
	put_double(b, o, "upper_alpha", d->upper_alpha);
	put_double(b, o, "p", d->p);
	put_double(b, o, "margin", d->margin);
	put_bool(b, o, "refused", d->refused);
	put_u64(b, o, "beyond", d->beyond);
	put_u64(b, o, "cpus_worse", d->cpus_worse);
	put_known(b, o, "cpu", d->cpus_worse, (uint64_t)all->c->run[0].r.cpu[d->worst_cpu].cpu);
	put_u64(b, o, "both_missed", d->both_missed);
	put_known(b, o, "pairs_needed", d->pairs_needed, d->pairs_needed);
	put_double(b, o, "spread", decision_shown(d, d->spread));
	put_double(b, o, "resolution", d->resolution);
	if (decision_of_events(d)) {
		put_events(b, o, "events", (const struct events[]){ d->found.a, d->found.b }, d->found.gap);
		return;
	}
	put_values(b, o, "a", d->a, d->n);
	put_values(b, o, "b", d->b, d->n);
}

static void put_misses(struct builder *b, struct json_object *to,
		       const struct campaign *c)
{
	struct events sum[2];

	campaign_events(c, sum);
	put_events(b, to, "misses", sum, 0);
}

static void put_moved(struct builder *b, struct json_object *to, const struct comparison *all)
{
	struct json_object *list = put_array(b, to, "moved"), *o;
	size_t i;

	for (i = 0; i < all->nmoved; i++) {
		o = put_object(b, list, NULL);
		put_text(b, o, "metric", result_metric_names[all->moved[i].metric]);
		put_text(b, o, "at", campaign_at_names[all->moved[i].at]);
		put_double(b, o, "effect", expm1(all->moved[i].effect));
		put_values(b, o, "medians", (const double[]){ all->moved[i].a, all->moved[i].b }, 2);
	}
}

static void put_shifts(struct builder *b, struct json_object *to,
		       const struct campaign *c)
{
	struct json_object *o = put_object(b, to, "shift"), *metric, *pair;
	unsigned int m, at;
	double a, shift;

	for (m = 0; m < RESULT_METRICS; m++) {
		if (m == RESULT_INTERVAL && !campaign_shift(c, m, AT_MEAN, &a, &shift))
			continue;
		metric = put_object(b, o, result_metric_names[m]);
		for (at = 0; at < NR_AT; at++) {
			if (!campaign_shift(c, m, at, &a, &shift))
				continue;
			pair = put_array(b, metric, campaign_at_names[at]);
			put_double(b, pair, NULL, a);
			put_double(b, pair, NULL, shift);
		}
	}
}

static void put_paths(struct builder *b, struct json_object *to,
		      const char *key, const struct campaign *c, size_t from,
		      size_t n)
{
	struct json_object *list = put_array(b, to, key);
	size_t i;

	for (i = from; i < from + n; i++)
		put_text(b, list, NULL, c->run[i].path);
}

static void put_varied(struct builder *b, struct json_object *to,
		       const struct campaign *c)
{
	struct json_object *list = put_array(b, to, "varied"), *o;
	size_t i;

	for (i = 0; i < c->nvaried; i++) {
		o = put_object(b, list, NULL);
		put(b, o, "fact", json_object_new_string(c->varied[i].fact));
		put(b, o, "a", json_object_new_string(c->varied[i].a));
		put(b, o, "b", json_object_new_string(c->varied[i].b));
	}
}

static void put_sequential(struct builder *b, struct json_object *to,
			   const struct comparison *all)
{
	struct json_object *o;

	if (!all->o->sequential) {
		put_null(b, to, "sequential");
		return;
	}
	o = put_object(b, to, "sequential");
	put_u64(b, o, "pairs", all->at.pairs);
	put_known(b, o, "next", all->at.next, all->at.next);
}

static void put_cut_short(struct builder *b, struct json_object *to, const struct campaign *c)
{
	struct json_object *o = put_object(b, to, "cut_short");

	put_u64(b, o, "a", c->cut_short[0]);
	put_u64(b, o, "b", c->cut_short[1]);
}

int compare_json(FILE *f, const struct comparison *all)
{
	const struct campaign *c = all->c;
	struct json_object *o = json_object_new_object(), *list;
	struct builder b = { 0 };
	size_t s;

	put_text(&b, o, "format", COMPARISON_FORMAT);
	put_int(&b, o, "version", COMPARISON_VERSION);
	put_text(&b, o, "verdict", verdict_name(all->verdict));
	put_u64(&b, o, "pairs", c->nreplicates);
	put_bool(&b, o, "one_boot", c->one_boot);
	put_double(&b, o, "alpha", all->rule.alpha);
	put_sequential(&b, o, all);
	put_cut_short(&b, o, c);
	put_bool(&b, o, "deterministic", c->run[0].r.deterministic);
	put_text(&b, o, "kernel_a", campaign_a(c, 0)->r.kernel);
	put_text(&b, o, "kernel_b", campaign_b(c, 0)->r.kernel);
	list = put_array(&b, o, "metrics");
	for (s = 0; s < c->nstatistics; s++)
		put_decision(&b, list, all, s);
	put_misses(&b, o, c);
	put_moved(&b, o, all);
	put_shifts(&b, o, c);
	put_function_shifts(&b, o, c);
	put_paths(&b, o, "a", c, 0, c->n);
	put_paths(&b, o, "b", c, c->n, c->n);
	put_made(&b, o, "conditions", compare_conditions(c));
	put_texts(&b, o, "lowered", c->lowered);
	put_texts(&b, o, "notes", c->notes);
	put_varied(&b, o, c);
	put_texts(&b, o, "forced", c->differences);
	return json_end(&b, f, o);
}

static enum testcase_outcome outcome_of(enum decision_verdict v)
{
	return v == VERDICT_OK ? TESTCASE_PASSED :
	       v == VERDICT_REGRESSION ? TESTCASE_FAILED : TESTCASE_ERROR;
}

/* One test for each statistic. INCONCLUSIVE is an error, not a failure. */
static int print_cases(FILE *f, const struct comparison *all,
		       int (*print)(FILE *, const struct testsuite *))
{
	struct testcase *t = calloc(all->c->nstatistics, sizeof(*t));
	char *conditions = compare_conditions(all->c);
	const struct testsuite suite = { "gate", t, all->c->nstatistics, conditions, all->c->lowered };
	size_t s;
	int err;

	if (!t || !conditions) {
		free(conditions);
		free(t);
		return -ENOMEM;
	}
	for (s = 0; s < suite.n; s++) {
		t[s].outcome = outcome_of(all->d[s].verdict);
		t[s].name = all->c->statistic[s].text;
		t[s].type = verdict_name(all->d[s].verdict);
		compare_found(t[s].found, all, s);
		compare_why(t[s].why, all, s);
	}
	err = print(f, &suite);
	free(conditions);
	free(t);
	return err;
}

int compare_junit(FILE *f, const struct comparison *all)
{
	return print_cases(f, all, testcases_junit);
}

int compare_ktap(FILE *f, const struct comparison *all)
{
	return print_cases(f, all, testcases_ktap);
}

int compare_markdown(FILE *f, const struct comparison *all)
{
	const struct campaign *c = all->c;
	char found[COMPARE_LINE], why[COMPARE_LINE], margin[COMPARE_LINE];
	struct table t = { .align = "lrrrrr", .form = TABLE_MARKDOWN };
	unsigned int m, at;
	double a, shift;
	char *conditions;
	size_t s;
	int err;

	fprintf(f, "## tlob-load: %s\n\n", verdict_name(all->verdict));
	for (s = 0; s < c->nstatistics; s++)
		fprintf(f, "- **%s**: %s; %s. Margin %s.\n",
			verdict_name(all->d[s].verdict),
			compare_found(found, all, s), compare_why(why, all, s),
			compare_margin(margin, all, s));
	if (*compare_moved(found, all))
		fprintf(f, "- Also: %s.\n", found);
	if (all->o->sequential)
		fprintf(f, "- Looks: %s.\n", compare_next(found, all));
	fprintf(f, "- Over the budget or missed: %s.\n",
		compare_misses(found, all));
	table_cell(&t, "B - A, us");
	for (at = 0; at < NR_AT; at++)
		table_cell(&t, "%s", campaign_at_names[at]);
	for (m = 0; m < RESULT_METRICS; m++) {
		if (!campaign_shift(c, m, AT_MEAN, &a, &shift) || (!a && !shift))
			continue;
		table_cell(&t, "%s", result_metric_names[m]);
		for (at = 0; at < NR_AT; at++)
			if (campaign_shift(c, m, at, &a, &shift))
				table_cell(&t, "%+.3f", shift / 1000);
			else
				table_cell(&t, "-");
	}
	err = table_print(&t, f);
	if (!err)
		err = compare_functions_list(f, TABLE_MARKDOWN, c);
	if (err)
		return err;
	markdown(f, "\nA: %s\n\nB: %s\n", campaign_a(c, 0)->r.kernel, campaign_b(c, 0)->r.kernel);
	for (s = 0; s < c->nvaried; s++)
		markdown(f, "\n> varied: %s: %s in A, %s in B\n", c->varied[s].fact,
			 c->varied[s].a, c->varied[s].b);
	conditions = compare_conditions(c);
	if (!conditions)
		return -ENOMEM;
	markdown(f, "\nUnder: %s\n", conditions);
	free(conditions);
	markdown_notes(f, "but: ", c->lowered);
	markdown_notes(f, "", c->notes);
	markdown_notes(f, "forced: ", c->differences);
	return ferror(f) ? -EIO : 0;
}
