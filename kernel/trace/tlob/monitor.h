/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The monitor over arbitrary tasks: what its files share. docs/explanation/monitor.md has the
 * automaton; account.h the arithmetic.
 *
 * A *source* opens windows: START of /dev/tlob, or one binding. A task has one
 * window a source at the most. An *owner* takes its windows away when it goes:
 * an open file, or a binding.
 *
 * Locks, all raw and taken with irqs off, in this order:
 *
 *	tlob_slots_lock	which slots and which places of the table are used. Never
 *			taken in a hook of the scheduler
 *	place->lock	the windows of one task. Taken below the rq's lock
 *	ring's lock	one record
 *
 * A list of windows changes under the first two, so either of them is enough to
 * walk it. Whoever turns a window from open to closed under place->lock frees its
 * slot, and nobody else.
 */
#ifndef _TLOB_MONITOR_H
#define _TLOB_MONITOR_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/tlob.h>

#include "binding.h"

struct seq_file;
struct tlob_cpu;
struct tlob_ring;
struct tlob_user;

/* What a window is opened with. All but @source may be as zeroed. */
struct tlob_begin {
	const void *source;
	const void *owner;
	u64	threshold_ns;
	u64	tag;
	bool	every;			/* TLOB_START_EVERY */
	struct tlob_ring *ring;		/* a reference is taken */
	kuid_t	uid;			/* whom the window counts for */
	bool	limited;		/* to what this user may have; else to all slots */
	bool	may_ask;		/* CAP_SYS_RESOURCE of the task lifts the limit */
	const char *binding;		/* lives as long as @owner; NULL: by START */
};

/*
 * Opens a window over the current task, which runs in its own context with irqs on.
 * 0; -ENODEV the monitor is off; -EEXIST the task has one of this source;
 * -ENOSPC no slot, or none but the reserve; -EDQUOT no more for this user. Allocates
 * nothing.
 */
int tlob_monitor_begin(const struct tlob_begin *b);

/*
 * Ends the current task's window of @owner; its record is in @w, with the pids of the
 * initial namespace. 0 within the budget, 1 over it, -ESRCH there is none.
 */
int tlob_monitor_end(const void *owner, struct tlob_task_window *w);

/* Takes all windows of @owner away, whatever their tasks do. Does not sleep. */
void tlob_monitor_close(const void *owner);

/* Who wants the monitor on: it is while anybody does. */
#define TLOB_WANTED_BY_FILE	BIT(0)	/* monitor_enable */
#define TLOB_WANTED_BY_RV	BIT(1)	/* rv/monitors/tlob/enable */

/* Under tlob_mutex; may sleep. 0, -EOPNOTSUPP, -ENOMEM. Off never fails. */
int  tlob_monitor_want(unsigned int who, bool on);
bool tlob_monitor_wanted_by(unsigned int who);
bool tlob_monitor_is_on(void);

int  tlob_monitor_init(void);
void tlob_monitor_exit(void);
void tlob_monitor_show(struct seq_file *m);

/*
 * TLOB_SLOT_USED for each slot that is used: the hooks of the scheduler ask for it,
 * and a system without any window pays no more than that. It is never
 * TLOB_ONLY_ACTIVE.
 */
#define TLOB_SLOT_USED	256U
extern u32 tlob_monitor_used;

/*
 * The rest of the hooks, out of line and with irqs off: those of the scheduler while
 * there are windows or c->monitored, those of irqs and nmis on a CPU that is.
 */
void tlob_monitor_switch(struct tlob_cpu *c, struct task_struct *prev,
			 struct task_struct *next, bool blocked);
void tlob_monitor_wakeup(struct task_struct *task);
void tlob_monitor_exited(void);
void tlob_monitor_exec(bool secure);
void tlob_monitor_enter(struct tlob_cpu *c, unsigned int kind, s32 id,
			const char *name, bool lasting);
void tlob_monitor_leave(struct tlob_cpu *c, unsigned int kind, s32 id);
void tlob_monitor_nmi(struct tlob_cpu *c, u64 ns, bool count);

/* device.c: /dev/tlob. */
int  tlob_device_create(void);
void tlob_device_remove(void);
/* Under tlob_mutex: tells all readers of /dev/tlob. May sleep. */
void tlob_device_switched(bool on);
/*
 * One more address space with enable bits. False: @user (NULL: is not limited) has all
 * that it may have. Crowded: half of them are used. Giving may sleep.
 */
bool tlob_user_take_space(struct tlob_user *user);
void tlob_user_give_space(struct tlob_user *user);
bool tlob_user_crowded(const struct tlob_user *user);

/* bindings.c: windows in unmodified programs, the files `monitor`, `monitor_stat`. */
extern const struct file_operations tlob_bindings_fops, tlob_binding_stats_fops;
/*
 * Sends the windows of the binding @name to @ring for @listener until it is removed
 * or tlob_binding_deafen(). May sleep, not under tlob_mutex. 0, -ENOENT, -EBUSY,
 * -ENOMEM.
 */
int  tlob_binding_listen(const char *name, const void *listener,
			 struct tlob_ring *ring, bool every);
void tlob_binding_deafen(const void *listener);
void tlob_bindings_remove_all(void);

/* bits.c: bits in user memory that are 1 while the monitor is on. */
int  tlob_bits_register(const struct tlob_enable *e, struct tlob_user *user);
int  tlob_bits_unregister(const struct tlob_enable *e);
/* Under tlob_mutex. Sets or clears every bit; waits for none. */
void tlob_bits_update(bool on);
/* Lines of `status`. */
void tlob_bits_show(struct seq_file *m);
int  tlob_bits_init(void);
void tlob_bits_exit(void);

#endif /* _TLOB_MONITOR_H */
