// SPDX-License-Identifier: GPL-2.0
/* Prints a comparison for CI systems: JUnit XML, KTAP, Markdown. */
#include <errno.h>

#include "show/compare_render.h"
#include "show/markup.h"

static const char *junit_element(const struct decision *d)
{
	return d->verdict == VERDICT_REGRESSION ? "failure" : "error";
}

/* One test for each statistic. INCONCLUSIVE is an error, not a failure. */
int compare_junit(FILE *f, const struct comparison *all)
{
	size_t s, failures = 0, errors = 0, n = all->c->nstatistics;
	char buf[COMPARE_LINE];

	for (s = 0; s < n; s++) {
		failures += all->d[s].verdict == VERDICT_REGRESSION;
		errors += all->d[s].verdict == VERDICT_INCONCLUSIVE;
	}
	fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n"
		"<testsuite name=\"tlob-load gate\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\">\n",
		n, failures, errors);
	for (s = 0; s < n; s++) {
		const struct decision *d = &all->d[s];

		fputs("<testcase classname=\"tlob-load.gate\" name=\"", f);
		markup_text(f, all->c->statistic[s].text);
		fputs("\">\n", f);
		if (d->verdict != VERDICT_OK) {
			fprintf(f, "<%s type=\"%s\" message=\"",
				junit_element(d), verdict_name(d->verdict));
			markup_text(f, compare_why(buf, all, s));
			fprintf(f, "\"/>\n");
		}
		fputs("<system-out>", f);
		markup_text(f, compare_found(buf, all, s));
		fputs("</system-out>\n</testcase>\n", f);
	}
	fputs("</testsuite>\n</testsuites>\n", f);
	return ferror(f) ? -EIO : 0;
}

/* Documentation/dev-tools/ktap.rst: diagnostics come before their result. */
int compare_ktap(FILE *f, const struct comparison *all)
{
	size_t s, n = all->c->nstatistics;
	char buf[COMPARE_LINE];

	fprintf(f, "KTAP version 1\n1..%zu\n", n);
	for (s = 0; s < n; s++) {
		fprintf(f, "# %s\n", compare_found(buf, all, s));
		fprintf(f, "# %s: %s\n", verdict_name(all->d[s].verdict),
			compare_why(buf, all, s));
		fprintf(f, "%s %zu %s\n",
			all->d[s].verdict == VERDICT_OK ? "ok" : "not ok",
			s + 1, all->c->statistic[s].text);
	}
	return ferror(f) ? -EIO : 0;
}

static void markdown_notes(FILE *f, const char *label, char **notes)
{
	for (; notes && *notes; notes++) {
		fprintf(f, "\n> %s", label);
		markdown_text(f, *notes);
		fputc('\n', f);
	}
}

int compare_markdown(FILE *f, const struct comparison *all)
{
	const struct campaign *c = all->c;
	char found[COMPARE_LINE], why[COMPARE_LINE], margin[COMPARE_LINE];
	unsigned int m, at;
	double a, shift;
	size_t s;

	fprintf(f, "## tlob-load: %s\n\n", verdict_name(all->verdict));
	for (s = 0; s < c->nstatistics; s++)
		fprintf(f, "- **%s**: %s; %s. Margin %s.\n",
			verdict_name(all->d[s].verdict),
			compare_found(found, all, s), compare_why(why, all, s),
			compare_margin(margin, all, s));
	fprintf(f, "- Over the budget or missed: %s.\n",
		compare_misses(found, all));
	fprintf(f, "\n| B - A, us | %s | %s | %s | %s | %s |\n|---|---:|---:|---:|---:|---:|\n",
		campaign_at_names[0], campaign_at_names[1],
		campaign_at_names[2], campaign_at_names[3],
		campaign_at_names[4]);
	for (m = 0; m < TLOB_NR_METRICS; m++) {
		if (!campaign_shift(c, m, AT_MEAN, &a, &shift) || (!a && !shift))
			continue;
		fprintf(f, "| %s |", tlob_metric_names[m]);
		for (at = 0; at < NR_AT; at++)
			if (campaign_shift(c, m, at, &a, &shift))
				fprintf(f, " %+.3f |", shift / 1000);
			else
				fputs(" - |", f);
		fputc('\n', f);
	}
	fputs("\nA: ", f);
	markdown_text(f, campaign_a(c, 0)->r.kernel);
	fputs("\n\nB: ", f);
	markdown_text(f, campaign_b(c, 0)->r.kernel);
	fputc('\n', f);
	markdown_notes(f, "", c->notes);
	markdown_notes(f, "forced: ", c->differences);
	return ferror(f) ? -EIO : 0;
}
