// SPDX-License-Identifier: GPL-2.0
/* The reports of KCIDB, schema 5.3: numbers of a run are tests with the status DONE. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "show/export.h"
#include "util/json_write.h"
#include "util/printable.h"

#define MAJOR	5
#define MINOR	3
#define PATH	256

struct report_tests {
	struct builder b;
	struct json_object *tests;
	const char *build;
	char	 id[80];		/* of the run or the file, without the origin */
};

static struct json_object *start_report(struct report_tests *t, const struct export_options *o)
{
	struct json_object *report = json_object_new_object(), *version;

	version = put_object(&t->b, report, "version");
	put_int(&t->b, version, "major", MAJOR);
	put_int(&t->b, version, "minor", MINOR);
	t->build = o->build;
	t->tests = put_array(&t->b, report, "tests");
	return report;
}

/* "p99.9(wake)" becomes "p99_9_wake_": a dot separates nodes of the tree. */
static void append_node(char path[PATH], const char *name)
{
	size_t n = strlen(path);

	if (n < PATH - 2)
		path[n++] = '.';
	for (; *name && n < PATH - 1; name++)
		path[n++] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_",
				   *name) ? *name : '_';
	path[n] = 0;
}

/* A test in the tree below tlob_load. @node ends with NULL. Its number in the list is in its id. */
static struct json_object *add_test(struct report_tests *t, const char *status,
				    const char *const node[])
{
	struct json_object *o = put_object(&t->b, t->tests, NULL);
	int origin = (int)strcspn(t->build, ":");
	char path[PATH] = "tlob_load", id[PATH];

	for (; *node; node++)
		append_node(path, *node);
	snprintf(id, sizeof(id), "%.*s:tlob_load-%s-%zu", origin, t->build, t->id,
		 json_object_array_length(t->tests));
	put_text(&t->b, o, "id", id);
	snprintf(id, sizeof(id), "%.*s", origin, t->build);
	put_text(&t->b, o, "origin", id);
	put_text(&t->b, o, "build_id", t->build);
	put_text(&t->b, o, "path", path);
	put_text(&t->b, o, "status", status);
	return o;
}

static void put_number(struct report_tests *t, struct json_object *test, double value,
		       const char *unit)
{
	struct json_object *o;

	if (isnan(value))
		return;
	o = put_object(&t->b, test, "number");
	put_double(&t->b, o, "value", value);
	if (unit) {
		put_text(&t->b, o, "unit", unit);
		put_text(&t->b, o, "prefix", "metric");
	}
}

/* How it was measured, and by whom. */
static void put_run(struct report_tests *t, struct json_object *test, const struct result *r)
{
	struct json_object *where = put_object(&t->b, test, "environment"), *o, *tags;
	size_t i;

	if (r->host)
		put_text(&t->b, where, "comment", r->host);
	o = put_object(&t->b, where, "misc");
	put_text(&t->b, o, "machine", r->machine);
	put_time(&t->b, test, "start_time", r->started);
	put_double(&t->b, test, "duration", (double)r->duration_ns / 1e9);
	o = put_object(&t->b, test, "misc");
	put_text(&t->b, o, "command", r->command);
	put_text(&t->b, o, "kernel", r->kernel);
	put_text(&t->b, o, "backend", r->backend);
	put_text(&t->b, o, "clock", r->deterministic ? "executed instructions" : "time");
	tags = put_object(&t->b, o, "tags");
	for (i = 0; i < r->tags.n; i++)
		put_text(&t->b, tags, r->tags.at[i].name, r->tags.at[i].value);
}

static void add_quantiles(struct report_tests *t, const struct result *r, unsigned int m)
{
	unsigned int q, metric = r->region ? TLOB_METRIC_RESPONSE : m;

	for (q = 0; q < EXPORT_QUANTILES; q++) {
		struct export_quantile x = export_quantile(&r->all, metric, q);
		const char *node[] = { r->region ? "attach" : "run", export_metric_name(r, m),
				       export_quantile_names[q], NULL };
		struct json_object *test;

		if (x.kind == QUANTILE_FEW)
			continue;
		test = add_test(t, "DONE", node);
		if (x.kind == QUANTILE_MISSED)
			put_text(&t->b, test, "comment", "among the missed expiries");
		put_number(t, test, x.kind == QUANTILE_KNOWN ? (double)x.ns / 1e9 : NAN, "s");
		put_run(t, test, r);
	}
}

static void add_assertions(struct report_tests *t, const struct result *r)
{
	size_t i;

	for (i = 0; i < r->said.n; i++) {
		const struct said_assertion *said = &r->said.at[i];
		const char *node[] = { "assert", said->condition, NULL };
		struct json_object *test = add_test(t, said->holds ? "PASS" : "FAIL", node);
		char *text = NULL;

		if (asprintf(&text, "%s: %s", said->condition, said->found) < 0)
			text = NULL;
		put_text(&t->b, test, "comment", text ? text : said->condition);
		free(text);
		put_run(t, test, r);
	}
}

int export_kcidb(FILE *f, const struct result *r, const struct export_options *o)
{
	struct report_tests t = { .b.err = 0 };
	struct json_object *report = start_report(&t, o);
	unsigned int m;

	if (r->run_id)
		snprintf(t.id, sizeof(t.id), "%s", r->run_id);
	else
		snprintf(t.id, sizeof(t.id), "%016" PRIx64, r->fingerprint);
	for (m = 0; m < export_metrics(r); m++)
		add_quantiles(&t, r, m);
	add_assertions(&t, r);
	return json_end(&t.b, f, report);
}

/* An undecided verdict is a test that has completed and says nothing about the code. */
static const char *const status_names[] = {
	[STATE_GOOD] = "PASS", [STATE_BAD] = "FAIL", [STATE_UNDECIDED] = "DONE",
	[STATE_SKIPPED] = "SKIP", [STATE_MISSING] = "MISS",
};

int export_verdict_kcidb(FILE *f, const struct verdict_file *v, const struct export_options *o)
{
	const char *what = v->of_machine ? "validate" : "compare";
	const char *whole[] = { what, NULL };
	struct report_tests t = { .b.err = 0 };
	struct json_object *report = start_report(&t, o), *test;
	size_t i;

	snprintf(t.id, sizeof(t.id), "%016" PRIx64, v->id);
	test = add_test(&t, status_names[v->state], whole);
	put_text(&t.b, test, "comment", verdict_word(v, v->state));
	for (i = 0; i < v->n; i++) {
		const char *node[] = { what, v->at[i].name, NULL };

		test = add_test(&t, status_names[v->at[i].state], node);
		put_number(&t, test, v->at[i].number, v->of_machine ? "s" : NULL);
	}
	return json_end(&t.b, f, report);
}
