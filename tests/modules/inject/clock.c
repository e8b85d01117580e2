// SPDX-License-Identifier: GPL-2.0
/*
 * Test only: compares the clock in line (kernel/trace/tlob/base/clock.h), built here once
 * more, with the kernel's.
 *
 * /sys/kernel/debug/tlob_inject/clock: a write of N reads both N times, the clock
 * in line between two readings of ktime_get_mono_fast_ns(), with irqs off and some us
 * apart. Reading gives "READS INLINE OUTSIDE LEAST MOST STEPS": how many, how many of them
 * in line, how many of those not between the two, the least and the most ns from
 * the first one, and how often the clock went back. Where instructions are
 * counted, LEAST and MOST are the same but for what the two clocks differ. What is not
 * in line is the kernel's clock itself.
 *
 * clock_cost: a write of N, 1 ... 100000, reads each of them N times in a row with irqs off.
 * Reading gives "N LOOP INLINE KERNEL": the ns of the loop around a reading, and with each.
 */
#include <linux/debugfs.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#define TLOB_HAS_INLINE_CLOCK
#include "../../../kernel/trace/tlob/base/clock.c"
#include "inject.h"

static struct {
	u64 reads, in_line, outside, least, most, steps;
} seen;
static DEFINE_MUTEX(lock);

static void compare(u64 *last)
{
	u64 before, now, after;
	unsigned long flags;
	bool in_line;

	local_irq_save(flags);
	before = ktime_get_mono_fast_ns();
	in_line = tlob_clock_inline(&now);
	after = ktime_get_mono_fast_ns();
	local_irq_restore(flags);
	seen.reads++;
	if (!in_line)
		return;
	seen.in_line++;
	seen.outside += now < before || now > after;
	seen.least = min(seen.least, now - before);
	seen.most = max(seen.most, now - before);
	seen.steps += now < *last;
	*last = now;
}

static ssize_t clock_write(struct file *file, const char __user *buf,
			   size_t size, loff_t *pos)
{
	u64 n, last = 0;
	int err = kstrtou64_from_user(buf, size, 10, &n);

	if (err)
		return err;
	mutex_lock(&lock);
	memset(&seen, 0, sizeof(seen));
	seen.least = U64_MAX;
	tlob_clock_attach(1);
	while (n-- && !signal_pending(current)) {
		compare(&last);
		/* not in step with anything */
		for (err = last & 1023; err; err--)
			barrier();
		cond_resched();
	}
	tlob_clock_detach(1);
	mutex_unlock(&lock);
	return size;
}

static int clock_show(struct seq_file *m, void *v)
{
	mutex_lock(&lock);
	seq_printf(m, "%llu %llu %llu %llu %llu %llu\n", seen.reads,
		   seen.in_line, seen.outside, seen.least, seen.most,
		   seen.steps);
	mutex_unlock(&lock);
	return 0;
}

static int clock_open(struct inode *inode, struct file *file)
{
	return single_open(file, clock_show, NULL);
}

static const struct file_operations clock_fops = {
	.owner = THIS_MODULE,
	.open = clock_open,
	.read = seq_read,
	.write = clock_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static struct {
	u64 n, loop, in_line, kernel;
} cost;

/* A macro, so that each loop has nothing but its reading. */
#define COST(_n, _reading) ({						\
	u64 _from, _now = 0, _left = (_n);				\
	unsigned long _flags;						\
									\
	local_irq_save(_flags);						\
	_from = ktime_get_mono_fast_ns();				\
	while (_left--) {						\
		_reading;						\
		OPTIMIZER_HIDE_VAR(_now);				\
	}								\
	_from = ktime_get_mono_fast_ns() - _from;			\
	local_irq_restore(_flags);					\
	_from;								\
})

static ssize_t cost_write(struct file *file, const char __user *buf,
			  size_t size, loff_t *pos)
{
	u64 n;
	int err = kstrtou64_from_user(buf, size, 10, &n);

	if (err || !n || n > 100000)
		return err ?: -ERANGE;
	mutex_lock(&lock);
	tlob_clock_attach(1);
	cost.n = n;
	cost.loop = COST(n, barrier());
	cost.in_line = COST(n, tlob_clock_inline(&_now));
	cost.kernel = COST(n, _now = ktime_get_mono_fast_ns());
	tlob_clock_detach(1);
	mutex_unlock(&lock);
	return size;
}

static int cost_show(struct seq_file *m, void *v)
{
	mutex_lock(&lock);
	seq_printf(m, "%llu %llu %llu %llu\n", cost.n, cost.loop, cost.in_line, cost.kernel);
	mutex_unlock(&lock);
	return 0;
}

static int cost_open(struct inode *inode, struct file *file)
{
	return single_open(file, cost_show, NULL);
}

static const struct file_operations cost_fops = {
	.owner = THIS_MODULE,
	.open = cost_open,
	.read = seq_read,
	.write = cost_write,
	.llseek = seq_lseek,
	.release = single_release,
};

void inject_clock_init(struct dentry *dir)
{
	debugfs_create_file("clock", 0600, dir, NULL, &clock_fops);
	debugfs_create_file("clock_cost", 0600, dir, NULL, &cost_fops);
}
