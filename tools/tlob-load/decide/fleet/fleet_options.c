// SPDX-License-Identifier: GPL-2.0
/* The options and the manual of `tlob-load fleet`. */
#include "fleet/config.h"
#include "options/rows.h"

#define CONFIG	struct fleet_config

static int check(void *config, const struct value *v)
{
	struct fleet_config *o = config;

	o->files = v->rest;
	return v->nrest || o->list ? 0 : value_error(v, "no result: give files or folders of results");
}

static const struct manual_option options[] = {
	{ .title = "Options" },
	{ OUTPUT("json", 0, out[OUT_JSON]), .basic = true, .brief = "write the comparison as JSON; - is stdout",
	  .more = "docs/reference/fleet.schema.json describes it." },
	HTML_OPTION(out[OUT_HTML], "write a page with a heat map of hosts and quantiles"),
	{ TEXT("files-from", 0, "FILE", list, "the name of a file, or - for stdin"),
	  .kind = ARGUMENT_FILE, .basic = true, .fallback = "none",
	  .brief = "also compare the files listed in FILE",
	  .more = "One name per line; - is stdin." },
	ANONYMIZE_OPTION(anonymize),
	HELP_OPTION,
	{ .title = "What is compared",
	  .text = "Hosts with the same settings, kernel and processor: at least 8, with three runs each, because one slow run does not make a slow host. With fewer, fleet cannot tell. docs/how-to/many-machines.md explains the answer." },
	{ 0 },
};

const struct manual manual_fleet = {
	.name = "fleet",
	.summary = "find the hosts that are slower than the others",
	.usage = { "fleet [OPTION]... FILE|DIR..." },
	.operands = ARGUMENT_FILE,
	.brief = "Compare hosts by their results: settings that differ, hosts that are slower than the others, runs that are unlike the other runs of their host, and each host's worst window.",
	.more = "DIR stands for all its files *.json and *.json.gz. - reads results from stdin, one per line.",
	.options = options,
	.exits = ENTRIES({ "0", "no host is named" }, { "1", "error" }, { "2", "a host is slower than the others" },
			 { "3", "undecided: too few hosts, runs or windows, or no real-time policy" },
			 { "129", "usage error" }),
	.examples = ENTRIES({ "tlob-load fleet --html fleet.html results", "Compare all hosts with results in a folder:" }),
	.size = sizeof(CONFIG),
	.check = CALL(check),
};
