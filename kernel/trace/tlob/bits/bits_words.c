// SPDX-License-Identifier: GPL-2.0
/*
 * Enable bits: the table of words, and who owns them.
 *
 * The words of one address space are a struct tlob_words, no matter which of
 * its threads registered them. It grabs the mm (mmgrab): the mm's address is
 * not reused, and its memory goes with its last user. The table, each thread
 * that was asked to write (bits_ask.c) and a walk over the table hold
 * references to the struct.
 */
#include <linux/hash.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "bits.h"

#define TLOB_WORDS_HASH_BITS	10

/* Words whose mm have one hash, and the lock of all that they have. */
struct tlob_bucket {
	raw_spinlock_t lock;
	struct hlist_head words;
};

static struct tlob_bucket tlob_words_table[1 << TLOB_WORDS_HASH_BITS];
/* Protects the walks over the whole table; bits.h has the order of locks. */
DEFINE_MUTEX(tlob_walk_mutex);
struct tlob_bits tlob_bits;

static struct tlob_bucket *tlob_bucket_of(const struct mm_struct *mm)
{
	return &tlob_words_table[hash_ptr(mm, TLOB_WORDS_HASH_BITS)];
}

raw_spinlock_t *tlob_words_lock(const struct mm_struct *mm)
{
	return &tlob_bucket_of(mm)->lock;
}

void tlob_words_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tlob_words_table); i++)
		raw_spin_lock_init(&tlob_words_table[i].lock);
}

/* Finds the words of @mm. Under rcu_read_lock() or tlob_words_lock(mm). */
struct tlob_words *tlob_words_find(struct mm_struct *mm)
{
	struct tlob_bucket *b = tlob_bucket_of(mm);
	struct tlob_words *words;

	hlist_for_each_entry_rcu(words, &b->words, node,
				 lockdep_is_held(&b->lock))
		if (words->mm == mm)
			return words;
	return NULL;
}

/* docs/reference/limits.md has four of them for an address space, with the spares */
static_assert(sizeof(struct tlob_words) <= 4096);

struct tlob_words *tlob_words_alloc(void)
{
	struct tlob_words *words = kzalloc(sizeof(*words), GFP_KERNEL_ACCOUNT);

	if (words)
		refcount_set(&words->refs, 1);
	return words;
}

/* Gives @words to @mm. No reference taken here can be the last one. */
void tlob_words_own(struct tlob_words *words, struct mm_struct *mm,
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
void tlob_words_put(struct tlob_words *words)
{
	if (words && refcount_dec_and_test(&words->refs))
		tlob_words_free(words);
}

/* Adds @words to the table. Under their lock. */
void tlob_words_add(struct tlob_words *words)
{
	hlist_add_head_rcu(&words->node, &tlob_bucket_of(words->mm)->words);
	atomic_inc(&tlob_bits.spaces);
	atomic_add(words->nr, &tlob_bits.words);
}

/* Under the lock of its words. */
void tlob_word_set_stale(struct tlob_word *word, bool stale)
{
	if (word->stale != stale)
		atomic_add(stale ? 1 : -1, &tlob_bits.stale);
	word->stale = stale;
}

/* An update gives up a word that is behind. Under the lock of its words. */
void tlob_word_give_up(struct tlob_word *word)
{
	word->behind = false;
	tlob_word_set_stale(word, true);
	atomic64_inc(&tlob_bits.failures);
}

/*
 * Takes @words out of the table; the caller gets the table's reference. Under
 * their lock.
 */
static void tlob_words_unlink(struct tlob_words *words)
{
	words->removed = true;
	hlist_del_rcu(&words->node);
	atomic_dec(&tlob_bits.spaces);
	atomic_sub(words->nr, &tlob_bits.words);
	while (words->nr)
		tlob_word_set_stale(&words->word[--words->nr], false);
}

/*
 * Takes @words out of the table. Returns whether this call did so; then the
 * caller gets the table's reference.
 */
bool tlob_words_remove(struct tlob_words *words)
{
	raw_spinlock_t *lock = tlob_words_lock(words->mm);
	bool mine;

	raw_spin_lock_irq(lock);
	mine = !words->removed;
	if (mine)
		tlob_words_unlink(words);
	raw_spin_unlock_irq(lock);
	return mine;
}

/*
 * Returns whether @mm has lost its last user. The caller holds the lock or a
 * reference to the words: RCU keeps the words, but not their mm. Not inlined,
 * because tests/modules/inject probes it.
 */
static noinline __noclone bool tlob_mm_is_unused(const struct mm_struct *mm)
{
	return !atomic_read(&mm->mm_users);
}

/*
 * Takes no tlob_walk_mutex, because a program that forks also calls this. Any
 * number of tasks may be here at the same time.
 */
void tlob_words_reap(void)
{
	struct tlob_words *words, *gone = NULL;
	struct hlist_node *next;
	struct tlob_bucket *b;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tlob_words_table); i++) {
		b = &tlob_words_table[i];
		if (hlist_empty(&b->words))
			continue;
		raw_spin_lock_irq(&b->lock);
		hlist_for_each_entry_safe(words, next, &b->words, node) {
			if (!tlob_mm_is_unused(words->mm))
				continue;
			tlob_words_unlink(words);
			words->next = gone;
			gone = words;
		}
		raw_spin_unlock_irq(&b->lock);
	}
	while (gone) {
		words = gone;
		gone = words->next;
		tlob_words_put(words);
	}
}

/*
 * Fills up the spares: one for each concurrent fork. Runs in a process of
 * @words.
 */
void tlob_words_fill(struct tlob_words *words)
{
	raw_spinlock_t *lock = tlob_words_lock(words->mm);
	struct tlob_words *spare = NULL;
	bool room;

	do {
		/* the previous pass may have used up the spare */
		if (!spare)
			spare = tlob_words_alloc();
		if (!spare)
			return;
		raw_spin_lock_irq(lock);
		room = words->spares < TLOB_SPARES;
		if (room) {
			spare->spare = words->spare;
			words->spare = spare;
			words->spares++;
			spare = NULL;
		}
		raw_spin_unlock_irq(lock);
	} while (room);
	kfree(spare);
}

/*
 * Walks over the table. The caller may sleep at each address space. Under
 * tlob_walk_mutex. Begins with *@bucket 0 and a new *@walk. Returns words with
 * a new reference, or NULL at the end. It takes the lock of empty buckets also:
 * see struct tlob_bits.
 */
struct tlob_words *tlob_words_walk(unsigned int *bucket, unsigned int walk)
{
	struct tlob_words *words = NULL;
	struct tlob_bucket *b;

	for (; *bucket < ARRAY_SIZE(tlob_words_table) && !words; ++*bucket) {
		b = &tlob_words_table[*bucket];
		raw_spin_lock_irq(&b->lock);
		hlist_for_each_entry(words, &b->words, node)
			if (words->walk != walk)
				break;
		if (words) {
			words->walk = walk;
			refcount_inc(&words->refs);
		}
		raw_spin_unlock_irq(&b->lock);
	}
	/* this bucket may have more */
	*bucket -= !!words;
	return words;
}

/* Returns the number of a walk, never 0, which a new struct has. */
unsigned int tlob_walk_begin(void)
{
	static unsigned int walk;

	lockdep_assert_held(&tlob_walk_mutex);
	return ++walk ?: ++walk;
}

/* Finds a word; @words may be NULL. Under their lock. */
struct tlob_word *tlob_word_find(struct tlob_words *words,
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
bool tlob_words_behind(struct tlob_words *words, unsigned int *i,
		       struct tlob_word *word)
{
	raw_spinlock_t *lock = tlob_words_lock(words->mm);
	bool found = false;
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	for (; *i < words->nr && !found; ++*i) {
		*word = words->word[*i];
		found = word->behind;
	}
	raw_spin_unlock_irqrestore(lock, flags);
	return found;
}

bool tlob_words_any_behind(struct tlob_words *words)
{
	struct tlob_word word;
	unsigned int i = 0;

	return tlob_words_behind(words, &i, &word);
}

/*
 * Marks every word as behind, or none. @count: gives up words that were behind.
 */
void tlob_words_mark(struct tlob_words *words, bool behind, bool count)
{
	raw_spinlock_t *lock = tlob_words_lock(words->mm);
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(lock, flags);
	for (i = 0; i < words->nr; i++) {
		if (count && words->word[i].behind)
			tlob_word_give_up(&words->word[i]);
		else if (behind)
			tlob_word_set_stale(&words->word[i], false);
		words->word[i].behind = behind;
	}
	raw_spin_unlock_irqrestore(lock, flags);
}
