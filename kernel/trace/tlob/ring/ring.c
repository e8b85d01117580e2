// SPDX-License-Identifier: GPL-2.0
/*
 * Rings: they carry records to user space. There are two kinds:
 *
 * - The ring of a measured CPU. Its only writer is the measured thread after
 *   t3, which takes no lock.
 * - The ring of a file of /dev/tlob (monitor/task_ring.c). Timers and tasks on any
 *   CPU write to it under its lock.
 *
 * Each ring has one reader, by read() or by mmap.
 *
 * The kernel keeps its own head and tail. It reads the user's index in one
 * place, tlob_ring_sync_tail(), and ignores an index outside of [tail, head]. A
 * hostile program loses only its own records.
 *
 * From the start of a run, a ring keeps records for its first reader. After
 * that it keeps records only while a reader has the file open. It goes with the
 * run, or with its reader if that one has it open then.
 *
 * The measured CPU never wakes a task. A thread wakes the readers every
 * TLOB_RING_WAKE_MS, on a CPU that is neither measured nor isolated, or else on any that
 * is not isolated. Records of the monitor are rare, and a task may wait for them. So their
 * reader is woken at once, from a context where neither the run queue's lock nor the locks
 * of the windows are held.
 */
#include <linux/cpumask.h>
#include <linux/error-injection.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../base/base.h"
#include "../base/compat.h"
#include "ring.h"

#define TLOB_RING_WAKE_MS	100

static size_t tlob_ring_size(u32 records, u32 record_size)
{
	return PAGE_SIZE + PAGE_ALIGN((size_t)records * record_size);
}

size_t tlob_ring_bytes(const struct tlob_ring_kind *kind)
{
	return tlob_ring_size(kind->records, kind->record_size);
}

/* Returns the length of the mapping in bytes. */
size_t tlob_ring_length(const struct tlob_ring *ring)
{
	return (size_t)ring->nr_pages << PAGE_SHIFT;
}

void tlob_ring_free(struct tlob_ring *ring)
{
	unsigned int i;

	tlob_memory_sub(tlob_ring_length(ring));
	vunmap(ring->page);
	for (i = 0; i < ring->nr_pages && ring->pages[i]; i++)
		put_page(ring->pages[i]);
	kvfree(ring->pages);
	if (ring->pid_ns)
		put_pid_ns(ring->pid_ns);
	kfree(ring);
}

/* Returns an empty ring without a version or readers to wake. NULL: no memory. */
struct tlob_ring *tlob_ring_make(int node, gfp_t gfp, u32 records, u32 record_size)
{
	struct tlob_ring *ring;
	unsigned int i;

	ring = kzalloc_node(sizeof(*ring), gfp, node);
	if (!ring)
		return NULL;
	kref_init(&ring->ref);
	mutex_init(&ring->read_lock);
	raw_spin_lock_init(&ring->write_lock);
	init_waitqueue_head(&ring->own_wait);
	ring->records = records;
	ring->record_size = record_size;
	ring->nr_pages = tlob_ring_size(records, record_size) >> PAGE_SHIFT;
	ring->pages = kvcalloc(ring->nr_pages, sizeof(*ring->pages), gfp);
	if (!ring->pages) {
		kfree(ring);
		return NULL;
	}
	tlob_memory_add(tlob_ring_length(ring));
	for (i = 0; i < ring->nr_pages; i++) {
		ring->pages[i] = alloc_pages_node(node, gfp | __GFP_ZERO, 0);
		if (!ring->pages[i])
			goto free;
	}
	ring->page = vmap(ring->pages, ring->nr_pages, VM_MAP, PAGE_KERNEL);
	if (!ring->page)
		goto free;
	ring->page->capacity = records;
	ring->page->data_offset = PAGE_SIZE;
	ring->page->record_size = record_size;
	return ring;
free:
	tlob_ring_free(ring);
	return NULL;
}

/*
 * Allocates an empty ring of a measured CPU on @node. Returns NULL if memory is
 * short.
 */
struct tlob_ring *tlob_ring_alloc(const struct tlob_ring_kind *kind, int node)
{
	struct tlob_ring *ring = tlob_ring_make(node, GFP_KERNEL, kind->records,
						kind->record_size);

	if (ring) {
		ring->page->version = kind->version;
		ring->wait = &tlob_ring_readers;
	}
	return ring;
}
ALLOW_ERROR_INJECTION(tlob_ring_alloc, NULL);

struct tlob_ring *tlob_ring_get(struct tlob_ring *ring)
{
	kref_get(&ring->ref);
	return ring;
}

static void tlob_ring_release(struct kref *ref)
{
	tlob_ring_free(container_of(ref, struct tlob_ring, ref));
}

/* Drops a reference; @ring may be NULL. May sleep. */
void tlob_ring_put(struct tlob_ring *ring)
{
	if (ring)
		kref_put(&ring->ref, tlob_ring_release);
}

u64 tlob_ring_lost(const struct tlob_ring *ring)
{
	return ring && ring->opened ? READ_ONCE(ring->dropped) : 0;
}

/* Marks the end: no record follows. */
void tlob_ring_end(struct tlob_ring *ring)
{
	/* orders all records; pairs with the acquire in tlob_ring_over() */
	smp_store_release(&ring->over, true);
}

/* One thread wakes all readers of rings and all pollers of tlob_fd. */
DECLARE_WAIT_QUEUE_HEAD(tlob_ring_readers);

static const struct cpumask *tlob_ring_measured;
static void (*tlob_ring_before_wake)(void);
static struct task_struct *tlob_ring_waker;	/* changes under tlob_mutex */
static struct cpumask tlob_ring_wakers;		/* where it runs */

/*
 * Finds the CPUs for the waker: those that are neither isolated nor measured. If the run measures
 * all that are not isolated, it finds these. Returns whether none of them is measured.
 */
static bool tlob_ring_find_cpus(void)
{
	struct cpumask *cpus = &tlob_ring_wakers;
	bool apart;
	int cpu;

	cpumask_clear(cpus);
	for_each_online_cpu(cpu)
		if (tlob_cpu_is_housekeeping(cpu))
			cpumask_set_cpu(cpu, cpus);
	apart = !cpumask_subset(cpus, tlob_ring_measured);
	if (apart)
		cpumask_andnot(cpus, cpus, tlob_ring_measured);
	return apart;
}

/*
 * The CPUs are looked up each time: one may go offline or be isolated, and the kernel then gives
 * the thread any other. On a CPU that is not measured its timer expires there, in a hard interrupt.
 * On a measured one it waits for a tick, which comes anyway.
 */
static int tlob_ring_wake(void *unused)
{
	ktime_t period = ms_to_ktime(TLOB_RING_WAKE_MS);
	bool apart;

	for (;;) {
		apart = tlob_ring_find_cpus();
		set_cpus_allowed_ptr(current, &tlob_ring_wakers);
		tlob_ring_before_wake();
		wake_up_interruptible(&tlob_ring_readers);
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		if (apart)
			schedule_hrtimeout(&period, HRTIMER_MODE_REL_PINNED);
		else
			schedule_timeout(msecs_to_jiffies(TLOB_RING_WAKE_MS));
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/*
 * Where CPUs are left for it, the waker is a real-time thread of the lowest priority. On PREEMPT_RT
 * only the timers of such threads expire in a hard interrupt. Where a task with a higher priority
 * spins, the waker moves to another CPU.
 */
int tlob_ring_wake_start(const struct cpumask *measured, void (*before)(void))
{
	struct task_struct *task;

	tlob_ring_measured = measured;
	tlob_ring_before_wake = before;
	task = kthread_create(tlob_ring_wake, NULL, "tlob_wake");
	if (IS_ERR(task))
		return PTR_ERR(task);
	if (tlob_ring_find_cpus())
		sched_set_fifo_low(task);
	tlob_ring_waker = task;
	wake_up_process(task);
	return 0;
}
ALLOW_ERROR_INJECTION(tlob_ring_wake_start, ERRNO);

/* Ends the thread after the run's state has changed, then wakes all readers once more. */
void tlob_ring_wake_stop(void)
{
	if (tlob_ring_waker)
		tlob_thread_end(tlob_ring_waker);
	tlob_ring_waker = NULL;
	wake_up_interruptible(&tlob_ring_readers);
}

#if IS_ENABLED(CONFIG_TLOB_LOAD_KUNIT_TEST)
#include "kunit_ring.c"
#endif
