// SPDX-License-Identifier: GPL-2.0
/*
 * Rings: they carry records to user space. There are two kinds:
 *
 * - The ring of a measured CPU. Its only writer is the measured thread after
 *   t3, which takes no lock.
 * - The ring of a file of /dev/tlob. Timers and tasks on any CPU write to it
 *   under its lock.
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
 * The measured CPU never wakes a task. A delayed work on an unmeasured CPU
 * wakes the readers every 100 ms. TLOB_RING_RECORDS is more than twice the
 * number of records that the shortest period makes in that time. Records of the
 * monitor are rare, and a task may wait for them. So an irq_work wakes their
 * reader from a context where neither the run queue's lock nor the locks of the
 * windows are held.
 */
#include <linux/error-injection.h>
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "longest.h"
#include "ring.h"

#define TLOB_RING_WAKE_MS	100

/* The most bytes of records in the ring of a file of /dev/tlob. */
#define TLOB_EVENTS_BYTES	(256U << 10)
#define TLOB_FUNCTIONS_EVENTS_BYTES	(1024U << 10)	/* as many records of privileged readers */

static size_t tlob_ring_size(u32 records, u32 record_size)
{
	return PAGE_SIZE + PAGE_ALIGN((size_t)records * record_size);
}

/* What is in the rings of a measured CPU. */
static const struct {
	u32	records, record_size, version;
} tlob_ring_kinds[] = {
	[TLOB_RING_WINDOWS] = {
		TLOB_RING_RECORDS, sizeof(struct tlob_window),
		TLOB_WINDOW_VERSION,
	},
	[TLOB_RING_TIMELINES] = {
		TLOB_TIMELINE_RECORDS, sizeof(struct tlob_timeline),
		TLOB_TIMELINE_VERSION,
	},
	[TLOB_RING_WAITS] = {
		TLOB_WAIT_RECORDS, sizeof(struct tlob_run_wait),
		TLOB_RUN_WAIT_VERSION,
	},
	[TLOB_RING_FUNCTIONS] = {
		TLOB_FUNCTIONS_RECORDS, sizeof(struct tlob_functions),
		TLOB_FUNCTIONS_VERSION,
	},
};

size_t tlob_ring_bytes(enum tlob_ring_kind kind)
{
	return tlob_ring_size(tlob_ring_kinds[kind].records,
			      tlob_ring_kinds[kind].record_size);
}

/* Returns the length of the mapping in bytes. */
size_t tlob_ring_length(const struct tlob_ring *ring)
{
	return (size_t)ring->nr_pages << PAGE_SHIFT;
}

enum tlob_format tlob_ring_format(const struct tlob_ring *ring)
{
	return ring->format;
}

static void tlob_ring_free(struct tlob_ring *ring)
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

static struct tlob_ring *tlob_ring_make(int node, gfp_t gfp, u32 records,
					u32 record_size)
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
struct tlob_ring *tlob_ring_alloc(enum tlob_ring_kind kind, int node)
{
	struct tlob_ring *ring = tlob_ring_make(node, GFP_KERNEL,
						tlob_ring_kinds[kind].records,
						tlob_ring_kinds[kind].record_size);

	if (ring) {
		ring->page->version = tlob_ring_kinds[kind].version;
		ring->wait = &tlob_run.wait;
	}
	return ring;
}
ALLOW_ERROR_INJECTION(tlob_ring_alloc, NULL);

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

/*
 * The last reference may be dropped where sleeping is not allowed: a task that
 * exits drops one. One work frees all such rings, so the end of the module can
 * wait for it. tlob_ring_put() does not use it: a loop that opens and closes
 * files would outrun the work.
 */
static LLIST_HEAD(tlob_ring_dead);

static void tlob_ring_reap(struct work_struct *work)
{
	struct llist_node *dead = llist_del_all(&tlob_ring_dead);
	struct tlob_ring *ring, *next;

	llist_for_each_entry_safe(ring, next, dead, dead)
		tlob_ring_free(ring);
}

static DECLARE_WORK(tlob_ring_reaper, tlob_ring_reap);

static void tlob_ring_release_later(struct kref *ref)
{
	struct tlob_ring *ring = container_of(ref, struct tlob_ring, ref);

	llist_add(&ring->dead, &tlob_ring_dead);
	schedule_work(&tlob_ring_reaper);
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

/*
 * One irq_work wakes the readers of all rings. With an irq_work per ring,
 * freeing a ring would have to wait for a grace period on PREEMPT_RT.
 */
static LLIST_HEAD(tlob_ring_woken);

static void tlob_ring_wake_readers(struct irq_work *work)
{
	struct llist_node *woken = llist_del_all(&tlob_ring_woken);
	struct tlob_ring *ring, *next;

	llist_for_each_entry_safe(ring, next, woken, wake) {
		/* from here on it may be listed again; pairs with xchg() */
		smp_store_release(&ring->waking, false);
		wake_up_interruptible_poll(ring->wait, EPOLLIN | EPOLLRDNORM);
		tlob_ring_put_atomic(ring);
	}
}

static DEFINE_IRQ_WORK(tlob_ring_wake_work, tlob_ring_wake_readers);

/* Wakes the reader later. Irqs off; the caller holds a reference. */
static void tlob_ring_wake_soon(struct tlob_ring *ring)
{
	/* the measured task pays for a wake-up only if a reader waits */
	if (!wq_has_sleeper(ring->wait) || xchg(&ring->waking, true))
		return;
	kref_get(&ring->ref);
	if (llist_add(&ring->wake, &tlob_ring_woken))
		irq_work_queue(&tlob_ring_wake_work);
}

/*
 * Waits until every ring without references is freed. No file and no window
 * exists.
 */
void tlob_ring_flush(void)
{
	irq_work_sync(&tlob_ring_wake_work);
	flush_work(&tlob_ring_reaper);
}

u64 tlob_ring_lost(const struct tlob_ring *ring)
{
	return ring && ring->opened ? READ_ONCE(ring->dropped) : 0;
}

/*
 * Returns the place of the next record, or NULL: the ring is full. The caller is the
 * only writer.
 */
static __always_inline void *tlob_ring_next(struct tlob_ring *ring)
{
	u32 head = ring->head;

	/* private tail first: the mapped page may be cold or hostile */
	if (head - READ_ONCE(ring->tail) >= ring->records &&
	    head - tlob_ring_sync_tail(ring, head) >= ring->records) {
		WRITE_ONCE(ring->dropped, ring->dropped + 1);
		WRITE_ONCE(ring->page->dropped, ring->dropped);
		return NULL;
	}
	return tlob_ring_record(ring, head);
}

/* The record is whole. */
static __always_inline void tlob_ring_publish(struct tlob_ring *ring)
{
	u32 head = ring->head;

	/* the record must be visible before the index that covers it */
	smp_store_release(&ring->head, head + 1);
	/* the same for a reader through the mapping */
	smp_store_release(&ring->page->data_head, head + 1);
}

/*
 * Writes one record; the caller is the only writer. @size is the record size of
 * the ring and a constant.
 */
static __always_inline void __tlob_ring_write(struct tlob_ring *ring,
					      const void *record, size_t size)
{
	void *to = tlob_ring_next(ring);

	if (!to)
		return;
	memcpy(to, record, size);
	tlob_ring_publish(ring);
}

/*
 * Writes a record of a run. The only writer is the measured thread, which is
 * preemptible and takes no lock.
 */
static __always_inline void tlob_ring_write_run(struct tlob_ring *ring,
						const void *record, size_t size)
{
	/* pairs with the releases in tlob_ring_attach() */
	if (smp_load_acquire(&ring->opened) && !smp_load_acquire(&ring->attached))
		return;
	__tlob_ring_write(ring, record, size);
}

/* One for each kind: the sizes are constants, so the copies are inline. */
void tlob_ring_write(struct tlob_ring *ring, const struct tlob_window *w)
{
	tlob_ring_write_run(ring, w, sizeof(*w));
}

void tlob_ring_write_timeline(struct tlob_ring *ring,
			      const struct tlob_timeline *t)
{
	tlob_ring_write_run(ring, t, sizeof(*t));
}

void tlob_ring_write_wait(struct tlob_ring *ring, const struct tlob_run_wait *w)
{
	tlob_ring_write_run(ring, w, sizeof(*w));
}

void tlob_ring_write_functions(struct tlob_ring *ring,
			       const struct tlob_functions *f)
{
	tlob_ring_write_run(ring, f, sizeof(*f));
}

static u64 tlob_us(u64 ns)
{
	return div_u64(ns, NSEC_PER_USEC);
}

static void tlob_event_fill(struct tlob_event *e, const struct tlob_task_window *w)
{
	u64 off = w->part_ns[TLOB_TASK_PART_WAITING] +
		  w->part_ns[TLOB_TASK_PART_SLEEPING];

	*e = (struct tlob_event) {
		.threshold_us = tlob_us(w->threshold_ns + NSEC_PER_USEC - 1),
		.on_cpu_us = tlob_us(w->elapsed_ns - off),
		.off_cpu_us = tlob_us(off),
		.switches = w->switches,
		.state = w->state,
		.tag = w->tag,
	};
}

/* A record that is too large for the stack is written in pieces. */
static void tlob_ring_write_task_functions(struct tlob_ring *ring,
					   const struct tlob_task_window_wait *w,
					   const struct tlob_task_calls *functions)
{
	struct tlob_task_window_functions *to = tlob_ring_next(ring);

	if (!to)
		return;
	to->window = w->window;
	to->wait = w->wait;
	tlob_task_calls_copy(functions, &to->functions);
	tlob_ring_publish(ring);
}

/*
 * Writes a record of @task's window to a ring of /dev/tlob in the format of the
 * ring. The record has the pids that the ring's opener sees. @functions: NULL if not
 * measured. Runs on any CPU, with irqs off, while @task cannot go away.
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
		__tlob_ring_write(ring, &e, sizeof(e));
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
			__tlob_ring_write(ring, &whole, size);
	}
	raw_spin_unlock(&ring->write_lock);
	tlob_ring_wake_soon(ring);
}

/* Marks the end: no record follows. */
void tlob_ring_end(struct tlob_ring *ring)
{
	/* orders all records; pairs with the acquire in tlob_ring_over() */
	smp_store_release(&ring->over, true);
}

/*
 * Prepares a ring of /dev/tlob for a window or a binding that will report to
 * it. Returns whether the ring was over.
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
	wake_up_interruptible_poll(ring->wait, EPOLLHUP | EPOLLIN | EPOLLRDNORM);
}

/* One work wakes all readers of rings and all pollers of tlob_fd. */
static void tlob_ring_wake(struct work_struct *work);
static DECLARE_DELAYED_WORK(tlob_ring_waker, tlob_ring_wake);

static void tlob_ring_wake_queue(void)
{
	int cpu;

	/* the chosen CPU must not go offline before the timer starts */
	preempt_disable();
	for_each_online_cpu(cpu)
		if (!cpumask_test_cpu(cpu, &tlob_run.cpus))
			break;
	if (cpu >= nr_cpu_ids)
		cpu = WORK_CPU_UNBOUND;
	schedule_delayed_work_on(cpu, &tlob_ring_waker,
				 msecs_to_jiffies(TLOB_RING_WAKE_MS));
	preempt_enable();
}

static void tlob_ring_wake(struct work_struct *work)
{
	wake_up_interruptible(&tlob_run.wait);
	if (READ_ONCE(tlob_run.state) == TLOB_ENABLED)
		tlob_ring_wake_queue();
}

void tlob_ring_wake_start(void)
{
	tlob_ring_wake_queue();
}

/*
 * Stops the work after the run's state has changed, then wakes all readers once
 * more.
 */
void tlob_ring_wake_stop(void)
{
	cancel_delayed_work_sync(&tlob_ring_waker);
	wake_up_interruptible(&tlob_run.wait);
}

#if IS_ENABLED(CONFIG_TLOB_LOAD_KUNIT_TEST)
#include "kunit_ring.c"
#endif
