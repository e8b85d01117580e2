// SPDX-License-Identifier: GPL-2.0
/* The longest wait of a window, as a record has it. */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "longest.h"

bool tlob_waits_on;

/* The number in @ns of the task with the number @nr in the initial namespace, or 0. */
static pid_t tlob_waker_nr(pid_t nr, struct pid_namespace *ns)
{
	pid_t seen;

	if (ns == &init_pid_ns)
		return nr;
	rcu_read_lock();
	seen = pid_nr_ns(find_pid_ns(nr, &init_pid_ns), ns);
	rcu_read_unlock();
	return seen;
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
		waker->kind = TLOB_WAKER_TASK;
		waker->tid = current->pid;
		waker->tgid = current->tgid;
		memcpy(waker->comm, current->comm, sizeof(waker->comm));
		return;
	}
	waker->tid = 0;
	waker->tgid = 0;
	memset(waker->comm, 0, sizeof(waker->comm));
}

void tlob_waker_fill(const struct tlob_wait_waker *from, u32 tgid,
		     struct pid_namespace *ns, bool wakers,
		     struct tlob_wait_waker *to)
{
	pid_t tid;

	to->kind = from->kind;
	if (from->kind != TLOB_WAKER_TASK || (!wakers && from->tgid != tgid))
		return;
	tid = tlob_waker_nr(from->tid, ns);
	to->tid = tid;
	to->tgid = tlob_waker_nr(from->tgid, ns);
	if (tid)
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
