// SPDX-License-Identifier: GPL-2.0
/* The manual of tlob-load itself. */
#include "options/rows.h"

static const struct manual_option options[] = {
	PROGRAM_OPTIONS("tlob-load"),
	{ 0 },
};

#define MANUAL(name)	&manual_##name,

static const struct manual * const commands[] = { COMMANDS(MANUAL) NULL };

const struct manual manual_tool = {
	.name = "",
	.summary = "measure per-CPU latencies of a real-time workload, and where they come from",
	.usage = { "[COMMAND [OPTION]...]" },
	.brief = "Without a command it measures this machine: ten seconds, all CPUs but one, no work.",
	.options = options,
	.exits = ENTRIES({ "0", "pass, or the verdict OK" }, { "1", "error" },
			 { "2", "an assertion failed, or REGRESSION" },
			 { "3", "the verdict INCONCLUSIVE, or an assertion is undecided" }, { "77", "not supported on this machine" },
			 { "129", "usage error" }),
	.after_exits = "If the reader of its output exits, a command dies of SIGPIPE, which a shell reports as 141. Before that it writes its files and restores its settings.",
	.commands = commands,
};
