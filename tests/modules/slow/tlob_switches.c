// SPDX-License-Identifier: GPL-2.0
/*
 * Noise that settings switch off, which experiments must find. A probe of sched_wakeup adds NOISE
 * instructions to every wake-up of a fifo:95 thread, so once to each window, for each of these that
 * holds:
 *
 *	calm is off
 *	left or right is off
 *	harm is on, and somebody has /sys/kernel/debug/tlob_switches open: the load
 *
 * The switch `nothing` does nothing.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/tracepoint.h>

#include "turn.h"

static unsigned int noise = 2;
module_param(noise, uint, 0644);
MODULE_PARM_DESC(noise, "instructions, from 2 on (2)");

static bool calm, left, right, harm, nothing;
module_param(calm, bool, 0644);
module_param(left, bool, 0644);
module_param(right, bool, 0644);
module_param(harm, bool, 0644);
module_param(nothing, bool, 0644);

static struct tracepoint *wakeup;
static struct dentry *file;
static atomic_t loads;

static void on_wakeup(void *data, struct task_struct *task)
{
	unsigned int n = !calm + !(left && right) +
			 (harm && atomic_read(&loads));

	if (task->rt_priority != 95)
		return;
	while (n--)
		turn(noise / 2);
}

static int load_open(struct inode *inode, struct file *f)
{
	atomic_inc(&loads);
	return 0;
}

static int load_release(struct inode *inode, struct file *f)
{
	atomic_dec(&loads);
	return 0;
}

static const struct file_operations load_fops = {
	.owner = THIS_MODULE,
	.open = load_open,
	.release = load_release,
};

static void find(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "sched_wakeup"))
		wakeup = tp;
}

static int __init switches_init(void)
{
	int err;

	for_each_kernel_tracepoint(find, NULL);
	if (!wakeup)
		return -ENOENT;
	err = tracepoint_probe_register(wakeup, on_wakeup, NULL);
	if (!err)
		file = debugfs_create_file("tlob_switches", 0400, NULL, NULL,
					   &load_fops);
	return err;
}

static void __exit switches_exit(void)
{
	debugfs_remove(file);
	tracepoint_probe_unregister(wakeup, on_wakeup, NULL);
	tracepoint_synchronize_unregister();
}

module_init(switches_init);
module_exit(switches_exit);
MODULE_DESCRIPTION("Noise that settings switch off");
MODULE_LICENSE("GPL");
