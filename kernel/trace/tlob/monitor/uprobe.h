/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A binding: a region of a file with a budget, from any of some instructions to
 * any of others. bindings.c has their list; uprobe.c has the probes of each.
 */
#ifndef _TLOB_UPROBE_H
#define _TLOB_UPROBE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/path.h>

#include "../base/compat.h"
#include "../split/binding.h"

struct tlob_ring;

/*
 * The outcome of each hit of the start. The last one counts hits of the stop.
 */
enum tlob_binding_count {
	TLOB_BINDING_WINDOWS,		/* opened */
	TLOB_BINDING_NESTED,		/* the task has a window already */
	TLOB_BINDING_NO_SLOT,
	TLOB_BINDING_OFF,		/* the monitor is off */
	TLOB_BINDING_NR_STARTS,
	TLOB_BINDING_UNMATCHED = TLOB_BINDING_NR_STARTS, /* no start */
	TLOB_BINDING_NR_COUNTS,
};

/*
 * The listener of a binding gets its windows. Handlers read the ring and every.
 */
struct tlob_binding_listener {
	struct tlob_binding_listener *next;	/* after its binding lost it */
	const void *who;
	struct tlob_ring *ring;		/* a reference */
	bool	every;
};

/* The probe at one place of a binding. */
struct tlob_binding_probe {
	struct tlob_uprobe uprobe;
	struct tlob_binding *binding;
	u64	offset;
};

struct tlob_binding {
	struct list_head node;		/* of tlob_bindings */
	struct tlob_binding_line line;	/* its path is a copy */
	struct path path;
	struct inode *inode;		/* overlayfs: below @path */
	/* Handlers read it under RCU; tlob_bindings_lock protects writes. */
	struct tlob_binding_listener __rcu *listener;
	atomic64_t count[TLOB_BINDING_NR_COUNTS];
	unsigned int nr_probes;
	struct tlob_binding_probe probe[];	/* the stops, then the starts */
};

/*
 * Attaches all probes of @b, or none. Returns 0 or the kernel's error for a file or
 * place that cannot have a probe. The kernel checks instructions only where a
 * process has them mapped. So a binding to a place without an instruction is
 * accepted but never hit. May sleep.
 */
int  tlob_binding_attach(struct tlob_binding *b);
/* Removes the probes and windows of all bindings in @gone. May sleep. */
void tlob_bindings_detach(struct list_head *gone);

#endif /* _TLOB_UPROBE_H */
