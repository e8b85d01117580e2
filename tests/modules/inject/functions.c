// SPDX-License-Identifier: GPL-2.0
/*
 * Test only: functions of known duration, to be probed. Reading
 * /sys/kernel/debug/tlob_inject/functions has their addresses. A write calls
 * some of them in the writer:
 *
 *	leaf NS		leaf takes NS
 *	outer NS	outer takes NS, leaf in the middle of it NS more
 *	recurse N NS	recurse is N deep; each takes NS
 *	alternate N NS	ping and pong call one another, N deep; each takes NS
 *	sleep NS	nap takes NS, sleeps for NS, and takes NS
 *	wait		hold sleeps until a signal comes, which may kill
 *	migrate CPU NS	move takes NS, goes to that CPU, and takes NS there
 *	die NS		a thread on this CPU ends in a call of last, after NS
 *	cost N		the least ns of N calls of empty; read it
 *
 * NS does not count what interrupts them.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "inject.h"

#define GAP	2000	/* ns; more was not ours */

static u64 cost_least;

static __always_inline void take(u64 ns)
{
	u64 last = ktime_get_mono_fast_ns(), own = 0;

	while (own < ns) {
		u64 now = ktime_get_mono_fast_ns();

		if (now > last && now - last < GAP)
			own += now - last;
		last = now;
	}
}

/* tlob_load holds this module by the symbol of its name. */
void tlob_inject(void)
{
}
EXPORT_SYMBOL_GPL(tlob_inject);

noinline void inject_fn_leaf(u64 ns)
{
	take(ns);
}

noinline void inject_fn_outer(u64 ns)
{
	take(ns / 2);
	inject_fn_leaf(ns);
	take(ns - ns / 2);
}

noinline void inject_fn_recurse(unsigned int n, u64 ns)
{
	if (n > 1)
		inject_fn_recurse(n - 1, ns);
	take(ns);
}

noinline void inject_fn_ping(unsigned int n, u64 ns)
{
	if (n > 1)
		inject_fn_pong(n - 1, ns);
	take(ns);
}

noinline void inject_fn_pong(unsigned int n, u64 ns)
{
	if (n > 1)
		inject_fn_ping(n - 1, ns);
	take(ns);
}

noinline void inject_fn_nap(u64 ns)
{
	ktime_t time = ns_to_ktime(ns);

	take(ns);
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&time, HRTIMER_MODE_REL_HARD);
	take(ns);
}

noinline void inject_fn_hold(void)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (signal_pending(current))
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
}

noinline int inject_fn_move(unsigned int cpu, u64 ns)
{
	int err;

	take(ns);
	err = set_cpus_allowed_ptr(current, cpumask_of(cpu));
	take(ns);
	return err;
}

noinline void inject_fn_last(u64 ns, struct completion *done)
{
	take(ns);
	kthread_complete_and_exit(done, 0);
}

noinline void inject_fn_empty(void)
{
	barrier();
}

struct dying {
	struct completion done;
	u64 ns;
};

static int die_thread(void *data)
{
	struct dying *d = data;

	inject_fn_last(d->ns, &d->done);
	return 0;
}

static int die(u64 ns)
{
	struct dying d = { .ns = ns };
	struct task_struct *task;

	init_completion(&d.done);
	task = kthread_create_on_cpu(die_thread, &d, raw_smp_processor_id(), "inject_die");
	if (IS_ERR(task))
		return PTR_ERR(task);
	wake_up_process(task);
	wait_for_completion(&d.done);
	return 0;
}

static void cost(u64 n)
{
	cost_least = U64_MAX;
	while (n--) {
		u64 start = ktime_get_mono_fast_ns();

		inject_fn_empty();
		cost_least = min(cost_least, ktime_get_mono_fast_ns() - start);
	}
}

static int functions_command(const char *text)
{
	unsigned int n;
	u64 ns;

	if (sscanf(text, "leaf %llu", &ns) == 1)
		inject_fn_leaf(ns);
	else if (sscanf(text, "outer %llu", &ns) == 1)
		inject_fn_outer(ns);
	else if (sscanf(text, "recurse %u %llu", &n, &ns) == 2)
		inject_fn_recurse(n, ns);
	else if (sscanf(text, "alternate %u %llu", &n, &ns) == 2)
		inject_fn_ping(n, ns);
	else if (sscanf(text, "sleep %llu", &ns) == 1)
		inject_fn_nap(ns);
	else if (!strcmp(text, "wait"))
		inject_fn_hold();
	else if (sscanf(text, "migrate %u %llu", &n, &ns) == 2)
		return n < nr_cpu_ids ? inject_fn_move(n, ns) : -EINVAL;
	else if (sscanf(text, "die %llu", &ns) == 1)
		return die(ns);
	else if (sscanf(text, "cost %llu", &ns) == 1)
		cost(ns);
	else
		return -EINVAL;
	return 0;
}

static ssize_t functions_write(struct file *file, const char __user *buf,
			       size_t size, loff_t *pos)
{
	return inject_write(buf, size, functions_command);
}

static int functions_show(struct seq_file *m, void *v)
{
	seq_printf(m, "leaf 0x%lx\nouter 0x%lx\nrecurse 0x%lx\nping 0x%lx\npong 0x%lx\n",
		   (unsigned long)inject_fn_leaf, (unsigned long)inject_fn_outer,
		   (unsigned long)inject_fn_recurse, (unsigned long)inject_fn_ping,
		   (unsigned long)inject_fn_pong);
	seq_printf(m, "nap 0x%lx\nhold 0x%lx\nmove 0x%lx\nlast 0x%lx\nempty 0x%lx\n",
		   (unsigned long)inject_fn_nap, (unsigned long)inject_fn_hold,
		   (unsigned long)inject_fn_move, (unsigned long)inject_fn_last,
		   (unsigned long)inject_fn_empty);
	seq_printf(m, "irq 0x%lx\nnmi 0x%lx\ncost %llu\n", (unsigned long)inject_irq_work,
		   (unsigned long)inject_on_nmi, cost_least);
	return 0;
}

static int functions_open(struct inode *inode, struct file *file)
{
	return single_open(file, functions_show, NULL);
}

static const struct file_operations functions_fops = {
	.owner = THIS_MODULE,
	.open = functions_open,
	.read = seq_read,
	.write = functions_write,
	.llseek = seq_lseek,
	.release = single_release,
};

void inject_functions_init(struct dentry *dir)
{
	debugfs_create_file("functions", 0600, dir, NULL, &functions_fops);
}
