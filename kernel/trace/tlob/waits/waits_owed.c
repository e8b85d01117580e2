// SPDX-License-Identifier: GPL-2.0
/*
 * Works that tasks owe: waits whose user stack is read on the way to user mode.
 *
 * A system call lasts as long as its user likes. So one user has only a part of the
 * works, a wait without a work is noted without its user stack, and all works are
 * taken back when the profiler goes off.
 */
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched/task.h>
#include <linux/vmalloc.h>

#include "../base/compat.h"
#include "sleepers.h"
#include "waits.h"

#define TLOB_WAIT_WORKS_ALL	(TLOB_WAIT_SHARDS * TLOB_WAIT_WORKS)
#define TLOB_WAIT_WORKS_USER	(TLOB_WAIT_WORKS / 4)	/* of a shard */

struct tlob_wait_work __percpu *tlob_wait_now;
static struct tlob_wait_work *tlob_wait_works;

int tlob_wait_works_alloc(void)
{
	unsigned int i;

	tlob_wait_works = vzalloc(array_size(TLOB_WAIT_WORKS_ALL,
					     sizeof(*tlob_wait_works)));
	tlob_wait_now = alloc_percpu(struct tlob_wait_work);
	if (!tlob_wait_works || !tlob_wait_now)
		return -ENOMEM;
	for (i = 0; i < TLOB_WAIT_WORKS_ALL; i++)
		tlob_wait_works[i].serial = i;
	return 0;
}

void tlob_wait_works_free(void)
{
	vfree(tlob_wait_works);
	free_percpu(tlob_wait_now);
	tlob_wait_works = NULL;
	tlob_wait_now = NULL;
}

static struct tlob_wait_shard *tlob_wait_work_shard(const struct tlob_wait_work *w)
{
	return &tlob_wait_shards[(w - tlob_wait_works) / TLOB_WAIT_WORKS];
}

/* Returns NULL if @shard has no free work, or @user has enough. Under shard->lock. */
static struct tlob_wait_work *
tlob_wait_work_take(struct tlob_wait_shard *shard, const struct tlob_payer *user)
{
	unsigned int i, free = TLOB_WAIT_WORKS, has = 0;
	struct tlob_wait_work *w;

	for (i = 0; i < TLOB_WAIT_WORKS; i++) {
		if (!(shard->used & BIT(i)))
			free = i;
		else
			has += tlob_payer_eq(&shard->user[i], user);
	}
	if (free == TLOB_WAIT_WORKS || has >= TLOB_WAIT_WORKS_USER)
		return NULL;
	shard->used |= BIT(free);
	shard->user[free] = *user;
	w = &tlob_wait_works[(shard - tlob_wait_shards) * TLOB_WAIT_WORKS + free];
	w->serial += TLOB_WAIT_WORKS_ALL;
	w->user = *user;
	return w;
}

static void tlob_wait_work_give(struct tlob_wait_work *w)
{
	struct tlob_wait_shard *shard = tlob_wait_work_shard(w);
	unsigned long flags;

	raw_spin_lock_irqsave(&shard->lock, flags);
	shard->used &= ~BIT((w - tlob_wait_works) % TLOB_WAIT_WORKS);
	raw_spin_unlock_irqrestore(&shard->lock, flags);
}

/* The task no longer owes @w: nothing is added to it any more. */
static void tlob_wait_work_done(struct tlob_wait_work *w)
{
	struct tlob_wait_shard *shard = tlob_wait_work_shard(w);
	struct tlob_wait_work **link;
	struct tlob_sleeper *s;
	unsigned long flags;

	raw_spin_lock_irqsave(&shard->lock, flags);
	s = tlob_sleeper_find(shard, w->task);
	/* after a reset it is in no list */
	for (link = s ? &s->owes : NULL; link && *link; link = &(*link)->next) {
		if (*link == w) {
			*link = w->next;
			break;
		}
	}
	w->task = NULL;
	raw_spin_unlock_irqrestore(&shard->lock, flags);
}

/*
 * Adds @wait to what @task owes for the same kernel stack, or to a new work: then
 * *@new is set. A system call may wait thousands of times before it returns.
 */
static struct tlob_wait_work *
tlob_wait_work_find(struct task_struct *task, const struct tlob_wait_work *wait,
		    bool *new)
{
	struct tlob_wait_shard *shard = tlob_wait_shard(task);
	struct tlob_wait_work *w;
	struct tlob_sleeper *s;

	raw_spin_lock(&shard->lock);
	s = tlob_sleeper_find(shard, task);
	for (w = s->owes; w && !tlob_wait_same(&w->key, &wait->key); w = w->next)
		;
	*new = !w;
	if (w) {
		if (wait->blocked.max_ns >= w->blocked.max_ns)
			w->waker = wait->waker;
		tlob_wait_total_merge(&w->blocked, &wait->blocked);
	} else {
		w = tlob_wait_work_take(shard, &wait->user);
		if (w) {
			w->task = task;
			w->blocked = wait->blocked;
			w->waker = wait->waker;
			w->key = wait->key;
			w->next = s->owes;
			s->owes = w;
		}
	}
	raw_spin_unlock(&shard->lock);
	return w;
}

/* Completes the key of @w by the user stack of the current task, and notes @w. */
static void tlob_wait_note_user(struct tlob_wait_work *w)
{
	struct tlob_wait_buffer *b = tlob_wait_read_user(&w->key);

	if (!tlob_wait_stack_note(w, b, true) && b)
		tlob_wait_copy_give(b);
}

/*
 * A task_work: completes the key by the user stack and notes it. A killed task comes here without
 * memory: it has no user stack any more.
 */
static void tlob_wait_returns(struct callback_head *work)
{
	struct tlob_wait_work *w = container_of(work, struct tlob_wait_work, work);

	tlob_wait_work_done(w);
	if (current->mm && !(current->flags & TLOB_PF_NEVER_USER)) {
		tlob_wait_note_user(w);
	} else {
		w->key.nr_code = 0;
		tlob_wait_stack_note(w, NULL, true);
	}
	tlob_wait_windows_noted(current, w);
	tlob_wait_run_noted(w);
	tlob_wait_work_give(w);
	atomic_dec(&tlob_wait_count.owed);
	/* tlob_waits_exit() waits for the rest of this function */
	module_put(THIS_MODULE);
}

struct tlob_wait_work *tlob_wait_owe(struct task_struct *task,
				     const struct tlob_wait_work *wait)
{
	struct tlob_wait_work *w;
	bool new;

	w = tlob_wait_work_find(task, wait, &new);
	if (!w || !new)
		return w;
	if (try_module_get(THIS_MODULE)) {
		atomic_inc(&tlob_wait_count.owed);
		init_task_work(&w->work, tlob_wait_returns);
		if (!tlob_task_work_add(task, &w->work))
			return w;
		atomic_dec(&tlob_wait_count.owed);
		module_put(THIS_MODULE);
	}
	tlob_wait_work_done(w);
	tlob_wait_work_give(w);
	return NULL;
}

/*
 * Returns the task that owes @w, or NULL. The caller puts it. The task cannot be gone
 * before tlob_wait_returns(), which takes this lock first.
 */
static struct task_struct *tlob_wait_work_task(const struct tlob_wait_work *w)
{
	struct tlob_wait_shard *shard = tlob_wait_work_shard(w);
	struct task_struct *task;

	raw_spin_lock_irq(&shard->lock);
	task = w->task;
	if (task)
		get_task_struct(task);
	raw_spin_unlock_irq(&shard->lock);
	return task;
}

/*
 * A task that runs its works just now keeps the one it owes. Works that come before it
 * may sleep, as the close of a socket with SO_LINGER does: `owed` has it until then.
 */
void tlob_wait_works_cancel(void)
{
	unsigned int i;

	for (i = 0; tlob_wait_works && i < TLOB_WAIT_WORKS_ALL; i++) {
		struct tlob_wait_work *w = &tlob_wait_works[i];
		struct task_struct *task = tlob_wait_work_task(w);

		if (task && tlob_task_work_cancel(task, &w->work)) {
			tlob_wait_work_done(w);
			atomic64_inc(&tlob_wait_count.unreadable);
			tlob_wait_stack_note(w, NULL, true);
			tlob_wait_windows_noted(task, w);
			tlob_wait_work_give(w);
			atomic_dec(&tlob_wait_count.owed);
			module_put(THIS_MODULE);
		}
		if (task)
			put_task_struct(task);
	}
}
