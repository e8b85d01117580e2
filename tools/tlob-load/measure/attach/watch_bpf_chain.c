// SPDX-License-Identifier: GPL-2.0
/* The chains behind waits: what the BPF programs need for them, and what they have found. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attach/watch_bpf_local.h"
#include "machine/bpf_kernel.h"
#include "machine/bpf_load.h"
#include "result/kept.h"
#include "util/error.h"

#define NODES	"chain_nodes"

/* The programs that only chains need. */
static const char *const programs[] = { "sched_wakeup_new", "netif_rx" };

int watch_bpf_chain_choose(struct watch_bpf_run *run)
{
	int cpus = libbpf_num_possible_cpus(), err;
	bool can = !run->older && bpf_reads_preempt() && cpus > 0;
	size_t i;

	/* without the counter of preemption every interrupt would look like a wake-up by the task it has met */
	run->lacks_chain |= run->has_chain && !can;
	run->has_chain &= can;
	if (run->older)
		return 0;
	err = bpf_set_value(run->object, ".rodata.has_chain", &run->has_chain, sizeof(run->has_chain));
	if (!err)
		err = bpf_set_value(run->object, ".rodata.chain_all", &run->chain_all, sizeof(run->chain_all));
	if (err)
		return err;
	if (!run->has_chain) {
		for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
			bpf_program__set_autoload(bpf_object__find_program_by_name(run->object, programs[i]), false);
		return 0;
	}
	run->chain.ncpus = (unsigned int)cpus < WATCH_CPUS ? (unsigned int)cpus : WATCH_CPUS;
	return bpf_set_room(run->object, NODES, run->chain.ncpus * CHAIN_NODES);
}

int watch_bpf_chain_map(struct watch_bpf_run *run)
{
	int err = 0;

	if (!run->has_chain)
		return 0;
	run->chain.node = bpf_map_memory(run->object, NODES, (size_t)run->chain.ncpus * CHAIN_NODES,
					 sizeof(struct chain_node), &err);
	run->chain.cpu = run->shared->cpu;
	return err;
}

void watch_bpf_chain_unmap(struct watch_bpf_run *run)
{
	if (run->chain.node)
		munmap((void *)run->chain.node, (size_t)run->chain.ncpus * CHAIN_NODES * sizeof(struct chain_node));
	run->chain.node = NULL;
}

int watch_bpf_chain_take(const struct watch_bpf_run *run, struct attach_wait *wait)
{
	struct chain_segment found[CHAIN_SEGMENTS];
	size_t n = chain_walk(&run->chain, &run->chain_of, found);

	if (!n)
		return 0;
	wait->chain = calloc(n, sizeof(*found));
	if (!wait->chain)
		return fail(-ENOMEM, "out of memory");
	memcpy(wait->chain, found, n * sizeof(*found));
	wait->nchain = n;
	return 0;
}
