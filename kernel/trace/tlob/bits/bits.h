/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Enable bits: words in the memory of programs. Each has one bit that is 1
 * while the monitor is on. Instrumentation that is off costs its program a load
 * and a branch.
 *
 *	bits.c		registers words and switches all bits
 *	bits_words.c	the table of words, and who owns them
 *	bits_write.c	writes a bit into memory
 *	bits_ask.c	asks threads to write, and tries again
 *	bits_fork.c	gives children their words
 *
 * Locks
 *	tlob_mutex (update only), then tlob_walk_mutex. The writer of
 *	monitor_enable and the worker hold tlob_walk_mutex while they walk over
 *	the whole table. No program can make either of them wait.
 *	tlob_words_lock(mm) is raw and the innermost. Address spaces whose mm
 *	has the same hash share it. It protects their list, and the words, asks
 *	and spares of each. No task holds two of them, and each hold looks at
 *	one address space, or at the few of one hash. So the fork of a program
 *	does not wait for another program.
 *	The counters of struct tlob_bits are atomic and need no lock.
 */
#ifndef _TLOB_BITS_H
#define _TLOB_BITS_H

#include <linux/atomic.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/types.h>
#include <linux/tlob.h>

#include "../base/options.h"
#include "../base/users.h"

#define TLOB_WORDS_MAX	64		/* per address space */
#define TLOB_SPARES	3		/* concurrent forks per address space */
#define TLOB_ASKS	64		/* threads that owe a task_work, each */

struct page;
struct pid;
struct task_struct;
struct tlob_room;
struct tlob_words;

struct tlob_word {
	unsigned long addr;
	u8	bit;
	bool	behind;			/* to write since the last update */
	bool	stale;			/* the last update gave it up */
};

/*
 * A task_work that a thread owes. In use while @words is set. The lock of @home
 * protects it.
 */
struct tlob_ask {
	struct callback_head work;
	struct tlob_words *words;	/* the words to write; a reference */
	struct tlob_words *home;	/* contains this; a reference */
	struct task_struct *task;	/* exists while @words is set, under the lock */
};

/* The words of one address space, or a spare for one of its children. */
struct tlob_words {
	struct hlist_node node;
	struct mm_struct *mm;		/* grabbed, so not kept by RCU; NULL: a spare */
	struct pid *pid;		/* of the registrant or the child */
	struct tlob_user *user;		/* counts this; NULL: no limits */
	refcount_t refs;		/* of the table, each ask, a walk */
	bool	removed;		/* from the table */
	unsigned int walk;		/* last walk; under tlob_walk_mutex */
	unsigned int nr;
	unsigned int spares;
	struct tlob_words *spare;	/* first spare, or the next one */
	struct tlob_words *next;	/* in a list of just removed words */
	struct rcu_head rcu;
	struct tlob_ask ask[TLOB_ASKS];
	struct tlob_word word[TLOB_WORDS_MAX];
};

/*
 * These rules hold for all words. A bit is written with the value of @on under the
 * lock of its words. An update changes @on first and then takes that lock to
 * mark the words. A write before that is repeated, because its word is marked. A
 * write after it has the new value. Words that the update's walk does not find
 * are added after the walk had their lock, so their bits have the new value.
 */
struct tlob_bits {
	bool	on;			/* the value that every bit must have */
	atomic_t retries;		/* passes that the worker has left */
	atomic_t spaces;		/* address spaces in the table */
	atomic_t words;			/* registered, in all address spaces */
	atomic_t stale;			/* words that keep an old value now */
	atomic64_t failures;		/* times that a word was given up */
	atomic64_t lost_forks;		/* children whose bits never change */
};

extern struct tlob_bits tlob_bits;
extern struct mutex tlob_walk_mutex;

/* bits.c */
extern const struct tlob_room tlob_bits_room;
#ifdef TLOB_HAS_BITS
int  tlob_bits_register(const struct tlob_enable *e, struct tlob_user *user);
int  tlob_bits_unregister(const struct tlob_enable *e);
/* Sets or clears every bit without waiting for any. Under tlob_mutex. */
void tlob_bits_update(bool on);
#else
static inline int tlob_bits_register(const struct tlob_enable *e, struct tlob_user *user)
{
	return -ENOTTY;
}

static inline int tlob_bits_unregister(const struct tlob_enable *e)
{
	return -ENOTTY;
}

static inline void tlob_bits_update(bool on) { }
#endif

/* bits_words.c */
raw_spinlock_t *tlob_words_lock(const struct mm_struct *mm);
struct tlob_words *tlob_words_find(struct mm_struct *mm);
struct tlob_words *tlob_words_alloc(void);
void tlob_words_own(struct tlob_words *words, struct mm_struct *mm,
		    struct pid *pid, struct tlob_user *user);
void tlob_words_put(struct tlob_words *words);
void tlob_words_add(struct tlob_words *words);
bool tlob_words_remove(struct tlob_words *words);
/* Removes address spaces without users from the table. May sleep. */
void tlob_words_reap(void);
void tlob_words_fill(struct tlob_words *words);
void tlob_words_init(void);
unsigned int tlob_walk_begin(void);
struct tlob_words *tlob_words_walk(unsigned int *bucket, unsigned int walk);
struct tlob_word *tlob_word_find(struct tlob_words *words,
				 const struct tlob_word *word);
bool tlob_words_behind(struct tlob_words *words, unsigned int *i,
		       struct tlob_word *word);
bool tlob_words_any_behind(struct tlob_words *words);
void tlob_words_mark(struct tlob_words *words, bool behind, bool count);
void tlob_word_set_stale(struct tlob_word *word, bool stale);
void tlob_word_give_up(struct tlob_word *word);

/* bits_write.c */
bool tlob_word_settle(struct tlob_words *words, const struct tlob_word *behind,
		      struct page *page, bool write);
void tlob_word_clear(struct page *page, const struct tlob_word *word);
bool tlob_words_try(struct tlob_words *words);
int  tlob_word_fault(struct tlob_words *words, const struct tlob_word *word);

/* bits_ask.c */
void tlob_ask_claim(struct tlob_ask *ask, struct tlob_words *home,
		    struct tlob_words *words, struct task_struct *task);
bool tlob_ask(struct tlob_ask *ask, struct task_struct *task);
struct tlob_ask *tlob_ask_find(struct tlob_words *words,
			       struct task_struct *task);
bool tlob_words_ask(struct tlob_words *words);
/* Returns how many threads owe a task_work. */
int  tlob_asks_owed(void);
/* Prepares the worker. Allows it passes over words that are behind; then starts them. */
void tlob_retry_init(void);
void tlob_retries_set(void);
void tlob_retry_begin(void);
/* No pass is needed after all. */
void tlob_retries_drop(void);
/* Stops the worker. No thread can be asked any more. May sleep. */
void tlob_retry_cancel(void);
/* Waits for the last of the threads that were asked. May sleep. */
void tlob_asks_exit(void);

/* bits_fork.c. Attaching takes cpu_hotplug_lock. It returns 0 or -ENOMEM. */
int  tlob_forks_attach(void);
int  tlob_forks_init(void);		/* 0, -EOPNOTSUPP */
/* Stops seeing forks. */
void tlob_forks_exit(void);

#endif /* _TLOB_BITS_H */
