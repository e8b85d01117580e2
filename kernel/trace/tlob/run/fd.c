// SPDX-License-Identifier: GPL-2.0
/*
 * per_cpu/cpuN/tlob_fd: windows around the work of a user thread between two
 * read()s. docs/reference/kernel-interface.md has the states and their errors.
 *
 * The file knows its thread by a reference to the task, not by a pid. Only that
 * thread may read. So all functions but open, poll and release run in one
 * thread, and struct tlob_fd needs no lock. tlob_cpu.owner says whether the
 * file still has its CPU: the end of a run takes it away (tlob_fd_disown()).
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../ring/ring.h"
#include "run.h"

struct tlob_fd {
	struct tlob_cpu *c;
	struct task_struct *task;
	struct page *page;		/* struct tlob_fd_page */
	bool	pending;		/* record was not delivered */
	struct tlob_window record;
};

/*
 * Returns 0, -ENODEV if the run is over, or -EXDEV if the thread has left its
 * CPU.
 */
static int tlob_fd_check(const struct tlob_fd *fd)
{
	if (READ_ONCE(fd->c->owner) != fd)
		return -ENODEV;
	switch (READ_ONCE(fd->c->abort)) {
	case TLOB_ABORT_NONE:
		return 0;
	case TLOB_ABORT_MIGRATED:
		return -EXDEV;
	default:
		return -ENODEV;
	}
}

static int tlob_fd_open(struct inode *inode, struct file *file)
{
	struct tlob_cpu *c = inode->i_private;
	struct tlob_fd *fd;
	int err = tlob_may_open();

	if (err)
		return err;
	if (file->f_flags & O_NONBLOCK)
		return -EINVAL;
	fd = kzalloc_node(sizeof(*fd), GFP_KERNEL, cpu_to_node(c->cpu));
	if (!fd)
		return -ENOMEM;

	mutex_lock(&tlob_mutex);
	if (tlob_run.state != TLOB_ENABLED ||
	    !cpumask_test_cpu(c->cpu, &tlob_run.cpus) ||
	    READ_ONCE(c->gone) || !cpu_online(c->cpu))
		err = -ENODEV;
	else if (tlob_config.workload != TLOB_USER)
		err = -EINVAL;
	else if (current->nr_cpus_allowed != 1)
		err = -EPERM;
	else if (c->owner)
		err = -EBUSY;
	else
		err = tlob_window_claim(c, current);
	if (!err) {
		fd->c = c;
		fd->task = get_task_struct(current);
		fd->page = virt_to_page(c->page);
		get_page(fd->page);
		c->owner = fd;
		file->private_data = fd;
	}
	mutex_unlock(&tlob_mutex);
	if (err)
		kfree(fd);
	/*
	 * No f_pos_lock: a second reader must get an error instead of waiting.
	 */
	return err ?: stream_open(inode, file);
}

/* Takes the CPU away from the file that has it. Under tlob_mutex. */
void tlob_fd_disown(struct tlob_cpu *c)
{
	tlob_window_kill(c);
	/*
	 * A thread that has just ended a window may still write to the
	 * histograms and the ring. It is not preempted there, so it comes to
	 * the end. Pairs with the release in tlob_window_end().
	 */
	while (smp_load_acquire(&c->busy))
		usleep_range(50, 200);
	c->task = NULL;
	WRITE_ONCE(c->owner, NULL);
}

static int tlob_fd_release(struct inode *inode, struct file *file)
{
	struct tlob_fd *fd = file->private_data;

	mutex_lock(&tlob_mutex);
	if (fd->c->owner == fd)
		tlob_fd_disown(fd->c);
	mutex_unlock(&tlob_mutex);
	put_page(fd->page);
	put_task_struct(fd->task);
	kfree(fd);
	return 0;
}

/* Copies the record, which stays until a read() has returned its size. */
static int tlob_fd_copy(struct tlob_fd *fd, void __user *buf)
{
	return copy_to_user(buf, &fd->record, sizeof(fd->record)) ? -EFAULT : 0;
}

/*
 * The run is over. A pending record is the last one. Returns 0 if it was
 * delivered, else @lost or -EFAULT.
 */
static int tlob_fd_last(struct tlob_fd *fd, void __user *buf, int lost)
{
	int err;

	if (!fd->pending || lost != -ENODEV)
		return lost;
	fd->record.flags |= TLOB_WINDOW_LAST;
	err = tlob_fd_copy(fd, buf);
	if (!err)
		fd->pending = false;
	return err;
}

static int tlob_fd_next(struct tlob_fd *fd, void __user *buf)
{
	struct tlob_cpu *c = fd->c;
	int err;

	/* takes t3 before any slow step */
	err = tlob_window_end(c, &fd->record, 0);
	if (err >= 0) {
		fd->pending = true;
	} else if (err == -ESRCH && !fd->pending) {
		memset(&fd->record, 0, sizeof(fd->record));
		fd->record.version = TLOB_WINDOW_VERSION;
		fd->record.size = sizeof(fd->record);
		fd->record.cpu = c->cpu;
		fd->record.flags = TLOB_WINDOW_NONE;
	} else if (err != -ESRCH) {
		return tlob_fd_last(fd, buf, err);
	}

	/* copies before arming, because the copy may fault and sleep */
	err = tlob_fd_copy(fd, buf);
	if (err) {
		c->ended_at = 0;
		return err;
	}
	/* after EINTR the window is armed or has already fired */
	if (c->state != TLOB_ARMED && c->state != TLOB_FIRED) {
		err = tlob_window_arm(c);
		if (err)
			return tlob_fd_last(fd, buf, err);
	}
	err = tlob_window_wait(c);
	if (err == -EINTR)
		return err;
	if (!err)
		err = tlob_window_begin(c);
	if (err)
		return tlob_fd_last(fd, buf, err);
	fd->pending = false;
	return 0;
}

static ssize_t tlob_fd_read(struct file *file, char __user *buf, size_t size,
			    loff_t *pos)
{
	struct tlob_fd *fd = file->private_data;
	int err;

	if (fd->task != current)
		return -EPERM;
	if (size < sizeof(fd->record))
		return -EINVAL;
	err = tlob_fd_check(fd);
	err = err ? tlob_fd_last(fd, buf, err) : tlob_fd_next(fd, buf);
	return err ?: sizeof(fd->record);
}

static int tlob_fd_stop(struct tlob_fd *fd, void __user *buf)
{
	int over, err;

	over = tlob_fd_check(fd);
	if (over)
		return over;
	over = tlob_window_end(fd->c, &fd->record, TLOB_WINDOW_STOPPED);
	if (over < 0)
		return over;
	fd->pending = true;
	err = tlob_fd_copy(fd, buf);
	if (err)
		return err;
	fd->pending = false;
	return over ? -EOVERFLOW : 0;
}

static long tlob_fd_ioctl(struct file *file, unsigned int cmd,
			  unsigned long arg)
{
	struct tlob_fd *fd = file->private_data;

	if (cmd != TLOB_IOC_STOP)
		return -ENOTTY;
	if (fd->task != current)
		return -EPERM;
	return tlob_fd_stop(fd, (void __user *)arg);
}

static __poll_t tlob_fd_poll(struct file *file, poll_table *wait)
{
	struct tlob_fd *fd = file->private_data;

	poll_wait(file, &tlob_ring_readers, wait);
	switch (tlob_fd_check(fd)) {
	case 0:
		/* after stop_on_exceed the next arming is refused, and nobody tells this thread */
		return READ_ONCE(tlob_run.stopping) && !tlob_window_goes_on(fd->c) ? EPOLLHUP : 0;
	case -EXDEV:
		return EPOLLERR;
	default:
		return EPOLLHUP;
	}
}

static int tlob_fd_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct tlob_fd *fd = file->private_data;

	/* VM_SHARED is cleared when the file is not open for writing */
	if (!(vma->vm_flags & VM_MAYSHARE) || vma->vm_pgoff ||
	    vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	tlob_vma_fixed(vma);
	tlob_vma_never_writable(vma);
	return vm_insert_page(vma, vma->vm_start, fd->page);
}

const struct file_operations tlob_fd_fops = {
	.owner = THIS_MODULE,
	.open = tlob_fd_open,
	.release = tlob_fd_release,
	.read = tlob_fd_read,
	.poll = tlob_fd_poll,
	.unlocked_ioctl = tlob_fd_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = tlob_fd_mmap,
};
