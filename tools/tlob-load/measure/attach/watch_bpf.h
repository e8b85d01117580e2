/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Activations of threads, and regions, by BPF programs. A table of functions, because a build may
 * lack them.
 */
#ifndef TLOB_ATTACH_WATCH_BPF_H
#define TLOB_ATTACH_WATCH_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/task_ring.h"
#include "options/attach_config.h"

struct attach_profile;
struct attach_wait;
struct attached;
struct tlob_late;
struct watch_bpf_run;

typedef void watch_take(void *data, const union task_record *record, const struct tlob_late *late);

struct watch_rest {
	uint32_t tid;
	bool	 unseen;		/* it has neither come to a CPU nor left one */
	uint64_t began_ns;		/* when its last window began; 0: it had none */
	uint64_t now_ns;
};

typedef void watch_rest_take(void *data, const struct watch_rest *rest);

struct watch_bpf_counts {
	uint64_t dropped;		/* records that found the ring full */
	uint64_t vanished;		/* windows of threads that have gone and whose end was not seen */
	uint64_t skipped;		/* calls of programs: their events are missing */
	uint64_t unseen;		/* switches that the kernel did not report */
	uint64_t unread;		/* whose program is unknown, without --until */
	uint64_t no_slot;		/* of a region: starts; else threads that came later */
	uint64_t forgot;		/* tasks whose past made room for another one's */
	bool	 lacks_chain;		/* asked for, and not possible here */
	/* of a region: as in struct result_cpu */
	uint64_t nested, left, unmatched, others;
	uint64_t inside;		/* windows within their budget */
	uint64_t before;		/* stops of threads that were inside of it before */
	size_t	 nother;		/* as in struct attached */
};

struct watch_bpf_calls {
	/*
	 * Loads and attaches the programs. @region: what they watch; NULL: no thread yet. 0;
	 * -EOPNOTSUPP: they cannot be had here; -errno. Printed. close() also takes what has
	 * failed, and NULL.
	 */
	int  (*open)(struct watch_bpf_run **run, const struct attach_config *o, const struct attached *region);
	void (*close)(struct watch_bpf_run *run);
	/* --waits: begins the profile of what is watched, before any thread is. 0 or -errno, printed. */
	int  (*begin_waits)(struct watch_bpf_run *run, struct attach_profile *p);
	/*
	 * Watches the thread @tid. 0; -EBUSY: it is watched; -ESRCH; -ENOSPC: no slot is free;
	 * -EINVAL: --until for a thread of the kernel; -EOPNOTSUPP: --until for a 32-bit
	 * program; -EACCES: --until for one that may be; -errno. Not printed.
	 */
	int  (*add)(struct watch_bpf_run *run, int tid);
	/* After a scan, and at times: gives the slots of threads that have gone to others. */
	void (*sweep)(struct watch_bpf_run *run);
	/*
	 * The process @tgid has ended. Its threads say so before their last switches, which cut their
	 * windows: waits for these. Windows that none has cut count as vanished.
	 */
	void (*await_last_switches)(struct watch_bpf_run *run, int tgid);
	/*
	 * Gives every record to @take, also that of a window which is over its budget and still
	 * open, once. With the stacks that were taken in it, if it has ended; NULL: none. Returns
	 * whether there are many, so that the ring may be full before long.
	 */
	bool (*drain)(struct watch_bpf_run *run, watch_take *take, void *data);
	/* Calls @take for each thread that is watched and has no window now. */
	void (*rests)(const struct watch_bpf_run *run, watch_rest_take *take, void *data);
	/* Whether the window of the thread @tid that began at @start_ns has neither ended nor was left. */
	bool (*is_open)(const struct watch_bpf_run *run, uint32_t tid, uint64_t start_ns);
	/*
	 * While drain() calls @take, with the wait of that record: gives it the chain behind it, if there
	 * is one. 0 or -ENOMEM.
	 */
	int  (*chain)(const struct watch_bpf_run *run, struct attach_wait *wait);
	void (*count)(const struct watch_bpf_run *run, struct watch_bpf_counts *to);
};

extern const struct watch_bpf_calls watch_bpf;

#endif /* TLOB_ATTACH_WATCH_BPF_H */
