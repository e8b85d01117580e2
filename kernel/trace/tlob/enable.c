// SPDX-License-Identifier: GPL-2.0
/*
 * Enable bits: words in the memory of programs, each with one bit that is 1 while
 * the monitor is on, so that instrumentation which is off costs its program a load
 * and a branch.
 *
 * The words of one address space are a struct tlob_words, whoever of its threads
 * registered them. It only grabs the mm (mmgrab), which keeps the address of the mm
 * from being used again but not its memory: whoever touches that takes
 * mmget_not_zero() for as long, so a process that exits is gone when it is gone.
 * An mm that nobody uses any more (exit, exec) is found by enable_fork.c, which
 * also sees to the words of forks. A pending work holds a reference of the struct,
 * which the table may give up meanwhile.
 *
 * A bit is written under tlob_words_mutex only, and with the value that is right at
 * that moment: so the last of several writers is right, however long its page took
 * to come. What may wait for memory is done without the mutex: the page is pinned
 * first. tlob_enable_update() waits for nothing that a program can delay (its mmap_lock,
 * a userfaultfd, a page that a file system has locked): what it does not get at once
 * it leaves to a worker. That one does not wait for a page either (FOLL_NOWAIT) but
 * comes again, ten times in a second. Then the bit stays what it is until
 * the next update, and is counted.
 *
 * Locks, in this order: tlob_mutex (update only); tlob_words_mutex; tlob_forks_lock. Nobody
 * takes tlob_words_mutex with an mmap_lock held, and under it mmap_lock and the lock
 * of a page are tried, never waited for.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/hashtable.h>
#include <linux/highmem.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "enable.h"
#include "monitor.h"

#define TLOB_WORDS_TRIES	10	/* the last after 2 + 4 + ... 2^9 ms */

/* Written under tlob_words_mutex; the probes look as readers of RCU. */
static DEFINE_HASHTABLE(tlob_words_table, 8);
static DEFINE_MUTEX(tlob_words_mutex);
static bool tlob_words_on;		/* what every bit is to be */
unsigned int tlob_words_used;
static u64 tlob_words_failures;		/* words that an update did not reach */

struct workqueue_struct *tlob_words_wq;
static void tlob_words_work(struct work_struct *work);

struct tlob_words *tlob_words_find(struct mm_struct *mm)
{
	struct tlob_words *words;

	hash_for_each_possible_rcu(tlob_words_table, words, node,
				   (unsigned long)mm,
				   lockdep_is_held(&tlob_words_mutex))
		if (words->mm == mm)
			return words;
	return NULL;
}

static struct tlob_words *tlob_words_alloc(struct mm_struct *mm)
{
	struct tlob_words *words = kzalloc(sizeof(*words), GFP_KERNEL_ACCOUNT);

	if (!words)
		return NULL;
	mmgrab(mm);
	words->mm = mm;
	refcount_set(&words->refs, 1);
	INIT_DELAYED_WORK(&words->work, tlob_words_work);
	return words;
}

static void tlob_words_put(struct tlob_words *words)
{
	if (!words || !refcount_dec_and_test(&words->refs))
		return;
	mmdrop(words->mm);
	kfree_rcu(words, rcu);
}

static void tlob_words_add(struct tlob_words *words)
{
	hash_add_rcu(tlob_words_table, &words->node, (unsigned long)words->mm);
	WRITE_ONCE(tlob_words_used, tlob_words_used + 1);
}

/* A work that is on its way finds no words. */
static void tlob_words_remove(struct tlob_words *words)
{
	hash_del_rcu(&words->node);
	WRITE_ONCE(tlob_words_used, tlob_words_used - 1);
	words->nr = 0;
	tlob_words_put(words);
}

static void tlob_words_queue(struct tlob_words *words)
{
	unsigned long delay = 0;

	if (words->tries)
		delay = msecs_to_jiffies(1U << words->tries);
	refcount_inc(&words->refs);
	if (!queue_delayed_work(tlob_words_wq, &words->work, delay))
		tlob_words_put(words);
}

/* The bit may be in a word with others, of the program or of ours. */
static void tlob_word_write(struct page *page, const struct tlob_word *word,
			    bool on)
{
	void *start = kmap_local_page(page);
	atomic_t *p = start + offset_in_page(word->addr);

	if (on)
		atomic_or(BIT(word->bit), p);
	else
		atomic_andnot(BIT(word->bit), p);
	kunmap_local(start);
	flush_dcache_page(page);
}

/* Whether the word has the right value. No page is copied to find out. */
static bool tlob_word_right(struct mm_struct *mm, const struct tlob_word *word)
{
	struct page *page;
	void *start;
	u32 value;

	if (tlob_get_page_remote(mm, word->addr, FOLL_NOFAULT, &page) != 1)
		return false;
	start = kmap_local_page(page);
	value = READ_ONCE(*(u32 *)(start + offset_in_page(word->addr)));
	kunmap_local(start);
	put_page(page);
	return !!(value & BIT(word->bit)) == tlob_words_on;
}

/* Whether the word now has the right value. Under the mutex and mmap_lock. */
static bool tlob_word_try(struct mm_struct *mm, const struct tlob_word *word)
{
	struct folio *folio;
	struct page *page;
	bool locked;

	/* a child that was just forked shares its page: leave it so */
	if (tlob_word_right(mm, word))
		return true;
	if (tlob_pin_page_remote(mm, word->addr, FOLL_WRITE | FOLL_NOFAULT,
				 &page) != 1)
		return false;
	folio = page_folio(page);
	/* a page of a file may only be dirtied when it is locked */
	locked = folio_trylock(folio);
	if (locked) {
		tlob_word_write(page, word, tlob_words_on);
		folio_mark_dirty(folio);
		folio_unlock(folio);
	}
	unpin_user_page(page);
	return locked;
}

/* Writes what can be written at once, and leaves the rest to the worker. */
static void tlob_words_try(struct tlob_words *words)
{
	struct mm_struct *mm = words->mm;
	bool behind = false;
	unsigned int i;

	if (!words->nr || !mmget_not_zero(mm))
		return;
	if (mmap_read_trylock(mm)) {
		for (i = 0; i < words->nr; i++) {
			words->word[i].behind = !tlob_word_try(mm, &words->word[i]);
			behind |= words->word[i].behind;
		}
		mmap_read_unlock(mm);
	} else {
		for (i = 0; i < words->nr; i++)
			words->word[i].behind = true;
		behind = true;
	}
	/* not here: the last one may have much to take down */
	mmput_async(mm);
	words->tries = 0;
	if (behind)
		tlob_words_queue(words);
}

/* Charged to the child's control group. */
bool tlob_words_fork(struct mm_struct *parent, struct mm_struct *child)
{
	struct tlob_words *from = tlob_words_find(parent), *words;
	struct mem_cgroup *memcg, *old;

	if (!from || !from->nr)
		return true;
	memcg = get_mem_cgroup_from_mm(child);
	old = set_active_memcg(memcg);
	words = tlob_words_alloc(child);
	set_active_memcg(old);
	mem_cgroup_put(memcg);
	if (!words)
		return false;
	words->nr = from->nr;
	memcpy(words->word, from->word, sizeof(words->word));
	tlob_words_add(words);
	/* there may have been an update since its memory was copied */
	tlob_words_try(words);
	return true;
}

void tlob_words_lock(void)
{
	mutex_lock(&tlob_words_mutex);
	tlob_forks_take();
}

void tlob_words_unlock(void)
{
	mutex_unlock(&tlob_words_mutex);
}

/* The first word from @i on that is behind, as it is now; false: none. */
static bool tlob_words_behind(struct tlob_words *words, unsigned int *i,
			      struct tlob_word *word)
{
	bool found = false;

	tlob_words_lock();
	for (; *i < words->nr && !found; ++*i) {
		*word = words->word[*i];
		found = word->behind;
	}
	tlob_words_unlock();
	return found;
}

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

/* One page of a word that is behind; it may have been unregistered meanwhile. */
static void tlob_word_resolve(struct tlob_words *words,
			      const struct tlob_word *behind)
{
	struct mm_struct *mm = words->mm;
	struct tlob_word *word;
	struct page *page;
	long pinned;

	mmap_read_lock(mm);
	pinned = tlob_pin_page_remote(mm, behind->addr,
				      FOLL_WRITE | FOLL_NOWAIT, &page);
	mmap_read_unlock(mm);
	if (pinned != 1)
		return;
	tlob_words_lock();
	word = tlob_word_find(words, behind);
	if (word) {
		tlob_word_write(page, word, tlob_words_on);
		word->behind = false;
	}
	tlob_words_unlock();
	unpin_user_pages_dirty_lock(&page, 1, true);
}

static void tlob_words_again(struct tlob_words *words)
{
	unsigned int i, behind = 0;

	tlob_words_lock();
	for (i = 0; i < words->nr; i++)
		behind += words->word[i].behind;
	if (behind && ++words->tries < TLOB_WORDS_TRIES)
		tlob_words_queue(words);
	else
		tlob_words_failures += behind;
	tlob_words_unlock();
}

static void tlob_words_work(struct work_struct *work)
{
	struct tlob_words *words = container_of(to_delayed_work(work),
						struct tlob_words, work);
	struct tlob_word word;
	unsigned int i = 0;

	if (mmget_not_zero(words->mm)) {
		while (tlob_words_behind(words, &i, &word))
			tlob_word_resolve(words, &word);
		tlob_words_again(words);
		mmput(words->mm);
	}
	tlob_words_put(words);
}

/* The address spaces that nobody uses any more. */
void tlob_words_reap(void)
{
	struct tlob_words *words;
	struct hlist_node *next;
	unsigned int i;

	tlob_words_lock();
	hash_for_each_safe(tlob_words_table, i, next, words, node)
		if (!atomic_read(&words->mm->mm_users))
			tlob_words_remove(words);
	tlob_words_unlock();
}

static int tlob_word_parse(const struct tlob_enable *e, struct tlob_word *word)
{
	if (e->reserved || e->bit >= 32 || e->addr % sizeof(u32))
		return -EINVAL;
	*word = (struct tlob_word){ .addr = e->addr, .bit = e->bit };
	return 0;
}

/* Under the mutex. @new is used if this is the first of its address space. */
static int tlob_word_add(const struct tlob_word *word, struct page *page,
			 struct tlob_words **new)
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
	tlob_word_write(page, word, tlob_words_on);
	return 0;
}

/* In the context of the program, with no lock held: its page may take its time. */
int tlob_enable_register(const struct tlob_enable *e)
{
	struct tlob_words *new;
	struct tlob_word word;
	struct page *page;
	int err;

	err = tlob_word_parse(e, &word);
	if (!err)
		err = tlob_forks_attach();
	if (err)
		return err;
	new = tlob_words_alloc(current->mm);
	if (!new)
		return -ENOMEM;
	if (pin_user_pages_fast(word.addr, 1, FOLL_WRITE, &page) != 1) {
		tlob_words_put(new);
		return -EFAULT;
	}
	tlob_words_lock();
	err = tlob_word_add(&word, page, &new);
	tlob_words_unlock();
	unpin_user_pages_dirty_lock(&page, 1, !err);
	tlob_words_put(new);
	return err;
}

/* A word whose page is gone is unregistered all the same. */
int tlob_enable_unregister(const struct tlob_enable *e)
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
	tlob_words_lock();
	words = tlob_words_find(current->mm);
	word = tlob_word_find(words, &wanted);
	if (word) {
		*word = words->word[--words->nr];
		if (pinned)
			tlob_word_write(page, &wanted, false);
	}
	tlob_words_unlock();
	if (pinned)
		unpin_user_pages_dirty_lock(&page, 1, word);
	return word ? 0 : -ENOENT;
}

void tlob_enable_update(bool on)
{
	struct tlob_words *words;
	unsigned int i;

	tlob_words_lock();
	tlob_words_on = on;
	hash_for_each(tlob_words_table, i, words, node) {
		tlob_words_try(words);
		cond_resched();
	}
	tlob_words_unlock();
}

void tlob_enable_show_words(struct seq_file *m)
{
	struct tlob_words *words;
	unsigned int i, nr = 0;

	tlob_words_lock();
	hash_for_each(tlob_words_table, i, words, node)
		nr += words->nr;
	seq_printf(m, "enable_bits: words=%u processes=%u failures=%llu lost_forks=%llu\n",
		   nr, tlob_words_used, tlob_words_failures, tlob_forks_lost());
	tlob_words_unlock();
}

/* 0, -ENOMEM, or -EOPNOTSUPP: the scheduler's tracepoints are not there. */
int tlob_enable_init(void)
{
	int err = tlob_forks_init();

	if (err)
		return err;
	/* nobody waits for it: any CPU that keeps house will do */
	tlob_words_wq = alloc_workqueue("tlob_enable", WQ_UNBOUND, 0);
	return tlob_words_wq ? 0 : -ENOMEM;
}

/*
 * No file of /dev/tlob is open any more. All bits are 0 afterwards, but for those
 * that no try has reached.
 */
void tlob_enable_exit(void)
{
	struct tlob_words *words;
	struct hlist_node *next;
	unsigned int i;

	tlob_forks_exit();
	tlob_enable_update(false);
	hash_for_each(tlob_words_table, i, words, node)
		while (work_busy(&words->work.work))
			msleep(20);
	destroy_workqueue(tlob_words_wq);
	hash_for_each_safe(tlob_words_table, i, next, words, node)
		tlob_words_remove(words);
}
