// SPDX-License-Identifier: GPL-2.0
/*
 * Test only: functions of known names keep the CPU from other tasks.
 *
 * A write of "HOW WHERE NS" to /sys/kernel/debug/tlob_inject/keep lets a function keep it once for
 * NS. It returns when that is over. HOW is
 *
 *	preempt		inject_keep_preempt(): preemption is off
 *	lock		inject_keep_lock(): a raw spinlock is held
 *	irqlock		inject_keep_irqlock(): the same with irqs off
 *	irqs		inject_keep_irqs(): irqs are off without a lock
 *
 * and WHERE is call (in that write), work (inject_keep_work() in a workqueue), thread (in the
 * thread inject_keep_thread()), softirq (in a tasklet that begins in that write), fault (in the
 * page fault of a read of /dev/tlob_inject_keep, which is mapped) or exit (when the last user of
 * that device exits). For the last two the write only says how the next one is.
 */
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "inject.h"

struct keep {
	const char *how;
	void	(*function)(u64 ns);
};

static struct {
	const struct keep *keep;
	u64	ns;
	bool	exit;
	struct completion done;
} asked;

static DEFINE_RAW_SPINLOCK(keep_lock);
static struct page *keep_page;

static __always_inline void keep_spin(u64 ns)
{
	u64 end = ktime_get_mono_fast_ns() + ns;

	while (ktime_get_mono_fast_ns() < end)
		cpu_relax();
}

noinline void inject_keep_preempt(u64 ns)
{
	preempt_disable();
	keep_spin(ns);
	preempt_enable();
}

noinline void inject_keep_lock(u64 ns)
{
	raw_spin_lock(&keep_lock);
	keep_spin(ns);
	raw_spin_unlock(&keep_lock);
	barrier();	/* as keep_asked() */
}

noinline void inject_keep_irqlock(u64 ns)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&keep_lock, flags);
	keep_spin(ns);
	raw_spin_unlock_irqrestore(&keep_lock, flags);
	barrier();
}

noinline void inject_keep_irqs(u64 ns)
{
	unsigned long flags;

	local_irq_save(flags);
	keep_spin(ns);
	local_irq_restore(flags);
}

static const struct keep keeps[] = {
	{ "preempt", inject_keep_preempt }, { "lock", inject_keep_lock },
	{ "irqlock", inject_keep_irqlock }, { "irqs", inject_keep_irqs },
};

/* Not a tail call, which takes its caller off the stack. */
static __always_inline void keep_asked(void)
{
	asked.keep->function(asked.ns);
	barrier();
}

void inject_keep_work(struct work_struct *work)
{
	keep_asked();
	complete(&asked.done);
}

static DECLARE_WORK(keep_work, inject_keep_work);

int inject_keep_thread(void *unused)
{
	keep_asked();
	complete(&asked.done);
	return 0;
}

static void keep_softirq(struct tasklet_struct *unused)
{
	keep_asked();
	complete(&asked.done);
}

static DECLARE_TASKLET(keep_tasklet, keep_softirq);

static int run_thread(void)
{
	struct task_struct *task;

	task = kthread_create_on_cpu(inject_keep_thread, NULL, 0, "inject_keep");
	if (IS_ERR(task))
		return PTR_ERR(task);
	wake_up_process(task);
	wait_for_completion(&asked.done);
	return 0;
}

static int keep_command(const char *text)
{
	char how[16], where[16];
	unsigned int i;

	if (sscanf(text, "%15s %15s %llu", how, where, &asked.ns) != 3)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(keeps) && strcmp(keeps[i].how, how); i++)
		;
	if (i == ARRAY_SIZE(keeps))
		return -EINVAL;
	asked.keep = &keeps[i];
	asked.exit = !strcmp(where, "exit");
	reinit_completion(&asked.done);
	if (!strcmp(where, "call")) {
		keep_asked();
	} else if (!strcmp(where, "work")) {
		schedule_work_on(0, &keep_work);
		wait_for_completion(&asked.done);
	} else if (!strcmp(where, "thread")) {
		return run_thread();
	} else if (!strcmp(where, "softirq")) {
		/* it begins where bottom halves are enabled */
		local_bh_disable();
		tasklet_schedule(&keep_tasklet);
		local_bh_enable();
		wait_for_completion(&asked.done);
	} else if (!asked.exit && strcmp(where, "fault")) {
		return -EINVAL;
	}
	return 0;
}

static ssize_t keep_write(struct file *file, const char __user *buf, size_t size, loff_t *pos)
{
	return inject_write(buf, size, keep_command);
}

static const struct file_operations keep_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = keep_write,
};

static vm_fault_t keep_fault(struct vm_fault *vmf)
{
	if (!asked.keep)
		return VM_FAULT_SIGBUS;
	keep_asked();
	get_page(keep_page);
	vmf->page = keep_page;
	return 0;
}

static const struct vm_operations_struct keep_vm_ops = {
	.fault = keep_fault,
};

static int keep_mmap(struct file *file, struct vm_area_struct *vma)
{
	vma->vm_ops = &keep_vm_ops;
	return 0;
}

static int keep_release(struct inode *inode, struct file *file)
{
	if (asked.exit)
		keep_asked();
	return 0;
}

static const struct file_operations fault_fops = {
	.owner = THIS_MODULE,
	.mmap = keep_mmap,
	.release = keep_release,
};

static struct miscdevice fault_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "tlob_inject_keep",
	.fops = &fault_fops,
};

int inject_keep_init(struct dentry *dir)
{
	int err;

	init_completion(&asked.done);
	keep_page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!keep_page)
		return -ENOMEM;
	err = misc_register(&fault_device);
	if (err) {
		__free_page(keep_page);
		keep_page = NULL;
		return err;
	}
	debugfs_create_file("keep", 0600, dir, NULL, &keep_fops);
	return 0;
}

/* After its file is gone. */
void inject_keep_exit(void)
{
	if (!keep_page)
		return;
	misc_deregister(&fault_device);
	cancel_work_sync(&keep_work);
	tasklet_kill(&keep_tasklet);
	__free_page(keep_page);
}
