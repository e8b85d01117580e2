// SPDX-License-Identifier: GPL-2.0
/*
 * A result for other programs. In the result file keys are in the order of the tables, so that
 * equal results give equal bytes; docs/reference/result.md describes them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "report/assertions.h"
#include "report/render.h"
#include "report/report.h"
#include "report/timeline_render.h"
#include "result/tables.h"

/* Prints rows @from to before @to of @r as an element of a list, or without braces. */
static int print_rows(FILE *f, bool braces, const struct fields *r, const void *data,
		      const void *about, size_t from, size_t to)
{
	struct json_object *o = json_object_new_object();
	struct builder b = { .about = about };
	int err;

	record_put_rows(&b, o, r, data, from, to);
	err = b.err ? b.err : json_print_part(f, o, braces);
	json_object_put(o);
	return err;
}

static int print_cpus(FILE *f, const struct result *r)
{
	size_t i;
	int err = 0;

	fputs(",\"cpu\":[", f);
	for (i = 0; i < r->ncpus && !err; i++) {
		if (i)
			fputc(',', f);
		err = print_rows(f, true, &cpu_record, &r->cpu[i], r->functions, 0,
				 cpu_record.nfields);
	}
	fputs("],", f);
	return err;
}

int render_json(FILE *f, const struct result *r)
{
	size_t cpus = record_row(&result_record, "cpu");
	int err;

	fputc('{', f);
	err = print_rows(f, false, &result_record, r, r->functions, 0, cpus);
	if (!err)
		err = print_cpus(f, r);
	if (!err)
		err = print_rows(f, false, &result_record, r, r->functions, cpus + 1,
				 result_record.nfields);
	if (!err)
		fputs("}\n", f);
	return err ? err : ferror(f) ? -EIO : 0;
}

/* The assertions as test cases. */
static int print_cases(FILE *f, const struct result *r, testcases_printer print)
{
	char measured[TESTCASE_LINE];

	snprintf(measured, sizeof(measured), "%" PRIu64 " windows, %" PRIu64 " violations, %" PRIu64 " missed",
		 r->all.windows, r->all.violations, r->all.missed);
	return assertions_cases(f, r->attached ? "attach" : "run", measured, r, print);
}

int render_as(FILE *f, const struct result *r, enum render_form form)
{
	const char *name = r->attached ? "attach" : "run";
	const struct report one = { .r = (struct result *)r, .name = &name, .n = 1 };
	int err;

	switch (form) {
	case RENDER_JSON: return render_json(f, r);
	case RENDER_HTML: return page_results(f, &one);
	case RENDER_JUNIT: return print_cases(f, r, testcases_junit);
	case RENDER_KTAP: return print_cases(f, r, testcases_ktap);
	case RENDER_MARKDOWN:
		err = assertions_markdown(f, r);
		return err ? err : report_markdown(f, &one);
	case RENDER_HIST: return render_hist(f, r);
	case RENDER_TIMELINE: return render_trace_events(f, r);
	}
	return -EINVAL;
}
