// SPDX-License-Identifier: GPL-2.0
/*
 * Enable bits: words in the memory of programs. Each has one bit that is 1
 * while the monitor is on. Instrumentation that is off costs its program a load
 * and a branch.
 *
 * Who owns what
 *	The words of one address space are a struct tlob_words, no matter which
 *	of its threads registered them. It grabs the mm (mmgrab): the mm's
 *	address is not reused, and its memory goes with its last user. The
 *	table, each thread that was asked to write (below) and a walk over the
 *	table hold references to the struct.
 *
 * Who may wait for memory
 *	Only a thread of that address space, on its way back to user mode
 *	(task_work). It waits no longer than its own access to the word could
 *	take. The writer of monitor_enable and the worker write only pages that
 *	are present and writable, with FOLL_NOFAULT, and only try mmap_lock and
 *	the page's lock. For other pages they ask threads of the address space:
 *	at most TLOB_ASKS, running ones first.
 *
 *	A thread that was asked holds a reference to the module until it has
 *	run, so rmmod is refused meanwhile. Nobody can be asked while the module
 *	goes.
 *
 * Forks
 *	A child has a copy of the memory, so it needs its own words before it
 *	runs. The tracepoint cannot allocate. It takes a spare that the parent's
 *	words hold ready and puts it into the table at once. The forking thread
 *	makes a new spare on its way back to user mode. The child checks its
 *	bits before its first instruction in user mode, because the monitor may
 *	have been switched since its memory was copied. There is no queue, so
 *	forks of one user cannot drop those of another.
 *
 *	One race remains. Another thread may unregister a word between the copy
 *	of the memory and the tracepoint. Then the child's bit keeps its value.
 *	The kernel does not tell when it copies. Clearing the bit later could
 *	destroy data that the program has put there since. That is worse than a
 *	bit that costs a system call.
 *
 * Locks
 *	tlob_mutex (update only), then tlob_walk_mutex. The writer of
 *	monitor_enable and the worker hold tlob_walk_mutex while they walk over
 *	the whole table. No program can make either of them wait.
 *	tlob_words_lock is raw, the innermost, and never held for more than one
 *	address space. A bit is written under it with the value that is right at
 *	that time. So the last of several writers is right, however long its
 *	page took to come.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/hashtable.h>
#include <linux/highmem.h>
#include <linux/hugetlb_inline.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/userfaultfd_k.h>

#include "bits.h"
#include "compat.h"
#include "monitor.h"

#define TLOB_RETRIES	10		/* passes, after 2, 4, ... 2^10 ms */
#define TLOB_THREADS	64		/* threads of a process to consider */

static DEFINE_HASHTABLE(tlob_words_table, 10);
static DEFINE_MUTEX(tlob_walk_mutex);
static DEFINE_RAW_SPINLOCK(tlob_words_lock);

/* Under tlob_words_lock: */
static bool tlob_words_on;		/* the value that every bit must have */
static unsigned int tlob_retries;	/* passes that the worker has left */
static unsigned int tlob_words_total;
static u64 tlob_words_failures;		/* words not reached */
static u64 tlob_forks_lost;		/* children whose bits never change */
unsigned int tlob_words_used;

static atomic_t tlob_asked;		/* threads that owe a task_work */
static bool tlob_asked_ever;

struct workqueue_struct *tlob_words_wq;
static void tlob_retry(struct work_struct *work);
static DECLARE_DELAYED_WORK(tlob_retry_work, tlob_retry);

/* Finds the words of @mm. Under rcu_read_lock() or tlob_words_lock. */
static struct tlob_words *tlob_words_find(struct mm_struct *mm)
{
	struct tlob_words *words;

	hash_for_each_possible_rcu(tlob_words_table, words, node,
				   (unsigned long)mm,
				   lockdep_is_held(&tlob_words_lock))
		if (words->mm == mm)
			return words;
	return NULL;
}

static struct tlob_words *tlob_words_alloc(void)
{
	struct tlob_words *words = kzalloc(sizeof(*words), GFP_KERNEL_ACCOUNT);

	if (words)
		refcount_set(&words->refs, 1);
	return words;
}

/* Makes @words those of @mm. No reference taken here can be the last one. */
static void tlob_words_own(struct tlob_words *words, struct mm_struct *mm,
			   struct pid *pid, struct tlob_user *user)
{
	mmgrab(mm);
	words->mm = mm;
	words->pid = get_pid(pid);
	words->user = user;
}

static void tlob_words_free(struct tlob_words *words)
{
	struct tlob_words *spare;

	while ((spare = words->spare)) {
		words->spare = spare->spare;
		kfree(spare);
	}
	if (words->mm) {
		mmdrop(words->mm);
		put_pid(words->pid);
		tlob_user_give_space(words->user);
	}
	kfree_rcu(words, rcu);
}

/*
 * Drops a reference; @words may be NULL. May sleep if the reference may be the
 * last.
 */
static void tlob_words_put(struct tlob_words *words)
{
	if (words && refcount_dec_and_test(&words->refs))
		tlob_words_free(words);
}

/* Adds @words to the table. Under tlob_words_lock. */
static void tlob_words_add(struct tlob_words *words)
{
	hash_add_rcu(tlob_words_table, &words->node, (unsigned long)words->mm);
	WRITE_ONCE(tlob_words_used, tlob_words_used + 1);
	tlob_words_total += words->nr;
}

/*
 * Takes @words out of the table. Returns whether this call did so; then the
 * caller gets the table's reference.
 */
static bool tlob_words_remove(struct tlob_words *words)
{
	unsigned long flags;
	bool mine;

	raw_spin_lock_irqsave(&tlob_words_lock, flags);
	mine = !words->removed;
	if (mine) {
		words->removed = true;
		hash_del_rcu(&words->node);
		WRITE_ONCE(tlob_words_used, tlob_words_used - 1);
		tlob_words_total -= words->nr;
		words->nr = 0;
	}
	raw_spin_unlock_irqrestore(&tlob_words_lock, flags);
	return mine;
}

/* Takes no tlob_walk_mutex, because a program that forks calls this, too. */
void tlob_words_reap(void)
{
	struct tlob_words *words, *gone = NULL;
	unsigned int i;

	rcu_read_lock();
	hash_for_each_rcu(tlob_words_table, i, words, node) {
		if (atomic_read(&words->mm->mm_users) || !tlob_words_remove(words))
			continue;
		words->next = gone;
		gone = words;
	}
	rcu_read_unlock();
	while (gone) {
		words = gone;
		gone = words->next;
		tlob_words_put(words);
	}
}

/*
 * Walks over the table. The caller may sleep at each address space. Under
 * tlob_walk_mutex. Begins with *@bucket 0 and a new *@walk. Returns words with
 * a new reference, or NULL at the end.
 */
static struct tlob_words *tlob_words_walk(unsigned int *bucket, unsigned int walk)
{
	struct tlob_words *words;

	rcu_read_lock();
	for (; *bucket < HASH_SIZE(tlob_words_table); ++*bucket) {
		hlist_for_each_entry_rcu(words, &tlob_words_table[*bucket], node) {
			if (words->walk == walk ||
			    !refcount_inc_not_zero(&words->refs))
				continue;
			words->walk = walk;
			rcu_read_unlock();
			return words;
		}
	}
	rcu_read_unlock();
	return NULL;
}

/* Returns a number of a walk, never that of a new struct (0). */
static unsigned int tlob_walk_begin(void)
{
	static unsigned int walk;

	lockdep_assert_held(&tlob_walk_mutex);
	return ++walk ?: ++walk;
}

/*
 * Finds a word; @words may be NULL. Under tlob_words_lock, which protects all
 * lists of words.
 */
static struct tlob_word *tlob_word_find(struct tlob_words *words,
					const struct tlob_word *word)
{
	unsigned int i;

	for (i = 0; words && i < words->nr; i++)
		if (words->word[i].addr == word->addr &&
		    words->word[i].bit == word->bit)
			return &words->word[i];
	return NULL;
}

/*
 * Copies the first word from @i on that is behind. Returns false if there is
 * none.
 */
static bool tlob_words_behind(struct tlob_words *words, unsigned int *i,
			      struct tlob_word *word)
{
	unsigned long flags;
	bool found = false;

	raw_spin_lock_irqsave(&tlob_words_lock, flags);
	for (; *i < words->nr && !found; ++*i) {
		*word = words->word[*i];
		found = word->behind;
	}
	raw_spin_unlock_irqrestore(&tlob_words_lock, flags);
	return found;
}

static bool tlob_words_any_behind(struct tlob_words *words)
{
	struct tlob_word word;
	unsigned int i = 0;

	return tlob_words_behind(words, &i, &word);
}

/*
 * Marks every word as behind, or none. @count: counts words that were behind as
 * failed.
 */
static void tlob_words_mark(struct tlob_words *words, bool behind, bool count)
{
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&tlob_words_lock, flags);
	for (i = 0; i < words->nr; i++) {
		tlob_words_failures += count && words->word[i].behind;
		words->word[i].behind = behind;
	}
	raw_spin_unlock_irqrestore(&tlob_words_lock, flags);
}

/*
 * Gives the bit in @page its value unless the word was unregistered meanwhile.
 * The word may have other bits of the program or of tlob-load. !@write: only
 * checks the value. Returns whether the bit is right or its word is gone.
 */
static bool tlob_word_settle(struct tlob_words *words, const struct tlob_word *behind,
			     struct page *page, bool write)
{
	void *start = kmap_local_page(page);
	atomic_t *p = start + offset_in_page(behind->addr);
	struct tlob_word *word;
	unsigned long flags;
	bool settled = true;

	raw_spin_lock_irqsave(&tlob_words_lock, flags);
	word = tlob_word_find(words, behind);
	if (word) {
		if (write && tlob_words_on)
			atomic_or(BIT(word->bit), p);
		else if (write)
			atomic_andnot(BIT(word->bit), p);
		settled = !!(atomic_read(p) & BIT(word->bit)) == tlob_words_on || write;
		word->behind = !settled;
	}
	raw_spin_unlock_irqrestore(&tlob_words_lock, flags);
	kunmap_local(start);
	if (write)
		flush_dcache_page(page);
	return settled;
}

/*
 * Clears the bit of a word that is being unregistered. Under tlob_words_lock.
 */
static void tlob_word_clear(struct page *page, const struct tlob_word *word)
{
	void *start = kmap_local_page(page);

	atomic_andnot(BIT(word->bit), start + offset_in_page(word->addr));
	kunmap_local(start);
	flush_dcache_page(page);
}

enum tlob_try {
	TLOB_TRY_DONE,
	TLOB_TRY_PRESENT,		/* page is read-only so far */
	TLOB_TRY_ABSENT,
};

/*
 * Writes the word if that needs no fault. Under mmap_lock; any task may call
 * this. It skips huge pages of hugetlbfs, which 6.1 faults in whatever the
 * flags say.
 */
static enum tlob_try tlob_word_try(struct tlob_words *words,
				   const struct tlob_word *word)
{
	struct vm_area_struct *vma = find_vma(words->mm, word->addr);
	struct folio *folio;
	struct page *page;
	bool done;

	if (!vma || vma->vm_start > word->addr || is_vm_hugetlb_page(vma))
		return TLOB_TRY_ABSENT;
	if (tlob_get_page_remote(words->mm, word->addr, FOLL_NOFAULT, &page) != 1)
		return TLOB_TRY_ABSENT;
	/* checks first, so a new child keeps sharing its page */
	done = tlob_word_settle(words, word, page, false);
	put_page(page);
	if (done)
		return TLOB_TRY_DONE;
	if (tlob_pin_page_remote(words->mm, word->addr, FOLL_WRITE | FOLL_NOFAULT,
				 &page) != 1)
		return TLOB_TRY_PRESENT;
	folio = page_folio(page);
	/* a page of a file may be dirtied only while it is locked */
	done = folio_trylock(folio);
	if (done) {
		tlob_word_settle(words, word, page, true);
		folio_mark_dirty(folio);
		folio_unlock(folio);
	}
	unpin_user_page(page);
	return done ? TLOB_TRY_DONE : TLOB_TRY_PRESENT;
}

/*
 * Writes the words that need no wait. Returns whether none is left. Any task
 * may call this.
 */
static bool tlob_words_try(struct tlob_words *words)
{
	struct mm_struct *mm = words->mm;
	struct tlob_word word;
	unsigned int i = 0;

	if (!mmget_not_zero(mm)) {
		tlob_words_mark(words, false, false);
		return true;
	}
	if (mmap_read_trylock(mm)) {
		while (tlob_words_behind(words, &i, &word))
			tlob_word_try(words, &word);
		mmap_read_unlock(mm);
	}
	/* async, because the last user may have much to tear down */
	mmput_async(mm);
	return !tlob_words_any_behind(words);
}

/*
 * Writes a word in its own address space and may fault. Returns 0, -EFAULT or
 * -EINTR. -EAGAIN: user space serves the faults of this page, perhaps this very
 * thread.
 */
static int tlob_word_fault(struct tlob_words *words, const struct tlob_word *word)
{
	struct vm_area_struct *vma;
	enum tlob_try tried;
	struct page *page;
	bool served;

	if (mmap_read_lock_killable(words->mm))
		return -EINTR;
	tried = tlob_word_try(words, word);
	vma = find_vma(words->mm, word->addr);
	served = vma && userfaultfd_armed(vma) &&
		 (tried == TLOB_TRY_ABSENT || userfaultfd_wp(vma));
	mmap_read_unlock(words->mm);
	if (tried == TLOB_TRY_DONE)
		return 0;
	if (served)
		return -EAGAIN;
	if (pin_user_pages_fast(word->addr, 1, FOLL_WRITE, &page) != 1)
		return fatal_signal_pending(current) ? -EINTR : -EFAULT;
	tlob_word_settle(words, word, page, true);
	unpin_user_pages_dirty_lock(&page, 1, true);
	return 0;
}

/*
 * Handles a word that could not be written. @again: it waits for the worker's
 * next pass, if one is left. Otherwise it has failed.
 */
static void tlob_word_failed(struct tlob_words *words, const struct tlob_word *failed,
			     bool again)
{
	struct tlob_word *word;
	unsigned long flags;

	raw_spin_lock_irqsave(&tlob_words_lock, flags);
	again &= !!tlob_retries;
	word = tlob_word_find(words, failed);
	if (word && word->behind && !again) {
		word->behind = false;
		tlob_words_failures++;
	}
	raw_spin_unlock_irqrestore(&tlob_words_lock, flags);
	if (again)
		queue_delayed_work(tlob_words_wq, &tlob_retry_work, 1);
}

/*
 * Fills up the spares: one for each concurrent fork. Runs in a process of
 * @words.
 */
static void tlob_words_fill(struct tlob_words *words)
{
	struct tlob_words *spare = NULL;
	bool room;

	do {
		/* the previous pass may have used up the spare */
		if (!spare)
			spare = tlob_words_alloc();
		if (!spare)
			return;
		raw_spin_lock_irq(&tlob_words_lock);
		room = words->spares < TLOB_SPARES;
		if (room) {
			spare->spare = words->spare;
			words->spare = spare;
			words->spares++;
			spare = NULL;
		}
		raw_spin_unlock_irq(&tlob_words_lock);
	} while (room);
	kfree(spare);
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

/*
 * Does the work that a thread owes. After exec or exit the thread has another
 * address space or none. Then the worker finds another thread.
 */
static void tlob_ask_run(struct callback_head *work)
{
	struct tlob_ask *ask = container_of(work, struct tlob_ask, work);
	struct tlob_words *words = ask->words, *home = ask->home;
	bool again = current->mm != words->mm;

	if (!again)
		tlob_words_serve(words);
	again = again && tlob_words_any_behind(words);
	raw_spin_lock_irq(&tlob_words_lock);
	ask->words = NULL;
	if (again && !tlob_retries)
		tlob_retries = 1;
	raw_spin_unlock_irq(&tlob_words_lock);
	if (again)
		queue_delayed_work(tlob_words_wq, &tlob_retry_work, 1);
	tlob_words_put(words);
	tlob_words_put(home);
	atomic_dec(&tlob_asked);
	/* tlob_bits_exit() waits for the rest of this function */
	module_put(THIS_MODULE);
}

/*
 * Claims @ask for @task. Under tlob_words_lock. The caller keeps @words and
 * @home alive meanwhile.
 */
static void tlob_ask_claim(struct tlob_ask *ask, struct tlob_words *home,
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
static bool tlob_ask(struct tlob_ask *ask, struct task_struct *task)
{
	struct tlob_words *words = ask->words, *home = ask->home;
	unsigned long flags;

	if (try_module_get(THIS_MODULE)) {
		WRITE_ONCE(tlob_asked_ever, true);
		atomic_inc(&tlob_asked);
		init_task_work(&ask->work, tlob_ask_run);
		if (!task_work_add(task, &ask->work, TWA_RESUME))
			return true;
		atomic_dec(&tlob_asked);
		module_put(THIS_MODULE);
	}
	raw_spin_lock_irqsave(&tlob_words_lock, flags);
	ask->words = NULL;
	raw_spin_unlock_irqrestore(&tlob_words_lock, flags);
	refcount_dec(&words->refs);
	refcount_dec(&home->refs);
	return false;
}

/*
 * Claims a free ask of @words for @task. Returns NULL if none is free or @task
 * was already asked.
 */
static struct tlob_ask *tlob_ask_find(struct tlob_words *words,
				      struct task_struct *task)
{
	struct tlob_ask *ask = NULL;
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&tlob_words_lock, flags);
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
	raw_spin_unlock_irqrestore(&tlob_words_lock, flags);
	return ask;
}

static bool tlob_words_asked(struct tlob_words *words)
{
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&tlob_words_lock, flags);
	for (i = 0; i < TLOB_ASKS && !words->ask[i].words; i++)
		;
	raw_spin_unlock_irqrestore(&tlob_words_lock, flags);
	return i < TLOB_ASKS;
}

/*
 * Asks threads of the address space: those that run, or those that do not. A
 * sleeping thread writes before it can read the bit again, however long it
 * sleeps.
 */
static void tlob_words_ask_some(struct tlob_words *words, bool running)
{
	struct task_struct *leader, *t;
	struct tlob_ask *ask;
	unsigned int nr = 0;
	struct pid *pid;

	raw_spin_lock_irq(&tlob_words_lock);
	pid = get_pid(words->pid);
	raw_spin_unlock_irq(&tlob_words_lock);
	rcu_read_lock();
	leader = pid_task(pid, PIDTYPE_TGID);
	if (leader) {
		for_each_thread(leader, t) {
			if (++nr > TLOB_THREADS)
				break;
			if (t->mm != words->mm || t->flags & TLOB_PF_NEVER_USER ||
			    task_is_running(t) != running)
				continue;
			ask = tlob_ask_find(words, t);
			if (ask)
				tlob_ask(ask, t);
		}
	}
	rcu_read_unlock();
	put_pid(pid);
}

/* Asks threads. Returns whether one of them owes the words that are left. */
static bool tlob_words_ask(struct tlob_words *words)
{
	tlob_words_ask_some(words, true);
	tlob_words_ask_some(words, false);
	return tlob_words_asked(words);
}

/*
 * Tries the words that are left once more; other threads may run by now. After
 * the last pass, words that no thread owes have failed.
 */
static void tlob_retry(struct work_struct *work)
{
	unsigned int bucket = 0, walk, left;
	struct tlob_words *words;
	bool again = false;

	raw_spin_lock_irq(&tlob_words_lock);
	tlob_retries -= !!tlob_retries;
	left = tlob_retries;
	raw_spin_unlock_irq(&tlob_words_lock);

	mutex_lock(&tlob_walk_mutex);
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

	raw_spin_lock_irq(&tlob_words_lock);
	/*
	 * An update meanwhile has set more passes and queued this work itself.
	 */
	if (!again && tlob_retries == left)
		tlob_retries = 0;
	raw_spin_unlock_irq(&tlob_words_lock);
	if (again && left)
		queue_delayed_work(tlob_words_wq, &tlob_retry_work,
				   msecs_to_jiffies(2U << (TLOB_RETRIES - left)));
}

/*
 * Gives @child its words and adds them to the table. Under tlob_words_lock.
 * Returns NULL without a spare or beyond the user's limit.
 */
static struct tlob_words *tlob_words_inherit(struct tlob_words *from,
					     struct task_struct *child)
{
	struct tlob_words *words = from->spare;
	unsigned int i;

	if (!words || !tlob_user_take_space(from->user))
		return NULL;
	from->spare = words->spare;
	from->spares--;
	words->spare = NULL;
	tlob_words_own(words, child->mm, task_tgid(child), from->user);
	words->nr = from->nr;
	memcpy(words->word, from->word, sizeof(words->word));
	for (i = 0; i < words->nr; i++)
		words->word[i].behind = true;
	tlob_words_add(words);
	return words;
}

void tlob_words_fork(struct task_struct *parent, struct task_struct *child)
{
	struct tlob_words *from, *words = NULL;
	struct tlob_ask *refill;
	unsigned long flags;

	/* both address spaces are in use, so both structs stay */
	rcu_read_lock();
	raw_spin_lock_irqsave(&tlob_words_lock, flags);
	from = tlob_words_find(parent->mm);
	if (from && from->nr) {
		words = tlob_words_inherit(from, child);
		tlob_forks_lost += !words;
	} else {
		from = NULL;
	}
	if (words) {
		tlob_ask_claim(&words->ask[0], words, words, child);
		tlob_ask_claim(&words->ask[1], words, from, parent);
	}
	raw_spin_unlock_irqrestore(&tlob_words_lock, flags);
	if (words) {
		tlob_ask(&words->ask[0], child);
		tlob_ask(&words->ask[1], parent);
	} else if (from) {
		refill = tlob_ask_find(from, parent);
		if (refill)
			tlob_ask(refill, parent);
	}
	rcu_read_unlock();
}

static int tlob_word_parse(const struct tlob_enable *e, struct tlob_word *word)
{
	if (e->reserved || e->bit >= 32 || e->addr % sizeof(u32))
		return -EINVAL;
	*word = (struct tlob_word){ .addr = e->addr, .bit = e->bit };
	return 0;
}

/*
 * Makes the words of the caller's address space unless it has some. Returns 0,
 * -ENOMEM or -EDQUOT. On success *@new is NULL if the words exist already.
 */
static int tlob_words_first(struct tlob_user *user, struct tlob_words **new)
{
	struct tlob_words *words;
	bool known;

	*new = NULL;
	rcu_read_lock();
	known = tlob_words_find(current->mm);
	rcu_read_unlock();
	if (known)
		return 0;
	if (tlob_user_crowded(user))
		tlob_words_reap();
	words = tlob_words_alloc();
	if (!words)
		return -ENOMEM;
	if (!tlob_user_take_space(user)) {
		tlob_words_put(words);
		return -EDQUOT;
	}
	tlob_words_own(words, current->mm, task_tgid(current), user);
	tlob_words_fill(words);
	*new = words;
	return 0;
}

/*
 * Adds a word, with *@new if the address space has no words yet. Under
 * tlob_words_lock. Returns 0, -EADDRINUSE or -ENOSPC.
 */
static int tlob_word_add(const struct tlob_word *word, struct tlob_words **new,
			 struct pid **pid)
{
	struct tlob_words *words = tlob_words_find(current->mm);

	if (tlob_word_find(words, word))
		return -EADDRINUSE;
	if (!words) {
		words = *new;
		*new = NULL;
		tlob_words_add(words);
	}
	if (words->nr == TLOB_WORDS_MAX)
		return -ENOSPC;
	words->word[words->nr++] = *word;
	tlob_words_total++;
	/*
	 * An earlier registrant may have borrowed the memory (vfork) and be
	 * gone.
	 */
	swap(words->pid, *pid);
	return 0;
}

/*
 * Runs in the context of the program with no lock held, because its page may
 * take long.
 */
int tlob_bits_register(const struct tlob_enable *e, struct tlob_user *user)
{
	struct tlob_words *words, *new;
	struct tlob_word word;
	struct page *page;
	struct pid *pid;
	int err;

	err = tlob_word_parse(e, &word);
	if (!err)
		err = tlob_forks_attach();
	if (!err)
		err = tlob_words_first(user, &new);
	if (err)
		return err;
	if (pin_user_pages_fast(word.addr, 1, FOLL_WRITE, &page) != 1) {
		tlob_words_put(new);
		return -EFAULT;
	}
	pid = get_task_pid(current, PIDTYPE_TGID);
	raw_spin_lock_irq(&tlob_words_lock);
	err = tlob_word_add(&word, &new, &pid);
	words = tlob_words_find(current->mm);
	raw_spin_unlock_irq(&tlob_words_lock);
	put_pid(pid);
	if (!err)
		tlob_word_settle(words, &word, page, true);
	unpin_user_pages_dirty_lock(&page, 1, !err);
	tlob_words_put(new);
	return err;
}

/* Unregisters a word even if its page is gone. */
int tlob_bits_unregister(const struct tlob_enable *e)
{
	struct tlob_words *words;
	struct tlob_word *word, wanted;
	struct page *page;
	bool pinned;
	int err;

	err = tlob_word_parse(e, &wanted);
	if (err)
		return err;
	pinned = pin_user_pages_fast(wanted.addr, 1, FOLL_WRITE, &page) == 1;
	raw_spin_lock_irq(&tlob_words_lock);
	words = tlob_words_find(current->mm);
	word = tlob_word_find(words, &wanted);
	if (word) {
		*word = words->word[--words->nr];
		tlob_words_total--;
		if (pinned)
			tlob_word_clear(page, &wanted);
	}
	raw_spin_unlock_irq(&tlob_words_lock);
	if (pinned)
		unpin_user_pages_dirty_lock(&page, 1, word);
	return word ? 0 : -ENOENT;
}

/*
 * Tries all words. Returns whether some are still behind. Under
 * tlob_walk_mutex.
 */
static bool tlob_words_try_all(bool mark)
{
	unsigned int bucket = 0, walk = tlob_walk_begin();
	struct tlob_words *words;
	bool behind = false;

	while ((words = tlob_words_walk(&bucket, walk))) {
		if (mark)
			tlob_words_mark(words, true, false);
		if (tlob_words_any_behind(words) && !tlob_words_try(words)) {
			tlob_words_ask(words);
			behind = true;
		}
		tlob_words_put(words);
		cond_resched();
	}
	return behind;
}

void tlob_bits_update(bool on)
{
	bool behind;

	mutex_lock(&tlob_walk_mutex);
	raw_spin_lock_irq(&tlob_words_lock);
	tlob_words_on = on;
	raw_spin_unlock_irq(&tlob_words_lock);
	behind = tlob_words_try_all(true);
	mutex_unlock(&tlob_walk_mutex);
	if (!behind)
		return;
	raw_spin_lock_irq(&tlob_words_lock);
	tlob_retries = TLOB_RETRIES;
	raw_spin_unlock_irq(&tlob_words_lock);
	mod_delayed_work(tlob_words_wq, &tlob_retry_work, msecs_to_jiffies(2));
}

void tlob_bits_show(struct seq_file *m)
{
	u64 failures, lost;
	unsigned int words;

	raw_spin_lock_irq(&tlob_words_lock);
	words = tlob_words_total;
	failures = tlob_words_failures;
	lost = tlob_forks_lost;
	raw_spin_unlock_irq(&tlob_words_lock);
	seq_printf(m, "enable_bits: words=%u processes=%u failures=%llu lost_forks=%llu owed=%d\n",
		   words, READ_ONCE(tlob_words_used), failures, lost,
		   atomic_read(&tlob_asked));
}

/*
 * Returns 0, -ENOMEM, or -EOPNOTSUPP if the scheduler's tracepoints are
 * missing.
 */
int tlob_bits_init(void)
{
	int err = tlob_forks_init();

	if (err)
		return err;
	/* nothing waits for the work, so any housekeeping CPU will do */
	tlob_words_wq = alloc_workqueue("tlob_bits", WQ_UNBOUND, 0);
	return tlob_words_wq ? 0 : -ENOMEM;
}

/*
 * Removes the remaining address spaces. Returns how many bits keep their old
 * value.
 */
static unsigned int tlob_words_remove_all(void)
{
	unsigned int bucket = 0, walk, stay = 0, i;
	struct tlob_words *words;

	mutex_lock(&tlob_walk_mutex);
	walk = tlob_walk_begin();
	while ((words = tlob_words_walk(&bucket, walk))) {
		for (i = 0; i < words->nr; i++)
			stay += words->word[i].behind;
		if (tlob_words_remove(words))
			tlob_words_put(words);
		tlob_words_put(words);
	}
	mutex_unlock(&tlob_walk_mutex);
	return stay;
}

/*
 * No file of /dev/tlob is open and no thread owes a task_work, because each
 * holds the module. No thread can be asked either. So this writes only present
 * pages, and retries for some time if a lock was held.
 */
void tlob_bits_exit(void)
{
	unsigned int stay, ms;
	bool behind;

	tlob_forks_exit();
	tlob_bits_update(false);
	cancel_delayed_work_sync(&tlob_retry_work);
	for (ms = 2, behind = true; behind && ms <= 64; ms *= 2) {
		mutex_lock(&tlob_walk_mutex);
		behind = tlob_words_try_all(false);
		mutex_unlock(&tlob_walk_mutex);
		if (behind)
			msleep(ms);
	}
	destroy_workqueue(tlob_words_wq);
	stay = tlob_words_remove_all();
	if (stay)
		pr_warn("tlob_load: %u enable bits were not cleared: their pages cannot be written now\n",
			stay);
	/*
	 * A thread may be between its module_put() and the end of
	 * tlob_ask_run().
	 */
	if (tlob_asked_ever)
		synchronize_rcu_tasks();
}
