// SPDX-License-Identifier: GPL-2.0
/* The kernel workload: one real-time thread per CPU. */
#include <linux/error-injection.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <uapi/linux/sched/types.h>

#include "run.h"

/*
 * Waits for kthread_stop(), which cannot stop a thread that has returned by
 * itself.
 */
static void tlob_kthread_park(void)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
}

static void tlob_kthread_loop(struct tlob_cpu *c)
{
	struct tlob_window w;

	tlob_work_calibrate(c);
	while (!tlob_window_arm(c) && !tlob_window_wait(c) &&
	       !tlob_window_begin(c)) {
		WRITE_ONCE(c->stats.work_sum, tlob_work_run(c));
		if (tlob_window_end(c, &w, TLOB_WINDOW_KTHREAD) < 0)
			break;
	}
}

static int tlob_kthread(void *data)
{
	struct tlob_cpu *c = data;

	/*
	 * The thread is bound, but the hotplug code does not know it as per
	 * CPU. Without this a CPU that goes down would push it to another one
	 * before tlob_run_offline() has stopped it.
	 */
	migrate_disable();
	if (!tlob_window_claim(c, current))
		tlob_kthread_loop(c);
	tlob_kthread_park();
	migrate_enable();
	return 0;
}

/*
 * Creates and starts the thread of @c. The caller holds cpu_hotplug_lock for
 * reading. Returns 0 or the error of kthread_create_on_cpu() or of the
 * scheduler: EPERM, EBUSY (deadline bandwidth), EINVAL.
 */
int tlob_kthread_create(struct tlob_cpu *c)
{
	const struct tlob_policy *p = &tlob_config.policy;
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = p->policy,
		.sched_priority = p->priority,
		.sched_runtime = p->runtime,
		.sched_deadline = p->deadline,
		.sched_period = p->period,
	};
	struct task_struct *task;
	int err;

	task = kthread_create_on_cpu(tlob_kthread, c, c->cpu, "tlob_load/%u");
	if (IS_ERR(task))
		return PTR_ERR(task);
	err = sched_setattr_nocheck(task, &attr);
	if (err) {
		tlob_thread_end(task);
		return err;
	}
	WRITE_ONCE(c->kthread, task);
	wake_up_process(task);
	return 0;
}
ALLOW_ERROR_INJECTION(tlob_kthread_create, ERRNO);

/*
 * Stops the thread of @c, if any, and waits for it. Both the end of a run and a
 * CPU that goes offline may call this; only one of them gets the thread.
 */
void tlob_kthread_stop(struct tlob_cpu *c)
{
	struct task_struct *task = xchg(&c->kthread, NULL);

	if (!task)
		return;
	tlob_window_kill(c);
	tlob_thread_end(task);
	c->task = NULL;
}

void tlob_show_policy(struct seq_file *m, const struct tlob_policy *p)
{
	switch (p->policy) {
	case SCHED_FIFO:
		seq_printf(m, "fifo:%u\n", p->priority);
		break;
	case SCHED_RR:
		seq_printf(m, "rr:%u\n", p->priority);
		break;
	case SCHED_DEADLINE:
		seq_printf(m, "deadline:%llu/%llu/%llu\n", p->runtime,
			   p->deadline, p->period);
		break;
	default:
		seq_puts(m, "other\n");
	}
}
