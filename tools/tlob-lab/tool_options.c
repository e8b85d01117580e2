// SPDX-License-Identifier: GPL-2.0
/* The manual of tlob-lab itself. */
#include "lab/lab.h"
#include "options/rows.h"

static const struct manual_option options[] = {
	PROGRAM_OPTIONS("tlob-lab"),
	{ .title = "Requirements",
	  .text = "tlob-lab needs the source tree with the tlob-load that is built in it, and the packages of scripts/deps demo; to build kernels, those of scripts/deps debug. Set TLOB_TREE to the tree if tlob-lab is not started from it." },
	{ 0 },
};

static const struct manual * const commands[] = { &manual_lab, &manual_explain, &manual_bisect, NULL };

const struct manual manual_tool = {
	.name = "",
	.summary = "measure in virtual machines: kernels, their arguments, their commits",
	.usage = { "COMMAND [OPTION]..." },
	.brief = "It boots kernels with the tlob-load of the source tree, and compares what that has measured.",
	.options = options,
	.exits = ENTRIES({ "0", "pass, or the verdict OK" }, { "1", "error" },
			 { "2", "REGRESSION, or an assertion of a guest failed" },
			 { "3", "INCONCLUSIVE, or something is undecided" }, { "77", "not supported on this machine" },
			 { "129", "usage error" }),
	.commands = commands,
};
