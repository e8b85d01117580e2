// SPDX-License-Identifier: GPL-2.0
/* The longest wait of a window, as a record has it. */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "longest.h"

bool tlob_waits_on;

/* Tells apart two tasks that had the same number. A note of a wake-up keeps it in @reserved. */
static u32 tlob_waker_stamp(const struct task_struct *task)
{
	return (u32)task->start_time;
}

/*
 * Returns the task that woke, or NULL if it has exited, even if a new task has its number. The
 * caller holds rcu_read_lock() as long as it uses the task.
 */
static struct task_struct *tlob_waker_task(const struct tlob_wait_waker *from)
{
	struct pid *pid = find_pid_ns(from->tid, &init_pid_ns);
	struct task_struct *task = pid_task(pid, PIDTYPE_PID);

	return task && tlob_waker_stamp(task) == from->reserved ? task : NULL;
}

static void tlob_waker_is(struct tlob_wait_waker *waker, const struct task_struct *task)
{
	waker->kind = TLOB_WAKER_TASK;
	waker->tid = task->pid;
	waker->tgid = task->tgid;
	waker->reserved = tlob_waker_stamp(task);
	memcpy(waker->comm, task->comm, sizeof(waker->comm));
}

void tlob_waker_note(struct tlob_wait_waker *waker)
{
	if (in_nmi()) {
		waker->kind = TLOB_WAKER_NMI;
	} else if (in_hardirq()) {
		waker->kind = TLOB_WAKER_IRQ;
	} else if (in_serving_softirq()) {
		waker->kind = TLOB_WAKER_SOFTIRQ;
	} else if (!current->pid) {
		waker->kind = TLOB_WAKER_IRQ;
	} else {
		tlob_waker_is(waker, current);
		return;
	}
	waker->tid = 0;
	waker->tgid = 0;
	waker->reserved = 0;
	memset(waker->comm, 0, sizeof(waker->comm));
}

/*
 * Writes @from, of tlob_waker_note(), to @to, which is zero, for a reader in the pid namespace
 * @ns. @tgid, @wakers: as for tlob_longest_fill().
 */
static void tlob_waker_fill(const struct tlob_wait_waker *from, u32 tgid,
			    struct pid_namespace *ns, bool wakers,
			    struct tlob_wait_waker *to)
{
	struct task_struct *task;

	to->kind = from->kind;
	if (from->kind != TLOB_WAKER_TASK || (!wakers && from->tgid != tgid))
		return;
	if (ns == &init_pid_ns) {
		to->tid = from->tid;
		to->tgid = from->tgid;
	} else {
		rcu_read_lock();
		task = tlob_waker_task(from);
		if (task) {
			to->tid = task_pid_nr_ns(task, ns);
			to->tgid = task_tgid_nr_ns(task, ns);
		}
		rcu_read_unlock();
	}
	if (to->tid)
		memcpy(to->comm, from->comm, sizeof(to->comm));
}

void tlob_longest_fill(const struct tlob_longest *longest, u32 tgid,
		       struct pid_namespace *ns, bool wakers,
		       struct tlob_window_wait *to)
{
	memset(to, 0, sizeof(*to));
	to->flags = tlob_waits_are_on() ? TLOB_WAIT_IS_ON : 0;
	if (!longest->ns)
		return;
	to->ns = longest->ns;
	to->stack = longest->stack;
	tlob_waker_fill(&longest->waker, tgid, ns, wakers, &to->waker);
}
