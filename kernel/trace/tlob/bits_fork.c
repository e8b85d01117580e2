// SPDX-License-Identifier: GPL-2.0
/*
 * Enable bits: the tracepoints that report forks and address spaces that end.
 *
 * The tracepoints are attached from the registration of the first word until
 * the module goes. Attaching patches code on all CPUs. A real-time machine
 * should not see that each time a small program ends. Without words the
 * tracepoints cost a load and a branch. (An mmu_notifier would report an exit
 * but not a fork. It makes each munmap() of the program slower, and registering
 * it takes all locks of the address space.)
 */
#include <linux/jiffies.h>
#include <linux/mutex.h>

#include "bits.h"
#include "probes.h"

struct linux_binprm;

static void tlob_reap_work(struct work_struct *work)
{
	tlob_words_reap();
}

static DECLARE_DELAYED_WORK(tlob_reap, tlob_reap_work);

/* A thread or a vfork shares the memory of its parent, and so its words. */
static void tlob_sched_process_fork(void *data, struct task_struct *parent,
				    struct task_struct *child)
{
	if (READ_ONCE(tlob_words_used) && child->mm && parent->mm &&
	    child->mm != parent->mm)
		tlob_words_fork(parent, child);
}

/*
 * Not at once: an address space goes after its last task, and other tasks end,
 * too.
 */
static void tlob_reap_soon(void)
{
	if (READ_ONCE(tlob_words_used))
		queue_delayed_work(tlob_words_wq, &tlob_reap, HZ);
}

static void tlob_sched_process_exit(TLOB_EXIT_PROTO)
{
	if (!(p->flags & PF_KTHREAD))
		tlob_reap_soon();
}

static void tlob_sched_process_exec(void *data, struct task_struct *p,
				    pid_t old_pid, struct linux_binprm *bprm)
{
	tlob_reap_soon();
}

static struct tlob_probe tlob_words_probe[] = {
	TLOB_PROBE("sched_process_fork", tlob_sched_process_fork),
	TLOB_PROBE("sched_process_exec", tlob_sched_process_exec),
	TLOB_PROBE("sched_process_exit", tlob_sched_process_exit),
};

static struct tlob_probe_set tlob_words_probes = {
	.probe = tlob_words_probe,
	.probes = ARRAY_SIZE(tlob_words_probe),
};

int tlob_forks_attach(void)
{
	static DEFINE_MUTEX(attach_mutex);
	int err;

	mutex_lock(&attach_mutex);
	err = tlob_probes_attach(&tlob_words_probes, TLOB_FOR_WORDS);
	mutex_unlock(&attach_mutex);
	return err;
}

int tlob_forks_init(void)
{
	unsigned int i;

	tlob_probes_find(&tlob_words_probes);
	for (i = 0; i < ARRAY_SIZE(tlob_words_probe); i++)
		if (!tlob_words_probe[i].tp)
			return -EOPNOTSUPP;
	return 0;
}

void tlob_forks_exit(void)
{
	tlob_probes_detach(&tlob_words_probes, TLOB_FOR_WORDS);
	tracepoint_synchronize_unregister();
	cancel_delayed_work_sync(&tlob_reap);
}
