/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Windows, and the table that finds the windows of a task. task_window.c opens
 * and closes them; monitor_hooks.c charges them.
 *
 * The table is an array of places with open addressing. Its key is the task's
 * address. For each hash, reach says how far away a key of that hash may be. A
 * key never moves, and a place is never freed. So a lookup needs no lock: it
 * takes the place's lock and checks again whose place it is. Only a task inserts its own key, which
 * the scheduler orders before all later lookups. A lookup may miss a place that is just being given
 * up; then it has nothing to do.
 *
 * The CPU that runs a monitored task knows the task's place (tlob_cpu.place).
 * It may find that the place belongs to another task, because others may close
 * the task's windows.
 */
#ifndef _TLOB_PLACES_H
#define _TLOB_PLACES_H

#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/hrtimer.h>
#include <linux/spinlock.h>

#include "../split/account.h"
#include "../window/longest.h"
#include "../window/window.h"
#include "monitor.h"

struct tlob_ucount;
struct tlob_place;
struct tlob_task_calls;

/*
 * A window, or a free slot for one. Each slot brings an account. The place of a
 * task uses the one of any of its windows, and the others lend theirs: a window
 * that ends takes an account along that is not in use.
 */
struct tlob_slot {
	struct tlob_place *place;	/* NULL: no window; under the place's lock */
	struct tlob_begin begin;	/* its arguments */
	struct tlob_account_window window;
	struct tlob_account *account;
	struct hrtimer timer[2];	/* of the budget: [hard, soft] */
	bool	soft;			/* timer[1] is in use */
	int	timer_cpu;		/* where it was armed */
	bool	reserved;		/* for CAP_SYS_RESOURCE */
	struct tlob_slot *next;		/* in a pool */
	struct tlob_ucount *spare[TLOB_PAYERS]; /* a window of a user lends them */
	struct tlob_longest longest;	/* wait until the next newer window began */
	struct tlob_task_calls *functions; /* NULL: not wanted, or no room */
};

struct tlob_place {
	raw_spinlock_t lock;
	atomic_t missed;		/* calls of functions, in windows of any task */
	struct task_struct *task;	/* the key; NULL: free */
	struct tlob_account *account;	/* of its windows; NULL: none */
	struct tlob_slot *functions;	/* the window that has calls, or NULL */
	bool	noting;			/* a longest wait will get its stack */
	bool	folded;			/* longest waits, as in an account */
	int	awaits;			/* the CPU of account->away, plus 1; 0: none */
	int	timers_cpu;		/* has the timers of all windows */
	/* For the hash of this place's index: */
	raw_spinlock_t keys_lock;	/* for changes of reach and nr_keys */
	u8	reach;			/* number of places to search */
	u8	nr_keys;		/* number of keys with this hash */
} ____cacheline_aligned_in_smp;

/*
 * Each hook reads these, so they must not share a line with data that START and
 * STOP write. Not __ro_after_init, where kmemleak does not look for pointers in
 * modules.
 */
extern struct tlob_place *tlob_places;		/* [1 << bits] */
extern unsigned int tlob_places_bits;

static inline struct tlob_place *tlob_place_at(u32 hash, u32 distance)
{
	return &tlob_places[(hash + distance) & ((1U << tlob_places_bits) - 1)];
}

static inline u32 tlob_place_hash(const struct task_struct *task)
{
	return hash_ptr(task, tlob_places_bits);
}

/*
 * Finds the place of @task. The caller locks it and checks it again. Returns
 * NULL if @task has no windows.
 */
static inline struct tlob_place *
tlob_place_find(const struct task_struct *task)
{
	u32 hash = tlob_place_hash(task), i, reach;

	reach = READ_ONCE(tlob_place_at(hash, 0)->reach);
	for (i = 0; i < reach; i++) {
		struct tlob_place *p = tlob_place_at(hash, i);

		if (READ_ONCE(p->task) == task)
			return p;
	}
	return NULL;
}

/*
 * Returns whether @p still belongs to @task, which then has windows. Under
 * p->lock.
 */
static inline bool tlob_place_is_of(const struct tlob_place *p,
				    const struct task_struct *task)
{
	return likely(READ_ONCE(p->task) == task && p->account);
}

/* Returns the wait of the task of @p for @cpu until @now. Under p->lock; there is an account. */
static inline struct tlob_turns_wait tlob_place_wait(const struct tlob_place *p, int cpu, u64 now)
{
	const struct tlob_account *a = p->account;
	struct tlob_turns_wait w = { .from = a->waits_since, .now = now };
	unsigned int kind;

	if (p->awaits == cpu + 1) {
		w.away = a->away_stolen;
		for (kind = 0; kind < TLOB_NOISE_THREAD; kind++)
			w.away += a->away[kind];
	}
	return w;
}

static inline struct tlob_slot *tlob_slot_of_window(struct tlob_account_window *w)
{
	return w ? container_of(w, struct tlob_slot, window) : NULL;
}

/* Walk over the windows of @p, which has some, the newest first. Under p->lock. */
static inline struct tlob_slot *tlob_place_newest(const struct tlob_place *p)
{
	return tlob_slot_of_window(p->account->newest);
}

static inline struct tlob_slot *tlob_slot_older(const struct tlob_slot *s)
{
	return tlob_slot_of_window(s->window.older);
}

/* Takes a place for @task, which is current and has none. Irqs off. NULL: none is in reach. */
struct tlob_place *tlob_place_take(struct task_struct *task);
/* Frees a place without windows. Under the place's lock. */
void tlob_place_give_up(struct tlob_place *p);

/* Makes a table for that many windows. Returns 0 or -ENOMEM. */
int  tlob_places_init(unsigned int slots);
void tlob_places_exit(void);

/*
 * Returns the time of a boundary of the current task's windows, in ns. First
 * the windows get the nmis since the last boundary. The clock is read again
 * until no nmi came between it and the nmis' account. Under p->lock.
 */
u64 tlob_place_boundary(struct tlob_cpu *c, struct tlob_place *p);

/* The places with this CPU in @awaits. Any CPU changes it. */
DECLARE_PER_CPU(atomic_t, tlob_awaiting);

/* The task of @p does not wait for a CPU any more, or not for one that is known. Under p->lock. */
static inline void tlob_place_awaits_none(struct tlob_place *p)
{
	if (!p->awaits)
		return;
	atomic_dec(per_cpu_ptr(&tlob_awaiting, p->awaits - 1));
	WRITE_ONCE(p->awaits, 0);
}

/*
 * Called for times in functions, in windows whose ring wants them. The room `functions` sets
 * them as the module begins. All but copy() under the place's lock of an open window, in this
 * order: it has begun, was closed, is freed. copy() is called in between; @t may be NULL.
 */
struct tlob_task_calls_ops {
	void (*begin)(struct tlob_slot *s);
	void (*close)(struct tlob_slot *s);
	void (*end)(struct tlob_slot *s);
	void (*copy)(const struct tlob_task_calls *t, struct tlob_task_functions *to);
};

extern const struct tlob_task_calls_ops *tlob_task_calls_ops;

/* From here on this CPU's irqs and nmis belong to the windows of @p. */
static inline void tlob_cpu_set_place(struct tlob_cpu *c, struct tlob_place *p)
{
	c->place = p;
	c->task_nmi_ns_taken = c->task_nmi.ns;
	c->task_nmi_count_taken = c->task_nmi.count;
	c->task_nmi.max = 0;
	c->task_steal = READ_ONCE(*c->steal_at);
	/* an nmi that sees monitored must find an account that has begun */
	barrier();
	WRITE_ONCE(c->monitored, true);
}

/*
 * The task of @p, which has windows, comes to this CPU: the timers of their budgets come along.
 * Under p->lock.
 */
void tlob_place_arm_here(struct tlob_place *p);

/* All hooks are detached: nobody waits for a CPU. */
void tlob_monitor_unhooked(void);

#endif /* _TLOB_PLACES_H */
