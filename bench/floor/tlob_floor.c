// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark only: the least that a wake-up costs. Every millisecond a timer wakes a thread on
 * its CPU, which then reads the clock. Nothing else is recorded. Each open file has a timer of
 * its own. /sys/kernel/debug/tlob_floor has:
 *
 * user		read(): the calling thread sleeps until the next expiry. Returns a struct
 *		floor_window.
 * kthread	A write of N, 1 to 100000: a FIFO-95 kernel thread on the writer's CPU sleeps N
 *		times. Returns after the last one or when it is killed. Reading returns a struct
 *		floor_window for each.
 */
#include <linux/debugfs.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <uapi/linux/sched/types.h>

#include "../../kernel/trace/tlob/base/compat.h"

#define PERIOD_NS	NSEC_PER_MSEC
#define MOST		100000

/* bench/windows.c has the same. */
struct floor_window {
	u64 t0;				/* the expiry, ns of CLOCK_MONOTONIC */
	u64 wake_ns;			/* from there until the thread reads the clock */
};

struct floor {
	struct hrtimer timer;
	struct task_struct *task;
	bool fired;
	u64 t0;
	/* of kthread */
	struct completion done;
	struct floor_window *windows;
	unsigned int count, taken;
};

static struct dentry *dir;

static enum hrtimer_restart floor_fire(struct hrtimer *timer)
{
	struct floor *f = container_of(timer, struct floor, timer);

	WRITE_ONCE(f->fired, true);
	wake_up_process(f->task);
	return HRTIMER_NORESTART;
}

/* Sleeps until the next expiry. Returns 0, or -EINTR if a signal came first. */
static int floor_sleep(struct floor *f, struct floor_window *w)
{
	u64 now = ktime_get_ns();

	f->task = current;
	f->fired = false;
	/* ticks are at whole milliseconds, so they are far from it */
	if (!f->t0)
		f->t0 = now - now % PERIOD_NS + PERIOD_NS / 2;
	while (f->t0 <= now)
		f->t0 += PERIOD_NS;
	hrtimer_start(&f->timer, ns_to_ktime(f->t0), HRTIMER_MODE_ABS_PINNED_HARD);
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (READ_ONCE(f->fired) || signal_pending(current))
			break;
		schedule();
	}
	now = ktime_get_ns();
	__set_current_state(TASK_RUNNING);
	if (!f->fired) {
		hrtimer_cancel(&f->timer);
		return -EINTR;
	}
	w->t0 = f->t0;
	w->wake_ns = now - f->t0;
	return 0;
}

static int floor_open(struct inode *inode, struct file *file)
{
	struct floor *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	tlob_hrtimer_setup(&f->timer, floor_fire, HRTIMER_MODE_ABS_PINNED_HARD);
	init_completion(&f->done);
	file->private_data = f;
	return 0;
}

static int floor_release(struct inode *inode, struct file *file)
{
	struct floor *f = file->private_data;

	vfree(f->windows);
	kfree(f);
	return 0;
}

static ssize_t user_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	struct floor_window w;
	int err;

	if (size < sizeof(w))
		return -EINVAL;
	err = floor_sleep(file->private_data, &w);
	if (err)
		return err;
	return copy_to_user(to, &w, sizeof(w)) ? -EFAULT : sizeof(w);
}

static const struct file_operations user_fops = {
	.owner = THIS_MODULE,
	.open = floor_open,
	.read = user_read,
	.release = floor_release,
};

static int floor_kthread(void *data)
{
	struct floor *f = data;

	/* it gets no signal */
	while (f->taken < f->count && !kthread_should_stop() &&
	       !floor_sleep(f, &f->windows[f->taken]))
		f->taken++;
	complete(&f->done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static ssize_t kthread_write(struct file *file, const char __user *from, size_t size, loff_t *pos)
{
	struct sched_attr attr = {
		.size = sizeof(attr), .sched_policy = SCHED_FIFO, .sched_priority = 95,
	};
	struct floor *f = file->private_data;
	struct task_struct *task;
	int err;

	if (f->windows)
		return -EBUSY;
	err = kstrtouint_from_user(from, size, 0, &f->count);
	if (err)
		return err;
	if (!f->count || f->count > MOST)
		return -ERANGE;
	f->windows = vzalloc(array_size(f->count, sizeof(*f->windows)));
	if (!f->windows)
		return -ENOMEM;
	task = kthread_create_on_cpu(floor_kthread, f, raw_smp_processor_id(), "tlob_floor/%u");
	if (IS_ERR(task))
		return PTR_ERR(task);
	err = sched_setattr_nocheck(task, &attr);
	if (!err) {
		wake_up_process(task);
		err = wait_for_completion_killable(&f->done);
	}
	kthread_stop(task);
	return err ? err : size;
}

static ssize_t kthread_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	struct floor *f = file->private_data;

	return simple_read_from_buffer(to, size, pos, f->windows, f->taken * sizeof(*f->windows));
}

static const struct file_operations kthread_fops = {
	.owner = THIS_MODULE,
	.open = floor_open,
	.read = kthread_read,
	.write = kthread_write,
	.release = floor_release,
};

static int __init floor_init(void)
{
	dir = debugfs_create_dir("tlob_floor", NULL);
	/* unsafe: debugfs does nothing around a read(). @owner keeps the module instead */
	debugfs_create_file_unsafe("user", 0600, dir, NULL, &user_fops);
	debugfs_create_file("kthread", 0600, dir, NULL, &kthread_fops);
	return 0;
}

static void __exit floor_exit(void)
{
	debugfs_remove(dir);
}

module_init(floor_init);
module_exit(floor_exit);
MODULE_DESCRIPTION("What a wake-up costs at the least");
MODULE_LICENSE("GPL");
