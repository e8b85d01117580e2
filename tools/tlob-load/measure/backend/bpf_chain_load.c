// SPDX-License-Identifier: GPL-2.0
/* What BPF programs with bpf/chain.h need. */
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "backend/bpf_chain.h"
#include "machine/bpf_kernel.h"
#include "machine/bpf_load.h"

#define NODES	"chain_nodes"

/* The programs that only chains need. */
static const char *const programs[] = { "sched_wakeup_new", "netif_rx" };

bool chain_can(void)
{
	return !bpf_is_older() && bpf_reads_preempt() && libbpf_num_possible_cpus() > 0;
}

int chain_choose(struct bpf_object *object, bool on, bool all, unsigned int most, struct chain_ring *ring)
{
	int cpus = libbpf_num_possible_cpus(), err;
	size_t i;

	err = bpf_set_value(object, ".rodata.has_chain", &on, sizeof(on));
	if (!err)
		err = bpf_set_value(object, ".rodata.chain_all", &all, sizeof(all));
	if (err)
		return err;
	if (!on) {
		for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
			bpf_program__set_autoload(bpf_object__find_program_by_name(object, programs[i]), false);
		return 0;
	}
	ring->ncpus = (unsigned int)cpus < most ? (unsigned int)cpus : most;
	return bpf_set_room(object, NODES, ring->ncpus * CHAIN_NODES);
}

int chain_map(const struct bpf_object *object, struct chain_ring *ring)
{
	int err = 0;

	if (ring->ncpus)
		ring->node = bpf_map_memory(object, NODES, (size_t)ring->ncpus * CHAIN_NODES, sizeof(*ring->node), &err);
	return err;
}

void chain_unmap(struct chain_ring *ring)
{
	if (ring->node)
		munmap((void *)ring->node, (size_t)ring->ncpus * CHAIN_NODES * sizeof(*ring->node));
	ring->node = NULL;
}
