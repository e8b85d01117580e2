// SPDX-License-Identifier: GPL-2.0
/* `tlob-load doctor`, from the options to the exit code. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "doctor/doctor.h"
#include "doctor/rules.h"
#include "options/command.h"
#include "options/rows.h"
#include "report/findings_render.h"
#include "report/pager.h"
#include "util/file.h"
#include "util/near.h"

struct doctor_config {
	const char *cpus;		/* NULL: chosen by doctor_prepare() */
	unsigned int pattern;		/* word of --pattern: 0 is periodic */
	const char *json;		/* the file for it; "-" is stdout, NULL: none */
	bool	quiet;
	const char *why;		/* the name of a rule, or NULL */
	const struct check *rule;	/* only this one; NULL: all */
	bool	all;			/* every rule, not the first findings only */
};

#define CONFIG	struct doctor_config

static enum pattern pattern_of(const struct doctor_config *o)
{
	return o->pattern ? PATTERN_POLLING : PATTERN_PERIODIC;
}

/* The rule whose name is nearest to @word, or NULL. */
static const char *nearest(const char *word)
{
	const struct checks * const *t;
	unsigned int best = NEAR_NOT, n;
	const char *id = NULL;
	size_t i;

	for (t = check_tables; *t; t++)
		for (i = 0; i < (*t)->n; i++) {
			n = near_edits((*t)->at[i].id, word);
			if (n < best) {
				best = n;
				id = (*t)->at[i].id;
			}
		}
	return id;
}

static int unknown_rule(const struct value *v, const char *why)
{
	const char *near = nearest(why);

	if (near)
		return value_error(v, "--why '%s': no such rule: did you mean %s?", why, near);
	return value_error(v, "--why '%s': no such rule: man tlob-load-doctor lists them", why);
}

static int check(void *config, const struct value *v)
{
	struct doctor_config *o = config;

	if (v->nrest)
		return value_error(v, "extra argument '%.60s'", v->rest[0]);
	if (!o->why)
		return 0;
	if (o->json)
		return value_error(v, "--why and --json exclude each other: the JSON has every rule");
	o->rule = check_find(o->why, pattern_of(o));
	return o->rule ? 0 : unknown_rule(v, o->why);
}

/* A copy of another machine's /proc and /sys, or this machine. */
static const char *root_dir(void)
{
	const char *root = getenv("TLOB_ROOT");

	return root ? root : "";
}

static int report(struct output *json, const struct doctor_config *o, const struct examination *e)
{
	FILE *people = outputs_people(json, 1);
	int err = 0;

	if (o->rule)
		err = examination_rule(people, &e->at[0], page_wants_colour(people));
	else if (!o->quiet)
		err = examination_text(people, e, o->all, page_wants_colour(people));
	if (fflush(people) || err)
		return output_failed(people, "the report", err ? err : -EIO);
	if (!json->f)
		return 0;
	err = examination_json(json->f, e);
	return err ? output_failed(json->f, "the JSON", err) : output_commit(json);
}

static enum exit_code call(void *config, int argc, char **argv)
{
	const struct doctor_config *o = config;
	struct doctor d = {
		.root = root_dir(), .pattern = pattern_of(o), .report.started = time(NULL),
	};
	struct output json = { 0 };
	enum exit_code code;
	int err = output_open(&json, o->json);

	(void)argc;
	(void)argv;
	if (!*d.root)
		d.wait = doctor_observe;
	if (!err)
		err = doctor_prepare(&d, o->cpus);
	if (!err)
		err = doctor_examine(&d, o->rule);
	if (!err)
		err = report(&json, o, &d.report);
	code = err ? exit_code_of(err) : d.report.outcome;
	outputs_drop(&json, 1, err);
	doctor_free(&d);
	return code;
}

#define RULE_ENTRY(id, title)	{ #id, title },
static const struct manual_entry rules[] = { RULES(RULE_ENTRY) { NULL, NULL } };

static const struct manual_option options[] = {
	{ .title = "Options" },
	{ TEXT("cpus", 'c', "LIST", cpus, "a list of CPUs"), .kind = ARGUMENT_CPUS, .basic = true,
	  .fallback = "the isolated CPUs, or all but the first",
	  .brief = "CPUs for the workload, e.g. 0,2-5",
	  .more = "'all' means every online CPU." },
	{ CHOICE("pattern", 0, "NAME", "periodic polling", pattern, NULL), .basic = true,
	  .fallback = "periodic", .brief = "periodic: it sleeps between windows; polling: it never sleeps" },
	JSON_OPTION(json, "docs/reference/doctor.schema.json describes it."),
	{ FLAG("all", 0, all), .basic = true,
	  .brief = "print every rule, not the first five findings" },
	{ TEXT("why", 0, "RULE", why, "a rule"), WORDS(RULE_WORDS), .basic = true,
	  .brief = "print one rule, and what it finds here" },
	{ FLAG("quiet", 'q', quiet), .brief = "print only errors" },
	HELP_OPTION,
	VERSION_OPTION,
	{ .title = "Rules",
	  .text = "Rules that are fatal, high or medium can be findings; the others only record.", .list = rules },
	{ 0 },
};

const struct manual manual_doctor = {
	.name = "doctor",
	.summary = "say whether this machine is set up for real-time work",
	.usage = { "doctor [OPTION]..." },
	.brief = "Say whether this machine is fit for a real-time workload: what is misconfigured, and how to fix it. It reads for a second and changes nothing. What it cannot read counts as neither good nor bad.",
	.more = "Any user may run it; root reads more. The environment variable TLOB_ROOT names a directory with a copy of another machine's /proc and /sys.",
	.options = options,
	.exits = ENTRIES({ "0", "no finding is high or fatal" },
			 { "1", "error, or such a rule could not be read" },
			 { "2", "a finding is high or fatal" }, { "129", "usage error" }),
	.examples = ENTRIES(
		{ "tlob-load doctor --cpus 2-5", "What is wrong with CPUs 2 to 5?" },
		{ "tlob-load doctor --why nohz_full --pattern polling", "Why this rule?" },
		{ "tlob-load doctor -q --json - | jq -r '.checks[] | select(.status == \"unknown\") | .found'",
		  "What could it not read?" }),
	.size = sizeof(CONFIG),
	.check = CALL(check),
};

const struct command cmd_doctor = { .manual = &manual_doctor, .run = CALL(call) };
