// SPDX-License-Identifier: GPL-2.0
/* The longest wait of a window, as a record has it. */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>

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

void tlob_longest_fill(const struct tlob_longest *longest, u32 tgid,
		       struct pid_namespace *ns, bool wakers,
		       struct tlob_window_wait *to)
{
	struct tlob_wait_waker *w = &to->waker;

	memset(to, 0, sizeof(*to));
	to->flags = tlob_waits_are_on() ? TLOB_WAIT_IS_ON : 0;
	if (!longest->ns)
		return;
	to->ns = longest->ns;
	to->stack = longest->stack;
	w->kind = longest->waker.kind;
	if (w->kind != TLOB_WAKER_TASK ||
	    (!wakers && longest->waker.tgid != tgid))
		return;
	w->tid = tlob_waker_nr(longest->waker.tid, ns);
	w->tgid = tlob_waker_nr(longest->waker.tgid, ns);
	if (w->tid)
		memcpy(w->comm, longest->waker.comm, sizeof(w->comm));
}
