/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by watch_bpf.c and watch_bpf_load.c. */
#ifndef TLOB_ATTACH_WATCH_BPF_LOCAL_H
#define TLOB_ATTACH_WATCH_BPF_LOCAL_H

#include <stddef.h>
#include <stdint.h>

#include "attach/bpf/shared.h"
#include "attach/watch_bpf.h"
#include "backend/bpf_chain.h"
#include "binding.h"
#include "machine/bpf_irqs.h"

#define WATCH_LINKS	(BPF_IRQS_LINKS + 16 + 2 * TLOB_BINDING_OFFSETS)

struct attach_profile;
struct attached;
struct bpf_link;
struct bpf_object;

struct watch_bpf_run {
	struct bpf_object *object;
	struct bpf_link *link[WATCH_LINKS];
	size_t	 nlink;
	struct bpf_irqs irqs;
	struct watch_bpf *shared;	/* mapped; NULL: not */
	const struct attached *region;	/* NULL: activations */
	bool	 waits;			/* --waits */
	uint32_t of;			/* this process; 0: of any */
	struct chain_ring chain;
	struct chain_ref chain_of;	/* the record that is given to @take */
	bool	 has_chain;		/* asked for; then: there are */
	bool	 chain_all, lacks_chain; /* as asked; as in struct watch_bpf_counts */
	int	 slots;			/* the map */
	int	 free_slots;		/* the same, a queue */
	int	 others;		/* the same, of a region */
	struct watch_key_at key_at;	/* --key: windows belong to keys */
	struct watch_key *key;		/* [WATCH_KEYS], mapped; NULL: not, or no --key */
	uint64_t *reported_key;		/* [WATCH_KEYS]: as reported, their begin */
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
/* As begin_waits() of watch_bpf.h. */
int  watch_bpf_begin_waits(struct watch_bpf_run *run, struct attach_profile *p);

/* Before loading: whether there are chains; not if has_chain is false. 0 or -errno, not printed. */
int  watch_bpf_chain_choose(struct watch_bpf_run *run);
/* Then: maps the nodes. 0 or -errno, not printed. */
int  watch_bpf_chain_map(struct watch_bpf_run *run);
/* As chain in struct watch_bpf_calls. */
int  watch_bpf_chain_take(const struct watch_bpf_run *run, struct attach_wait *wait);

/* Before loading: leaves out what is not of a region, or only of one. 0 or -errno, not printed. */
int  watch_bpf_region_choose(const struct watch_bpf_run *run);
/* Before loading: where keys are. Then, with --key: maps the windows. 0 or -errno, not printed. */
int  watch_bpf_key_choose(struct watch_bpf_run *run, const struct attach_config *o);
int  watch_bpf_key_begin(struct watch_bpf_run *run);
void watch_bpf_key_end(struct watch_bpf_run *run);
/* How many are open, without those that were said to be over the budget; whether the one is that began then. */
uint64_t watch_bpf_keys_inside(const struct watch_bpf_run *run);
bool watch_bpf_key_is_open(const struct watch_bpf_run *run, uint64_t start_ns);

/* Before the programs are attached. 0 or -errno, not printed. */
int  watch_bpf_region_begin(struct watch_bpf_run *run);
/* Then: attaches those of the places. 0 or -errno, printed. */
int  watch_bpf_region_attach(struct watch_bpf_run *run);
void watch_bpf_region_count(const struct watch_bpf_run *run, struct watch_bpf_counts *to);

/* The same two of threads that come later. */
int  watch_bpf_born_choose(const struct watch_bpf_run *run, const struct attach_config *o);
int  watch_bpf_born_begin(const struct watch_bpf_run *run, const struct attach_config *o);

#endif /* TLOB_ATTACH_WATCH_BPF_LOCAL_H */
