// SPDX-License-Identifier: GPL-2.0
/* The manual of tlob-load itself, and the list of all. */
#include <string.h>

#include "help/manual.h"
#include "help/shared.h"

const struct manual_entry exits_of_assertions[] = {
	{ "0", "pass" }, { "1", "error" }, { "2", "an assertion failed" },
	{ "77", "unsupported here" }, { "129", "usage" }, { NULL, NULL },
};

static const struct manual_option options[] = {
	{ "help", 'h', true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "print the list of commands; --help=all prints the exit codes, too", NULL, NULL },
	{ "version", 'V', true, NULL, ARGUMENT_TEXT, NULL, NULL, "print the version", NULL, NULL },
	{ 0 },
};

static const struct manual_section sections[] = {
	{ "Options", NULL, options, NULL,
	  "tlob-load help COMMAND and tlob-load version do the same." },
	{ 0 },
};

static const struct manual_entry exits[] = {
	{ "0", "pass, or the verdict OK" },
	{ "1", "error" },
	{ "2", "an assertion failed, or the verdict REGRESSION" },
	{ "3", "the verdict INCONCLUSIVE" },
	{ "77", "unsupported here" },
	{ "129", "usage" },
	{ NULL, NULL },
};

static const char after_exits[] =
	"A command whose output is no longer read dies of SIGPIPE, which a shell calls 141. Before that it writes its files and takes back its settings.";

static const char * const usage[] = { "[COMMAND [OPTION]...]", NULL };

const struct manual manual_tool = {
	.name = "",
	.summary = "measure per-CPU latencies of a real-time workload, and where they come from",
	.usage = usage,
	.brief = "Alone it measures this machine: ten seconds, all CPUs but one, no work.",
	.sections = sections,
	.exits = exits,
	.after_exits = after_exits,
};

const struct manual * const manuals[] = {
	&manual_tool, &manual_run, &manual_top, &manual_attach, &manual_waits, &manual_report,
	&manual_merge, &manual_compare, &manual_gate, &manual_plan, &manual_search, &manual_lab,
	&manual_doctor, &manual_validate, &manual_restore, NULL,
};

void manual_each_option(const struct manual *m,
			void (*visit)(void *data, const struct manual_option *o), void *data)
{
	const struct manual_section *s;
	const struct manual_option *o;

	for (s = m->sections; s->title; s++)
		for (o = s->options; o && o->name; o++)
			visit(data, o);
}

const struct manual_option *manual_option_find(const struct manual *m, const char *name)
{
	const struct manual_section *s;
	const struct manual_option *o;

	for (s = m->sections; s->title; s++)
		for (o = s->options; o && o->name; o++)
			if (!strcmp(o->name, name))
				return o;
	return NULL;
}
