// SPDX-License-Identifier: GPL-2.0
/* `tlob-load compare` and `gate`, from the options to the exit code. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "compare.h"
#include "compare_render.h"
#include "file.h"

#define NR_OUTPUTS	4

/* What is compared if nobody says what. */
static int default_subjects(struct compare_options *o, bool counted)
{
	static const char * const names[2][2] = {
		{ "p99.9(response)", NULL }, { "p50(wake)", "p99(wake)" },
	};
	char err[80];
	int i;

	for (i = 0; i < 2 && names[counted][i]; i++)
		if (subject_parse(&o->subject[o->nsubjects++],
				  names[counted][i], err, sizeof(err)))
			return -EINVAL;
	return 0;
}

/* The first result says by what clock; it is read again with the others. */
static int choose_subjects(struct compare_options *o)
{
	struct campaign_run first = { 0 };
	int err;

	if (o->nsubjects)
		return 0;
	err = campaign_run_load(&first, o->a[0], NULL, 0);
	if (!err)
		err = default_subjects(o, first.r.deterministic);
	campaign_run_free(&first);
	return err;
}

/* Opened before anything is read: what cannot be written is said at once. */
static int open_outputs(const struct compare_options *o,
			struct output out[NR_OUTPUTS])
{
	const char *path[NR_OUTPUTS] = {
		o->json, o->junit, o->ktap, o->markdown,
	};
	int i, k, err = 0;

	for (i = 0; i < NR_OUTPUTS && !err; i++) {
		err = output_open(&out[i], path[i]);
		for (k = 0; k < i && !err; k++)
			if (output_same(&out[i], &out[k]))
				err = fail(-EUSAGE, "two outputs go to %s: give each its own file",
					   path[i]);
	}
	return err;
}

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return !stat(a, &sa) && !stat(b, &sb) && S_ISREG(sa.st_mode) &&
	       sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* Whoever gives a result as an output means another file. */
static int check_inputs(const struct compare_options *o)
{
	const char *path[] = {
		o->json, o->junit, o->ktap, o->markdown, o->append,
	};
	size_t i, k;

	for (i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		for (k = 0; path[i] && k < o->na; k++)
			if (same_file(path[i], o->a[k]))
				return fail(-EUSAGE, "%s is one of the results: nothing was written",
					    path[i]);
		for (k = 0; path[i] && k < o->nb; k++)
			if (same_file(path[i], o->b[k]))
				return fail(-EUSAGE, "%s is one of the results: nothing was written",
					    path[i]);
	}
	return 0;
}

static int write_outputs(struct output out[NR_OUTPUTS],
			 const struct comparison *all)
{
	static int (* const render[NR_OUTPUTS])(FILE *,
						const struct comparison *) = {
		compare_json, compare_junit, compare_ktap, compare_markdown,
	};
	bool stdout_taken = false;
	int i, err = 0;

	for (i = 0; i < NR_OUTPUTS && !err; i++) {
		if (!out[i].f)
			continue;
		stdout_taken = stdout_taken || out[i].f == stdout;
		err = render[i](out[i].f, all);
		if (err)
			err = fail(err, "the comparison cannot be written: %s",
				   strerror(-err));
		else
			err = output_commit(&out[i]);
	}
	if (!err && !all->o->quiet && !stdout_taken)
		err = compare_text(stdout, all);
	return err;
}

static int compare(struct compare_options *o, enum decision_verdict *verdict)
{
	struct decision d[SUBJECTS_MAX];
	struct output out[NR_OUTPUTS] = { 0 };
	struct comparison all = {
		.o = o, .d = d,
		.rule = { .alpha = o->alpha, .looks = o->looks,
			  .margin = o->margin },
	};
	struct campaign c = { 0 };
	int i, err;

	memset(d, 0, sizeof(d));
	err = check_inputs(o);
	if (!err)
		err = open_outputs(o, out);
	if (!err)
		err = choose_subjects(o);
	c.subject = o->subject;
	c.nsubjects = o->nsubjects;
	if (!err)
		err = campaign_load(&c, o->a, o->na, o->b, o->nb, o->force);
	if (!err)
		err = campaign_decide(&c, &all.rule, d);
	if (!err) {
		all.c = &c;
		all.verdict = *verdict = decide_together(d, c.nsubjects);
		err = write_outputs(out, &all);
	}
	if (!err && o->append)
		err = compare_append(&all);
	for (i = 0; i < NR_OUTPUTS; i++) {
		/* a verdict of last time must not stand for this one */
		if (err)
			output_remove(&out[i]);
		output_discard(&out[i]);
	}
	campaign_decided(d, c.nsubjects);
	campaign_free(&c);
	return err;
}

static enum exit_code command(int argc, char **argv, const char *help,
			      bool decides)
{
	static const enum exit_code codes[] = {
		[VERDICT_OK] = EXIT_PASS, [VERDICT_REGRESSION] = EXIT_ASSERTION,
		[VERDICT_INCONCLUSIVE] = EXIT_INCONCLUSIVE,
	};
	enum decision_verdict verdict = VERDICT_INCONCLUSIVE;
	struct compare_options o;
	char why[1024];
	int err;

	if (compare_options_parse(&o, argc, argv, why, sizeof(why)))
		return exit_code_of(fail(-EUSAGE, "%s (tlob-load %s --help)",
					 why, argv[0]));
	if (o.help) {
		fputs(help, stdout);
		return EXIT_PASS;
	}
	err = compare(&o, &verdict);
	if (err)
		return exit_code_of(err);
	return decides ? codes[verdict] : EXIT_PASS;
}

enum exit_code command_compare(int argc, char **argv)
{
	return command(argc, argv, compare_help, false);
}

enum exit_code command_gate(int argc, char **argv)
{
	return command(argc, argv, gate_help, true);
}
