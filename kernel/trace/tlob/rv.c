// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor `tlob` of the RV framework: rv/monitors/tlob/ in tracefs, beside
 * tlob_load/monitor_enable. The automaton, its windows and their accounts are those of
 * monitor.c; RV is one more who wants them on, and is told what went wrong.
 *
 * No slot of task_struct's array is taken (rv_get_task_monitor_slot()): it holds
 * the state of one automaton a task, where a task has as many windows as sources.
 *
 * Locks: RV calls enable(), disable() and reset() under its rv_interface_lock, which
 * thus comes before tlob_mutex. Nothing here may register or unregister under
 * tlob_mutex.
 */
#include <linux/err.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/rv.h>

#include "monitor.h"
#include "rv.h"
#include "tlob.h"

static int tlob_rv_want(bool on)
{
	int err;

	mutex_lock(&tlob_mutex);
	err = tlob_monitor_want(TLOB_WANTED_BY_RV, on);
	mutex_unlock(&tlob_mutex);
	return err;
}

static int tlob_rv_enable(void)
{
	return tlob_rv_want(true);
}

/*
 * RV takes it for granted that nothing reacts any more when this is done: it may
 * put another reactor in place. It has cleared enabled before, but waits for
 * tracepoints only, and we react in a timer and in the task's own call, too.
 */
static void tlob_rv_disable(void)
{
	tlob_rv_want(false);
	/* pairs with the local_irq_save() in tlob_rv_react() */
	synchronize_rcu();
}

/*
 * monitoring_on becomes 1 again: the windows that lived without being told of end,
 * as if their owners had gone. Raw locks suffice for that.
 */
static void tlob_rv_reset(void)
{
	tlob_monitor_close(NULL);
}

static struct rv_monitor tlob_rv = {
	.name = "tlob",
	.description = "a budget for a region of a task, and where the time went.",
	.enable = tlob_rv_enable,
	.disable = tlob_rv_disable,
	.reset = tlob_rv_reset,
};

bool tlob_rv_is_silent(void)
{
	return READ_ONCE(tlob_rv.enabled) && !rv_monitoring_on();
}

/*
 * A reactor is made for the monitors that sit in the scheduler's tracepoints, with the
 * rq's lock held: rv_react() has lockdep look that it takes no lock at all, and
 * reactor_printk defers. So this needs no deferring of its own, neither in the hard
 * timer nor under the lock of a place.
 *
 * Irqs are off there, and must be here: what an irq does on its way out is no
 * longer in hardirq context, and the locks that it takes would be the reactor's.
 */
void tlob_rv_react(const char *comm, pid_t pid, const char *state,
		   const char *event, const char *env)
{
	unsigned long flags;

	local_irq_save(flags);
	if (READ_ONCE(tlob_rv.enabled))
		rv_react(&tlob_rv,
			 "rv: monitor tlob does not allow event %s on state %s%s%s: %s[%d]\n",
			 event, state, env ? " with env " : "", env ?: "",
			 comm, pid);
	local_irq_restore(flags);
}

/* After RV's own files, which are made by an fs_initcall(). */
int __init tlob_rv_register(void)
{
	struct dentry *d;
	int err = rv_register_monitor(&tlob_rv, NULL);

	if (err)
		return err;
	/* the one that is in tlob_load/, too; it goes with its directory */
	d = tlob_create_file("monitor", 0600, tlob_rv.root_d, NULL,
			     &tlob_bindings_fops);
	if (!IS_ERR_OR_NULL(d))
		return 0;
	rv_unregister_monitor(&tlob_rv);
	return -ENOMEM;
}

void tlob_rv_unregister(void)
{
	rv_unregister_monitor(&tlob_rv);
}

#if IS_ENABLED(CONFIG_TLOB_LOAD_KUNIT_TEST) && IS_ENABLED(CONFIG_RV_REACTORS)
#include "kunit_rv.c"
#endif
