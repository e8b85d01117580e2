/* SPDX-License-Identifier: GPL-2.0 */
/* The chains behind waits that BPF programs with bpf/chain.h know. */
#ifndef TLOB_BACKEND_BPF_CHAIN_H
#define TLOB_BACKEND_BPF_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/bpf/chain_nodes.h"
#include "result/chain.h"

struct bpf_object;

struct chain_ring {
	const struct chain_node *node;	/* CHAIN_NODES of each CPU; NULL: none */
	const uint64_t *seq;		/* the number of the last one of the first CPU */
	size_t	 stride;		/* from there to that of the next CPU */
	unsigned int ncpus;
};

/*
 * Follows the chain of @ref from its end to its begin, at most (@n - 1) / 2 nodes. The @n of @to get the
 * segments, the oldest first. Returns their number, and 0 without a chain. What is not known is a
 * segment also, so they add up to the wait.
 */
size_t chain_walk(const struct chain_ring *ring, const struct chain_ref *ref, struct chain_segment *to, size_t n);

/*
 * Copies the next node of @cpu that was not read yet; *@seq: the number of the last one that was. Adds to *@lost
 * those that were overwritten before. False: there is none.
 */
bool chain_next(const struct chain_ring *ring, unsigned int cpu, uint64_t *seq, struct chain_node *to,
		uint64_t *lost);

/* "FIFO 20"; "": ordinary, or not known. */
void chain_policy(char to[CHAIN_POLICY], int prio, unsigned int policy);

/* Whether programs can tell who wakes a task: without the counter of preemption, each interrupt looks like it. */
bool chain_can(void);

/*
 * Before loading: whether the programs keep nodes, of all tasks or of those that matter. @most: CPUs that
 * they know. 0 or -errno, not printed.
 */
int  chain_choose(struct bpf_object *object, bool on, bool all, unsigned int most, struct chain_ring *ring);
/* Then: maps the nodes, if there are. The caller fills in @seq and @stride. 0 or -errno, not printed. */
int  chain_map(const struct bpf_object *object, struct chain_ring *ring);
void chain_unmap(struct chain_ring *ring);

#endif /* TLOB_BACKEND_BPF_CHAIN_H */
