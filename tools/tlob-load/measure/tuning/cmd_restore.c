// SPDX-License-Identifier: GPL-2.0
/* `tlob-load restore`: restores the settings that a killed run has changed. */
#include "machine/knobs.h"
#include "options/command.h"
#include "options/rows.h"

static int check(void *config, const struct value *v)
{
	(void)config;
	return v->nrest ? value_error(v, "extra argument '%.60s'", v->rest[0]) : 0;
}

static enum exit_code call(void *config, int argc, char **argv)
{
	(void)config;
	(void)argc;
	(void)argv;
	return exit_code_of(knobs_restore());
}

static const struct manual_option options[] = {
	{ .title = "Options" },
	HELP_OPTION,
	{ 0 },
};

const struct manual manual_restore = {
	.name = "restore",
	.summary = "restore settings that a killed run had changed",
	.usage = { "restore" },
	.brief = "Restore the system settings that a killed run had changed, and settings of osnoise that another user of osnoise brought back after a run. The next run does the same.",
	.more = "The changes are listed in /run/tlob-load.state, or in $TLOB_STATE_FILE.",
	.options = options,
	.exits = ENTRIES(
		{ "0", "everything is restored" },
		{ "1", "error, a run is in progress, or another user of osnoise may still bring a setting back" },
		{ "129", "usage error" }),
	.check = CALL(check),
};

const struct command cmd_restore = { .manual = &manual_restore, .run = CALL(call) };
