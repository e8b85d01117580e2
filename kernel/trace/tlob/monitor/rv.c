// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor `tlob` of the RV framework: rv/monitors/tlob/ in tracefs, beside
 * tlob_load/monitor_enable. monitor.c has the automaton, the windows and their
 * accounts. RV is one more user that can turn them on, and gets the errors.
 *
 * This does not take a slot of task_struct's array
 * (rv_get_task_monitor_slot()). A slot holds the state of one automaton per
 * task, but a task has one window per source.
 *
 * Locks: RV calls enable(), disable() and reset() under its rv_interface_lock.
 * So that lock comes before tlob_mutex. Nothing here may register or unregister
 * under tlob_mutex.
 */
#include <linux/err.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/rcupdate.h>
#include <linux/rv.h>

#include "../base/base.h"
#include "rv.h"

static const struct tlob_rv_ops *tlob_rv_ops;

static int tlob_rv_enable(void)
{
	return tlob_rv_ops->want(true);
}

/*
 * RV assumes that no reaction runs after this and may then install another
 * reactor. It has cleared enabled, but waits only for tracepoints. This monitor
 * also reacts in a timer and in the task's own call.
 */
static void tlob_rv_disable(void)
{
	tlob_rv_ops->want(false);
	/* pairs with the local_irq_save() in tlob_rv_react() */
	synchronize_rcu();
}

/*
 * monitoring_on becomes 1 again. Windows that ran while RV was silent end as if
 * their owners had gone. Raw locks suffice for that.
 */
static void tlob_rv_reset(void)
{
	tlob_rv_ops->reset();
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
 * A reactor is made for monitors in the scheduler's tracepoints, which hold the
 * run queue's lock. rv_react() lets lockdep check that it takes no lock at all,
 * and reactor_printk defers its output. So this needs no deferring of its own,
 * neither in the hard timer nor under the lock of a place.
 *
 * Irqs are off in those tracepoints, and must be off here. An irq that is about
 * to return is no longer in hardirq context; lockdep would blame the reactor
 * for the locks that the irq takes.
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

/*
 * Must run after the fs_initcall() that makes RV's own files. Returns 0 or
 * -errno.
 */
int tlob_rv_register(const struct tlob_rv_ops *ops)
{
	struct dentry *d;
	int err;

	tlob_rv_ops = ops;
	err = rv_register_monitor(&tlob_rv, NULL);
	if (err)
		return err;
	/* the same file as in tlob_load/; RV removes it with its directory */
	d = tlob_create_file("monitor", 0600, tlob_rv.root_d, NULL,
			     ops->file);
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
