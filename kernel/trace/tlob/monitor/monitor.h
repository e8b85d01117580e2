/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The monitor over arbitrary tasks: declarations that its files share.
 * docs/explanation/monitor.md has the automaton; account.h has the arithmetic.
 *
 *	monitor.c	turns the monitor on and off
 *	device.c	has /dev/tlob
 *	bindings.c	has the bindings of unmodified programs
 *	uprobe.c	has the probes of each
 *	monitor_hooks.c	charges the windows
 *	task_window.c	opens, ends and takes away windows
 *	task_ring.c	has the rings for their records
 *	slots.c		has the slots for windows, who may have how many, and whether any exists
 *	places.c	has the table that finds the windows of a task
 *	monitor_report.c has the tracepoints
 *	rv.c		has the interface to RV
 *
 * Each calls only those below it. users.c says who pays.
 *
 * A *source* opens windows: START of /dev/tlob, or one binding. A task has at
 * most one window per source. An *owner* is an open file or a binding. Its
 * windows are taken away when it goes.
 *
 * Locks, all raw and taken with irqs off, in this order:
 *
 *	place->lock	the windows of one task; taken below the rq's lock
 *	keys_lock	how far the keys of one hash reach
 *	ring's lock	one record
 *	hrtimer's lock	the kernel's, of a CPU's timers
 *
 * and each alone: the lock of a CPU's free slots, and the lock of the users with one
 * hash. None is global but the one of tlob_monitor_used, which only the first
 * window after a pause takes.
 *
 * The code that closes an open window under place->lock also frees its slot, and
 * no other code does.
 */
#ifndef _TLOB_MONITOR_H
#define _TLOB_MONITOR_H

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/tlob.h>

#include "../base/users.h"
#include "../split/binding.h"
#include "hooks.h"

struct tlob_longest;
struct tlob_ring;
struct tlob_room;
struct tlob_user;

/* The arguments of a new window. All fields but @source may be zero. */
struct tlob_begin {
	const void *source;
	const void *owner;
	u64	threshold_ns;
	u64	tag;
	bool	every;			/* TLOB_START_EVERY */
	struct tlob_ring *ring;		/* the window takes a reference */
	struct tlob_payers payers;	/* the window counts for these */
	bool	limited;		/* to their shares of slots */
	bool	perfmon;		/* may observe programs of others */
	bool	names;			/* may know other tasks, by global pids */
	const char *binding;		/* as long as @owner; NULL: by START */
};

/*
 * Opens a window over the current task. Runs in task context with irqs on and
 * allocates nothing. Returns 0, or:
 *
 *	-ENODEV		the monitor is off
 *	-EEXIST		the task has a window of this source
 *	-ENOSPC		no slot is free, or only the reserve
 *	-EDQUOT		the user or its namespace has all windows of its share
 */
int tlob_monitor_begin(const struct tlob_begin *b);

/*
 * Ends the current task's window of @owner. Its record is in @w, with the pids
 * of the initial namespace, and its longest wait in @longest (NULL: unwanted).
 * Returns 0 within the budget, 1 over it, or -ESRCH without such a window.
 */
int tlob_monitor_end(const void *owner, struct tlob_task_window *w,
		     struct tlob_longest *longest);

/*
 * Takes all windows of @owner away (NULL: all), in whatever state their tasks
 * are. Takes only raw locks; may reschedule between two slots.
 */
void tlob_monitor_close(const void *owner);

extern const struct tlob_room tlob_monitor_room;

/* The state that monitor.c sets. The files below read it. */
extern struct tlob_monitor {
	bool	on;			/* windows may be opened */
	unsigned int wanted;		/* TLOB_WANTED_BY_*; under tlob_mutex */
	u32	unavailable;		/* 1 << enum tlob_task_part */
	const struct tlob_monitor_noise *noise;
} tlob_monitor;

static inline bool tlob_monitor_is_on(void)
{
	return READ_ONCE(tlob_monitor.on);
}

/* device.c: /dev/tlob. */
int  tlob_device_create(void);
void tlob_device_remove(void);
/* Tells all readers of /dev/tlob. Under tlob_mutex; may sleep. */
void tlob_device_switched(bool on);

/*
 * bindings.c: windows in unmodified programs; the files `monitor`,
 * `monitor_stat`
 */
extern const struct file_operations tlob_bindings_fops, tlob_binding_stats_fops;
/*
 * Sends the windows of the binding @name to @ring, until the binding is removed
 * or tlob_binding_deafen() is called. May sleep; not under tlob_mutex. Returns
 * 0, -ENOENT, -EBUSY or -ENOMEM.
 */
int  tlob_binding_listen(const char *name, const void *listener,
			 struct tlob_ring *ring, bool every);
void tlob_binding_deafen(const void *listener);
void tlob_bindings_remove_all(void);

#endif /* _TLOB_MONITOR_H */
