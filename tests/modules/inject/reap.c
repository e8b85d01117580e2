// SPDX-License-Identifier: GPL-2.0
/*
 * Test only: a task stops where tlob_load looks at an address space that has ended, and
 * another task does something meanwhile. A write to /sys/kernel/debug/tlob_inject/reap:
 *
 *	stand MS	calls tlob_words_reap() and stops at the first address space that
 *			has ended, until a task writes "go" and for MS at most
 *	await		waits until a task stops
 *	reap		calls tlob_words_reap()
 *	go		see stand
 *
 * With one CPU no task stops. A task that awaits this runs as soon as the kernel lets it, if
 * its priority is higher.
 *
 * Reading shows the last "stand": "awaited=N stood=N late=N dropped=N". awaited: a task
 * awaits the next one. stood: the number of address spaces at which the task stopped. late: no
 * "go" came in time. dropped: the mm was freed before the task had looked at it.
 */
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "inject.h"

static struct task_struct *stands, *awaits;
static unsigned int stood, late, dropped, longest_ms;
static bool go;
static void (*reap)(void);		/* tlob_words_reap() */

/* The mm at which the task stops. */
struct at {
	struct mm_struct *mm;
};

/* In the context of a kprobe. tlob_load may hold a raw lock. */
static void stop(void)
{
	u64 limit = ktime_get_mono_fast_ns() + longest_ms * NSEC_PER_MSEC;
	struct task_struct *task = xchg(&awaits, NULL);

	stood++;
	if (task) {
		wake_up_process(task);
		put_task_struct(task);
	}
	while (num_online_cpus() > 1 && !READ_ONCE(go) && !late) {
		late = ktime_get_mono_fast_ns() > limit;
		cpu_relax();
	}
}

static int at_begin(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct at *at = (void *)instance->data;

	at->mm = (void *)regs_get_kernel_argument(regs, 0);
	if (READ_ONCE(stands) != current || stood || atomic_read(&at->mm->mm_users))
		return 1;
	stop();
	return 0;
}

/* A freed mm keeps its counter until its memory is used again. */
static int at_end(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct at *at = (void *)instance->data;

	dropped += atomic_read(&at->mm->mm_count) <= 0;
	return 0;
}

static struct kretprobe at_probe;

static int stand(unsigned int ms)
{
	int err;

	if (cmpxchg(&stands, NULL, current))
		return -EBUSY;
	stood = 0;
	late = 0;
	dropped = 0;
	longest_ms = ms;
	WRITE_ONCE(go, false);
	at_probe = (struct kretprobe){
		.kp.symbol_name = "tlob_mm_is_unused",
		.entry_handler = at_begin,
		.handler = at_end,
		.data_size = sizeof(struct at),
		.maxactive = 16,
	};
	err = register_kretprobe(&at_probe);
	if (!err) {
		reap();
		unregister_kretprobe(&at_probe);
	}
	WRITE_ONCE(stands, NULL);
	return err;
}

/*
 * tlob_words_reap() is not exported, but a probe finds it: each time, as tlob_load may have been
 * loaded again. A probe while a task stands would not do, because removing it waits for that task.
 */
static int find_reap(void)
{
	struct kprobe probe = { .symbol_name = "tlob_words_reap" };
	int err = register_kprobe(&probe);

	if (err)
		return err;
	reap = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

static int await(void)
{
	get_task_struct(current);
	if (cmpxchg(&awaits, NULL, current)) {
		put_task_struct(current);
		return -EBUSY;
	}
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (READ_ONCE(awaits) != current || signal_pending(current))
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	if (cmpxchg(&awaits, current, NULL) != current)
		return 0;
	put_task_struct(current);
	return -EINTR;
}

static int reap_command(const char *text)
{
	int err = READ_ONCE(stands) ? 0 : find_reap();
	unsigned int ms;

	if (err)
		return err;
	if (!strcmp(text, "await"))
		return await();
	if (sscanf(text, "stand %u", &ms) == 1)
		return stand(ms);
	if (!strcmp(text, "reap"))
		reap();
	else if (!strcmp(text, "go"))
		WRITE_ONCE(go, true);
	else
		return -EINVAL;
	return 0;
}

static ssize_t reap_write(struct file *file, const char __user *buf,
			  size_t size, loff_t *pos)
{
	return inject_write(buf, size, reap_command);
}

static int reap_show(struct seq_file *m, void *v)
{
	seq_printf(m, "awaited=%d stood=%u late=%u dropped=%u\n",
		   !!READ_ONCE(awaits), stood, late, dropped);
	return 0;
}

static int reap_open(struct inode *inode, struct file *file)
{
	return single_open(file, reap_show, NULL);
}

static const struct file_operations reap_fops = {
	.owner = THIS_MODULE,
	.open = reap_open,
	.read = seq_read,
	.write = reap_write,
	.llseek = seq_lseek,
	.release = single_release,
};

void inject_reap_init(struct dentry *dir)
{
	debugfs_create_file("reap", 0600, dir, NULL, &reap_fops);
}
