// SPDX-License-Identifier: GPL-2.0
/*
 * Rings of files of /dev/tlob: records of windows over tasks. Timers and tasks on any
 * CPU write to them under their lock; ring.c has the rules.
 */
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/workqueue.h>

#include "../base/base.h"
#include "../base/users.h"
#include "../window/longest.h"
#include "places.h"
#include "task_ring.h"

static void tlob_ring_wake_later(struct work_struct *work);

/* The most bytes of records in a ring. */
#define TLOB_EVENTS_BYTES	(256U << 10)
#define TLOB_FUNCTIONS_EVENTS_BYTES	(1024U << 10)	/* as many records of privileged readers */

/*
 * Allocates the ring of a file of /dev/tlob and charges it to the caller. Its
 * records have pids of @ns. @wakers: its reader may know tasks of other
 * processes. Returns NULL if memory is short.
 */
struct tlob_ring *tlob_ring_alloc_events(enum tlob_format format,
					 struct pid_namespace *ns, bool wakers)
{
	static const u32 sizes[] = {
		[TLOB_FORMAT_EVENT] = sizeof(struct tlob_event),
		[TLOB_FORMAT_WINDOW] = sizeof(struct tlob_task_window),
		[TLOB_FORMAT_WAIT] = sizeof(struct tlob_task_window_wait),
		[TLOB_FORMAT_FUNCTIONS] = sizeof(struct tlob_task_window_functions),
	};
	u32 bytes = format == TLOB_FORMAT_FUNCTIONS ? TLOB_FUNCTIONS_EVENTS_BYTES :
						      TLOB_EVENTS_BYTES;
	u32 size = sizes[format];
	struct tlob_ring *ring;

	ring = tlob_ring_make(NUMA_NO_NODE, GFP_KERNEL_ACCOUNT,
			      rounddown_pow_of_two(bytes / size),
			      size);
	if (ring) {
		ring->page->version = TLOB_EVENT_VERSION;
		ring->wait = &ring->own_wait;
		INIT_WORK(&ring->wake_work, tlob_ring_wake_later);
		ring->pid_ns = get_pid_ns(ns);
		ring->format = format;
		ring->wakers = wakers;
	}
	return ring;
}

bool tlob_ring_names_tasks(const struct tlob_ring *ring)
{
	return ring->wakers && ring->pid_ns == &init_pid_ns;
}

static void tlob_ring_end_of_life(struct tlob_ring *ring)
{
	struct tlob_user *user = ring->user;

	tlob_ring_free(ring);
	tlob_user_close(user);
}

static void tlob_ring_reap(struct work_struct *work)
{
	tlob_ring_end_of_life(container_of(work, struct tlob_ring, free_work));
}

/*
 * The last reference may be dropped where sleeping is not allowed: a task that
 * exits drops one. A work of the ring frees it; the end of tlob_wq waits for all.
 * tlob_ring_close() does not use it: a loop that opens and closes files would outrun
 * the works.
 */
static void tlob_ring_release_later(struct kref *ref)
{
	struct tlob_ring *ring = container_of(ref, struct tlob_ring, ref);

	INIT_WORK(&ring->free_work, tlob_ring_reap);
	queue_work(tlob_wq, &ring->free_work);
}

/*
 * Drops a reference; @ring may be NULL. Runs in any context that holds neither
 * the lock of the run queue nor a lock that is taken below it.
 */
void tlob_ring_put_atomic(struct tlob_ring *ring)
{
	if (ring)
		kref_put(&ring->ref, tlob_ring_release_later);
}

static void tlob_ring_release_now(struct kref *ref)
{
	tlob_ring_end_of_life(container_of(ref, struct tlob_ring, ref));
}

/*
 * The file of @ring closes. While windows report to the ring it counts as a file of
 * @user, NULL: of nobody. Drops the file's reference to it. May sleep.
 */
void tlob_ring_close(struct tlob_ring *ring, struct tlob_user *user)
{
	ring->user = user;
	kref_put(&ring->ref, tlob_ring_release_now);
}

/*
 * The lock of ring->wait belongs to the programs that wait there. On PREEMPT_RT it sleeps,
 * and a task of theirs may hold it for as long as it likes. So the readers of each ring are
 * woken by a work of that ring. It keeps the worker that waits, and other works need another
 * one: made by kthreadd, or the rescuer of tlob_wq. While kthreadd does not run, one such lock
 * keeps the rescuer, and then all that other users need of tlob_wq waits for kthreadd.
 */
static void tlob_ring_wake(struct tlob_ring *ring)
{
	__poll_t events = EPOLLIN | EPOLLRDNORM;

	/* from here on it may be listed again; pairs with xchg() */
	smp_store_mb(ring->waking, false);
	if (tlob_ring_over(ring))
		events |= EPOLLHUP;
	wake_up_interruptible_poll(ring->wait, events);
	tlob_ring_put_atomic(ring);
}

static void tlob_ring_wake_later(struct work_struct *work)
{
	tlob_ring_wake(container_of(work, struct tlob_ring, wake_work));
}

/*
 * The rings that were listed on one CPU. The irq_work runs in a hard interrupt also on
 * PREEMPT_RT: nothing can keep it from running. An irq_work per ring could not be freed
 * in its own function.
 */
struct tlob_ring_woken {
	struct llist_head rings;
	struct irq_work work;
};

static void tlob_ring_wake_listed(struct irq_work *work)
{
	struct tlob_ring_woken *woken = container_of(work, struct tlob_ring_woken, work);
	struct llist_node *rings = llist_del_all(&woken->rings);
	struct tlob_ring *ring, *next;

	llist_for_each_entry_safe(ring, next, rings, wake) {
		if (IS_ENABLED(CONFIG_PREEMPT_RT))
			queue_work(tlob_wq, &ring->wake_work);
		else
			tlob_ring_wake(ring);
	}
}

static DEFINE_PER_CPU(struct tlob_ring_woken, tlob_ring_woken);

/*
 * Not by an initializer: a module's variables per CPU have no addresses of functions. Without
 * PREEMPT_RT each irq_work runs in a hard interrupt, and this one wakes. Lockdep permits the lock
 * of ring->wait only in one that PREEMPT_RT would run in a thread.
 */
void tlob_rings_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(&tlob_ring_woken, cpu)->work = IS_ENABLED(CONFIG_PREEMPT_RT) ?
			IRQ_WORK_INIT_HARD(tlob_ring_wake_listed) :
			IRQ_WORK_INIT(tlob_ring_wake_listed);
}

/* Wakes the readers later. In any context; the caller holds a reference. */
static void tlob_ring_wake_soon(struct tlob_ring *ring)
{
	struct tlob_ring_woken *woken;

	/* the measured task pays for a wake-up only if a reader waits */
	if (!wq_has_sleeper(ring->wait) || xchg(&ring->waking, true))
		return;
	kref_get(&ring->ref);
	/* irq_work_sync() does not wait for both of two CPUs that run one irq_work */
	woken = get_cpu_ptr(&tlob_ring_woken);
	llist_add(&ring->wake, &woken->rings);
	irq_work_queue(&woken->work);
	put_cpu_ptr(&tlob_ring_woken);
}

/* No file and no window exists. What the irq_works have queued, tlob_wq has. */
void tlob_rings_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(&tlob_ring_woken, cpu)->work);
}

static u64 tlob_us(u64 ns)
{
	return div_u64(ns, NSEC_PER_USEC);
}

static void tlob_event_fill(struct tlob_event *e, const struct tlob_task_window *w)
{
	u64 off = w->part_ns[TLOB_TASK_PART_WAITING] +
		  w->part_ns[TLOB_TASK_PART_SLEEPING] +
		  w->part_ns[TLOB_TASK_PART_TIMER] +
		  w->part_ns[TLOB_TASK_PART_STEAL];

	*e = (struct tlob_event) {
		.threshold_us = tlob_us(w->threshold_ns + NSEC_PER_USEC - 1),
		.on_cpu_us = tlob_us(w->elapsed_ns - off),
		.off_cpu_us = tlob_us(off),
		.switches = w->switches,
		.state = w->state,
		.tag = w->tag,
	};
}

/* Writes the record in place, because it is too large for the stack. */
static void tlob_ring_write_task_functions(struct tlob_ring *ring,
					   const struct tlob_task_window_wait *w,
					   const struct tlob_task_calls *functions)
{
	struct tlob_task_window_functions *to = tlob_ring_next(ring);

	if (!to)
		return;
	to->window = w->window;
	to->wait = w->wait;
	if (tlob_task_calls_ops)
		tlob_task_calls_ops->copy(functions, &to->functions);
	else
		memset(&to->functions, 0, sizeof(to->functions));
	tlob_ring_publish(ring);
}

/*
 * Writes a record of a window of @task to a ring of /dev/tlob in the format of the
 * ring. The record has the pids that the ring's opener sees. @functions: NULL if not
 * measured. Runs on any CPU, with irqs off, under the lock of the window's place.
 */
void tlob_ring_write_event(struct tlob_ring *ring, struct task_struct *task,
			   const struct tlob_task_window *w,
			   const struct tlob_longest *longest,
			   const struct tlob_task_calls *functions)
{
	pid_t tid = task_pid_nr_ns(task, ring->pid_ns);
	struct tlob_task_window_wait whole;
	u32 size = ring->record_size;
	struct tlob_event e;

	raw_spin_lock(&ring->write_lock);
	if (tlob_ring_format(ring) == TLOB_FORMAT_EVENT) {
		tlob_event_fill(&e, w);
		e.tid = tid;
		tlob_ring_put_record(ring, &e, sizeof(e));
	} else {
		whole.window = *w;
		whole.window.tid = tid;
		whole.window.tgid = task_tgid_nr_ns(task, ring->pid_ns);
		if (size >= sizeof(whole))
			tlob_longest_fill(longest, w->tgid, ring->pid_ns,
					  ring->wakers, &whole.wait);
		if (size > sizeof(whole))
			tlob_ring_write_task_functions(ring, &whole, functions);
		else
			tlob_ring_put_record(ring, &whole, size);
	}
	raw_spin_unlock(&ring->write_lock);
	tlob_ring_wake_soon(ring);
}

/*
 * Prepares a ring of /dev/tlob for a window or a binding that will report
 * to it. The monitor must be on until that has begun, except for a binding. Returns
 * whether the ring was over.
 */
bool tlob_ring_use(struct tlob_ring *ring)
{
	bool over = READ_ONCE(ring->over);

	WRITE_ONCE(ring->used, true);
	WRITE_ONCE(ring->over, false);
	return over;
}

/* The monitor is off: ends a ring that was in use and wakes its reader. */
void tlob_ring_off(struct tlob_ring *ring)
{
	if (!READ_ONCE(ring->used))
		return;
	tlob_ring_end(ring);
	tlob_ring_wake_soon(ring);
}
