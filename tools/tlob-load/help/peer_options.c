// SPDX-License-Identifier: GPL-2.0
/* What options of cyclictest, rtla, earlier versions and our other commands are called here. */
#include <string.h>

#include "help/peer_options.h"

#define MOST_WORDS	3

static const struct {
	const char *word[MOST_WORDS];
	const char *needs;		/* an option that the command must have */
	const char *instead;
} peers[] = {
	{ { "-i", "--interval", "--irq" }, "period",
	  "cyclictest's interval is --period T; rtla's --irq is --stop-on 'irq>T'" },
	{ { "-l", "--loops" }, "windows", "the number of activations is --windows N" },
	{ { "-D" }, "duration", "the duration is --duration T, as in -d 10s" },
	{ { "-t", "--threads" }, "cpus",
	  "one thread runs on each CPU of --cpus LIST; rtla's -t is --trace FILE" },
	{ { "-S", "--smp" }, "cpus", "one thread runs on each CPU of --cpus LIST anyhow" },
	{ { "-a", "--affinity", "--auto" }, "cpus",
	  "cyclictest's CPUs are --cpus LIST; rtla's --auto is --stop-on 'wake>T' --trace FILE" },
	{ { "-P", "--priority", "--prio" }, "policy", "the priority is --policy fifo:P" },
	{ { "-T", "--thread" }, "stop-on", "rtla's --thread is --stop-on 'wake>T'" },
	{ { "-b", "--breaktrace" }, "stop-on", "cyclictest's --breaktrace is --stop-on 'wake>T'" },
	{ { "-H", "--house-keeping" }, "housekeeping", "the tool's own CPUs are --housekeeping LIST" },
	{ { "-C" }, "cgroup", "the cgroup is --cgroup PATH" },
	{ { "-u", "--user-threads" }, "workload", "user threads are --workload user, the default" },
	{ { "-k", "--kernel-threads" }, "workload", "kernel threads are --workload kthread" },
	{ { "-m", "--mlockall" }, "workload", "memory is always locked" },
	{ { "--histogram", "--histfile" }, "hist", "histograms go to a file by --hist FILE" },
	{ { "--deepest-idle-state" }, "idle-state", "the deepest idle state is --idle-state N" },
	{ { "--latency" }, "dma-latency", "the limit in /dev/cpu_dma_latency is --dma-latency T" },
	{ { "--looks" }, "sequential", "it is called --sequential now, and takes no number" },
	{ { "-o", "--output" }, "html", "the page goes to a file by --html FILE" },
};

static int has(const struct option *o, const char *name)
{
	while (o->name && strcmp(o->name, name))
		o++;
	return o->name != NULL;
}

const char *peer_option(const struct option *options, const char *word)
{
	size_t n = strcspn(word, "="), i;
	int k;

	for (i = 0; i < sizeof(peers) / sizeof(peers[0]); i++)
		for (k = 0; k < MOST_WORDS && peers[i].word[k]; k++)
			if (strlen(peers[i].word[k]) == n &&
			    !strncmp(peers[i].word[k], word, n) &&
			    has(options, peers[i].needs))
				return peers[i].instead;
	return NULL;
}
