// SPDX-License-Identifier: GPL-2.0
/*
 * Enable bits: programs register words, and the monitor switches their bits.
 * bits.h has the map and the locks.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "../base/room.h"
#include "bits.h"

static int tlob_word_parse(const struct tlob_enable *e, struct tlob_word *word)
{
	if (e->reserved || e->bit >= 32 || e->addr % sizeof(u32))
		return -EINVAL;
	/* find_vma() and the comparison of words, unlike pin_user_pages(), take no tag */
	*word = (struct tlob_word){ .addr = untagged_addr(e->addr), .bit = e->bit };
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
 * Adds a word, with *@new if the address space has no words yet. Under its
 * lock. Returns 0, -EADDRINUSE or -ENOSPC.
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
	atomic_inc(&tlob_bits.words);
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
	raw_spinlock_t *lock = tlob_words_lock(current->mm);
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
	raw_spin_lock_irq(lock);
	err = tlob_word_add(&word, &new, &pid);
	words = tlob_words_find(current->mm);
	raw_spin_unlock_irq(lock);
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
	raw_spinlock_t *lock = tlob_words_lock(current->mm);
	struct tlob_words *words;
	struct tlob_word *word, wanted;
	struct page *page;
	bool pinned;
	int err;

	err = tlob_word_parse(e, &wanted);
	if (err)
		return err;
	pinned = pin_user_pages_fast(wanted.addr, 1, FOLL_WRITE, &page) == 1;
	raw_spin_lock_irq(lock);
	words = tlob_words_find(current->mm);
	word = tlob_word_find(words, &wanted);
	if (word) {
		tlob_word_set_stale(word, false);
		*word = words->word[--words->nr];
		atomic_dec(&tlob_bits.words);
		if (pinned)
			tlob_word_clear(page, &wanted);
	}
	raw_spin_unlock_irq(lock);
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
	WRITE_ONCE(tlob_bits.on, on);
	/* a thread that is asked may answer before the walk has ended */
	tlob_retries_set();
	behind = tlob_words_try_all(true);
	mutex_unlock(&tlob_walk_mutex);
	if (behind)
		tlob_retry_begin();
	else
		tlob_retries_drop();
}

static void tlob_bits_show(struct seq_file *m)
{
	seq_printf(m, "enable_bits: words=%d processes=%d failures=%llu lost_forks=%llu owed=%d stale=%d\n",
		   atomic_read(&tlob_bits.words),
		   atomic_read(&tlob_bits.spaces),
		   (u64)atomic64_read(&tlob_bits.failures),
		   (u64)atomic64_read(&tlob_bits.lost_forks), tlob_asks_owed(),
		   atomic_read(&tlob_bits.stale));
}

/* Returns 0, or -EOPNOTSUPP if the scheduler's tracepoints are missing. */
static int tlob_bits_init(void)
{
	tlob_words_init();
	tlob_retry_init();
	return tlob_forks_init();
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
static void tlob_bits_exit(void)
{
	unsigned int stay, ms;
	bool behind;

	tlob_forks_exit();
	tlob_bits_update(false);
	tlob_retry_cancel();
	for (ms = 2, behind = true; behind && ms <= 64; ms *= 2) {
		mutex_lock(&tlob_walk_mutex);
		behind = tlob_words_try_all(false);
		mutex_unlock(&tlob_walk_mutex);
		if (behind)
			msleep(ms);
	}
	tlob_retry_cancel();
	stay = tlob_words_remove_all();
	if (stay)
		pr_warn("tlob_load: %u enable bits were not cleared: their pages cannot be written now\n",
			stay);
	tlob_asks_exit();
}

const struct tlob_room tlob_bits_room = {
	.name = "bits",
	.init = tlob_bits_init,
	.show = tlob_bits_show,
	.exit = tlob_bits_exit,
};
