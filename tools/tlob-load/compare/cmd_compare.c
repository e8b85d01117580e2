// SPDX-License-Identifier: GPL-2.0
/* `tlob-load compare` and `gate`, from the options to the exit code. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "compare/config.h"
#include "compare/compare_render.h"
#include "compare/decidable.h"
#include "options/command.h"
#include "result/read_attach.h"
#include "util/file.h"
#include "waits/render.h"

#define NR_OUTPUTS	5

/* A region of a program has no wake-up. */
static bool is_of_attach(const struct result *r)
{
	return !strcmp(r->workload, WORKLOAD_ATTACH);
}

/* The default depends on the clock, which only a result tells. */
static int choose_statistics(struct compare_config *o)
{
	struct campaign_run first = { 0 };
	int err;

	if (o->nstatistics)
		return 0;
	err = campaign_run_load(&first, o->a[0], NULL, 0);
	if (!err)
		o->nstatistics = default_statistics(o->statistic,
						    first.r.deterministic && !is_of_attach(&first.r));
	campaign_run_free(&first);
	return err;
}

/* Opens the outputs first, so that a wrong path fails before the comparison. */
static int open_outputs(const struct compare_config *o,
			struct output out[NR_OUTPUTS])
{
	const char *const path[NR_OUTPUTS] = {
		o->json, o->junit, o->ktap, o->markdown, o->html,
	};

	return outputs_open(out, path, NR_OUTPUTS);
}

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return !stat(a, &sa) && !stat(b, &sb) && S_ISREG(sa.st_mode) &&
	       sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* Refuses an output that would overwrite one of the results. */
static int check_inputs(const struct compare_config *o)
{
	const char *path[] = {
		o->json, o->junit, o->ktap, o->markdown, o->html, o->append,
	};
	size_t i, k;

	for (i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		for (k = 0; path[i] && k < o->na; k++)
			if (same_file(path[i], o->a[k]))
				return fail(-EUSAGE, "%s is one of the results: give the output another name",
					    path[i]);
		for (k = 0; path[i] && k < o->nb; k++)
			if (same_file(path[i], o->b[k]))
				return fail(-EUSAGE, "%s is one of the results: give the output another name",
					    path[i]);
	}
	return 0;
}

static int write_outputs(struct output out[NR_OUTPUTS],
			 const struct comparison *all)
{
	static int (* const render[NR_OUTPUTS])(FILE *,
						const struct comparison *) = {
		compare_json, compare_junit, compare_ktap, compare_markdown, page_compare,
	};
	bool stdout_taken = false;
	int i, err = 0;

	for (i = 0; i < NR_OUTPUTS && !err; i++) {
		if (!out[i].f)
			continue;
		stdout_taken = stdout_taken || out[i].f == stdout;
		err = render[i](out[i].f, all);
		if (err)
			err = fail(err, "cannot write the comparison: %s",
				   strerror(-err));
		else
			err = output_commit(&out[i]);
	}
	if (!err && !all->o->quiet && !stdout_taken)
		err = compare_text(stdout, all);
	return err;
}

static int compare(struct compare_config *o, enum decision_verdict *verdict)
{
	struct decision d[STATISTICS_MAX];
	struct output out[NR_OUTPUTS] = { 0 };
	struct comparison all = {
		.o = o, .d = d,
		.rule = { .alpha = o->alpha, .margin = o->margin },
	};
	struct campaign c = { 0 };
	int err;

	memset(d, 0, sizeof(d));
	err = check_inputs(o);
	if (!err)
		err = open_outputs(o, out);
	if (!err)
		err = choose_statistics(o);
	c.statistic = o->statistic;
	c.vary = &o->vary;
	c.nstatistics = o->nstatistics;
	if (!err)
		err = campaign_load(&c, o->a, o->na, o->b, o->nb, o->force);
	if (!err)
		err = campaign_decide(&c, &all.rule, d,
				      o->sequential ? &all.at : NULL);
	if (!err) {
		all.c = &c;
		all.verdict = *verdict = decide_together(d, c.nstatistics);
		err = write_outputs(out, &all);
	}
	if (!err && o->append)
		err = csv_append_campaign(o->append, &c, o->commit);
	/* An old verdict must not pass for the one that failed. */
	if (err)
		outputs_remove(out, NR_OUTPUTS);
	outputs_discard(out, NR_OUTPUTS);
	campaign_decided(d, c.nstatistics);
	campaign_free(&c);
	return err;
}

/* Results of waits have text and a page only, and are compared one with one. */
static int compare_waits(const struct compare_config *o)
{
	if (o->na != 1 || o->nb != 1)
		return fail(-EUSAGE, "results of waits are compared one with one, not %zu with %zu",
			    o->na, o->nb);
	if (o->json || o->junit || o->ktap || o->markdown || o->append)
		return fail(-EUSAGE, "of results of waits there is text, and a page with --html");
	return waits_files_compare((const char *const[]){ o->a[0], o->b[0] }, o->html, o->quiet);
}

static enum exit_code run(struct compare_config *o, bool decides)
{
	static const enum exit_code codes[] = {
		[VERDICT_OK] = EXIT_PASS, [VERDICT_REGRESSION] = EXIT_ASSERTION,
		[VERDICT_INCONCLUSIVE] = EXIT_INCONCLUSIVE,
	};
	enum decision_verdict verdict = VERDICT_INCONCLUSIVE;
	int err;

	if (waits_files_any(o->a, o->na) || waits_files_any(o->b, o->nb)) {
		err = decides ? fail(-EUSAGE, "gate decides on results of run and attach: use compare for waits") :
				check_inputs(o);
		return exit_code_of(err ? err : compare_waits(o));
	}
	err = compare(o, &verdict);
	if (err)
		return exit_code_of(err);
	return decides ? codes[verdict] : EXIT_PASS;
}

static enum exit_code run_compare(void *config, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return run(config, false);
}

static enum exit_code run_gate(void *config, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return run(config, true);
}

const struct command cmd_compare = { .manual = &manual_compare, .run = run_compare };
const struct command cmd_gate = { .manual = &manual_gate, .run = run_gate };
