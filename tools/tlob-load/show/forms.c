// SPDX-License-Identifier: GPL-2.0
/* A result in its forms for other programs: the assertions of CI systems are here. */
#include <errno.h>
#include <inttypes.h>

#include "report/assertions.h"
#include "show/page.h"
#include "show/render.h"
#include "timeline/render.h"

static int print_run(FILE *f, const struct result *r, testcases_printer print)
{
	char measured[TESTCASE_LINE];

	snprintf(measured, sizeof(measured),
		 "%" PRIu64 " windows, %" PRIu64 " violations, %" PRIu64 " missed",
		 r->all.windows, r->all.violations, r->all.missed);
	return assertions_cases(f, "run", measured, &r->assertions, print);
}

static int render_markdown(FILE *f, const struct result *r)
{
	const char *name = "run";
	const struct report one = { .r = (struct result *)r, .name = &name, .n = 1 };

	assertions_markdown(f, &r->assertions);
	return report_markdown(f, &one);
}

int render_as(FILE *f, const struct result *r, enum render_form form)
{
	switch (form) {
	case RENDER_JSON: return render_json(f, r);
	case RENDER_JUNIT: return print_run(f, r, testcases_junit);
	case RENDER_KTAP: return print_run(f, r, testcases_ktap);
	case RENDER_MARKDOWN: return render_markdown(f, r);
	case RENDER_HIST: return render_hist(f, r);
	case RENDER_TIMELINE: return render_trace_events(f, r);
	}
	return -EINVAL;
}
