// SPDX-License-Identifier: GPL-2.0
/*
 * Enable bits of forks, and of processes that end.
 *
 * A fork copies the memory, and so has the bits; from now on it needs its own
 * words. The tracepoint tells, before the child runs, where nothing can be allocated.
 * So the child's mm goes into a queue, and whoever takes tlob_words_mutex empties the
 * queue first: before any list changes, each fork has the words that its parent had.
 * A child with the memory of its parent (thread, vfork) has the words already.
 *
 * The tracepoints are those of fork, exec and exit, attached when the first word is
 * registered and until the module goes: attaching patches code on all CPUs,
 * which a real-time machine should not see each time a small program ends, and
 * without words they cost a load and a branch. (An mmu_notifier would tell of an
 * exit, but not of a fork; it makes each munmap() of the program longer, and
 * registering it takes all locks of the address space.)
 */
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/spinlock.h>

#include "enable.h"
#include "noise.h"

#define TLOB_FORKS_MAX	256		/* that wait for a worker; a power of two */

struct linux_binprm;

/* Forks whose words are to be made, oldest first. The child's mm is grabbed. */
static struct tlob_fork {
	struct mm_struct *parent, *child;
} tlob_forks[TLOB_FORKS_MAX];
static unsigned int tlob_forks_head, tlob_forks_tail;
static u64 tlob_forks_dropped;		/* children whose bits nobody will change */
/* Taken below tlob_words_mutex. */
static DEFINE_RAW_SPINLOCK(tlob_forks_lock);

u64 tlob_forks_lost(void)
{
	u64 lost;

	raw_spin_lock_irq(&tlob_forks_lock);
	lost = tlob_forks_dropped;
	raw_spin_unlock_irq(&tlob_forks_lock);
	return lost;
}

static bool tlob_forks_first(struct tlob_fork *fork)
{
	bool found;

	raw_spin_lock_irq(&tlob_forks_lock);
	found = tlob_forks_tail != tlob_forks_head;
	*fork = tlob_forks[tlob_forks_tail % TLOB_FORKS_MAX];
	raw_spin_unlock_irq(&tlob_forks_lock);
	return found;
}

/*
 * A fork leaves the queue when its words are in the table: a child that forks
 * meanwhile is found in the one or the other.
 */
void tlob_forks_take(void)
{
	struct tlob_fork fork;
	bool lost;

	while (tlob_forks_first(&fork)) {
		lost = !tlob_words_fork(fork.parent, fork.child);
		raw_spin_lock_irq(&tlob_forks_lock);
		tlob_forks_dropped += lost;
		tlob_forks_tail++;
		raw_spin_unlock_irq(&tlob_forks_lock);
		mmdrop(fork.child);
	}
}

static void tlob_forks_work(struct work_struct *work)
{
	tlob_words_lock();
	tlob_words_unlock();
}

static DECLARE_WORK(tlob_forked, tlob_forks_work);

static void tlob_reap_work(struct work_struct *work)
{
	tlob_words_reap();
}

static DECLARE_DELAYED_WORK(tlob_reap, tlob_reap_work);

/* Whether it has words, or will have when its fork leaves the queue. */
static bool tlob_forks_known(struct mm_struct *mm)
{
	unsigned int i;

	for (i = tlob_forks_tail; i != tlob_forks_head; i++)
		if (tlob_forks[i % TLOB_FORKS_MAX].child == mm)
			return true;
	return tlob_words_find(mm);
}

/* Into the queue, if its parent has words and there is room. */
static bool tlob_forks_put(struct mm_struct *parent, struct mm_struct *child)
{
	unsigned long flags;
	bool put = false;

	rcu_read_lock();
	raw_spin_lock_irqsave(&tlob_forks_lock, flags);
	if (tlob_forks_known(parent)) {
		put = tlob_forks_head - tlob_forks_tail < TLOB_FORKS_MAX;
		tlob_forks_dropped += !put;
	}
	if (put) {
		mmgrab(child);
		tlob_forks[tlob_forks_head++ % TLOB_FORKS_MAX] =
			(struct tlob_fork){ parent, child };
	}
	raw_spin_unlock_irqrestore(&tlob_forks_lock, flags);
	rcu_read_unlock();
	return put;
}

/* In the parent; the child has not run yet, so has its mm. */
static void tlob_sched_process_fork(void *data, struct task_struct *parent,
				    struct task_struct *child)
{
	if (READ_ONCE(tlob_words_used) && child->mm &&
	    child->mm != parent->mm && tlob_forks_put(parent->mm, child->mm))
		queue_work(tlob_words_wq, &tlob_forked);
}

/* Not at once: the mm goes after its last task does, and others end, too. */
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

static struct tlob_probe tlob_words_probes[] = {
	TLOB_PROBE("sched_process_fork", tlob_sched_process_fork),
	TLOB_PROBE("sched_process_exec", tlob_sched_process_exec),
	TLOB_PROBE("sched_process_exit", tlob_sched_process_exit),
};

static struct tlob_noise_source tlob_words_source = {
	.name = "enable",
	.probe = tlob_words_probes,
	.probes = ARRAY_SIZE(tlob_words_probes),
};

int tlob_forks_attach(void)
{
	static DEFINE_MUTEX(attach_mutex);
	int err;

	mutex_lock(&attach_mutex);
	err = tlob_source_attach(&tlob_words_source, TLOB_FOR_WORDS);
	mutex_unlock(&attach_mutex);
	return err;
}

int tlob_forks_init(void)
{
	unsigned int i;

	tlob_source_find(&tlob_words_source);
	for (i = 0; i < ARRAY_SIZE(tlob_words_probes); i++)
		if (!tlob_words_probes[i].tp)
			return -EOPNOTSUPP;
	return 0;
}

void tlob_forks_exit(void)
{
	tlob_source_detach(&tlob_words_source, TLOB_FOR_WORDS);
	tracepoint_synchronize_unregister();
	cancel_work_sync(&tlob_forked);
	cancel_delayed_work_sync(&tlob_reap);
}
