// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/tlob: a thread puts a budget on its work between two ioctls.
 *
 * A file owns the windows that any thread starts on it. It has a ring for the
 * events that are sent to it. A window holds a reference to a ring, never to a
 * file. So closing a file always ends its windows.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>

#include "../base/users.h"
#include "../bits/bits.h"
#include "../split/automaton.h"
#include "../window/longest.h"
#include "../window/window.h"
#include "monitor.h"
#include "task_ring.h"

struct tlob_file {
	struct list_head list;		/* of all files */
	struct tlob_user *user;		/* NULL: no limits */
	struct tlob_payers payers;	/* who opened it */
	struct pid_namespace *pid_ns;	/* of who opened it */
	bool	wakers;			/* may know tasks of other processes: CAP_PERFMON */
	struct mutex lock;		/* serialises making the ring */
	struct tlob_ring *ring;		/* NULL until first used */
	bool	listens;		/* listens, or did, to some binding */
};

/* The ABI of user space does not change. */
static_assert(sizeof(struct tlob_event) == 48);
static_assert(sizeof(struct tlob_task_window) == 248);
static_assert(sizeof(struct tlob_task_window_wait) == 304);
static_assert(TLOB_NAME_LEN == TASK_COMM_LEN);
static_assert(TLOB_BINDING_LEN == TLOB_BINDING_NAME);
static_assert(running_tlob == (int)TLOB_TASK_RUNNING);
static_assert(sleeping_tlob == (int)TLOB_TASK_SLEEPING);
static_assert(waiting_tlob == (int)TLOB_TASK_WAITING);

/*
 * A thread has at most one window by START. This address is their common
 * source.
 */
static const char tlob_start_source;

static DEFINE_MUTEX(tlob_files_lock);
static LIST_HEAD(tlob_files);

/* Returns whether the caller may know tasks of other processes. */
static bool tlob_may_see_tasks(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
}

static int tlob_file_open(struct inode *inode, struct file *file)
{
	struct tlob_file *f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);

	if (!f)
		return -ENOMEM;
	f->payers = tlob_payers_of(file->f_cred);
	f->user = tlob_user_open(&f->payers);
	if (IS_ERR(f->user)) {
		int err = PTR_ERR(f->user);

		kfree(f);
		return err;
	}
	f->pid_ns = get_pid_ns(task_active_pid_ns(current));
	f->wakers = tlob_may_see_tasks();
	mutex_init(&f->lock);
	file->private_data = f;
	mutex_lock(&tlob_files_lock);
	list_add(&f->list, &tlob_files);
	mutex_unlock(&tlob_files_lock);
	return stream_open(inode, file);
}

static int tlob_file_release(struct inode *inode, struct file *file)
{
	struct tlob_file *f = file->private_data;

	mutex_lock(&tlob_files_lock);
	list_del(&f->list);
	mutex_unlock(&tlob_files_lock);
	if (f->listens)
		tlob_binding_deafen(f);
	tlob_monitor_close(f);
	if (f->ring)
		tlob_ring_close(f->ring, f->user);
	else
		tlob_user_close(f->user);
	put_pid_ns(f->pid_ns);
	mutex_destroy(&f->lock);
	kfree(f);
	return 0;
}

/*
 * Off: all windows are gone. On: files that listen to a binding get records
 * again.
 */
void tlob_device_switched(bool on)
{
	struct tlob_file *f;

	mutex_lock(&tlob_files_lock);
	list_for_each_entry(f, &tlob_files, list) {
		/* pairs with the release in tlob_file_ring() */
		struct tlob_ring *ring = smp_load_acquire(&f->ring);

		if (ring && !on)
			tlob_ring_off(ring);
		else if (ring && READ_ONCE(f->listens))
			tlob_ring_use(ring);
	}
	mutex_unlock(&tlob_files_lock);
}

/*
 * Returns the ring of @f. The first caller makes it with @format. Returns NULL
 * if memory is short.
 */
static struct tlob_ring *tlob_file_ring(struct tlob_file *f,
					enum tlob_format format)
{
	/* pairs with the release below */
	struct tlob_ring *ring = smp_load_acquire(&f->ring);

	if (ring)
		return ring;
	mutex_lock(&f->lock);
	ring = f->ring;
	if (!ring) {
		ring = tlob_ring_alloc_events(format, f->pid_ns, f->wakers);
		/* a reader without the lock must find a complete ring */
		smp_store_release(&f->ring, ring);
	}
	mutex_unlock(&f->lock);
	return ring;
}

/*
 * Returns the ring for records of windows. @every: the ring gets a record of
 * every window, which the short format cannot distinguish from a violation. Returns
 * ERR_PTR(-ENOMEM) or ERR_PTR(-EINVAL) on errors.
 */
static struct tlob_ring *tlob_file_ring_for(struct tlob_file *f, bool every)
{
	struct tlob_ring *ring = tlob_file_ring(f, every ? TLOB_FORMAT_WINDOW :
						TLOB_FORMAT_EVENT);

	if (!ring)
		return ERR_PTR(-ENOMEM);
	if (every && tlob_ring_format(ring) == TLOB_FORMAT_EVENT)
		return ERR_PTR(-EINVAL);
	return ring;
}

static ssize_t tlob_file_read(struct file *file, char __user *buf, size_t size,
			      loff_t *pos)
{
	struct tlob_ring *ring = tlob_file_ring(file->private_data,
						TLOB_FORMAT_EVENT);

	return ring ? tlob_ring_read(ring, file, buf, size) : -ENOMEM;
}

static __poll_t tlob_file_poll(struct file *file, poll_table *wait)
{
	struct tlob_ring *ring = tlob_file_ring(file->private_data,
						TLOB_FORMAT_EVENT);

	return ring ? tlob_ring_poll(ring, file, wait) : EPOLLERR;
}

static int tlob_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct tlob_ring *ring = tlob_file_ring(file->private_data,
						TLOB_FORMAT_EVENT);

	return ring ? tlob_ring_mmap(ring, vma) : -ENOMEM;
}

static const struct file_operations tlob_file_fops;

/*
 * Opens a window of the caller. @b has the threshold and the tag. Returns 0 or
 * an errno of START.
 */
static int tlob_file_begin(struct tlob_file *f, struct tlob_begin *b,
			   int notify_fd)
{
	struct file *notify = NULL;
	int err;

	b->source = &tlob_start_source;
	b->owner = f;
	b->payers = f->payers;
	b->limited = f->user;
	b->perfmon = f->wakers;
	b->names = f->wakers && f->pid_ns == &init_pid_ns;
	if (notify_fd == -1)
		return b->every ? -EINVAL : tlob_monitor_begin(b);

	notify = fget(notify_fd);
	if (!notify)
		return -EBADF;
	err = -EINVAL;
	if (notify->f_op != &tlob_file_fops)
		goto out;
	b->ring = tlob_file_ring_for(notify->private_data, b->every);
	if (IS_ERR(b->ring)) {
		err = PTR_ERR(b->ring);
		goto out;
	}
	err = tlob_monitor_begin(b);
out:
	fput(notify);
	return err;
}

static int tlob_file_start(struct tlob_file *f, const void __user *arg)
{
	struct tlob_start start;
	struct tlob_begin b = {};

	if (copy_from_user(&start, arg, sizeof(start)))
		return -EFAULT;
	if (!start.threshold_us || start.flags)
		return -EINVAL;
	if (start.threshold_us > TLOB_THRESHOLD_MAX / NSEC_PER_USEC)
		return -ERANGE;
	b.threshold_ns = start.threshold_us * NSEC_PER_USEC;
	b.tag = start.tag;
	return tlob_file_begin(f, &b, start.notify_fd);
}

static int tlob_file_start_ns(struct tlob_file *f, const void __user *arg)
{
	struct tlob_start_ns start;
	struct tlob_begin b = {};

	if (copy_from_user(&start, arg, sizeof(start)))
		return -EFAULT;
	if (!start.threshold_ns || start.flags & ~TLOB_START_EVERY)
		return -EINVAL;
	if (start.threshold_ns < TLOB_THRESHOLD_MIN ||
	    start.threshold_ns > TLOB_THRESHOLD_MAX)
		return -ERANGE;
	b.threshold_ns = start.threshold_ns;
	b.tag = start.tag;
	b.every = start.flags & TLOB_START_EVERY;
	return tlob_file_begin(f, &b, start.notify_fd);
}

/*
 * Ends the caller's window. Copies the first @size bytes of the record to @arg
 * unless @arg is NULL. Returns 0, -EOVERFLOW, -ESRCH or -EFAULT.
 */
static int tlob_file_stop(struct tlob_file *f, void __user *arg, size_t size)
{
	struct tlob_task_window_wait w;
	bool wait = size == sizeof(w);
	struct tlob_longest longest;
	int over = tlob_monitor_end(f, &w.window, wait ? &longest : NULL);

	if (over < 0)
		return over;
	if (wait)
		tlob_longest_fill(&longest, w.window.tgid, f->pid_ns, f->wakers,
				  &w.wait);
	w.window.tid = task_pid_nr_ns(current, f->pid_ns);
	w.window.tgid = task_tgid_nr_ns(current, f->pid_ns);
	if (arg && copy_to_user(arg, &w, size))
		return -EFAULT;
	return over ? -EOVERFLOW : 0;
}

static int tlob_file_setup(struct tlob_file *f, void __user *arg)
{
	struct tlob_ring_setup setup;
	struct tlob_ring *ring;

	if (copy_from_user(&setup, arg, sizeof(setup)))
		return -EFAULT;
	if (setup.format > TLOB_FORMAT_FUNCTIONS || setup.flags)
		return -EINVAL;
	/* it may be large, and has addresses of the kernel */
	if (setup.format == TLOB_FORMAT_FUNCTIONS &&
	    (!f->wakers || tlob_locked_down()))
		return -EPERM;
	ring = tlob_file_ring(f, setup.format);
	if (!ring)
		return -ENOMEM;
	if (tlob_ring_format(ring) != setup.format)
		return -EBUSY;
	setup.length = tlob_ring_length(ring);
	return copy_to_user(arg, &setup, sizeof(setup)) ? -EFAULT : 0;
}

static int tlob_file_listen(struct tlob_file *f, const void __user *arg)
{
	struct tlob_listen listen;
	struct tlob_ring *ring;
	bool every, over;
	int err;

	/* the file may have been opened before the kernel was locked down */
	if (!capable(CAP_SYS_ADMIN) || tlob_locked_down())
		return -EPERM;
	if (copy_from_user(&listen, arg, sizeof(listen)))
		return -EFAULT;
	if (listen.flags & ~TLOB_START_EVERY || listen.reserved ||
	    !memchr(listen.name, '\0', sizeof(listen.name)))
		return -EINVAL;
	every = listen.flags & TLOB_START_EVERY;
	ring = tlob_file_ring_for(f, every);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	WRITE_ONCE(f->listens, true);
	/* must come first: if the monitor goes off after this, the ring is ended again */
	over = tlob_ring_use(ring);
	err = tlob_binding_listen(listen.name, f, ring, every);
	/* while it is on, a window may have begun with this ring */
	if (err && over && !tlob_monitor_is_on())
		tlob_ring_off(ring);
	return err;
}

/*
 * A word belongs to its address space, not to this file. Any file can register
 * it.
 */
static int tlob_file_register(struct tlob_file *f, const void __user *arg)
{
	struct tlob_enable e;

	if (copy_from_user(&e, arg, sizeof(e)))
		return -EFAULT;
	return tlob_bits_register(&e, f->user);
}

static int tlob_file_unregister(const void __user *arg)
{
	struct tlob_enable e;

	if (copy_from_user(&e, arg, sizeof(e)))
		return -EFAULT;
	return tlob_bits_unregister(&e);
}

static long tlob_file_ioctl(struct file *file, unsigned int cmd,
			    unsigned long arg)
{
	struct tlob_file *f = file->private_data;
	void __user *p = (void __user *)arg;

	switch (cmd) {
	case TLOB_IOC_TRACE_START:
		return tlob_file_start(f, p);
	case TLOB_IOC_TRACE_STOP:
		return tlob_file_stop(f, NULL, 0);
	case TLOB_IOC_START_NS:
		return tlob_file_start_ns(f, p);
	case TLOB_IOC_STOP_NS:
		return tlob_file_stop(f, p, sizeof(struct tlob_task_window));
	case TLOB_IOC_STOP_WAIT:
		return tlob_file_stop(f, p, sizeof(struct tlob_task_window_wait));
	case TLOB_IOC_RING:
		return tlob_file_setup(f, p);
	case TLOB_IOC_LISTEN:
		return tlob_file_listen(f, p);
	case TLOB_IOC_REGISTER:
		return tlob_file_register(f, p);
	case TLOB_IOC_UNREGISTER:
		return tlob_file_unregister(p);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations tlob_file_fops = {
	.owner = THIS_MODULE,
	.open = tlob_file_open,
	.release = tlob_file_release,
	.read = tlob_file_read,
	.poll = tlob_file_poll,
	.mmap = tlob_file_mmap,
	.unlocked_ioctl = tlob_file_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice tlob_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "tlob",
	.fops = &tlob_file_fops,
	.mode = 0660,
};

int tlob_device_create(void)
{
	return misc_register(&tlob_device);
}

/* No file is open, because each one holds the module. */
void tlob_device_remove(void)
{
	misc_deregister(&tlob_device);
}
