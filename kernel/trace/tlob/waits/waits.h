/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wait profiler: declarations that its files share.
 *
 *	waits.c		on and off
 *	waits_tasks.c	which task waited how long: the hooks
 *	waits_sleepers.c, sleepers.h
 *			the table of those tasks
 *	waits_owed.c	waits whose user stack is read later
 *	waits_stack.c	on which stacks
 *	waits_user.c	raw copies of user stacks
 *	waits_window.c	the longest wait of each window of the monitor
 *	waits_run.c	the same for a run
 *	waits_file.c	the files `waits` and `waits_records`
 *
 * Memory
 *	All of it is allocated when waits are first switched on, and freed when
 *	the module goes. Hooks allocate nothing: without room they count what
 *	they lose.
 *
 * Who owns what
 *	A *sleeper* is a task that has slept. While the task exists, the sleeper
 *	is in the hash chain of the task, under the lock of its shard. Afterwards
 *	it is in the list of its user's exited ones. If none is free, root's oldest goes
 *	first, then that of the user who has most of those with exited ones. The end is
 *	sched_process_free: a task sleeps also after sched_process_exit, and no hook
 *	sees it after this event. Only the task's own CPU makes its sleeper, so no two
 *	are made for one task.
 *
 *	A *work* carries one wait from the hook to the task's way back to user
 *	mode, where the user stack can be read. It holds a reference to the
 *	module. A user has at most a quarter of them, and keep them for as long as a
 *	system call lasts. So `off` takes them back.
 *
 * Locks, all raw, all taken with irqs off, below the scheduler's locks:
 *
 *	shard->lock	the sleepers of some tasks, and some works
 *	pool->lock	free and exited sleepers
 *	stacks->lock	the stacks of one set; then copies->lock
 *	copies->lock	buffers for raw copies
 *
 * The first two are never held together. The lock of a place (places.h) is not taken
 * under any of them: under that one a timer may wake a thread, and the hook of the
 * wake-up takes shard->lock. All times come from tlob_clock(), the same on all CPUs.
 */
#ifndef _TLOB_WAITS_H
#define _TLOB_WAITS_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/types.h>

#include "../base/users.h"
#include "../monitor/hooks.h"
#include "../split/waitspec.h"
#include "../split/waitstack.h"
#include "../window/longest.h"
#include "../window/extra.h"
#include "../window/window.h"

#define TLOB_WAIT_SHARDS_BITS	6
#define TLOB_WAIT_SHARDS	BIT(TLOB_WAIT_SHARDS_BITS)

struct seq_file;
struct tlob_probe_set;

/* Statistics of one task, in use (@id != 0) or free. */
struct tlob_sleeper {
	struct hlist_node node;		/* of its task's chain */
	struct list_head list;		/* free or exited */
	const struct task_struct *task;	/* only compared; NULL: exited */
	u64	id;			/* 0: free */
	u32	generation;
	u32	flags;			/* TLOB_WAIT_KTHREAD, TLOB_WAIT_EXITED */
	int	share;			/* who pays, as tlob_share_take(); also once exited */
	u64	start_ns;
	pid_t	tid, tgid;
	u64	asleep_ns;		/* since when; 0: does not sleep */
	u64	waking_ns;		/* of the last wake-up */
	struct tlob_wait_waker waker;	/* of that */
	struct tlob_wait_total blocked, runnable;
	struct tlob_wait_work *owes;	/* until it is back in user mode */
	char	comm[TASK_COMM_LEN];
};

/*
 * Waits over the threshold on their way into the table of stacks: all waits of
 * one system call on the same kernel stack.
 */
struct tlob_wait_work {
	struct callback_head work;
	struct task_struct *task;	/* owes it; NULL: none. Under shard->lock */
	struct tlob_wait_work *next;	/* owed by the same task */
	u64	serial;			/* of this use of the work: unique, not 0 */
	u64	id;			/* of the stack that has it, once noted; else 0 */
	struct tlob_wait_total blocked;
	struct tlob_wait_waker waker;	/* of the longest */
	struct tlob_payer user;		/* who pays for the stack and its copy */
	struct tlob_wait_key key;
};

/* A buffer for a raw copy. */
struct tlob_wait_buffer {
	struct list_head list;
	int	share;			/* who pays for it once it is queued */
	struct tlob_wait_copy copy;
};

struct tlob_wait_counters {
	atomic64_t lost_tasks, lost_stacks, evicted, unreadable, uncopied;
	atomic_t owed;
};

extern struct tlob_wait_counters tlob_wait_count;

/*
 * Hooks read it. None of them runs while it changes. A task that notes a stack it owed may run
 * then, and reads @scope alone.
 */
struct tlob_wait_config {
	enum tlob_wait_scope scope;
	u64	threshold_ns;
	unsigned int nr_pids;
	pid_t	pid[TLOB_WAIT_PIDS_MAX];
	struct cgroup *cgroup;
};

extern struct tlob_wait_config tlob_wait_config;
/* The wait that a switch on this CPU ends. */
extern struct tlob_wait_work __percpu *tlob_wait_now;

/* The readers see these records, which no hook changes. */
struct tlob_wait_snapshot {
	struct tlob_wait_status status;
	struct tlob_wait_task *task;	/* by descending blocked time */
	struct tlob_wait_stack *stack;	/* by task, descending total */
};

/* waits.c */
extern const struct tlob_room tlob_waits_room;
/* Executes a line of `waits`. Under tlob_mutex; may sleep. */
int  tlob_waits_command(const struct tlob_wait_line *line);
void tlob_waits_status(struct tlob_wait_status *status);
/* When the present profile ended, in ns; 0: it has not. Under tlob_mutex. */
u64  tlob_waits_ended(void);

/* waits_tasks.c */
extern struct tlob_probe_set tlob_waits_probes;

/* waits_owed.c */
int  tlob_wait_works_alloc(void);
void tlob_wait_works_free(void);
/*
 * Adds @wait to what @task owes, whose key has no user stack but its instruction
 * pointer. Returns the work that has it then, or NULL if @task or its user owes too
 * much: then the caller notes @wait. Under the run queue's lock of @task.
 */
struct tlob_wait_work *tlob_wait_owe(struct task_struct *task,
				     const struct tlob_wait_work *wait);
/* Takes back what tasks owe, and notes it. No probe is attached. May sleep. */
void tlob_wait_works_cancel(void);

/* waits_sleepers.c */
/* Return whether the module parameter is in its range, and its value. */
bool tlob_sleepers_valid(void);
unsigned int tlob_waits_slots(void);
int  tlob_sleepers_alloc(void);
void tlob_sleepers_free(void);
void tlob_sleepers_clear(void);
/*
 * Copies the sleepers that have waited, and a row of those that were evicted: at most
 * tlob_waits_nr_slots() + 1. Holds a lock for one of them at a time. May sleep.
 * @ended: tlob_waits_ended().
 */
unsigned int tlob_waits_copy_tasks(struct tlob_wait_task *to, u64 ended);
/* Returns how many slots have memory: tlob_waits_slots(), or 0 before it is allocated. */
unsigned int tlob_waits_nr_slots(void);
/* Returns whether no sleeper has this id any more. */
bool tlob_wait_task_gone(u64 id);

/* waits_stack.c */
int  tlob_wait_stacks_alloc(void);
void tlob_wait_stacks_free(void);
void tlob_wait_stacks_clear(void);
unsigned int tlob_wait_stacks_max(void);
/*
 * Notes waits on a stack whose key is complete, and sets @w->id. @copy, or NULL:
 * its raw copy. @sweep: stacks of tasks that are forgotten may be looked for, which
 * takes too long under the run-queue lock. Returns true if the table took @copy. In
 * any context.
 */
bool tlob_wait_stack_note(struct tlob_wait_work *w,
			  struct tlob_wait_buffer *copy, bool sweep);
unsigned int tlob_waits_copy_stacks(struct tlob_wait_stack *to, unsigned int max);

/* waits_user.c */
int  tlob_wait_copies_alloc(void);
void tlob_wait_copies_free(void);
/* Forgets all copies that were not read. */
void tlob_wait_copies_clear(void);
/* The number of the present listener, or 0 without one. */
u64  tlob_wait_listener(void);
/* Opens and closes `waits_records` for the only listener. 0 or -EBUSY. */
int  tlob_wait_listen(void);
void tlob_wait_deafen(void);
/*
 * Queues a copy for the listener. Returns false if the listener has gone or there is no room
 * for @user. A copy whose @trace was queued before has half of the room. @trace 0: shared with
 * no one.
 */
bool tlob_wait_copy_queue(struct tlob_wait_buffer *b, const struct tlob_payer *user,
			  u64 listener, u64 trace);
/* Takes the next copy, or NULL. The caller gives it back. */
struct tlob_wait_buffer *tlob_wait_copy_next(void);
void tlob_wait_copy_unread(struct tlob_wait_buffer *b);
void tlob_wait_copy_give(struct tlob_wait_buffer *b);
/* Completes @key by the user stack of the current task. Returns its copy, or NULL. */
struct tlob_wait_buffer *tlob_wait_read_user(struct tlob_wait_key *key);

/* waits_window.c: nothing without the monitor */
#ifdef TLOB_HAS_MONITOR
/* Returns whether @task has windows. Irqs off. */
bool tlob_wait_in_window(const struct task_struct *task);
/* Gives @wait to the open windows of @task that had no longer one. Irqs off. */
void tlob_wait_windows_add(const struct task_struct *task,
			   const struct tlob_longest *wait);
/* Tells the windows of the current task that @w has been noted, or dropped. */
void tlob_wait_windows_noted(const struct task_struct *task,
			     const struct tlob_wait_work *w);
#else
static inline bool tlob_wait_in_window(const struct task_struct *task)
{
	return false;
}

static inline void tlob_wait_windows_add(const struct task_struct *task,
					 const struct tlob_longest *wait) { }
static inline void tlob_wait_windows_noted(const struct task_struct *task,
					   const struct tlob_wait_work *w) { }
#endif

extern const struct tlob_extra tlob_run_waits_extra;

/* waits_run.c, on the CPU of the run, irqs off: */
/* Returns whether @task, which leaves this CPU or comes to it, is in a run's window. */
bool tlob_wait_in_run(const struct task_struct *task);
/* Gives @wait to that window if it had no longer one. */
void tlob_wait_run_add(const struct tlob_longest *wait);
/* Tells the window of the run that @w has been noted, or dropped. Also with irqs on. */
void tlob_wait_run_noted(const struct tlob_wait_work *w);

/* waits_file.c */
extern const struct file_operations tlob_waits_fops, tlob_wait_records_fops;

#endif /* _TLOB_WAITS_H */
