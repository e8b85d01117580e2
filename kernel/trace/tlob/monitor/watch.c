// SPDX-License-Identifier: GPL-2.0
/*
 * Watches: they begin and end, and the hooks of the scheduler open and close the windows of
 * activations. watch.h has the rules.
 */
#include <linux/compat.h>
#include <linux/futex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "../base/arch.h"
#include "../base/stopped.h"
#include "../window/window.h"
#include "monitor_report.h"
#include "task_ring.h"
#include "watch.h"
#include "watch_late.h"

static atomic_t tlob_nr_watches;
atomic_t tlob_watch_hints[TLOB_WATCH_HINTS] __read_mostly;

unsigned int tlob_watches(void)
{
	return atomic_read(&tlob_nr_watches);
}

/*
 * The current task goes to sleep for a futex with priority inheritance, whose @word has the tid of
 * its owner. struct rt_mutex_waiter, which also knows it, is private to the kernel's locks. If it
 * was released meanwhile, the owner is the next one, the task itself, or nobody.
 */
static void tlob_note_holder(struct tlob_activation *a, u64 word)
{
	struct task_struct *owner;
	u32 value;

	if (copy_from_user_nofault(&value, (void __user *)(unsigned long)word, sizeof(value)))
		return;
	rcu_read_lock();
	owner = pid_task(find_vpid(value & FUTEX_TID_MASK), PIDTYPE_PID);
	if (owner && owner != current)
		tlob_waker_is(&a->holder, owner);
	rcu_read_unlock();
}

/* @task sleeps in the system call @nr, which it has called with @regs: fills in a->rested. */
static void tlob_sleep_in(struct tlob_activation *a, struct task_struct *task,
			  struct pt_regs *regs, int nr)
{
	struct tlob_sleep_call c = { .nr = nr, .stack = user_stack_pointer(regs) };
	bool until, compat = tlob_task_is_compat(task);
	unsigned long args[6];
	unsigned int i;

	if (!compat && (nr == __NR_futex || nr == __NR_clock_nanosleep)) {
		syscall_get_arguments(task, regs, args);
		c.word = args[0];
		c.op = args[1];
		c.value = args[2];
	}
	until = tlob_sleep_is_until(&c, __NR_clock_nanosleep);
	a->sleep = compat ? TLOB_SLEEP_UNCLEAR : tlob_sleep_for(&c, __NR_futex);
	a->call = nr;
	a->call_stack = (u32)c.stack | until;
	a->rested = !a->nr_until && a->sleep != TLOB_SLEEP_LOCK;
	for (i = 0; i < a->nr_until && !a->rested; i++)
		a->rested = a->until[i] == nr;
	/* an exec may have left the cycle of a 64-bit program */
	if (!compat && (!a->nr_until || nr == __NR_clock_nanosleep) &&
	    tlob_cycle_continues(&a->cycle, &c, __NR_clock_nanosleep, tlob_clock()))
		a->rested = false;
	if (!a->rested && !compat && tlob_sleep_is_inheriting(&c, __NR_futex) && task == current)
		tlob_note_holder(a, c.word);
}

/*
 * Returns whether a sleep of @task in @state is a rest. A stop or a freeze is not a rest. Either
 * may interrupt a sleep with a timeout, which restart_syscall() then continues: that one may be a
 * rest.
 */
static bool tlob_is_rest(struct tlob_activation *a, struct task_struct *task,
			 unsigned int state)
{
	struct pt_regs *regs = task_pt_regs(task);
	int nr;

	a->lock_since = 0;
	a->holder.kind = TLOB_WAKER_UNKNOWN;
	if (tlob_stopped(task, state))
		return false;
	if (!(state & TASK_INTERRUPTIBLE) && (state & TASK_IDLE) != TASK_IDLE)
		return false;
	if (task->flags & PF_KTHREAD)
		return true;
	nr = syscall_get_nr(task, regs);
	if (nr != __NR_restart_syscall)
		tlob_sleep_in(a, task, regs, nr);
	if (!a->rested && a->sleep == TLOB_SLEEP_LOCK)
		a->lock_since = tlob_clock();
	return a->rested;
}

void tlob_watch_unseen(struct tlob_place *p)
{
	struct tlob_activation *a = &p->watch->activation;

	/* a task that is still on its CPU is switched out later */
	if (tlob_task_sleeps(p->task) &&
	    tlob_is_rest(a, p->task, READ_ONCE(p->task->__state)))
		a->rests_ns = a->unseen_ns;
}

/*
 * Notes which task may have delayed the timer. In the waker's context. None is noted if a thread of
 * softirqs runs the timer, because others ran before it, or if the interrupt has met user code,
 * which cannot delay it.
 */
static void tlob_watch_late(struct tlob_activation *a, u64 stolen)
{
	a->late.ns = in_hardirq() && !tlob_irq_met_user() ? a->timer_ns - stolen : 0;
	if (!a->late.ns)
		return;
	a->late.kind = TLOB_NOISE_THREAD;
	a->late.id = current->pid;
	memcpy(a->late.name, current->comm, sizeof(a->late.name));
	if (!current->pid)
		memcpy(a->late.name, "idle", sizeof("idle"));
}

/*
 * A timer that was due at @begins expires at @now, on this CPU. Returns what the hypervisor is
 * known to have taken of the delay. Irqs off.
 */
static u64 tlob_place_stolen(u64 begins, u64 now)
{
	return tlob_turns_stolen(this_cpu_ptr(&tlob_turns), READ_ONCE(tlob_turns_valid), begins,
				 now, tlob_stolen_here(tlob_this_cpu()));
}

void tlob_watch_woken(struct tlob_place *p, u64 now, u64 expiry)
{
	struct tlob_activation *a = &p->watch->activation;
	u64 begins = expiry ? max(expiry, a->rests_ns) : now;
	u64 stolen = expiry ? tlob_place_stolen(begins, now) : 0;

	a->timer_ns = now > begins ? now - begins : 0;
	if (expiry && a->call_stack & 1)
		tlob_cycle_expired(&a->cycle, expiry);
	tlob_watch_late(a, stolen);
	a->rests_ns = 0;
	a->wake_ns = 0;
	a->ran = false;
	a->lock_ns = 0;
	a->lock.ns = 0;
	a->lock_holder.kind = TLOB_WAKER_UNKNOWN;
	a->nr++;
	a->waker = a->waking;
	tlob_place_wake(p, p->watch, now, a->timer_ns, stolen);
}

void tlob_watch_unlocked(struct tlob_place *p, u64 now)
{
	struct tlob_activation *a = &p->watch->activation;
	u64 ns = now > a->lock_since ? now - a->lock_since : 0;

	a->lock_since = 0;
	a->lock_ns += ns;
	if (ns <= a->lock.ns)
		return;
	a->lock.ns = ns;
	a->lock.waker = a->waking;
	a->lock_holder = a->holder;
}

bool tlob_watch_sleeps(struct tlob_cpu *c, struct tlob_place *p, unsigned int state,
		       struct tlob_closed *closed, bool *over)
{
	struct tlob_slot *s = p->watch;
	struct tlob_activation *a = &s->activation;

	if (!tlob_is_rest(a, p->task, state))
		return false;
	if (!s->place) {
		a->rests_ns = tlob_clock();
		return false;
	}
	*over = tlob_slot_close(c, s, true, closed, NULL);
	a->rests_ns = closed->w->start_ns + closed->w->elapsed_ns;
	return true;
}

/* The parts of a new watch. */
struct tlob_watch_request {
	struct task_struct *task;
	const u32 *until;
	unsigned int nr_until;
};

/* Under p->lock. Returns 0, -EBUSY or -ESRCH. */
static int tlob_watch_set(struct tlob_place *p, struct tlob_slot *s,
			  const struct tlob_watch_request *w)
{
	struct tlob_activation *a = &s->activation;

	if (p->watch)
		return -EBUSY;
	/*
	 * The task sets its flag, then looks for its place as it exits. A full barrier
	 * between the key and the flag, here and there: one of both sees the other.
	 */
	smp_mb();
	if (READ_ONCE(w->task->flags) & PF_EXITING) {
		if (!p->account)
			tlob_place_give_up(p);
		return -ESRCH;
	}
	memset(a, 0, sizeof(*a));
	/* a sleep that restart_syscall() continues right now may be in any call */
	a->rested = true;
	a->nr_until = w->nr_until;
	memcpy(a->until, w->until, w->nr_until * sizeof(*w->until));
	tlob_watch_late_begin(s);
	if (s->begin.ring)
		tlob_ring_get(s->begin.ring);
	WRITE_ONCE(a->place, p);
	p->watch = s;
	a->unseen_ns = tlob_clock();
	atomic_inc(tlob_watch_hint(w->task));
	return 0;
}

/* Preemption is disabled. Returns 0, -EBUSY, -ESRCH or -ENOSPC. */
static int tlob_watch_insert(struct tlob_slot *s, const void *arg)
{
	const struct tlob_watch_request *w = arg;
	struct tlob_place *p;
	unsigned long flags;
	bool mine = false;
	int err = 0;

	/* a wake-up is over before the watch begins, or it finds the watch */
	raw_spin_lock_irqsave(&w->task->pi_lock, flags);
	/* again if the place was given up meanwhile */
	while (!mine) {
		p = tlob_place_take(w->task);
		if (!p) {
			err = -ENOSPC;
			break;
		}
		raw_spin_lock(&p->lock);
		mine = READ_ONCE(p->task) == w->task;
		if (mine)
			err = tlob_watch_set(p, s, w);
		raw_spin_unlock(&p->lock);
	}
	raw_spin_unlock_irqrestore(&w->task->pi_lock, flags);
	return err;
}

/*
 * Watches @task with the arguments @b. The monitor is on, and stays so. Under tlob_mutex.
 * Returns 0, -EBUSY, -ESRCH, -ENOSPC or -EDQUOT.
 */
static int tlob_watch_begin(const struct tlob_begin *b, struct task_struct *task,
			    const u32 *until, unsigned int nr_until)
{
	struct tlob_watch_request w = { task, until, nr_until };
	int err;

	atomic_inc(&tlob_nr_watches);
	err = tlob_slot_use(b, tlob_watch_insert, &w);
	if (err) {
		atomic_dec(&tlob_nr_watches);
		tlob_monitor_refused(err);
	}
	return err;
}

int tlob_monitor_watch(const struct tlob_begin *b, struct task_struct *task,
		       const u32 *until, unsigned int nr_until)
{
	int err;

	mutex_lock(&tlob_mutex);
	err = tlob_monitor.on ? tlob_monitor.noise->attach_waking() : -ENODEV;
	if (!err) {
		tlob_monitor_use_watches(true);
		err = tlob_watch_begin(b, task, until, nr_until);
	}
	/* under the mutex: the monitor cannot go off and on before it */
	if (!err)
		tlob_ring_use(b->ring);
	mutex_unlock(&tlob_mutex);
	return err;
}

void tlob_monitor_unwatched(void)
{
	/* a thread that exits may have ended its watch but not yet counted that */
	if (tlob_watches())
		synchronize_rcu();
	mutex_lock(&tlob_mutex);
	/* off: they are detached, and the next watch attaches them */
	if (tlob_monitor.on && !tlob_watches()) {
		tlob_monitor_use_watches(false);
		tlob_monitor.noise->detach_waking();
	}
	mutex_unlock(&tlob_mutex);
}

/*
 * Ends the watch of @p. @c: as for tlob_slot_close(). Under p->lock. Returns whether it had
 * a window, which is in @closed then. closed->slot is the slot of the watch.
 */
static bool tlob_watch_remove(struct tlob_cpu *c, struct tlob_place *p,
			      struct tlob_closed *closed)
{
	struct tlob_slot *s = p->watch;

	atomic_dec(tlob_watch_hint(p->task));
	p->watch = NULL;
	WRITE_ONCE(s->activation.place, NULL);
	if (s->place) {
		tlob_slot_close(c, s, false, closed, NULL);
		return true;
	}
	closed->slot = s;
	if (!p->account)
		tlob_place_give_up(p);
	return false;
}

/* Releases what tlob_watch_remove() left, after p->lock. Preemption is disabled. */
static void tlob_watch_removed(const struct tlob_closed *closed, bool open)
{
	struct tlob_ring *ring = closed->slot->begin.ring;

	if (open) {
		tlob_closed_count(closed);
	} else {
		tlob_slot_give(closed->slot);
		tlob_ring_put_atomic(ring);
	}
	/* last: the hooks stay in use until nothing is left of the watch */
	atomic_dec(&tlob_nr_watches);
}

/* Ends the watch of @s with its window, if it has one of @owner (NULL: of anybody). */
static void tlob_watch_end(struct tlob_slot *s, const void *owner)
{
	struct tlob_place *p = READ_ONCE(s->activation.place);
	struct tlob_task_window w;
	struct tlob_closed closed = { .w = &w };
	bool mine, open = false;
	unsigned long flags;

	/* avoids waiting for the locks of other owners; checked again below */
	if (!p || (owner && data_race(s->begin.owner) != owner))
		return;
	preempt_disable();
	raw_spin_lock_irqsave(&p->lock, flags);
	mine = READ_ONCE(s->activation.place) == p && (!owner || s->begin.owner == owner);
	if (mine)
		open = tlob_watch_remove(NULL, p, &closed);
	raw_spin_unlock_irqrestore(&p->lock, flags);
	if (mine)
		tlob_watch_removed(&closed, open);
	preempt_enable();
}

void tlob_monitor_close(const void *owner)
{
	unsigned int i;

	if (!READ_ONCE(tlob_monitor_used))
		return;
	for (i = 0; i < tlob_nr_slots; i++) {
		/* first, or a window may begin after its look */
		tlob_watch_end(&tlob_slots[i], owner);
		tlob_slot_cut(&tlob_slots[i], owner);
		cond_resched();
	}
}

/* Takes all windows of the current task and its watch away as it exits. */
void tlob_monitor_exited(void)
{
	struct tlob_place *p = tlob_place_find(current);
	struct tlob_task_window w;
	struct tlob_closed closed = { .w = &w };
	bool mine, open = false;
	unsigned long flags;

	if (!p)
		return;
	preempt_disable();
	raw_spin_lock_irqsave(&p->lock, flags);
	mine = READ_ONCE(p->task) == current && p->watch;
	if (mine)
		open = tlob_watch_remove(tlob_this_cpu(), p, &closed);
	raw_spin_unlock_irqrestore(&p->lock, flags);
	if (mine)
		tlob_watch_removed(&closed, open);
	preempt_enable();
	tlob_current_cut_all();
}
