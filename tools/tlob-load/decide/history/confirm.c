// SPDX-License-Identifier: GPL-2.0
/* The confirmation of a session: a plan of the last good build against its build. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare/campaign.h"
#include "compare/plan.h"
#include "history/gate.h"
#include "options/started.h"
#include "util/error.h"
#include "util/file.h"
#include "util/memstream.h"
#include "util/process.h"
#include "util/random.h"
#include "util/text.h"
#include "util/wrap.h"

#define BUILD	"{build}"

/* Not if it writes a file, or does something. */
static int take_option(void *to, const struct manual_option *o, const char *arg)
{
	if (!has_word(o->not_for, "gate"))
		call_add(to, "--%s%s%s", o->name, arg ? "=" : "", arg ? arg : "");
	return 0;
}

/* The options of run that made the results, by their command line. 0 or -errno, printed. */
static int take_options(struct call *options, const struct campaign_run *run)
{
	struct call line = { 0 };
	int err = call_add_line(&line, run->r.command);

	if (!err && (line.n < 2 || (strcmp(line.argv[1], "run") && strcmp(line.argv[1], "top"))))
		err = -EINVAL;
	if (!err)
		err = options_each(strcmp(line.argv[1], "top") ? &manual_run : &manual_top, (int)line.n - 1, line.argv + 1, take_option, options);
	if (err == -EINVAL)
		fail(err, "%s: its command line cannot be repeated: make the runs with tlob-load run -d T and further options",
		     run->path);
	call_free(&line);
	return err ? err : call_error(options);
}

static void put_setup(FILE *f, const void *data)
{
	const char *at = data, *next;

	for (; (next = strstr(at, BUILD)); at = next + strlen(BUILD))
		fprintf(f, "%.*s\"$1\"", (int)(next - at), at);
	fputs(at, f);
}

static void put_option(FILE *f, const char *option, const char *value)
{
	fprintf(f, " %s ", option);
	shell_word(f, value);
}

/* The same as a command, with what switches builds as its argument. */
static void write_plan(FILE *f, const struct plan *p)
{
	unsigned int i;
	int k;

	fputs("#!/bin/sh\n# Makes the confirmation by hand: sh confirm.sh 'COMMAND \"$1\"', where COMMAND NAME boots or\n"
	      "# starts the build NAME. tlob-load gate --history --switch does so, and keeps the verdict.\n"
	      "exec tlob-load plan --sequential", f);
	put_option(f, "--margin", p->margin);
	for (i = 0; i < p->nmetrics; i++)
		put_option(f, "--metric", p->metric[i].text);
	put_option(f, "--dir", p->dir);
	fprintf(f, " --seed %" PRIu64 " --setup \"$1\" ", p->seed);
	shell_word(f, p->name[0]);
	fputc(' ', f);
	shell_word(f, p->name[1]);
	fputs(" --", f);
	for (k = 0; k < p->noptions; k++) {
		fputc(' ', f);
		shell_word(f, p->options[k]);
	}
	fputc('\n', f);
}

static int write_script(const struct gating *g, const struct plan *p)
{
	char folder[HISTORY_PATH], path[HISTORY_PATH + 16];
	struct output out = { 0 };
	int err;

	snprintf(path, sizeof(path), "%s/confirm.sh", history_path(folder, g->h.dir, g->s, SIZE_MAX));
	err = output_open(&out, path);
	if (err)
		return err;
	write_plan(out.f, p);
	err = output_commit(&out);
	output_discard(&out);
	if (!err && !g->o->switch_to)
		wrap_print(stderr, "the plan of the confirmation: %s\n", path);
	return err;
}

/* If an output goes to stdout, what --switch and the last gate print goes to stderr. */
static int carry_out_beside(const struct gating *g, const struct plan *p, enum exit_code *code)
{
	const bool taken = outputs_people(g->out, NR_OUTPUTS) != stdout;
	int err, before = taken ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : -1;

	if (taken && (before < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)) {
		err = fail(-errno, "stdout: %s", strerror(errno));
	} else {
		err = plan_carry_out(p, code);
		if (taken && dup2(before, STDOUT_FILENO) < 0 && !err)
			err = fail(-errno, "stdout: %s", strerror(errno));
	}
	if (before >= 0)
		close(before);
	return err;
}

static int carry_out(struct gating *g, struct plan *p)
{
	enum exit_code code = EXIT_ERROR;
	int err = plan_draw_order(p);

	if (!err)
		err = carry_out_beside(g, p, &code);
	free(p->order);
	if (err)
		return err;
	switch (code) {
	case EXIT_PASS:
		g->verdict = VERDICT_OK;
		return 0;
	case EXIT_ASSERTION:
		g->verdict = VERDICT_REGRESSION;
		return 0;
	case EXIT_INCONCLUSIVE:
		return 0;
	default:
		return fail(-ECANCELED, "the comparison failed with exit code %d", (int)code);
	}
}

int gate_confirm(struct gating *g, const struct session *old)
{
	char folder[HISTORY_PATH], dir[HISTORY_PATH + 16], margin[32];
	char *setup = g->o->switch_to ? memstream_of(put_setup, g->o->switch_to) : NULL;
	struct campaign_run like = { 0 };
	struct call options = { 0 };
	struct plan p = {
		.name = { old->build, g->s->build }, .pairs = SEQUENTIAL_MOST,
		.seed = random_derived(g->s->run[0].fingerprint, 0) >> 32,
		.dir = dir, .setup = setup, .sequential = true, .quiet = g->compare.quiet, .margin = margin,
		.kernel = { old->kernel, g->s->kernel }, .like = &like.r,
	};
	int err;

	/* each @old has its own results: one that was removed meanwhile leaves some */
	snprintf(dir, sizeof(dir), "%s/confirm-%06u", history_path(folder, g->h.dir, g->s, SIZE_MAX),
		 old->number);
	snprintf(margin, sizeof(margin), "%g%%", 100 * g->o->margin);
	/* by default gate chooses them, as for the screen */
	p.nmetrics = g->o->nstatistics;
	memcpy(p.metric, g->o->statistic, sizeof(p.metric));
	err = campaign_run_read(&like, history_path(folder, g->h.dir, g->s, 0));
	if (!err)
		err = take_options(&options, &like);
	p.options = options.argv;
	p.noptions = (int)options.n;
	if (!err)
		err = write_script(g, &p);
	if (!err && !g->o->switch_to)
		err = -ENOTCONN;	/* the printed advice says what is missing */
	if (!err && !setup)
		err = fail(-ENOMEM, "out of memory");
	if (!err)
		err = carry_out(g, &p);
	call_free(&options);
	campaign_run_free(&like);
	free(setup);
	return err;
}
