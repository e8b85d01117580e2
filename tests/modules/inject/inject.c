// SPDX-License-Identifier: GPL-2.0
/*
 * Test only: makes interruptions of known size at a known time on CPU 0.
 *
 * /sys/kernel/debug/tlob_inject/plan takes lines:
 *
 * "KIND AT NS" arms one interruption; a write arms all of its lines at once. KIND is irq,
 * softirq, thread, irqsoff, nmi or pseudo_nmi, which interrupts the thread, AT a time of
 * CLOCK_MONOTONIC in ns, and NS the net size (0: the trigger alone). Reading lists
 * "KIND AT NS begun ended": what really happened.
 *
 * Of kind steal and irq_steal, a thread with irqs off or an irq counts its time as stolen by the
 * hypervisor when it ends, after "steal 1" and before "steal 0": see steal.c.
 *
 * "storm COUNT NS" sends COUNT nmis of NS each from the writer's CPU, at random distances. The
 * write returns after the last. They come at every instruction of CPU 0, also where irqs are
 * off. Reading then adds "storm COUNT total-ns": what the handler really did.
 *
 * "ipi KIND COUNT NS" sends COUNT interrupts to CPU 1 from the writer's CPU, some ms apart.
 * KIND is reschedule, call_function, call_function_single or irq_work. Their handlers find
 * nothing to do. A probe of the entry's tracepoint, which runs after all others, makes each
 * take NS more.
 *
 * "asleep NS": a thread preempts the writer on CPU 0 for NS while the writer's state says that
 * it sleeps, as between set_current_state() and schedule(). A kernel without preemption
 * switches only afterwards.
 *
 * "self COUNT" makes COUNT empty interrupts of the writer's CPU, one after the other. Reading
 * then adds "self NS": the least that one took with the loop around it. The benchmark compares
 * these. They use no timers, since the cost of a timer depends on the others in its queue.
 *
 * Each interruption has its own hrtimer and spins until it has had NS of its own time. A gap of
 * more than 1 us in its clock belongs to another, so nested interruptions keep their net sizes.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <uapi/linux/sched/types.h>

#include "../../../kernel/trace/tlob/base/compat.h"
#include "inject.h"

#define SLOTS	8
#define GAP	1000	/* ns */

enum kind { IRQ, SOFTIRQ, THREAD, IRQSOFF, NMI, PSEUDO_NMI, STEAL, IRQ_STEAL, KINDS };

static const char * const kind_names[] = {
	"irq", "softirq", "thread", "irqsoff", "nmi", "pseudo_nmi", "steal", "irq_steal",
};

struct slot {
	enum kind kind;
	bool	armed, pending;
	u64	at, ns, begun, ended;
	struct hrtimer timer;
	struct irq_work irq_work;
	struct tasklet_struct tasklet;
};

static struct slot slots[SLOTS];
static unsigned int used;
static u64 storm_ns, storm_total, storm_count;
static u64 self_least;
static bool storm_pending;
static struct task_struct *thread[2];	/* THREAD, IRQSOFF */
static DEFINE_MUTEX(lock);
static struct dentry *dir;

static void spin(void *slot)
{
	struct slot *s = slot;
	u64 last = ktime_get_mono_fast_ns(), own = 0;

	s->begun = last;
	while (own < s->ns) {
		u64 now = ktime_get_mono_fast_ns();

		if (now > last && now - last < GAP)
			own += now - last;
		last = now;
	}
	if (s->kind == STEAL || s->kind == IRQ_STEAL)
		inject_stolen(s->ns);
	s->ended = last;
}

void inject_irq_work(struct irq_work *work)
{
	spin(container_of(work, struct slot, irq_work));
}

static void on_tasklet(struct tasklet_struct *tasklet)
{
	spin(container_of(tasklet, struct slot, tasklet));
}

/* The first pending one of @kind, or NULL. */
static struct slot *take(enum kind kind)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i++)
		if (slots[i].kind == kind && xchg(&slots[i].pending, false))
			return &slots[i];
	return NULL;
}

int inject_on_nmi(void)
{
	struct slot *s = smp_processor_id() ? NULL : take(NMI);

	if (s) {
		spin(s);
		return true;
	}
	if (smp_processor_id() == 0 && xchg(&storm_pending, false)) {
		u64 begun = ktime_get_mono_fast_ns(), now = begun;

		while (now - begun < storm_ns)
			now = ktime_get_mono_fast_ns();
		storm_total += now - begun;
		storm_count++;
		return true;
	}
	return false;
}

static int on_thread(void *data)
{
	enum kind kind = (unsigned long)data;
	struct slot *s;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		s = take(kind);
		if (!s && kind == THREAD)
			s = take(PSEUDO_NMI);
		if (!s && kind == THREAD)
			s = take(STEAL);
		if (!s) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		if (s->kind != THREAD)
			local_irq_disable();
		if (s->kind != PSEUDO_NMI || inject_pseudo_nmi(spin, s))
			spin(s);
		if (s->kind != THREAD)
			local_irq_enable();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct slot *s = container_of(timer, struct slot, timer);

	switch (s->kind) {
	case IRQ:
	case IRQ_STEAL:
		irq_work_queue(&s->irq_work);
		break;
	case SOFTIRQ:
		tasklet_hi_schedule(&s->tasklet);
		break;
	case THREAD:
	case IRQSOFF:
	case PSEUDO_NMI:
	case STEAL:
		WRITE_ONCE(s->pending, true);
		wake_up_process(thread[s->kind == IRQSOFF]);
		break;
	default:
		WRITE_ONCE(s->pending, true);
		inject_nmi(smp_processor_id());
	}
	return HRTIMER_NORESTART;
}

static int parse(char *line, struct slot *s)
{
	unsigned long long at, ns;
	char name[16];
	int kind;

	if (sscanf(line, "%15s %llu %llu", name, &at, &ns) != 3)
		return -EINVAL;
	kind = match_string(kind_names, KINDS, name);
	if (kind < 0)
		return kind;
	if (kind == (IS_ENABLED(CONFIG_X86) ? PSEUDO_NMI : NMI))
		return -EOPNOTSUPP;
	s->kind = kind;
	s->at = at;
	s->ns = ns;
	s->begun = 0;
	s->ended = 0;
	s->pending = false;
	return 0;
}

/* Runs on CPU 0, since a pinned timer fires on the CPU that starts it. */
static void arm(void *info)
{
	unsigned int i;

	for (i = 0; i < used; i++)
		hrtimer_start(&slots[i].timer, ns_to_ktime(slots[i].at),
			      HRTIMER_MODE_ABS_PINNED_HARD);
}

/* Not on CPU 0. Waits for each nmi, since two pending ones become one. */
static int storm(u64 count, u64 ns)
{
	u64 limit;
	int err;

	if (raw_smp_processor_id() == 0 || ns > NSEC_PER_MSEC)
		return -EINVAL;
	storm_ns = ns;
	storm_total = 0;
	storm_count = 0;
	while (count--) {
		WRITE_ONCE(storm_pending, true);
		err = inject_nmi(0);
		if (err)
			return err;
		/* ends a hang: a host may leave a CPU of a guest alone for long */
		limit = ktime_get_mono_fast_ns() + 20ULL * NSEC_PER_SEC;
		while (READ_ONCE(storm_pending)) {
			if (ktime_get_mono_fast_ns() > limit)
				return -ETIMEDOUT;
			cpu_relax();
		}
		usleep_range(1, 200);
		if (signal_pending(current))
			return -EINTR;
	}
	return 0;
}

static struct tracepoint *ipi_entry;
static const char *ipi_reason;
static u64 ipi_ns;

/* @told: the vector, or the text of the reason where kinds share a tracepoint */
static void take_longer(void *data, unsigned long told)
{
	u64 end = ktime_get_mono_fast_ns() + ipi_ns;

	if (ipi_reason && strcmp((const char *)told, ipi_reason))
		return;
	if (raw_smp_processor_id() == 1)
		while (ktime_get_mono_fast_ns() < end)
			cpu_relax();
}

static void find_entry(struct tracepoint *tp, void *name)
{
	if (!strcmp(tp->name, name))
		ipi_entry = tp;
}

static int send_ipis(const char *name, u64 count, u64 ns)
{
	static const char * const names[INJECT_IPIS] = {
		[IPI_RESCHED] = "reschedule",
		[IPI_CALL] = "call_function",
		[IPI_CALL_SINGLE] = "call_function_single",
		[IPI_WORK] = "irq_work",
	};
	int kind = match_string(names, INJECT_IPIS, name), err;

	if (kind < 0 || raw_smp_processor_id() == 1 || !cpu_online(1) || ns > NSEC_PER_MSEC)
		return -EINVAL;
	ipi_ns = ns;
	ipi_entry = NULL;
	for_each_kernel_tracepoint(find_entry, (void *)inject_ipi_entry(kind, &ipi_reason));
	if (!ipi_entry)
		return -ENOENT;
	err = tracepoint_probe_register_prio(ipi_entry, take_longer, NULL, 0);
	if (err)
		return err;
	while (count-- && !err) {
		err = inject_ipi(kind, 1);
		usleep_range(1000, 1200);
		if (signal_pending(current))
			err = -EINTR;
	}
	tracepoint_probe_unregister(ipi_entry, take_longer, NULL);
	tracepoint_synchronize_unregister();
	return err;
}

/* Some us apart, since two pending interrupts become one. */
static void interrupt_self(u64 count)
{
	unsigned int n;
	u64 start;

	self_least = U64_MAX;
	migrate_disable();
	while (count--) {
		start = ktime_get_mono_fast_ns();
		inject_self();
		for (n = 2000; n; n--)
			barrier();
		self_least = min(self_least, ktime_get_mono_fast_ns() - start);
	}
	migrate_enable();
}

static int preempt_asleep(u64 ns)
{
	if (raw_smp_processor_id() != 0)
		return -EINVAL;
	slots[0].kind = THREAD;
	slots[0].ns = ns;
	used = 1;
	set_current_state(TASK_INTERRUPTIBLE);
	WRITE_ONCE(slots[0].pending, true);
	wake_up_process(thread[0]);
	__set_current_state(TASK_RUNNING);
	return 0;
}

ssize_t inject_write(const char __user *buf, size_t size,
		     int (*command)(const char *text))
{
	char text[128];
	int err;

	if (size >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, size))
		return -EFAULT;
	text[size] = 0;
	err = command(text);
	return err ?: size;
}

static ssize_t plan_write(struct file *file, const char __user *buf,
			  size_t size, loff_t *pos)
{
	unsigned long long count, ns;
	char *copy, *rest, *line, kind[32];
	unsigned int i;
	int err = 0;

	if (size > 4096)
		return -EINVAL;
	copy = memdup_user_nul(buf, size);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	mutex_lock(&lock);
	for (i = 0; i < SLOTS; i++)
		hrtimer_cancel(&slots[i].timer);
	used = 0;
	self_least = 0;
	rest = copy;
	while (!err && (line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		if (sscanf(line, "storm %llu %llu", &count, &ns) == 2) {
			err = storm(count, ns);
			continue;
		}
		if (sscanf(line, "asleep %llu", &ns) == 1) {
			/* skip the rest of this write, which would arm the slot */
			err = preempt_asleep(ns);
			goto out;
		}
		if (sscanf(line, "ipi %31s %llu %llu", kind, &count, &ns) == 3) {
			err = send_ipis(kind, count, ns);
			continue;
		}
		if (sscanf(line, "self %llu", &count) == 1) {
			interrupt_self(count);
			continue;
		}
		if (sscanf(line, "steal %llu %llu", &count, &ns) == 1) {
			err = count ? inject_steal_on() : 0;
			if (!count)
				inject_steal_off();
			continue;
		}
		err = used < SLOTS ? parse(line, &slots[used]) : -ENOSPC;
		used += !err;
	}
	if (!err)
		err = smp_call_function_single(0, arm, NULL, true);
out:
	mutex_unlock(&lock);
	kfree(copy);
	return err ?: size;
}

static int plan_show(struct seq_file *m, void *v)
{
	unsigned int i;

	for (i = 0; i < used; i++)
		seq_printf(m, "%s %llu %llu %llu %llu\n",
			   kind_names[slots[i].kind], slots[i].at, slots[i].ns,
			   slots[i].begun, slots[i].ended);
	if (self_least)
		seq_printf(m, "self %llu\n", self_least);
	if (storm_count)
		seq_printf(m, "storm %llu %llu\n", storm_count, storm_total);
	return 0;
}

static int plan_open(struct inode *inode, struct file *file)
{
	return single_open(file, plan_show, NULL);
}

static const struct file_operations plan_fops = {
	.owner = THIS_MODULE,
	.open = plan_open,
	.read = seq_read,
	.write = plan_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int inject_thread_start(unsigned int i, enum kind kind, int priority)
{
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_FIFO,
		.sched_priority = priority,
	};
	struct task_struct *task;
	int err;

	task = kthread_create_on_cpu(on_thread, (void *)(unsigned long)kind, 0,
				     kind == THREAD ? "inject_thread" :
				     "inject_irqsoff");
	if (IS_ERR(task))
		return PTR_ERR(task);
	err = sched_setattr_nocheck(task, &attr);
	if (err) {
		kthread_stop(task);
		return err;
	}
	thread[i] = task;
	wake_up_process(task);
	return 0;
}

static void inject_threads_stop(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(thread); i++)
		if (thread[i])
			kthread_stop(thread[i]);
}

static void inject_undo(void)
{
	unsigned int i;

	inject_steal_off();
	debugfs_remove(dir);
	for (i = 0; i < SLOTS; i++) {
		hrtimer_cancel(&slots[i].timer);
		irq_work_sync(&slots[i].irq_work);
		tasklet_kill(&slots[i].tasklet);
	}
	inject_keep_exit();
	inject_nmi_exit();
	inject_threads_stop();
}

static int __init inject_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < SLOTS; i++) {
		tlob_hrtimer_setup(&slots[i].timer, on_timer, HRTIMER_MODE_ABS_PINNED_HARD);
		slots[i].irq_work = IRQ_WORK_INIT_HARD(inject_irq_work);
		tasklet_setup(&slots[i].tasklet, on_tasklet);
	}
	err = inject_nmi_init(inject_on_nmi);
	if (err)
		return err;
	/* 99 is above the workload's 95, and 94 is above everything else */
	err = inject_thread_start(0, THREAD, 99);
	if (!err)
		err = inject_thread_start(1, IRQSOFF, 94);
	if (err) {
		inject_threads_stop();
		inject_nmi_exit();
		return err;
	}
	dir = debugfs_create_dir("tlob_inject", NULL);
	debugfs_create_file("plan", 0600, dir, NULL, &plan_fops);
	inject_clock_init(dir);
	inject_sleep_init(dir);
	inject_functions_init(dir);
	inject_reap_init(dir);
	inject_load_init(dir);
	err = inject_keep_init(dir);
	if (!err)
		err = inject_aim_init(dir);
	if (err)
		inject_undo();
	return err;
}

static void __exit inject_exit(void)
{
	debugfs_lookup_and_remove("aim", dir);
	inject_aim_exit();
	inject_undo();
}

module_init(inject_init);
module_exit(inject_exit);
MODULE_DESCRIPTION("Test only: interruptions of known size for tlob_load");
MODULE_LICENSE("GPL");
