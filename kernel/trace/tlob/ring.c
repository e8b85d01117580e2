// SPDX-License-Identifier: GPL-2.0
/*
 * Records to user space. Two kinds of ring: that of a measured CPU, whose one
 * writer is the measured thread after t3 and takes no lock, and that of a file of
 * /dev/tlob, which timers and tasks on any CPU write under its lock. One reader
 * each (read(), or mmap).
 *
 * The kernel keeps its own head and tail. What user space writes into the
 * mapped page is looked at in one place, tlob_ring_sync_tail(), and ignored
 * unless it lies between them: a hostile writer loses its own records.
 *
 * Records of a run are kept from its start for the first reader, after that
 * only while one has the file open.
 *
 * The measured CPU never wakes anybody. A delayed work on a CPU that is not
 * measured looks every 100 ms; TLOB_RING_RECORDS hold more than twice of what
 * the shortest period makes in that time. A record of the monitor is rare, and
 * somebody may wait for it: an irq_work wakes its reader, from where the rq's lock
 * and those of the windows are not held.
 */
#include <linux/error-injection.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "tlob.h"

#define TLOB_RING_RECORDS	4096U
#define TLOB_RING_WAKE_MS	100

/* Bytes of records in the ring of a file of /dev/tlob, at the most. */
#define TLOB_EVENTS_BYTES	(256U << 10)

struct tlob_ring {
	struct kref ref;
	u32	records, record_size;
	unsigned int nr_pages;		/* of the mapping */
	struct mutex read_lock;		/* readers of one open file */
	wait_queue_head_t *wait;	/* tlob_run.wait, or own_wait */
	wait_queue_head_t own_wait;
	struct llist_node wake;		/* of those whose readers are to be woken */
	bool	waking;			/* it is on that list, with a reference */
	raw_spinlock_t write_lock;	/* its writers; of /dev/tlob */
	struct pid_namespace *pid_ns;	/* of who opened it; of /dev/tlob */
	enum tlob_format format;	/* of /dev/tlob */
	struct llist_node dead;
	bool	attached;		/* somebody has it open */
	bool	opened;			/* somebody ever had */
	bool	used;			/* windows were to report here; of /dev/tlob */
	bool	over;			/* no record can come (of /dev/tlob: for now) */
	u32	head;			/* records ever written; the writer's */
	u32	tail;			/* records read; the reader's */
	u64	dropped;
	struct tlob_ring_page *page;	/* start of the mapping */
	struct page **pages;
};

static size_t tlob_ring_size(u32 records, u32 record_size)
{
	return PAGE_SIZE + PAGE_ALIGN((size_t)records * record_size);
}

/* Of a measured CPU's. */
size_t tlob_ring_bytes(void)
{
	return tlob_ring_size(TLOB_RING_RECORDS, sizeof(struct tlob_window));
}

/* The length of the mapping. */
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

/* A measured CPU's empty ring on @node, or NULL without memory. */
struct tlob_ring *tlob_ring_alloc(int node)
{
	struct tlob_ring *ring = tlob_ring_make(node, GFP_KERNEL,
						TLOB_RING_RECORDS,
						sizeof(struct tlob_window));

	if (ring) {
		ring->page->version = TLOB_WINDOW_VERSION;
		ring->wait = &tlob_run.wait;
	}
	return ring;
}
ALLOW_ERROR_INJECTION(tlob_ring_alloc, NULL);

/* The same for a file of /dev/tlob, charged to the caller. Pids are as @ns has them. */
struct tlob_ring *tlob_ring_alloc_events(enum tlob_format format,
					 struct pid_namespace *ns)
{
	u32 size = format == TLOB_FORMAT_WINDOW ?
		   sizeof(struct tlob_task_window) : sizeof(struct tlob_event);
	struct tlob_ring *ring;

	ring = tlob_ring_make(NUMA_NO_NODE, GFP_KERNEL_ACCOUNT,
			      rounddown_pow_of_two(TLOB_EVENTS_BYTES / size),
			      size);
	if (ring) {
		ring->page->version = TLOB_EVENT_VERSION;
		ring->wait = &ring->own_wait;
		ring->pid_ns = get_pid_ns(ns);
		ring->format = format;
	}
	return ring;
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

/* May sleep. */
void tlob_ring_put(struct tlob_ring *ring)
{
	if (ring)
		kref_put(&ring->ref, tlob_ring_release);
}

/*
 * The last reference may go where nothing can sleep: in the exit of a task. One
 * work frees for all, so that the end of the module can wait for it. Only there:
 * who opens and closes files in a loop would be ahead of it.
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

/* In any context that does not hold the rq's lock, nor one that is taken below it. */
void tlob_ring_put_atomic(struct tlob_ring *ring)
{
	if (ring)
		kref_put(&ring->ref, tlob_ring_release_later);
}

/*
 * A ring's readers are woken by one irq_work for all: with one in each ring, freeing
 * it would have to wait for a grace period on PREEMPT_RT.
 */
static LLIST_HEAD(tlob_ring_woken);

static void tlob_ring_wake_readers(struct irq_work *work)
{
	struct llist_node *woken = llist_del_all(&tlob_ring_woken);
	struct tlob_ring *ring, *next;

	llist_for_each_entry_safe(ring, next, woken, wake) {
		/* from here on it may be on the list again; pairs with xchg() */
		smp_store_release(&ring->waking, false);
		wake_up_interruptible_poll(ring->wait, EPOLLIN | EPOLLRDNORM);
		tlob_ring_put_atomic(ring);
	}
}

static DEFINE_IRQ_WORK(tlob_ring_wake_work, tlob_ring_wake_readers);

/* Irqs off, in any context that holds a reference. */
static void tlob_ring_wake_soon(struct tlob_ring *ring)
{
	/* the measured task pays for it only if somebody waits */
	if (!wq_has_sleeper(ring->wait) || xchg(&ring->waking, true))
		return;
	kref_get(&ring->ref);
	if (llist_add(&ring->wake, &tlob_ring_woken))
		irq_work_queue(&tlob_ring_wake_work);
}

/* Waits until every ring that was put is freed: no file and no window is there. */
void tlob_ring_flush(void)
{
	irq_work_sync(&tlob_ring_wake_work);
	flush_work(&tlob_ring_reaper);
}

u64 tlob_ring_lost(const struct tlob_ring *ring)
{
	return ring && ring->opened ? READ_ONCE(ring->dropped) : 0;
}

static void *tlob_ring_record(struct tlob_ring *ring, u32 i)
{
	return (void *)ring->page + PAGE_SIZE +
	       (size_t)(i & (ring->records - 1)) * ring->record_size;
}

/* Takes over what a reader through the mapping has consumed. */
static u32 tlob_ring_sync_tail(struct tlob_ring *ring, u32 head)
{
	u32 tail = READ_ONCE(ring->tail);
	/* pairs with the release of the mapping's reader */
	u32 user = smp_load_acquire(&ring->page->data_tail);

	if (user - tail <= head - tail) {
		tail = user;
		WRITE_ONCE(ring->tail, tail);
	}
	return tail;
}

/* One writer at a time. @size, that of the ring's records, is a constant. */
static __always_inline void __tlob_ring_write(struct tlob_ring *ring,
					      const void *record, size_t size)
{
	u32 head = ring->head;

	/* the private tail first: a mapped page may be cold or hostile */
	if (head - READ_ONCE(ring->tail) >= ring->records &&
	    head - tlob_ring_sync_tail(ring, head) >= ring->records) {
		WRITE_ONCE(ring->dropped, ring->dropped + 1);
		WRITE_ONCE(ring->page->dropped, ring->dropped);
		return;
	}
	memcpy(tlob_ring_record(ring, head), record, size);
	/* the record before the index that tells of it */
	smp_store_release(&ring->head, head + 1);
	/* the same for who reads through the mapping */
	smp_store_release(&ring->page->data_head, head + 1);
}

/* The only writer: the measured thread, preemptible, no lock. */
void tlob_ring_write(struct tlob_ring *ring, const struct tlob_window *w)
{
	/* pairs with the releases in tlob_windows_open() */
	if (smp_load_acquire(&ring->opened) && !smp_load_acquire(&ring->attached))
		return;
	__tlob_ring_write(ring, w, sizeof(*w));
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

/*
 * A record of @task's window to a ring of /dev/tlob, whatever its format, with the
 * pids that its opener sees. Any CPU, irqs off, @task cannot go.
 */
void tlob_ring_write_event(struct tlob_ring *ring, struct task_struct *task,
			   const struct tlob_task_window *w)
{
	pid_t tid = task_pid_nr_ns(task, ring->pid_ns);
	struct tlob_task_window whole;
	struct tlob_event e;

	raw_spin_lock(&ring->write_lock);
	if (tlob_ring_format(ring) == TLOB_FORMAT_EVENT) {
		tlob_event_fill(&e, w);
		e.tid = tid;
		__tlob_ring_write(ring, &e, sizeof(e));
	} else {
		whole = *w;
		whole.tid = tid;
		whole.tgid = task_tgid_nr_ns(task, ring->pid_ns);
		__tlob_ring_write(ring, &whole, sizeof(whole));
	}
	raw_spin_unlock(&ring->write_lock);
	tlob_ring_wake_soon(ring);
}

static bool tlob_ring_has_data(struct tlob_ring *ring)
{
	/* pairs with the release in tlob_ring_write() */
	u32 head = smp_load_acquire(&ring->head);

	return (s32)(head - tlob_ring_sync_tail(ring, head)) > 0;
}

/* The last record is written, or none will be. */
void tlob_ring_end(struct tlob_ring *ring)
{
	/* pairs with the acquire in tlob_ring_over(): all records are there */
	smp_store_release(&ring->over, true);
}

/* A window or a binding is about to report to a ring of /dev/tlob. Whether it was over. */
bool tlob_ring_use(struct tlob_ring *ring)
{
	bool over = READ_ONCE(ring->over);

	WRITE_ONCE(ring->used, true);
	WRITE_ONCE(ring->over, false);
	return over;
}

/* The monitor is off: who reads a ring that was in use is told. */
void tlob_ring_off(struct tlob_ring *ring)
{
	if (!READ_ONCE(ring->used))
		return;
	tlob_ring_end(ring);
	wake_up_interruptible_poll(ring->wait, EPOLLHUP | EPOLLIN | EPOLLRDNORM);
}

static bool tlob_ring_over(struct tlob_ring *ring)
{
	/* pairs with the release in tlob_ring_end() */
	return smp_load_acquire(&ring->over);
}

/* One waker for all readers of rings and all pollers of tlob_fd. */
static void tlob_ring_wake(struct work_struct *work);
static DECLARE_DELAYED_WORK(tlob_ring_waker, tlob_ring_wake);

static void tlob_ring_wake_queue(void)
{
	int cpu;

	/* a CPU cannot go offline between its choice and the timer's start */
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

/* After the run's state has changed: the last look, by the caller itself. */
void tlob_ring_wake_stop(void)
{
	cancel_delayed_work_sync(&tlob_ring_waker);
	wake_up_interruptible(&tlob_run.wait);
}

static int tlob_windows_open(struct inode *inode, struct file *file)
{
	struct tlob_cpu *c = inode->i_private;
	struct tlob_ring *ring;
	int err = 0;

	mutex_lock(&tlob_mutex);
	ring = c->ring;
	if (!ring) {
		err = -ENODEV;
	} else if (ring->attached) {
		err = -EBUSY;
	} else {
		kref_get(&ring->ref);
		file->private_data = ring;
		if (ring->opened) {
			/* what was written for the reader before is gone */
			ring->tail = READ_ONCE(ring->head);
			ring->page->data_tail = ring->tail;
		}
		/* the writer sees the indexes before it writes for us */
		smp_store_release(&ring->attached, true);
		/* pairs with the acquires in tlob_ring_write(), as above */
		smp_store_release(&ring->opened, true);
	}
	mutex_unlock(&tlob_mutex);
	/* no f_pos_lock: read_lock can be interrupted, that one not */
	return err ?: stream_open(inode, file);
}

static int tlob_windows_release(struct inode *inode, struct file *file)
{
	struct tlob_ring *ring = file->private_data;

	mutex_lock(&tlob_mutex);
	WRITE_ONCE(ring->attached, false);
	mutex_unlock(&tlob_mutex);
	tlob_ring_put(ring);
	return 0;
}

/*
 * Each by a constant size: for any other a kernel with HARDENED_USERCOPY looks
 * where the record is from, which takes longer than to copy it.
 */
static bool tlob_ring_copy_record(const struct tlob_ring *ring,
				  char __user *buf, const void *record)
{
	switch (ring->record_size) {
	case sizeof(struct tlob_window):
		return !copy_to_user(buf, record, sizeof(struct tlob_window));
	case sizeof(struct tlob_task_window):
		return !copy_to_user(buf, record,
				     sizeof(struct tlob_task_window));
	default:
		return !copy_to_user(buf, record, sizeof(struct tlob_event));
	}
}

/* Whole records from tail on; bytes, 0 without one, -EFAULT. */
static ssize_t tlob_ring_copy(struct tlob_ring *ring, char __user *buf,
			      size_t size)
{
	/* pairs with the release in tlob_ring_write() */
	u32 head = smp_load_acquire(&ring->head);
	u32 tail = tlob_ring_sync_tail(ring, head);
	size_t done = 0;

	/* the mapping may have consumed more since: head is older than tail */
	while ((s32)(head - tail) > 0 && size - done >= ring->record_size) {
		if (!tlob_ring_copy_record(ring, buf + done,
					   tlob_ring_record(ring, tail)))
			break;
		done += ring->record_size;
		tail++;
	}
	if (!done)
		return (s32)(head - tail) > 0 ? -EFAULT : 0;
	/* the copies before the writer may use their place */
	smp_store_release(&ring->page->data_tail, tail);
	/* the same for its private copy, which it looks at first */
	smp_store_release(&ring->tail, tail);
	return done;
}

/* As read(2): whole records. -EINVAL, -EAGAIN, -EFAULT, -ERESTARTSYS; 0: over. */
ssize_t tlob_ring_read(struct tlob_ring *ring, struct file *file,
		       char __user *buf, size_t size)
{
	ssize_t ret;

	if (size < ring->record_size)
		return -EINVAL;
	for (;;) {
		bool over = tlob_ring_over(ring);

		ret = mutex_lock_interruptible(&ring->read_lock);
		if (ret)
			return ret;
		ret = tlob_ring_copy(ring, buf, size);
		mutex_unlock(&ring->read_lock);
		/* nothing came after it was over before we looked */
		if (ret || over)
			return ret;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(*ring->wait,
					       tlob_ring_has_data(ring) ||
					       tlob_ring_over(ring));
		if (ret)
			return ret;
	}
}

__poll_t tlob_ring_poll(struct tlob_ring *ring, struct file *file,
			poll_table *wait)
{
	__poll_t mask = 0;

	poll_wait(file, ring->wait, wait);
	if (tlob_ring_has_data(ring))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (tlob_ring_over(ring))
		mask |= EPOLLHUP;
	return mask;
}

/* 0; -EINVAL: not shared, not from 0, or not all of it. */
int tlob_ring_mmap(struct tlob_ring *ring, struct vm_area_struct *vma)
{
	/* VM_SHARED is cleared when the file is not open for writing */
	if (!(vma->vm_flags & VM_MAYSHARE) || vma->vm_pgoff ||
	    vma->vm_end - vma->vm_start != tlob_ring_length(ring))
		return -EINVAL;
	tlob_vma_fixed(vma);
	/* each page is referenced by the mapping: it outlives ring and run */
	return vm_map_pages(vma, ring->pages, ring->nr_pages);
}

static ssize_t tlob_windows_read(struct file *file, char __user *buf,
				 size_t size, loff_t *pos)
{
	return tlob_ring_read(file->private_data, file, buf, size);
}

static __poll_t tlob_windows_poll(struct file *file, poll_table *wait)
{
	return tlob_ring_poll(file->private_data, file, wait);
}

static int tlob_windows_mmap(struct file *file, struct vm_area_struct *vma)
{
	return tlob_ring_mmap(file->private_data, vma);
}

const struct file_operations tlob_windows_fops = {
	.owner = THIS_MODULE,
	.open = tlob_windows_open,
	.release = tlob_windows_release,
	.read = tlob_windows_read,
	.poll = tlob_windows_poll,
	.mmap = tlob_windows_mmap,
};

#if IS_ENABLED(CONFIG_TLOB_LOAD_KUNIT_TEST)
#include "kunit_ring.c"
#endif
