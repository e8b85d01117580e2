/* SPDX-License-Identifier: GPL-2.0 */
/* Waits by BPF programs: shared by source_bpf*.c. */
#ifndef TLOB_WAITS_SOURCE_BPF_H
#define TLOB_WAITS_SOURCE_BPF_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/bpf_chain.h"
#include "machine/bpf_irqs.h"
#include "waits/bpf/shared.h"
#include "waits/critical.h"
#include "waits/source.h"

#define WAIT_BPF_LINKS	(BPF_IRQS_LINKS + 16)

struct bpf_link;
struct bpf_object;
struct bpf_program;

struct wait_bpf_run {
	/* source_bpf_load.c */
	const struct wait_scope *scope;	/* while it loads */
	struct bpf_object *object;
	struct bpf_link *link[WAIT_BPF_LINKS];
	size_t	nlink;
	struct bpf_irqs irqs;		/* for chains */
	struct chain_ring ring;		/* no nodes: no chains */
	struct critical_path *path;	/* the caller's, which gets that of @critical at the end; or NULL */
	struct critical critical;
	uint64_t seen[WAIT_BPF_CPUS];	/* nodes that were looked at for it */
	struct chain_node *move;	/* those of its threads */
	size_t	nmove, move_room;
	struct wait_bpf *shared;	/* mapped; NULL: not */
	char	finish[64];		/* the function for the kprobe; "": sched_exit_tp */
	uint64_t schedule_start, schedule_end;	/* see struct wait_bpf */
	uint64_t sched_start, sched_end;
	/* source_bpf.c */
	uint64_t since_ns, until_ns;	/* until: 0 while it is on */
	struct wait_records kept;	/* of tasks that exited */
	uint64_t evicted;
	struct tlob_wait_task others;	/* all evicted ones */
	bool	gone[WAIT_BPF_TASKS];
	struct wait_chain chain[WAIT_BPF_TASKS]; /* of the task in that slot; no chain: not known */
	uint32_t chain_nr[WAIT_BPF_TASKS];	/* its longest_nr then */
};

/* All return 0 or -errno, printed. */

/* Checks this kernel, and loads what it needs. -EOPNOTSUPP: it cannot be had here. */
int  wait_bpf_load(struct wait_bpf_run *run, const struct wait_scope *scope);
/* -EOPNOTSUPP: the kernel is locked down. */
int  wait_bpf_attach(struct wait_bpf_run *run);
/* Afterwards nothing is attached. */
void wait_bpf_detach(struct wait_bpf_run *run);
void wait_bpf_unload(struct wait_bpf_run *run);

/*
 * Programs that only chains need. On PREEMPT_RT a softirq that is preempted by another one skips them:
 * no wait is missing then, but a name in a chain may be.
 */
bool wait_bpf_is_of_chain(const struct bpf_program *p);

#endif /* TLOB_WAITS_SOURCE_BPF_H */
