/* SPDX-License-Identifier: GPL-2.0 */
/* Enable bits: what bits.c and bits_fork.c share. bits.c has the rules. */
#ifndef _TLOB_BITS_H
#define _TLOB_BITS_H

#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/task_work.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#define TLOB_WORDS_MAX	64		/* of one address space */
#define TLOB_SPACES_MAX	256		/* address spaces with words, of one user */
#define TLOB_SPARES	3		/* forks by threads of one address space at a time */
#define TLOB_ASKS	4		/* threads of one address space that owe a task_work */

struct pid;
struct tlob_user;
struct tlob_words;

struct tlob_word {
	unsigned long addr;
	u8	bit;
	bool	behind;			/* not written since the last update */
};

/* A task_work that a thread owes. In use while @words is set, under tlob_words_lock. */
struct tlob_ask {
	struct callback_head work;
	struct tlob_words *words;	/* what the thread is to write; a reference */
	struct tlob_words *home;	/* where this lies; a reference */
	const struct task_struct *task;	/* only compared */
};

/* The words of one address space, or a spare for a child of it. */
struct tlob_words {
	struct hlist_node node;
	struct mm_struct *mm;		/* grabbed; NULL: a spare */
	struct pid *pid;		/* of the process that registered, or of the child */
	struct tlob_user *user;		/* counts this; NULL: is not limited */
	refcount_t refs;		/* the table, each ask, a walk */
	bool	removed;		/* from the table */
	unsigned int walk;		/* the last that came here; under tlob_walk_mutex */
	unsigned int nr;
	unsigned int spares;
	struct tlob_words *spare;	/* the first of them; of a spare: the next */
	struct tlob_words *next;	/* of those that were just removed */
	struct rcu_head rcu;
	struct tlob_ask ask[TLOB_ASKS];
	struct tlob_word word[TLOB_WORDS_MAX];
};

/* Address spaces in the table. Read without the lock where 0 is all that matters. */
extern unsigned int tlob_words_used;
extern struct workqueue_struct *tlob_words_wq;

/*
 * @parent, the current task, has copied its memory for @child, which has not run. Does
 * not sleep.
 */
void tlob_words_fork(struct task_struct *parent, struct task_struct *child);
/* Takes the address spaces that nobody uses any more out of the table. May sleep. */
void tlob_words_reap(void);

/* From now on forks are seen. Takes cpu_hotplug_lock. 0, -ENOMEM. */
int  tlob_forks_attach(void);
int  tlob_forks_init(void);		/* 0, -EOPNOTSUPP */
/* From now on they are not. */
void tlob_forks_exit(void);

#endif /* _TLOB_BITS_H */
