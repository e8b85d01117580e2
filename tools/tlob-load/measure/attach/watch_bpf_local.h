/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by watch_bpf.c and watch_bpf_load.c. */
#ifndef TLOB_ATTACH_WATCH_BPF_LOCAL_H
#define TLOB_ATTACH_WATCH_BPF_LOCAL_H

#include <stddef.h>
#include <stdint.h>

#include "attach/bpf/shared.h"
#include "attach/watch_bpf.h"
#include "machine/bpf_irqs.h"

#define WATCH_LINKS	(BPF_IRQS_LINKS + 8)

struct bpf_link;
struct bpf_object;

struct watch_bpf_run {
	struct bpf_object *object;
	struct bpf_link *link[WATCH_LINKS];
	size_t	 nlink;
	struct bpf_irqs irqs;
	struct watch_bpf *shared;	/* mapped; NULL: not */
	int	 slots;			/* the map */
	bool	 older;			/* the programs for kernels before 5.18, with these two queues: */
	int	 records, entries;
	uint32_t unavailable;		/* 1 << enum tlob_task_part */
	uint64_t reported[WATCH_TASKS];	/* the last window that was said to be over its budget */
	bool	 missing[WATCH_TASKS];	/* the last sweep did not find the thread */
	uint64_t vanished, unread;	/* as in struct watch_bpf_counts */
};

/* Loads, maps and attaches, with the calls of --until. 0 or -errno, printed. */
int  watch_bpf_load(struct watch_bpf_run *run, const struct attach_config *o);
void watch_bpf_unload(struct watch_bpf_run *run);

#endif /* TLOB_ATTACH_WATCH_BPF_LOCAL_H */
