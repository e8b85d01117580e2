// SPDX-License-Identifier: GPL-2.0
/* Comparing two sides, from the files to the outputs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "compare/compare.h"
#include "compare/compare_render.h"
#include "compare/decidable.h"
#include "read/waits.h"
#include "result/attached.h"
#include "util/error.h"
#include "util/file.h"

int compare_statistics(struct compare_config *o, struct campaign_run *first)
{
	int err = 0;

	if (!o->nstatistics)
		err = campaign_run_read(first, o->a[0]);
	if (!o->nstatistics && !err)
		/* a region of a program has no wake-up */
		o->nstatistics = default_statistics(o->statistic, first->r.deterministic &&
						    !result_is_of_attach(&first->r));
	return err;
}

static int write_outputs(struct output out[NR_OUTPUTS],
			 const struct comparison *all)
{
	static int (* const render[NR_OUTPUTS])(FILE *,
						const struct comparison *) = {
		[OUT_JSON] = compare_json, [OUT_JUNIT] = compare_junit,
		[OUT_KTAP] = compare_ktap, [OUT_MARKDOWN] = compare_markdown,
		[OUT_HTML] = page_compare,
	};
	bool stdout_taken = false;
	int i, err = 0;

	for (i = 0; i < NR_OUTPUTS && !err; i++) {
		if (!out[i].f)
			continue;
		stdout_taken = stdout_taken || out[i].f == stdout;
		err = render[i](out[i].f, all);
		if (err)
			err = output_failed(out[i].f, "the comparison", err);
		else
			err = output_commit(&out[i]);
	}
	if (!err && !all->o->quiet && !stdout_taken) {
		err = compare_text(stdout, all);
		/* main() says what a disk has refused */
		if (err == -ENOMEM)
			fail(err, "out of memory");
	}
	return err;
}

static int compare(struct compare_config *o, enum decision_verdict *verdict)
{
	const bool named = o->nstatistics;
	struct decision d[STATISTICS_MAX];
	struct output out[NR_OUTPUTS] = { 0 };
	struct comparison all = {
		.o = o, .d = d,
		.rule = { .alpha = o->alpha, .margin = o->margin },
	};
	struct campaign c = { 0 };
	int err;

	memset(d, 0, sizeof(d));
	/* first, so that a wrong path fails before the comparison */
	err = outputs_open(out, o->out, NR_OUTPUTS);
	if (!err)
		err = compare_statistics(o, &c.first);
	c.statistic = o->statistic;
	c.nstatistics = o->nstatistics;
	c.vary = &o->vary;
	memcpy(c.cut_short, o->cut_short, sizeof(c.cut_short));
	if (!err)
		err = campaign_load(&c, o->a, o->na, o->b, o->nb, o->force);
	if (!err)
		err = campaign_decide(&c, &all.rule, d,
				      o->sequential ? &all.at : NULL);
	/* the miss rate decides without being named, unless nothing was missed */
	if (!err && !named && decision_has_none(&d[c.nstatistics - 1]))
		campaign_decided(&d[--c.nstatistics], 1);
	if (!err) {
		all.c = &c;
		all.verdict = *verdict = decide_together(d, c.nstatistics);
		err = campaign_moved(&c, &all.rule, all.moved, &all.nmoved);
		err = err ? fail(err, "out of memory") : write_outputs(out, &all);
	}
	if (!err && o->append)
		err = csv_append_campaign(o->append, &c, o->names.commit);
	outputs_drop(out, NR_OUTPUTS, err);
	campaign_decided(d, c.nstatistics);
	campaign_free(&c);
	return err;
}

/* Results of waits have text and a page only, and are compared one with one. */
static int compare_waits(const struct compare_config *o)
{
	bool other = o->append;
	int i;

	if (o->na != 1 || o->nb != 1)
		return fail(-EUSAGE, "results of waits are compared one to one, not %zu with %zu",
			    o->na, o->nb);
	for (i = 0; i < OUT_HTML; i++)
		other = other || o->out[i];
	if (other)
		return fail(-EUSAGE, "results of waits are compared as text, or with --html as a page");
	return waits_files_compare((const char *const[]){ o->a[0], o->b[0] }, o->out[OUT_HTML],
				   o->quiet);
}

int compare_carry_out(struct compare_config *o, enum decision_verdict *verdict)
{
	*verdict = VERDICT_OK;
	return waits_files_any(o->a, o->na) || waits_files_any(o->b, o->nb) ? compare_waits(o) : compare(o, verdict);
}
