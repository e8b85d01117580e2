// SPDX-License-Identifier: GPL-2.0
/*
 * Records to user space: per CPU one ring, one writer (the measured thread,
 * after t3), one reader (read(), or mmap).
 *
 * The kernel keeps its own head and tail. What user space writes into the
 * mapped page is looked at in one place, tlob_ring_sync_tail(), and ignored
 * unless it lies between them: a hostile writer loses its own records.
 *
 * Records are kept from the start of the run for the first reader, after that
 * only while one has the file open.
 *
 * The measured CPU never wakes anybody. A delayed work on a CPU that is not
 * measured looks every 100 ms; TLOB_RING_RECORDS hold more than twice of what
 * the shortest period makes in that time.
 */
#include <linux/error-injection.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "tlob.h"

#define TLOB_RING_RECORDS	4096U
#define TLOB_RING_WAKE_MS	100

struct tlob_ring {
	struct kref ref;
	struct mutex read_lock;		/* readers of one open file */
	bool	attached;		/* somebody has it open */
	bool	opened;			/* somebody ever had */
	bool	over;			/* no record can come any more */
	u32	head;			/* records ever written; the writer's */
	u32	tail;			/* records read; the reader's */
	u64	dropped;
	struct tlob_ring_page *page;	/* start of the mapping */
	struct page **pages;
};

size_t tlob_ring_bytes(void)
{
	return PAGE_SIZE + PAGE_ALIGN(TLOB_RING_RECORDS *
				      sizeof(struct tlob_window));
}

static unsigned int tlob_ring_pages(void)
{
	return tlob_ring_bytes() >> PAGE_SHIFT;
}

static void tlob_ring_free(struct tlob_ring *ring)
{
	unsigned int i;

	vunmap(ring->page);
	for (i = 0; i < tlob_ring_pages() && ring->pages[i]; i++)
		put_page(ring->pages[i]);
	kvfree(ring->pages);
	kfree(ring);
}

/* An empty ring on @node, or NULL without memory. Freed by the last put. */
struct tlob_ring *tlob_ring_alloc(int node)
{
	struct tlob_ring *ring;
	unsigned int i;

	ring = kzalloc_node(sizeof(*ring), GFP_KERNEL, node);
	if (!ring)
		return NULL;
	kref_init(&ring->ref);
	mutex_init(&ring->read_lock);
	ring->pages = kvcalloc(tlob_ring_pages(), sizeof(*ring->pages),
			       GFP_KERNEL);
	if (!ring->pages) {
		kfree(ring);
		return NULL;
	}
	for (i = 0; i < tlob_ring_pages(); i++) {
		ring->pages[i] = alloc_pages_node(node,
						  GFP_KERNEL | __GFP_ZERO, 0);
		if (!ring->pages[i])
			goto free;
	}
	ring->page = vmap(ring->pages, tlob_ring_pages(), VM_MAP, PAGE_KERNEL);
	if (!ring->page)
		goto free;
	ring->page->capacity = TLOB_RING_RECORDS;
	ring->page->version = TLOB_WINDOW_VERSION;
	ring->page->data_offset = PAGE_SIZE;
	ring->page->record_size = sizeof(struct tlob_window);
	return ring;
free:
	tlob_ring_free(ring);
	return NULL;
}
ALLOW_ERROR_INJECTION(tlob_ring_alloc, NULL);

static void tlob_ring_release(struct kref *ref)
{
	tlob_ring_free(container_of(ref, struct tlob_ring, ref));
}

void tlob_ring_put(struct tlob_ring *ring)
{
	if (ring)
		kref_put(&ring->ref, tlob_ring_release);
}

u64 tlob_ring_lost(const struct tlob_ring *ring)
{
	return ring && ring->opened ? READ_ONCE(ring->dropped) : 0;
}

static struct tlob_window *tlob_ring_record(struct tlob_ring *ring, u32 i)
{
	struct tlob_window *first = (void *)ring->page + PAGE_SIZE;

	return first + i % TLOB_RING_RECORDS;
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

/* The only writer: the measured thread, preemptible, no lock. */
void tlob_ring_write(struct tlob_ring *ring, const struct tlob_window *w)
{
	u32 head = ring->head;

	/* pairs with the releases in tlob_windows_open() */
	if (smp_load_acquire(&ring->opened) && !smp_load_acquire(&ring->attached))
		return;
	/* the private tail first: a mapped page may be cold or hostile */
	if (head - READ_ONCE(ring->tail) >= TLOB_RING_RECORDS &&
	    head - tlob_ring_sync_tail(ring, head) >= TLOB_RING_RECORDS) {
		WRITE_ONCE(ring->dropped, ring->dropped + 1);
		WRITE_ONCE(ring->page->dropped, ring->dropped);
		return;
	}
	memcpy(tlob_ring_record(ring, head), w, sizeof(*w));
	/* the record before the index that tells of it */
	smp_store_release(&ring->head, head + 1);
	/* the same for who reads through the mapping */
	smp_store_release(&ring->page->data_head, head + 1);
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

/* Whole records from tail on; bytes, 0 without one, -EFAULT. */
static ssize_t tlob_ring_copy(struct tlob_ring *ring, char __user *buf,
			      size_t size)
{
	/* pairs with the release in tlob_ring_write() */
	u32 head = smp_load_acquire(&ring->head);
	u32 tail = tlob_ring_sync_tail(ring, head);
	size_t done = 0;

	/* the mapping may have consumed more since: head is older than tail */
	while ((s32)(head - tail) > 0 && size - done >= sizeof(struct tlob_window)) {
		if (copy_to_user(buf + done, tlob_ring_record(ring, tail),
				 sizeof(struct tlob_window)))
			break;
		done += sizeof(struct tlob_window);
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

static ssize_t tlob_windows_read(struct file *file, char __user *buf,
				 size_t size, loff_t *pos)
{
	struct tlob_ring *ring = file->private_data;
	ssize_t ret;

	if (size < sizeof(struct tlob_window))
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
		ret = wait_event_interruptible(tlob_run.wait,
					       tlob_ring_has_data(ring) ||
					       tlob_ring_over(ring));
		if (ret)
			return ret;
	}
}

static __poll_t tlob_windows_poll(struct file *file, poll_table *wait)
{
	struct tlob_ring *ring = file->private_data;
	__poll_t mask = 0;

	poll_wait(file, &tlob_run.wait, wait);
	if (tlob_ring_has_data(ring))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (tlob_ring_over(ring))
		mask |= EPOLLHUP;
	return mask;
}

static int tlob_windows_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct tlob_ring *ring = file->private_data;

	/* VM_SHARED is cleared when the file is not open for writing */
	if (!(vma->vm_flags & VM_MAYSHARE) || vma->vm_pgoff ||
	    vma->vm_end - vma->vm_start != tlob_ring_bytes())
		return -EINVAL;
	tlob_vma_fixed(vma);
	/* each page is referenced by the mapping: it outlives ring and run */
	return vm_map_pages(vma, ring->pages, tlob_ring_pages());
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
