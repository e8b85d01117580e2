/* SPDX-License-Identifier: GPL-2.0 */
/* Enable bits: what enable.c and enable_fork.c share. The locks are in enable.c. */
#ifndef _TLOB_ENABLE_H
#define _TLOB_ENABLE_H

#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#define TLOB_WORDS_MAX	64		/* of one address space */

struct tlob_word {
	unsigned long addr;
	u8	bit;
	bool	behind;			/* not written since the last update */
};

struct tlob_words {
	struct hlist_node node;
	struct mm_struct *mm;		/* grabbed */
	refcount_t refs;		/* the table, a pending or running work */
	unsigned int nr;
	unsigned int tries;		/* of the work, since the last update */
	struct delayed_work work;
	struct rcu_head rcu;
	struct tlob_word word[TLOB_WORDS_MAX];
};

/* Address spaces in the table. Read without the mutex where 0 is all that matters. */
extern unsigned int tlob_words_used;
extern struct workqueue_struct *tlob_words_wq;

/* The mutex, and every fork until now has its words. */
void tlob_words_lock(void);
void tlob_words_unlock(void);
/* Under the mutex, or as a reader of RCU that only wants to know. */
struct tlob_words *tlob_words_find(struct mm_struct *mm);
/* Gives @child the words of @parent, if it has any. Under the mutex; false: no memory. */
bool tlob_words_fork(struct mm_struct *parent, struct mm_struct *child);
void tlob_words_reap(void);

/* Under the mutex: makes the words of all forks in the queue. */
void tlob_forks_take(void);
u64  tlob_forks_lost(void);
/* From now on forks are seen. Takes cpu_hotplug_lock. 0, -ENOMEM. */
int  tlob_forks_attach(void);
int  tlob_forks_init(void);		/* 0, -EOPNOTSUPP */
/* From now on they are not, and the queue is at rest. */
void tlob_forks_exit(void);

#endif /* _TLOB_ENABLE_H */
