// SPDX-License-Identifier: GPL-2.0
/*
 * Enable bits: words whose pages no other thread may wait for.
 *
 * Threads of the address space are asked to write them on their way back to
 * user mode (task_work): at most TLOB_ASKS, running ones first. The first one
 * that does so writes all, and takes the work back from the others. A thread that
 * was asked holds a reference to the module until then, so rmmod is refused
 * meanwhile. No thread can be asked while the module goes.
 *
 * A worker tries words that are left again. It never waits for memory.
 */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "../base/compat.h"
#include "../base/later.h"
#include "bits.h"

#define TLOB_RETRIES	10		/* passes, after 2, 4, ... 2^10 ms */
#define TLOB_RUNNING	1024		/* threads of a process to find running ones among */

static atomic_t tlob_asked;		/* threads that owe a task_work */
static bool tlob_asked_ever;

static struct tlob_later tlob_retry_later;

/*
 * Handles a word that could not be written. @again: it waits for the worker's
 * next pass, if one is left. Otherwise it has failed.
 */
static void tlob_word_failed(struct tlob_words *words, const struct tlob_word *failed,
			     bool again)
{
	raw_spinlock_t *lock = tlob_words_lock(words->mm);
	struct tlob_word *word;

	again &= !!atomic_read(&tlob_bits.retries);
	raw_spin_lock_irq(lock);
	word = tlob_word_find(words, failed);
	if (word && word->behind && !again)
		tlob_word_give_up(word);
	raw_spin_unlock_irq(lock);
	if (again)
		tlob_later_ask(&tlob_retry_later, TICK_NSEC);
}

/* Runs in a thread of the address space on its way to user mode. */
static void tlob_words_serve(struct tlob_words *words)
{
	struct tlob_word word;
	unsigned int i = 0;
	int err;

	while (tlob_words_behind(words, &i, &word)) {
		err = tlob_word_fault(words, &word);
		if (err == -EINTR)
			return;
		if (err)
			tlob_word_failed(words, &word, err == -EAGAIN);
		cond_resched();
	}
	tlob_words_fill(words);
	/*
	 * A user who forks much removes ended children before the limit is hit.
	 */
	if (tlob_user_crowded(words->user))
		tlob_words_reap();
}

/* Frees @ask, which is in @home, for the next claim. */
static void tlob_ask_release(struct tlob_ask *ask, struct tlob_words *home)
{
	raw_spinlock_t *lock = tlob_words_lock(home->mm);
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	ask->words = NULL;
	raw_spin_unlock_irqrestore(lock, flags);
}

/* Drops the references of a released ask, the one to the module last. */
static void tlob_ask_drop(struct tlob_words *words, struct tlob_words *home)
{
	tlob_words_put(words);
	tlob_words_put(home);
	atomic_dec(&tlob_asked);
	/* tlob_asks_exit() waits for the rest of the function of a thread */
	module_put(THIS_MODULE);
}

/*
 * No word is behind: takes the work back from the threads that were asked. It may also take
 * back what an update asks meanwhile, so the caller then looks once more for words that are
 * behind. The caller has a reference to @words.
 */
static void tlob_words_excuse(struct tlob_words *words)
{
	raw_spinlock_t *lock = tlob_words_lock(words->mm);
	struct task_struct *task;
	struct tlob_ask *ask;

	for (ask = words->ask; ask < words->ask + TLOB_ASKS; ask++) {
		raw_spin_lock_irq(lock);
		/* a child's words also have what its parent owes for its own */
		task = ask->words == words ? get_task_struct(ask->task) : NULL;
		raw_spin_unlock_irq(lock);
		if (!task)
			continue;
		if (tlob_task_work_cancel(task, &ask->work)) {
			tlob_ask_release(ask, words);
			tlob_ask_drop(words, words);
		}
		put_task_struct(task);
	}
}

/*
 * Does the work that a thread owes. After exec or exit the thread has another
 * address space or none. Then the worker finds another thread.
 */
static void tlob_ask_run(struct callback_head *work)
{
	struct tlob_ask *ask = container_of(work, struct tlob_ask, work);
	struct tlob_words *words = ask->words, *home = ask->home;
	bool again;

	if (current->mm == words->mm) {
		tlob_words_serve(words);
		if (!tlob_words_any_behind(words))
			tlob_words_excuse(words);
	}
	again = tlob_words_any_behind(words);
	tlob_ask_release(ask, home);
	if (again) {
		atomic_cmpxchg(&tlob_bits.retries, 0, 1);
		tlob_later_ask(&tlob_retry_later, TICK_NSEC);
	}
	tlob_ask_drop(words, home);
}

/*
 * Claims @ask for @task. Under the lock of @home unless that is not in the table
 * yet. The caller keeps @words and @home alive meanwhile.
 */
void tlob_ask_claim(struct tlob_ask *ask, struct tlob_words *home,
		    struct tlob_words *words, struct task_struct *task)
{
	refcount_inc(&home->refs);
	refcount_inc(&words->refs);
	*ask = (struct tlob_ask){ .words = words, .home = home, .task = task };
}

/*
 * Asks @task by a claimed @ask. Returns false if the task exits or the module
 * goes. Does not sleep, because the caller's own references are not the last.
 */
bool tlob_ask(struct tlob_ask *ask, struct task_struct *task)
{
	struct tlob_words *words = ask->words, *home = ask->home;

	if (try_module_get(THIS_MODULE)) {
		WRITE_ONCE(tlob_asked_ever, true);
		atomic_inc(&tlob_asked);
		init_task_work(&ask->work, tlob_ask_run);
		if (!tlob_task_work_add(task, &ask->work))
			return true;
		atomic_dec(&tlob_asked);
		module_put(THIS_MODULE);
	}
	tlob_ask_release(ask, home);
	refcount_dec(&words->refs);
	refcount_dec(&home->refs);
	return false;
}

/*
 * Claims a free ask of @words for @task. Returns NULL if none is free or @task
 * was already asked.
 */
struct tlob_ask *tlob_ask_find(struct tlob_words *words,
			       struct task_struct *task)
{
	raw_spinlock_t *lock = tlob_words_lock(words->mm);
	struct tlob_ask *ask = NULL;
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(lock, flags);
	for (i = 0; i < TLOB_ASKS; i++) {
		if (!words->ask[i].words) {
			ask = &words->ask[i];
		} else if (words->ask[i].task == task) {
			ask = NULL;
			break;
		}
	}
	if (ask)
		tlob_ask_claim(ask, words, words, task);
	raw_spin_unlock_irqrestore(lock, flags);
	return ask;
}

static bool tlob_words_asked(struct tlob_words *words)
{
	raw_spinlock_t *lock = tlob_words_lock(words->mm);
	unsigned int i;

	raw_spin_lock_irq(lock);
	for (i = 0; i < TLOB_ASKS && !words->ask[i].words; i++)
		;
	raw_spin_unlock_irq(lock);
	return i < TLOB_ASKS;
}

/*
 * Asks threads of the address space: those that run, or all, because a sleeping one may
 * wake up before it was asked. A sleeping thread writes before it can read the bit
 * again, however long it sleeps.
 */
static void tlob_words_ask_some(struct tlob_words *words, bool running)
{
	raw_spinlock_t *lock = tlob_words_lock(words->mm);
	struct task_struct *leader, *t;
	struct tlob_ask *ask;
	unsigned int nr = 0;
	struct pid *pid;

	raw_spin_lock_irq(lock);
	pid = get_pid(words->pid);
	raw_spin_unlock_irq(lock);
	rcu_read_lock();
	leader = pid_task(pid, PIDTYPE_TGID);
	if (leader) {
		for_each_thread(leader, t) {
			if (++nr > (running ? TLOB_RUNNING : TLOB_ASKS))
				break;
			if (t->mm != words->mm || t->flags & TLOB_PF_NEVER_USER ||
			    (running && !task_is_running(t)))
				continue;
			ask = tlob_ask_find(words, t);
			if (ask)
				tlob_ask(ask, t);
		}
	}
	rcu_read_unlock();
	put_pid(pid);
}

/* Asks threads. Returns whether one of them owes the words that are left. May sleep. */
bool tlob_words_ask(struct tlob_words *words)
{
	tlob_words_ask_some(words, true);
	tlob_words_ask_some(words, false);
	/* a running one may have written them before the sleeping ones were asked */
	if (!tlob_words_any_behind(words))
		tlob_words_excuse(words);
	return tlob_words_asked(words);
}

/*
 * Tries the words that are left once more; other threads may run by now. After
 * the last pass, words that no thread owes have failed.
 */
static void tlob_retry(struct work_struct *work)
{
	unsigned int bucket = 0, walk;
	struct tlob_words *words;
	bool again = false;
	int left;

	mutex_lock(&tlob_walk_mutex);
	/* words of an update that this has waited for */
	left = max(atomic_dec_if_positive(&tlob_bits.retries), 0);
	walk = tlob_walk_begin();
	while ((words = tlob_words_walk(&bucket, walk))) {
		if (tlob_words_any_behind(words) && !tlob_words_try(words)) {
			if (!tlob_words_ask(words) && !left)
				tlob_words_mark(words, false, true);
			again = true;
		}
		tlob_words_put(words);
		cond_resched();
	}
	mutex_unlock(&tlob_walk_mutex);

	/*
	 * An update meanwhile has set more passes and queued this work itself.
	 */
	if (!again)
		atomic_cmpxchg(&tlob_bits.retries, left, 0);
	if (again && left)
		tlob_later_ask(&tlob_retry_later,
			       (2ULL << (TLOB_RETRIES - left)) * NSEC_PER_MSEC);
}

void tlob_retry_init(void)
{
	tlob_later_init(&tlob_retry_later, tlob_retry);
}

void tlob_retries_set(void)
{
	atomic_set(&tlob_bits.retries, TLOB_RETRIES);
}

void tlob_retry_begin(void)
{
	tlob_later_set(&tlob_retry_later, 2 * NSEC_PER_MSEC);
}

void tlob_retries_drop(void)
{
	atomic_cmpxchg(&tlob_bits.retries, TLOB_RETRIES, 0);
}

void tlob_retry_cancel(void)
{
	tlob_later_cancel(&tlob_retry_later);
}

int tlob_asks_owed(void)
{
	return atomic_read(&tlob_asked);
}

/*
 * A thread may be between its module_put() and the end of tlob_ask_run().
 */
void tlob_asks_exit(void)
{
	if (tlob_asked_ever)
		synchronize_rcu_tasks();
}
