/* SPDX-License-Identifier: GPL-2.0 */
/* The walk along the nodes that BPF programs made: bpf/chain_nodes.h. */
#ifndef TLOB_ATTACH_WATCH_BPF_WALK_H
#define TLOB_ATTACH_WATCH_BPF_WALK_H

#include <stddef.h>

#include "attach/bpf/shared.h"
#include "result/chain.h"

#define CHAIN_STEPS	63

struct chain_ring {
	const struct chain_node *node;	/* CHAIN_NODES of each CPU; NULL: none */
	const struct watch_cpu *cpu;
	unsigned int ncpus;
};

/*
 * Follows the chain of @ref from its end to its begin, at most CHAIN_STEPS nodes. @to gets the
 * segments, the oldest first. Returns their number, and 0 without a chain. What is not known is a
 * segment also, so they add up to the wait.
 */
size_t chain_walk(const struct chain_ring *ring, const struct chain_ref *ref,
		  struct chain_segment to[CHAIN_SEGMENTS]);

#endif /* TLOB_ATTACH_WATCH_BPF_WALK_H */
