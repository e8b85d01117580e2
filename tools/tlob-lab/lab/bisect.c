// SPDX-License-Identifier: GPL-2.0
/* The steps of `tlob-lab bisect`, and what it prints. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lab/bisect.h"
#include "lab/lab_explain.h"
#include "lab/tree.h"
#include "util/error.h"
#include "util/process.h"
#include "util/signals.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void say(const struct bisect *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct bisect *b, const char *fmt, ...)
{
	va_list ap;

	if (b->o->quiet)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
}

/* ---- one commit ---- */

/* GOOD and BAD must be measured. GOOD's build is the whole kernel, so its time predicts nothing. */
static int try_end(struct bisect *b, const char *name, struct bisect_commit *c)
{
	int err;

	say(b, "%s %s\n", name, c->subject);
	err = bisect_try(b, c);
	if (!err && c->skipped)
		err = fail(-EIO, "%s cannot be measured: %s", name, c->why);
	return err;
}

/* A step that neither built nor booted takes no time. */
#define SHORTEST_S	2

static int try_timed(struct bisect *b, struct bisect_commit *c)
{
	double began = now(), took;
	int err = bisect_try(b, c);

	took = now() - began;
	if (!err && took > SHORTEST_S) {
		b->took += took;
		b->steps++;
	}
	return err;
}

/* "about 5 minutes": as long as the steps before, and the two boots that explain the commit. */
static void say_left(const struct bisect *b, const struct bisect_next *next)
{
	double left = b->steps ? b->took / b->steps * (next->steps + 2) / 60 : 0;

	say(b, "%u revision%s left, about %u step%s", next->left + 1, next->left ? "s" : "",
	    next->steps + 1, next->steps ? "s" : "");
	if (b->steps)
		say(b, left < 1 ? ", less than a minute" : ", about %.0f minute%s", left,
		    left < 1.5 ? "" : "s");
	say(b, "\n");
}

/* Measures what git wants to know, and says so to git. */
static int step(struct bisect *b, struct bisect_next *next)
{
	struct bisect_commit c = { 0 };
	const char *mark = "skip";
	double more;
	int err;

	say_left(b, next);
	err = bisect_find(b, next->hash, &c);
	if (err)
		return err;
	say(b, "  %s\n", c.subject);
	err = try_timed(b, &c);
	if (!err && c.skipped) {
		say(b, "    skipped: %s\n", c.why);
	} else if (!err) {
		more = bisect_more(b, &c, &b->good);
		mark = more >= b->threshold ? "bad" : "good";
		say(b, "    %s: %+.1f instructions\n", mark, more);
	}
	bisect_forget(&c);
	return err ? err : bisect_mark(b, mark, next->hash, next);
}

/* ---- the end ---- */

/*
 * Explains @bad against @parent, whose boots with the plugin are still to be made. 0; -EINTR;
 * -ECANCELED: it failed, which has been printed, but the commit is found.
 */
static int explain(const struct bisect *b, const struct bisect_commit *parent,
		   const struct bisect_commit *bad)
{
	const struct bisect_commit *side[2] = { parent, bad };
	char dir[PATH_MAX], place[2][PATH_MAX];
	struct lab_config o = *b->o;
	enum exit_code code;
	unsigned int i;

	snprintf(dir, sizeof(dir), "%.4000s/explain", b->o->dir);
	o.quiet = true;
	o.tree = NULL;
	o.explain = b->metric.kind == STATISTIC_MEAN ? "mean" : b->metric.ppm > 500000 ? "p99" : "p50";
	o.pairs = 1;
	o.dir = dir;
	for (i = 0; i < 2; i++) {
		kernel_source_place(&b->lab, side[i]->hash, place[i]);
		o.kernel[i].text = side[i]->subject;
		o.kernel[i].image = true;
		o.kernel[i].modules = place[i];
		snprintf(o.kernel[i].name, sizeof(o.kernel[i].name), "%.1000s/vmlinuz", place[i]);
	}
	code = lab_carry_out(&o);
	/* an assertion says nothing about the difference */
	if (code != EXIT_PASS && code != EXIT_ASSERTION)
		return signal_end() ? -EINTR : -ECANCELED;
	printf("\nmore: %s/explain.json, explain.svg\n", dir);
	return 0;
}

static void print_revision(const struct bisect *b, const char *hash)
{
	const char *words = strchr(b->o->kernel[0].text, '+');

	printf(" %s", hash);
	if (words)
		shell_word(stdout, words);
}

/*
 * Names the command that looks for what is left of the difference, if it is worth a look. It must
 * ask the same question of other commits.
 */
static void print_rest(const struct bisect *b, double more, const char *where, const char *good,
		       const char *bad)
{
	if (more < b->threshold / 4 || more < 2)
		return;
	printf("%s: %+.1f instructions more, from another commit:\n  tlob-lab bisect", where, more);
	print_revision(b, good);
	print_revision(b, bad);
	printf(" --instructions %.0f --seed %" PRIu64, more / 2 < 1 ? 1 : more / 2, b->o->seed);
	if (b->o->pairs > 1)
		printf(" -n %" PRIu64, b->o->pairs);
	if (strcmp(b->metric.text, BISECT_METRIC)) {
		printf(" --metric ");
		shell_word(stdout, b->metric.text);
	}
	printf(" --tree ");
	shell_word(stdout, b->o->tree);
	printf(" --dir ");
	shell_word(stdout, b->o->dir);
	lab_print_options(b->o);
}

static void print_found(const struct bisect *b, const struct bisect_commit *parent,
			const struct bisect_commit *bad)
{
	printf("first bad commit: %s\n", bad->subject);
	printf("%s: %+.1f instructions against its parent; BAD has %+.1f against GOOD\n",
	       b->metric.text, bisect_more(b, bad, parent), bisect_more(b, &b->bad, &b->good));
	print_rest(b, bisect_more(b, parent, &b->good), "before it", b->good.hash, parent->hash);
	print_rest(b, bisect_more(b, &b->bad, bad), "after it", bad->hash, b->bad.hash);
	bisect_print_unseen(b, stdout);
	putchar('\n');
	fflush(stdout);
}

static int end_found(struct bisect *b, const char *hash)
{
	struct bisect_commit bad = { 0 }, parent = { 0 };
	char rev[COMMIT_LEN + 1];
	int err = bisect_find(b, hash, &bad);

	snprintf(rev, sizeof(rev), "%.40s^", hash);
	if (!err)
		err = bisect_find(b, rev, &parent);
	if (!err)
		err = bisect_try(b, &bad);
	if (!err)
		err = bisect_try(b, &parent);
	if (!err && parent.skipped) {
		printf("first bad commit: %s\nnot explained: its first parent %s cannot be measured: %s\n",
		       bad.subject, parent.subject, parent.why);
	} else if (!err) {
		print_found(b, &parent, &bad);
		err = explain(b, &parent, &bad);
	}
	bisect_forget(&bad);
	bisect_forget(&parent);
	return err;
}

/* ---- all of it ---- */

static int measure_ends(struct bisect *b)
{
	double more;
	int err = try_end(b, "GOOD", &b->good);

	if (!err) {
		say(b, "  %s %.1f ns, a nanosecond is an instruction\n", b->metric.text, b->good.value[0]);
		err = try_end(b, "BAD", &b->bad);
	}
	if (err)
		return err;
	more = bisect_more(b, &b->bad, &b->good);
	say(b, "  %+.1f instructions\n", more);
	err = bisect_threshold(b);
	if (!err) {
		say(b, "bad is %.1f instructions more than GOOD, or above\n", b->threshold);
		return 0;
	}
	if (more <= -b->threshold)
		printf("BAD is faster than GOOD: %s %+.1f instructions. Give a BAD that is slower\n",
		       b->metric.text, more);
	else
		printf("BAD is as good as GOOD: %s %+.1f instructions; bad is %+.1f\n",
		       b->metric.text, more, b->threshold);
	bisect_print_unseen(b, stdout);
	return err;
}

static int prepare(struct bisect *b)
{
	char script[PATH_MAX];
	int err = tree_script(script, "build-revision");

	if (!err)
		err = lab_explain_plugin(b->lab.plugin);
	if (!err)
		err = lab_claim_dir(&b->lab);
	if (!err)
		err = signals_catch();
	if (!err)
		err = bisect_find(b, b->o->kernel[0].name, &b->good);
	if (!err)
		err = bisect_find(b, b->o->kernel[1].name, &b->bad);
	return err ? err : bisect_check(b);
}

/* 0; -ENODATA: BAD is not bad, or only skipped commits are left; -ECANCELED: as explain(). */
static int bisect(struct bisect *b)
{
	struct bisect_next next = { 0 };
	int err = measure_ends(b);

	if (!err)
		err = bisect_start(b, &next);
	while (!err && !next.found && !next.only_skipped)
		err = step(b, &next);
	if (err)
		return err;
	if (next.found)
		err = end_found(b, next.hash);
	else
		printf("the first bad commit is one of these, which were skipped or come after one that was:\n");
	if (next.only_skipped)
		bisect_print_said(b, stdout);
	if (!err || err == -ECANCELED)
		keep_error(&err, bisect_end(b));
	return err ? err : next.found ? 0 : -ENODATA;
}

/* The configuration that measures one commit. */
static void set_up(struct bisect *b, const struct lab_config *o)
{
	b->o = o;
	b->metric = o->metric[0];
	b->lab.config = *o;
	b->lab.o = &b->lab.config;
	b->lab.claim = -1;
	b->lab.config.nkernels = 1;
	b->lab.config.windows = 0;
	b->lab.config.quiet = true;
}

enum exit_code bisect_carry_out(const struct lab_config *o)
{
	struct bisect *b = calloc(1, sizeof(*b));
	int err = 0;

	if (b) {
		set_up(b, o);
		b->lab.order = calloc(o->pairs, sizeof(*b->lab.order));
	}
	if (!b || !b->lab.order) {
		free(b);
		return exit_code_of(fail(-ENOMEM, "out of memory"));
	}
	err = prepare(b);
	if (!err)
		err = bisect(b);
	if ((!err || err == -ENODATA || err == -ECANCELED) && !o->keep)
		keep_error(&err, kernel_source_tidy(&b->lab));
	else if (err == -EINTR || err == -ENOSPC)
		fprintf(stderr, "the same command continues where this has ended\n");
	bisect_forget(&b->good);
	bisect_forget(&b->bad);
	free(b->lab.order);
	free(b);
	return err == -ENODATA ? EXIT_INCONCLUSIVE : exit_code_of(err);
}
