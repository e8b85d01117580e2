// SPDX-License-Identifier: GPL-2.0
#include <fnmatch.h>
#include <stddef.h>

#include "functions/refused.h"

static const struct {
	const char *pattern, *because;
} refused[] = {
	{ "preempt_count_*", "every probe calls it: kernels hang without a word" },
	{ "tlob_*", "it belongs to tlob-load, which would measure itself" },
	{ "fprobe_*", "it belongs to the probes" },
	{ "rethook_*", "it belongs to the probes" },
	{ "kprobe_*", "it belongs to the probes" },
	{ "kretprobe_*", "it belongs to the probes" },
	{ "ftrace_*", "it belongs to the tracer that the probes are made of" },
	{ "fgraph_*", "it belongs to the tracer that the probes are made of" },
	{ "function_graph_*", "it belongs to the tracer that the probes are made of" },
	{ "trace_clock*", "every probe reads the clock" },
	{ "ktime_get_mono_fast_ns", "every probe reads the clock" },
	{ "sched_clock*", "every probe reads the clock" },
};

const char *function_refused(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (!fnmatch(refused[i].pattern, name, 0))
			return refused[i].because;
	return NULL;
}
