/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Enable bits: declarations that bits.c and bits_fork.c share. bits.c has the
 * rules.
 */
#ifndef _TLOB_BITS_H
#define _TLOB_BITS_H

#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/task_work.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#define TLOB_WORDS_MAX	64		/* per address space */
#define TLOB_SPACES_MAX	256		/* address spaces per user */
#define TLOB_SPARES	3		/* concurrent forks per address space */
#define TLOB_ASKS	4		/* threads that owe a task_work, each */

struct pid;
struct tlob_user;
struct tlob_words;

struct tlob_word {
	unsigned long addr;
	u8	bit;
	bool	behind;			/* to write since the last update */
};

/*
 * A task_work that a thread owes. In use while @words is set. tlob_words_lock
 * protects it.
 */
struct tlob_ask {
	struct callback_head work;
	struct tlob_words *words;	/* the words to write; a reference */
	struct tlob_words *home;	/* contains this; a reference */
	const struct task_struct *task;	/* only compared */
};

/* The words of one address space, or a spare for one of its children. */
struct tlob_words {
	struct hlist_node node;
	struct mm_struct *mm;		/* grabbed; NULL: a spare */
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
 * The number of address spaces in the table. Code that only tests for 0 reads
 * it without the lock.
 */
extern unsigned int tlob_words_used;
extern struct workqueue_struct *tlob_words_wq;

/*
 * @parent, the current task, has copied its memory for @child, which has not
 * run yet. Does not sleep.
 */
void tlob_words_fork(struct task_struct *parent, struct task_struct *child);
/* Removes address spaces without users from the table. May sleep. */
void tlob_words_reap(void);

/* Starts to see forks. Takes cpu_hotplug_lock. Returns 0 or -ENOMEM. */
int  tlob_forks_attach(void);
int  tlob_forks_init(void);		/* 0, -EOPNOTSUPP */
/* Stops seeing forks. */
void tlob_forks_exit(void);

#endif /* _TLOB_BITS_H */
