// SPDX-License-Identifier: GPL-2.0
/* State that all rooms share, and files that are switches. room.h describes them. */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <uapi/linux/sched/types.h>

#include "base.h"
#include "compat.h"
#include "room.h"

#define TLOB_CONTROL_MAX	4096	/* bytes; a long CPU list fits */

/* base.h has what it protects, and the order of locks. */
DEFINE_MUTEX(tlob_mutex);

struct workqueue_struct *tlob_wq;
atomic_long_t tlob_memory;
bool tlob_loaded;

void tlob_thread_end(struct task_struct *task)
{
	const struct sched_attr highest = {
		.size = sizeof(highest),
		.sched_policy = SCHED_FIFO,
		.sched_priority = MAX_RT_PRIO - 1,
	};

	sched_setattr_nocheck(task, &highest);
	kthread_stop(task);
}

int tlob_may_open(void)
{
	return READ_ONCE(tlob_loaded) ? tlob_locked_down() : -ENODEV;
}

char *tlob_control_text(const char __user *buf, size_t size, char **text)
{
	char *copy;

	if (size > TLOB_CONTROL_MAX)
		return ERR_PTR(-EINVAL);
	copy = memdup_user_nul(buf, size);
	if (IS_ERR(copy))
		return copy;
	/* a NUL would hide the text after it; only a final NUL is accepted */
	if (strlen(copy) + 1 < size) {
		kfree(copy);
		return ERR_PTR(-EINVAL);
	}
	*text = strim(copy);
	return copy;
}

int tlob_control_switch(const char __user *buf, size_t size)
{
	char *text, *copy = tlob_control_text(buf, size, &text);
	int on = -EINVAL;

	if (IS_ERR(copy))
		return PTR_ERR(copy);
	if (!strcmp(text, "0") || !strcmp(text, "1"))
		on = *text == '1';
	kfree(copy);
	return on;
}

static int tlob_switch_show(struct seq_file *m, void *v)
{
	const struct tlob_switch *s = m->private;

	mutex_lock(&tlob_mutex);
	seq_printf(m, "%d\n", s->get());
	mutex_unlock(&tlob_mutex);
	return 0;
}

static int tlob_switch_open(struct inode *inode, struct file *file)
{
	return tlob_may_open() ?:
	       single_open(file, tlob_switch_show, inode->i_private);
}

static ssize_t tlob_switch_write(struct file *file, const char __user *buf,
				 size_t size, loff_t *pos)
{
	const struct seq_file *m = file->private_data;
	const struct tlob_switch *s = m->private;
	int on = tlob_control_switch(buf, size), err;

	if (on < 0)
		return on;
	mutex_lock(&tlob_mutex);
	err = s->set(on);
	mutex_unlock(&tlob_mutex);
	return err ?: size;
}

const struct file_operations tlob_switch_fops = {
	.owner = THIS_MODULE,
	.open = tlob_switch_open,
	.read = seq_read,
	.write = tlob_switch_write,
	.llseek = seq_lseek,
	.release = single_release,
};
