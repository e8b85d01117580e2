/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A binding: a region of a file, from one instruction to another, with a budget.
 * bindings.c has the list of them, uprobe.c the probes of each.
 */
#ifndef _TLOB_UPROBE_H
#define _TLOB_UPROBE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/path.h>

#include "binding.h"
#include "compat.h"

struct tlob_ring;

/* What became of one that came to the start, but for the last. */
enum tlob_binding_count {
	TLOB_BINDING_WINDOWS,		/* opened */
	TLOB_BINDING_NESTED,		/* its task had one already */
	TLOB_BINDING_NO_SLOT,
	TLOB_BINDING_OFF,		/* the monitor is */
	TLOB_BINDING_NR_STARTS,
	TLOB_BINDING_UNMATCHED = TLOB_BINDING_NR_STARTS, /* a stop without */
	TLOB_BINDING_NR_COUNTS,
};

/* Who gets the windows of a binding. Handlers read the ring and every. */
struct tlob_binding_listener {
	struct tlob_binding_listener *next;	/* once no binding has it */
	const void *who;
	struct tlob_ring *ring;		/* a reference */
	bool	every;
};

struct tlob_binding {
	struct list_head node;		/* of tlob_bindings */
	struct tlob_binding_line line;	/* its path is a copy */
	struct path path;
	struct inode *inode;		/* what @path holds; on overlayfs below it */
	struct tlob_uprobe start, stop;
	/* Handlers read it under RCU; written under tlob_bindings_lock. */
	struct tlob_binding_listener __rcu *listener;
	atomic64_t count[TLOB_BINDING_NR_COUNTS];
};

/*
 * 0, or what the kernel says of a file or place that cannot have a probe. It
 * looks at the instructions only where a process has them mapped: a binding to
 * what is no instruction may be made, and is never hit. May sleep.
 */
int  tlob_binding_attach(struct tlob_binding *b);
/* Takes the probes and windows of all bindings on a list away. May sleep. */
void tlob_bindings_detach(struct list_head *gone);

#endif /* _TLOB_UPROBE_H */
