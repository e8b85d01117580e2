// SPDX-License-Identifier: GPL-2.0
/*
 * Test only: a task sleeps in a known way, inside of one write to
 * /sys/kernel/debug/tlob_inject/sleep. NS is how long:
 *
 *	d NS		uninterruptible, by a timer
 *	twice NS	twice by a timer, without a return to user mode between
 *	gate NS		by a timer, and then until somebody else writes "open"
 *	hold KIND NS	takes the lock KIND, sleeps, and releases it
 *	take KIND	waits for the lock KIND and releases it
 *
 * KIND is mutex or rt_mutex.
 */
#include <linux/debugfs.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rtmutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "inject.h"

static DEFINE_MUTEX(mutex);
static DEFINE_RT_MUTEX(rt_mutex);

static DECLARE_WAIT_QUEUE_HEAD(gate);
static unsigned int opened;	/* how often */

static noinline void sleep_d(u64 ns)
{
	ktime_t time = ns_to_ktime(ns);

	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&time, HRTIMER_MODE_REL);
}

static int hold(const char *kind, u64 ns)
{
	if (!strcmp(kind, "mutex")) {
		mutex_lock(&mutex);
		sleep_d(ns);
		mutex_unlock(&mutex);
	} else if (!strcmp(kind, "rt_mutex")) {
		rt_mutex_lock(&rt_mutex);
		sleep_d(ns);
		rt_mutex_unlock(&rt_mutex);
	} else {
		return -EINVAL;
	}
	return 0;
}

/*
 * A killed task goes through. On a busy host a timer may expire before its task sleeps: then it
 * does so again.
 */
static int sleep_at_gate(u64 ns)
{
	unsigned int before = READ_ONCE(opened);
	unsigned long sleeps = current->nvcsw;

	while (current->nvcsw == sleeps && !fatal_signal_pending(current))
		sleep_d(ns);
	return wait_event_killable(gate, READ_ONCE(opened) != before);
}

static int sleep_command(const char *text)
{
	char kind[16];
	u64 ns;

	if (sscanf(text, "d %llu", &ns) == 1) {
		sleep_d(ns);
	} else if (sscanf(text, "twice %llu", &ns) == 1) {
		sleep_d(ns);
		sleep_d(ns);
	} else if (sscanf(text, "gate %llu", &ns) == 1) {
		return sleep_at_gate(ns);
	} else if (!strcmp(text, "open")) {
		WRITE_ONCE(opened, opened + 1);
		wake_up_all(&gate);
	} else if (sscanf(text, "hold %15s %llu", kind, &ns) == 2) {
		return hold(kind, ns);
	} else if (!strcmp(text, "take mutex")) {
		mutex_lock(&mutex);
		mutex_unlock(&mutex);
	} else if (!strcmp(text, "take rt_mutex")) {
		rt_mutex_lock(&rt_mutex);
		rt_mutex_unlock(&rt_mutex);
	} else {
		return -EINVAL;
	}
	return 0;
}

static ssize_t sleep_write(struct file *file, const char __user *buf,
			   size_t size, loff_t *pos)
{
	return inject_write(buf, size, sleep_command);
}

static const struct file_operations sleep_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = sleep_write,
};

void inject_sleep_init(struct dentry *dir)
{
	debugfs_create_file("sleep", 0600, dir, NULL, &sleep_fops);
}
