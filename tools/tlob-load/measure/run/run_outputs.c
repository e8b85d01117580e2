// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "options/run_config.h"
#include "report/render.h"
#include "result/assertion.h"
#include "result/result.h"
#include "run/run_outputs.h"
#include "util/error.h"

static const enum render_form form_of[NR_RENDERED] = {
	[OUT_JSON] = RENDER_JSON, [OUT_JUNIT] = RENDER_JUNIT, [OUT_KTAP] = RENDER_KTAP,
	[OUT_MARKDOWN] = RENDER_MARKDOWN, [OUT_HIST] = RENDER_HIST,
	[OUT_TIMELINE] = RENDER_TIMELINE,
	/* [OUT_HTML]: run_outputs.page */
};

int run_outputs_open(struct run_outputs *out, const struct run_config *o)
{
	const char *const path[NR_OUTPUTS] = {
		[OUT_JSON] = o->json, [OUT_JUNIT] = o->junit, [OUT_KTAP] = o->ktap,
		[OUT_MARKDOWN] = o->markdown, [OUT_HIST] = o->hist,
		[OUT_TIMELINE] = o->timeline_json, [OUT_HTML] = o->html,
		[OUT_TRACE] = o->trace, [OUT_SAMPLES] = o->samples,
	};

	return outputs_open(out->at, path, NR_OUTPUTS);
}

static int print_result(FILE *f, const struct run_config *o, const struct result *r)
{
	int err;

	if (o->verbose) {
		err = render_summary_head(f, r);
		if (err)
			return err;
		fputc('\n', f);
		err = render_text(f, r, true);
	} else {
		err = render_summary(f, r);
	}
	if (!err && o->output_dir)
		fprintf(f, "\nresult  %s\n", o->json);
	return err;
}

int run_outputs_write(struct run_outputs *out, const struct run_config *o, struct result *r,
		      bool whole)
{
	bool stdout_taken = false;
	int err, i;

	err = assertions_judge(&r->assertions, o->assertion, o->nassertion, r);
	if (err)
		return fail(err, "out of memory");
	/* before the result that names it */
	if (out->at[OUT_TRACE].f) {
		r->trace_file = strdup(o->trace);
		keep_error(&err, output_commit(&out->at[OUT_TRACE]));
	}
	if (out->at[OUT_SAMPLES].f)
		keep_error(&err, output_commit(&out->at[OUT_SAMPLES]));
	/* a checkpoint may have failed to open it again */
	if (!out->at[OUT_JSON].f)
		keep_error(&err, output_open(&out->at[OUT_JSON], o->json));
	for (i = 0; i < NR_RENDERED; i++)
		stdout_taken = stdout_taken || out->at[i].f == stdout;
	if (!o->quiet)
		keep_error(&err, print_result(stdout_taken ? stderr : stdout, o, r));
	for (i = 0; i < NR_RENDERED; i++) {
		if (!out->at[i].f || (!whole && i >= OUT_JUNIT && i <= OUT_MARKDOWN))
			continue;
		keep_error(&err, i == OUT_HTML ? out->page(out->at[i].f, r) :
						 render_as(out->at[i].f, r, form_of[i]));
		keep_error(&err, output_commit(&out->at[i]));
	}
	if (fflush(stdout) && !broken_pipe_seen())
		keep_error(&err, fail(-errno, "stdout: %s", strerror(errno)));
	return err;
}

/* Nothing here ends the run: a disk that is full now may have room at its end. */
void run_outputs_checkpoint(struct run_outputs *out, const struct run_config *o,
			    const struct result *r)
{
	struct output *at = &out->at[OUT_JSON];
	int err;

	if (!at->f && output_open(at, o->json))
		return;
	err = render_json(at->f, r);
	if (err)
		output_failed(at->f, o->json, err);
	else if (!output_commit(at))
		out->kept = true;
	output_discard(at);
	output_open(at, o->json);
}

void run_outputs_drop(struct run_outputs *out, int err)
{
	if (out->kept)
		output_discard(&out->at[OUT_JSON]);
	outputs_drop(out->at, NR_OUTPUTS, err);
}
