// SPDX-License-Identifier: GPL-2.0
/*
 * Enable bits: forks, and address spaces that end.
 *
 * A child has a copy of the memory, so it needs its own words before it runs.
 * The tracepoint cannot allocate. It takes a spare that the parent's words hold
 * ready and puts it into the table at once. The forking thread makes a new
 * spare on its way back to user mode. The monitor may be switched after the
 * fork has copied the memory, so the child checks its bits before its first
 * instruction in user mode. Nothing is queued: a user who forks much cannot
 * make another user's fork be lost.
 *
 * One race remains. Another thread may unregister a word between the copy of
 * the memory and the tracepoint. Then the child's bit keeps its value. The
 * kernel does not report when it copies. If the copy came after the word was
 * unregistered, the child's word may have data that the program put there
 * since, and clearing the bit would destroy them. That is worse than a bit that
 * costs a system call. (mm_lock_seq shows that no mmap_lock was released in
 * between, so that the copy came first. It exists since 6.4, depends on the
 * configuration, and has changed its type since.) Nor is there a way to see that
 * another thread has registered a word in that time: if its memory had other data
 * before, the child's copy of these gets the bit. So a program must not register
 * memory that it has used while another of its threads forks.
 *
 * The tracepoints are attached from the registration of the first word until
 * the module goes. Attaching patches code on all CPUs. A real-time machine
 * should not see that each time a small program ends. Without words the
 * tracepoints cost a load and a branch. (An mmu_notifier would report an exit
 * but not a fork. It makes each munmap() of the program slower, and registering
 * it takes all locks of the address space.)
 */
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <trace/events/sched.h>

#include "../base/later.h"
#include "../base/probes.h"
#include "bits.h"

struct linux_binprm;

static void tlob_reap_work(struct work_struct *work)
{
	tlob_words_reap();
}

static struct tlob_later tlob_reap;

/*
 * Takes a spare of @from, which has words, and copies them to it. Under the
 * lock of @from. Returns NULL without a spare or beyond the user's limit.
 */
static struct tlob_words *tlob_words_copy(struct tlob_words *from)
{
	struct tlob_words *words = from->spare;

	if (!words || !tlob_user_take_space(from->user))
		return NULL;
	from->spare = words->spare;
	from->spares--;
	words->spare = NULL;
	words->nr = from->nr;
	memcpy(words->word, from->word, from->nr * sizeof(*from->word));
	return words;
}

/*
 * Gives @words, copies of @from's words, to @child and adds them to the table.
 * From then on the worker may find them; their asks are claimed before.
 */
static void tlob_words_inherit(struct tlob_words *words, struct tlob_words *from,
			       struct task_struct *parent,
			       struct task_struct *child)
{
	raw_spinlock_t *lock = tlob_words_lock(child->mm);
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < words->nr; i++) {
		words->word[i].behind = true;
		words->word[i].stale = false;
	}
	tlob_words_own(words, child->mm, task_tgid(child), from->user);
	tlob_ask_claim(&words->ask[0], words, words, child);
	tlob_ask_claim(&words->ask[1], words, from, parent);
	raw_spin_lock_irqsave(lock, flags);
	tlob_words_add(words);
	raw_spin_unlock_irqrestore(lock, flags);
}

/*
 * @parent, the current task, has copied its memory for @child, which has not
 * run yet. Does not sleep.
 */
static void tlob_words_fork(struct task_struct *parent, struct task_struct *child)
{
	raw_spinlock_t *lock = tlob_words_lock(parent->mm);
	struct tlob_words *from, *words = NULL;
	struct tlob_ask *refill;
	unsigned long flags;

	/* both address spaces are in use, so both structs stay */
	rcu_read_lock();
	/* a fork of a program without words takes no lock */
	from = tlob_words_find(parent->mm);
	if (!from)
		goto unlock;
	raw_spin_lock_irqsave(lock, flags);
	if (from->nr)
		words = tlob_words_copy(from);
	else
		from = NULL;
	raw_spin_unlock_irqrestore(lock, flags);
	if (words) {
		tlob_words_inherit(words, from, parent, child);
		tlob_ask(&words->ask[0], child);
		tlob_ask(&words->ask[1], parent);
	} else if (from) {
		atomic64_inc(&tlob_bits.lost_forks);
		refill = tlob_ask_find(from, parent);
		if (refill)
			tlob_ask(refill, parent);
	}
unlock:
	rcu_read_unlock();
}

/* A thread or a vfork shares the memory of its parent, and so its words. */
static void tlob_sched_process_fork(void *data, struct task_struct *parent,
				    struct task_struct *child)
{
	if (atomic_read(&tlob_bits.spaces) && child->mm && parent->mm &&
	    child->mm != parent->mm)
		tlob_words_fork(parent, child);
}

/*
 * Not at once: an address space goes after its last task, and other tasks end,
 * too.
 */
static void tlob_reap_soon(void)
{
	if (atomic_read(&tlob_bits.spaces))
		tlob_later_ask(&tlob_reap, NSEC_PER_SEC);
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
	TLOB_PROBE(sched_process_fork, tlob_sched_process_fork),
	TLOB_PROBE(sched_process_exec, tlob_sched_process_exec),
	TLOB_PROBE(sched_process_exit, tlob_sched_process_exit),
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

	tlob_later_init(&tlob_reap, tlob_reap_work);
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
	tlob_later_cancel(&tlob_reap);
}
