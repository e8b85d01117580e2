// SPDX-License-Identifier: GPL-2.0
/* `tlob-load history`: its options, and what each of its verbs does. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/campaign.h"
#include "history/config.h"
#include "history/history.h"
#include "history/names.h"
#include "history/history_render.h"
#include "options/command.h"
#include "options/rows.h"
#include "util/error.h"
#include "util/file.h"
#include "util/markup.h"
#include "util/units.h"

#define CONFIG	struct history_config

static const char * const verbs[NR_HISTORY_VERBS] = { HISTORY_VERBS };

static int check_verb(struct history_config *o, const struct value *v)
{
	unsigned int i;

	if (!v->nrest)
		return value_error(v, "what to do is missing: give add, list, show, accept, reject, remove or export");
	for (i = 0; i < NR_HISTORY_VERBS && strcmp(v->rest[0], verbs[i]); i++)
		;
	if (i == NR_HISTORY_VERBS)
		return value_error(v, "unknown '%.40s': give add, list, show, accept, reject, remove or export",
				   v->rest[0]);
	o->verb = (enum history_verb)i;
	if (v->nrest < 2)
		return value_error(v, "%s needs the folder of a history", verbs[i]);
	o->dir = v->rest[1];
	o->rest = v->rest + 2;
	o->nrest = (size_t)v->nrest - 2;
	return 0;
}

static int check(void *config, const struct value *v)
{
	struct history_config *o = config;

	if (check_verb(o, v))
		return -EINVAL;
	if (o->verb != HISTORY_ADD && (o->names.build || o->names.commit || o->names.nlabels))
		return value_error(v, "--build, --commit and --label are for add");
	if (o->html && o->verb != HISTORY_SHOW)
		return value_error(v, "--html is for show");
	if (o->csv && o->verb != HISTORY_EXPORT)
		return value_error(v, "--csv is for export");
	if (o->nrest && (o->html || o->verb == HISTORY_LIST || o->verb == HISTORY_EXPORT))
		return value_error(v, "extra argument '%.40s': %s takes the whole history", o->rest[0],
				   o->html ? "--html" : verbs[o->verb]);
	if (!o->nrest && o->verb == HISTORY_ADD)
		return value_error(v, "add needs the results of a session");
	if (!o->nrest && !o->html && o->verb >= HISTORY_SHOW && o->verb <= HISTORY_REMOVE)
		return value_error(v, "%s needs the number of a session: tlob-load history list has them",
				   verbs[o->verb]);
	return 0;
}

static int add(const struct history_config *o)
{
	struct session s = { .state = SESSION_ACCEPTED }, *same = NULL;
	struct history h = { 0 };
	int err = history_read(&h, o->dir, true);

	if (!err)
		err = session_name(&s, &o->names);
	if (!err)
		err = session_measure(&s, o->rest, o->nrest);
	if (!err)
		err = history_same(&h, &s, o->rest, &same);
	if (same)
		err = fail(-EEXIST, "%s is a run of session %u already", o->rest[0], same->number);
	if (!err)
		err = history_add(h.dir, &s, o->rest);
	if (!err)
		put_printable(stdout, "session %u: %zu run%s of %s\n", s.number, s.nruns,
			      s.nruns == 1 ? "" : "s", s.build);
	session_free(&s);
	history_free(&h);
	return err;
}

/* The session that @text names. NULL: printed. */
static struct session *named(const struct history *h, const char *text)
{
	struct session *s = NULL;
	uint64_t n;

	if (!count_parse(text, &n) && n <= UINT32_MAX)
		s = history_find(h, (unsigned int)n);
	if (!s)
		fail(-ENOENT, "%s: no such session: tlob-load history list %s has them", text, h->dir);
	return s;
}

/* A person's word stands until the next one. */
static int judge(const struct history *h, struct session *s, enum session_state state)
{
	s->state = state;
	return history_update(h->dir, s);
}

static int change(const struct history_config *o, const struct history *h, struct session *s)
{
	switch (o->verb) {
	case HISTORY_ACCEPT:
		return judge(h, s, SESSION_ACCEPTED);
	case HISTORY_REJECT:
		return judge(h, s, SESSION_REJECTED);
	case HISTORY_REMOVE:
		return history_remove(h->dir, s);
	default:
		return history_show(stdout, h, s);
	}
}

/* All numbers are looked up before the first is changed. */
static int change_each(const struct history_config *o, const struct history *h)
{
	size_t i;
	int err = 0;

	for (i = 0; i < o->nrest; i++)
		if (!named(h, o->rest[i]))
			err = -ENOENT;
	for (i = 0; i < o->nrest && !err; i++)
		err = change(o, h, named(h, o->rest[i]));
	return err;
}

/* Runs as lines of CSV, in the order of their sessions. *@left: the error of one that was left out. */
static int export(FILE *f, const struct history *h, int *left)
{
	char path[HISTORY_PATH], *name = path;
	size_t i, k;
	int err;

	csv_header(f);
	for (i = 0; i < h->n; i++)
		for (k = 0; k < h->at[i].nruns && !ferror(f); k++) {
			history_path(path, h->dir, &h->at[i], k);
			err = csv_lines(f, &name, 1, h->at[i].commit ? h->at[i].commit : h->at[i].build);
			if (err && !ferror(f))
				warning("%s: left out", path);
			keep_error(left, err);
		}
	return ferror(f) ? -EIO : 0;
}

static int write_output(const struct history_config *o, const struct history *h)
{
	struct output out = { 0 };
	int left = 0, err = output_open(&out, o->html ? o->html : o->csv ? o->csv : "-");

	if (err)
		return err;
	err = o->html ? history_page(out.f, h) : export(out.f, h, &left);
	if (!err)
		err = output_commit(&out);
	output_discard(&out);
	return err ? err : left;
}

static int look(const struct history_config *o)
{
	struct history h = { 0 };
	int err = history_read(&h, o->dir, false);

	if (!err && (o->verb == HISTORY_LIST || o->html))
		err = history_sort(&h);
	if (!err && o->verb == HISTORY_LIST)
		err = history_list(stdout, &h);
	else if (!err && (o->html || o->verb == HISTORY_EXPORT))
		err = write_output(o, &h);
	else if (!err)
		err = change_each(o, &h);
	history_free(&h);
	return err;
}

static enum exit_code call(void *config, int argc, char **argv)
{
	const struct history_config *o = config;

	(void)argc;
	(void)argv;
	return exit_code_of(o->verb == HISTORY_ADD ? add(o) : look(o));
}

static const struct manual_option options[] = {
	{ .title = "Verbs",
	  .list = ENTRIES(
		{ "add DIR RESULT...", "copy the results of one session into the history" },
		{ "list DIR", "print a line for each session" },
		{ "show DIR SESSION...", "print all of a session; with --html a page of the history" },
		{ "accept DIR SESSION...", "make it a part of the baseline" },
		{ "reject DIR SESSION...", "take it out of the baseline" },
		{ "remove DIR SESSION...", "remove it with its results" },
		{ "export DIR", "print a line of CSV for each run, as report --append writes it" }) },
	{ .title = "Options" },
	SESSION_OPTIONS,
	HTML_OPTION(html, "for show: write a page, each metric over the sessions"),
	{ OUTPUT("csv", 0, csv), .fallback = "-", .brief = "for export: output file; - is stdout" },
	HELP_OPTION,
	{ .title = "The baseline",
	  .text = "A history keeps sessions, each with several runs of one build. Sessions of one machine with the same settings and tuning, as compare requires, form a series. gate --history screens a new session against the last 10 accepted ones." },
	{ 0 },
};

const struct manual manual_history = {
	.name = "history",
	.summary = "keep what machines have measured, for gate --history",
	.usage = { "history add [OPTION]... DIR RESULT...",
		   "history list|show|export [OPTION]... DIR [SESSION]...",
		   "history accept|reject|remove DIR SESSION..." },
	.operands = ARGUMENT_FILE,
	.brief = "Keep the results of many sessions in a folder, DIR. Several jobs may write to it at once.",
	.more = "docs/how-to/history.md describes it.",
	.options = options,
	.exits = ENTRIES({ "0", "done" }, { "1", "error" }, { "129", "usage error" }),
	.examples = ENTRIES(
		{ "tlob-load history add --build 6.12.9 history run-*.json",
		  "Add the runs of a night:" }),
	.size = sizeof(CONFIG),
	.check = CALL(check),
};

const struct command cmd_history = { .manual = &manual_history, .run = CALL(call) };
