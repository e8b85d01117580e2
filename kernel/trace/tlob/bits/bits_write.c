// SPDX-License-Identifier: GPL-2.0
/*
 * Enable bits: they are written into the memory of programs.
 *
 * Only a thread of that address space may wait for a page, and no longer than
 * its own access to the word could take: tlob_word_fault(). All others write
 * only pages that are present and writable, with FOLL_NOFAULT, and only try
 * mmap_lock and the page's lock: tlob_words_try().
 *
 * A bit is written under the lock of its words with the value that is right at
 * that time. So the last of several writers is right, however long its page took to
 * come.
 */
#include <linux/atomic.h>
#include <linux/highmem.h>
#include <linux/hugetlb_inline.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/userfaultfd_k.h>

#include "../base/compat.h"
#include "bits.h"

/*
 * Gives the bit in @page its value unless the word was unregistered meanwhile.
 * The word may have other bits of the program or of tlob-load. !@write: only
 * checks the value. Returns whether the bit is right or its word is gone.
 */
bool tlob_word_settle(struct tlob_words *words, const struct tlob_word *behind,
		      struct page *page, bool write)
{
	void *start = kmap_local_page(page);
	atomic_t *p = start + offset_in_page(behind->addr);
	raw_spinlock_t *lock = tlob_words_lock(words->mm);
	bool settled = true, on;
	struct tlob_word *word;
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	word = tlob_word_find(words, behind);
	if (word) {
		on = READ_ONCE(tlob_bits.on);
		if (write && on)
			atomic_or(BIT(word->bit), p);
		else if (write)
			atomic_andnot(BIT(word->bit), p);
		settled = !!(atomic_read(p) & BIT(word->bit)) == on || write;
		/* one that is wrong may have been given up meanwhile, which counts once */
		if (settled) {
			word->behind = false;
			tlob_word_set_stale(word, false);
		}
	}
	raw_spin_unlock_irqrestore(lock, flags);
	kunmap_local(start);
	if (write)
		flush_dcache_page(page);
	return settled;
}

/*
 * Clears the bit of a word that is being unregistered. Under the words' lock.
 */
void tlob_word_clear(struct page *page, const struct tlob_word *word)
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
bool tlob_words_try(struct tlob_words *words)
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
int tlob_word_fault(struct tlob_words *words, const struct tlob_word *word)
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
