// SPDX-License-Identifier: GPL-2.0
/*
 * Rings, the reader's side: read(), poll() and mmap() of all kinds, and what the files
 * of a measured CPU's rings have in common. ring.c has the rules.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/uaccess.h>

#include "../base/base.h"
#include "../base/compat.h"
#include "ring.h"

static bool tlob_ring_has_data(struct tlob_ring *ring)
{
	/* pairs with the release in tlob_ring_write() */
	u32 head = smp_load_acquire(&ring->head);

	return (s32)(head - tlob_ring_sync_tail(ring, head)) > 0;
}

/*
 * Copies each record by a constant size. For a variable size, a kernel with
 * HARDENED_USERCOPY checks where the record lies, which takes longer than the
 * copy.
 */
static bool tlob_ring_copy_record(const struct tlob_ring *ring,
				  char __user *buf, const void *record)
{
	switch (ring->record_size) {
	case sizeof(struct tlob_window):
		return !copy_to_user(buf, record, sizeof(struct tlob_window));
	case sizeof(struct tlob_timeline):
		return !copy_to_user(buf, record, sizeof(struct tlob_timeline));
	case sizeof(struct tlob_late_window):
		return !copy_to_user(buf, record, sizeof(struct tlob_late_window));
	case sizeof(struct tlob_functions):
		return !copy_to_user(buf, record, sizeof(struct tlob_functions));
	case sizeof(struct tlob_task_window):
		return !copy_to_user(buf, record,
				     sizeof(struct tlob_task_window));
	case sizeof(struct tlob_task_window_wait):
		return !copy_to_user(buf, record,
				     sizeof(struct tlob_task_window_wait));
	case sizeof(struct tlob_task_window_functions):
		return !copy_to_user(buf, record,
				     sizeof(struct tlob_task_window_functions));
	case sizeof(struct tlob_run_wait):
		return !copy_to_user(buf, record, sizeof(struct tlob_run_wait));
	default:
		return !copy_to_user(buf, record, sizeof(struct tlob_event));
	}
}

/*
 * Copies whole records from the tail on. Returns the bytes, 0 if no record is
 * there, or -EFAULT.
 */
static ssize_t tlob_ring_copy(struct tlob_ring *ring, char __user *buf,
			      size_t size)
{
	/* pairs with the release in tlob_ring_write() */
	u32 head = smp_load_acquire(&ring->head);
	u32 tail = tlob_ring_sync_tail(ring, head);
	size_t done = 0;

	/* the mapping may have consumed more, so head may be behind tail */
	while ((s32)(head - tail) > 0 && size - done >= ring->record_size) {
		if (!tlob_ring_copy_record(ring, buf + done,
					   tlob_ring_record(ring, tail)))
			break;
		done += ring->record_size;
		tail++;
	}
	if (!done)
		return (s32)(head - tail) > 0 ? -EFAULT : 0;
	/* the copies must end before the writer may overwrite records */
	smp_store_release(&ring->page->data_tail, tail);
	/* the same for the private tail, which the writer checks first */
	smp_store_release(&ring->tail, tail);
	return done;
}

/*
 * Reads whole records, like read(2). Returns the bytes, 0 if the ring is over,
 * or -EINVAL, -EAGAIN, -EFAULT or -ERESTARTSYS.
 */
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
		/* the ring was over before the copy, so no record followed */
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

/*
 * Maps the whole ring. Returns 0, or -EINVAL if the mapping is not shared, does
 * not begin at 0 or has another length.
 */
int tlob_ring_mmap(struct tlob_ring *ring, struct vm_area_struct *vma)
{
	/* VM_SHARED is cleared when the file is not open for writing */
	if (!(vma->vm_flags & VM_MAYSHARE) || vma->vm_pgoff ||
	    vma->vm_end - vma->vm_start != tlob_ring_length(ring))
		return -EINVAL;
	tlob_vma_fixed(vma);
	/* the mapping references each page, so it may outlive ring and run */
	return vm_map_pages(vma, ring->pages, ring->nr_pages);
}

/* Makes @file the reader of @ring, which may be NULL. Under tlob_mutex. */
static int tlob_ring_attach(struct tlob_ring *ring, struct file *file)
{
	int err = 0;

	if (!ring) {
		err = -ENODEV;
	} else if (ring->attached) {
		err = -EBUSY;
	} else {
		kref_get(&ring->ref);
		file->private_data = ring;
		if (ring->opened) {
			/* the records for the previous reader are dropped */
			ring->tail = READ_ONCE(ring->head);
			ring->page->data_tail = ring->tail;
		}
		/* the writer must see the indexes before it writes records */
		smp_store_release(&ring->attached, true);
		/*
		 * This and the release above pair with the acquires in
		 * tlob_ring_write().
		 */
		smp_store_release(&ring->opened, true);
	}
	return err;
}

/* Opens the ring of a measured CPU that @of returns. */
int tlob_ring_open(struct inode *inode, struct file *file,
		   struct tlob_ring *(*of)(const struct tlob_cpu *c))
{
	int err = tlob_may_open();

	if (err)
		return err;
	mutex_lock(&tlob_mutex);
	err = tlob_ring_attach(of(inode->i_private), file);
	mutex_unlock(&tlob_mutex);
	/*
	 * No f_pos_lock: waiting for it cannot be interrupted, unlike read_lock.
	 */
	return err ?: stream_open(inode, file);
}

int tlob_ring_file_release(struct inode *inode, struct file *file)
{
	struct tlob_ring *ring = file->private_data;

	mutex_lock(&tlob_mutex);
	WRITE_ONCE(ring->attached, false);
	mutex_unlock(&tlob_mutex);
	tlob_ring_put(ring);
	return 0;
}

ssize_t tlob_ring_file_read(struct file *file, char __user *buf,
			    size_t size, loff_t *pos)
{
	return tlob_ring_read(file->private_data, file, buf, size);
}

__poll_t tlob_ring_file_poll(struct file *file, poll_table *wait)
{
	return tlob_ring_poll(file->private_data, file, wait);
}

int tlob_ring_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	return tlob_ring_mmap(file->private_data, vma);
}
