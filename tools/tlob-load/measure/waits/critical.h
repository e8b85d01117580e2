/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The path of a process over a time: while a thread of it is on a CPU, that thread has the time;
 * while none is, the chain behind the next one that comes has it.
 */
#ifndef TLOB_WAITS_CRITICAL_H
#define TLOB_WAITS_CRITICAL_H

#include "backend/bpf_chain.h"

#define CRITICAL_SEGMENTS	2048	/* of a chain */

struct critical {
	struct chain_segment *row;	/* they add up to the time until @at_ns */
	size_t	 nrow, row_room;
	uint64_t began_ns, at_ns;
	struct chain_segment *on;	/* a RUN of each thread that is on a CPU: the first one has the time */
	size_t	 non, on_room;
	size_t	 merged;		/* rows when they were last added up */
	struct chain_segment off;	/* what the last one does that left its CPU */
	struct chain_segment found[CRITICAL_SEGMENTS];
};

/* The path begins at @ns, of CLOCK_MONOTONIC. */
void critical_begin(struct critical *c, uint64_t ns);
/* A thread has come to a CPU, or left it: @node is CHAIN_CAME or CHAIN_LEFT. In the order of @node->to. 0 or -ENOMEM. */
int  critical_move(struct critical *c, const struct chain_node *node, const struct chain_ring *ring);
/* The path ends, and @path gets its time and its rows. @gone: the process has ended before. 0 or -ENOMEM. */
int  critical_end(struct critical *c, struct critical_path *path, uint64_t ns, bool gone);
void critical_free(struct critical *c);

#endif /* TLOB_WAITS_CRITICAL_H */
