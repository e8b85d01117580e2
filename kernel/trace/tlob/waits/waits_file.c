// SPDX-License-Identifier: GPL-2.0
/*
 * The files of the wait profiler: `waits` for people, `waits_records` for the
 * tool. Both show a snapshot: each task and each stack is copied under its lock,
 * then sorted outside of it. Tasks are copied after stacks, so the stacks of a
 * task never add up to more than its total.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "../base/room.h"
#include "waits.h"

#define TLOB_WAITS_ROWS		1000U

/*
 * sort() of some ten thousand records takes milliseconds, and a kernel without
 * preemption runs no other task meanwhile: so both comparisons let it.
 */
static int tlob_wait_by_total(const void *a, const void *b)
{
	const struct tlob_wait_task *l = a, *r = b;

	cond_resched();
	return l->blocked.total_ns < r->blocked.total_ns ? 1 :
	       l->blocked.total_ns > r->blocked.total_ns ? -1 : 0;
}

static int tlob_wait_by_task(const void *a, const void *b)
{
	const struct tlob_wait_stack *l = a, *r = b;

	cond_resched();
	if (l->task != r->task)
		return l->task < r->task ? -1 : 1;
	return l->blocked.total_ns < r->blocked.total_ns ? 1 :
	       l->blocked.total_ns > r->blocked.total_ns ? -1 : 0;
}

static void tlob_wait_snapshot_free(struct tlob_wait_snapshot *s)
{
	vfree(s->task);
	vfree(s->stack);
	memset(s, 0, sizeof(*s));
}

/* @from, or a copy of its first @size bytes: a file may be open for long. */
static void *tlob_wait_trim(void *from, size_t size)
{
	void *to = size ? vmalloc(size) : NULL;

	if (size && !to)
		return from;
	if (size)
		memcpy(to, from, size);
	vfree(from);
	return to;
}

/* Returns 0 or -ENOMEM. Under tlob_mutex: memory and state do not change. */
static int tlob_wait_snapshot_copy(struct tlob_wait_snapshot *s)
{
	unsigned int slots = tlob_waits_nr_slots();
	unsigned int stacks = tlob_wait_stacks_max();

	lockdep_assert_held(&tlob_mutex);
	tlob_waits_status(&s->status);
	if (!slots)
		return 0;
	s->task = vmalloc(array_size(slots + 1, sizeof(*s->task)));
	s->stack = vmalloc(array_size(stacks, sizeof(*s->stack)));
	if (!s->task || !s->stack) {
		tlob_wait_snapshot_free(s);
		return -ENOMEM;
	}
	s->status.stacks = tlob_waits_copy_stacks(s->stack, stacks);
	s->status.tasks = tlob_waits_copy_tasks(s->task, tlob_waits_ended());
	s->stack = tlob_wait_trim(s->stack,
				  s->status.stacks * sizeof(*s->stack));
	s->task = tlob_wait_trim(s->task, s->status.tasks * sizeof(*s->task));
	return 0;
}

/* Takes a new snapshot into @s. Returns 0 or -ENOMEM; then @s is empty. */
static int tlob_wait_snapshot(struct tlob_wait_snapshot *s)
{
	int err;

	tlob_wait_snapshot_free(s);
	mutex_lock(&tlob_mutex);
	err = tlob_wait_snapshot_copy(s);
	mutex_unlock(&tlob_mutex);
	if (err)
		return err;
	sort(s->task, s->status.tasks, sizeof(*s->task), tlob_wait_by_total, NULL);
	sort(s->stack, s->status.stacks, sizeof(*s->stack), tlob_wait_by_task,
	     NULL);
	return 0;
}

/* Finds the worst stack of a task, or NULL: the first one that is not before it. */
static const struct tlob_wait_stack *
tlob_wait_worst(const struct tlob_wait_snapshot *s, u64 task)
{
	unsigned int low = 0, high = s->status.stacks;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (s->stack[middle].task < task)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->status.stacks && s->stack[low].task == task ?
	       &s->stack[low] : NULL;
}

/* A task calls itself anything: it must not look like two lines. */
static void tlob_waits_show_name(struct seq_file *m, const char *comm, u32 tid)
{
	seq_escape(m, comm, "\n\\");
	seq_printf(m, "/%u", tid);
}

static void tlob_waits_show_waker(struct seq_file *m,
				  const struct tlob_wait_waker *w)
{
	static const char * const kinds[] = {
		[TLOB_WAKER_UNKNOWN] = "unknown", [TLOB_WAKER_IRQ] = "irq",
		[TLOB_WAKER_SOFTIRQ] = "softirq", [TLOB_WAKER_NMI] = "nmi",
	};

	if (w->kind == TLOB_WAKER_TASK)
		tlob_waits_show_name(m, w->comm, w->tid);
	else
		seq_puts(m, kinds[w->kind]);
}

/* User addresses are shown to who may sample them. */
static void tlob_waits_show_stack(struct seq_file *m,
				  const struct tlob_wait_stack *s)
{
	unsigned int i, code = min_t(u16, s->nr_code, TLOB_WAIT_FRAMES);

	if (!perfmon_capable())
		code = 0;
	seq_printf(m, "  stack count=%llu total_ns=%llu max_ns=%llu woken_by=",
		   s->blocked.count, s->blocked.total_ns, s->blocked.max_ns);
	tlob_waits_show_waker(m, &s->waker);
	seq_putc(m, '\n');
	for (i = 0; i < code; i++)
		seq_printf(m, "    user 0x%llx\n", s->code[i]);
	for (i = 0; i < s->nr_kernel; i++)
		seq_printf(m, "    kernel %pB\n", (void *)s->kernel[i]);
}

static void tlob_waits_show_task(struct seq_file *m,
				 const struct tlob_wait_snapshot *snapshot,
				 const struct tlob_wait_task *t)
{
	const struct tlob_wait_stack *worst = tlob_wait_worst(snapshot, t->id);

	tlob_waits_show_name(m, t->comm, t->tid);
	seq_printf(m, " tgid=%u start_ns=%llu count=%llu blocked_ns=%llu max_ns=%llu runnable_ns=%llu runnable_max_ns=%llu asleep_ns=%llu exited=%d\n",
		   t->tgid, t->start_ns, t->blocked.count,
		   t->blocked.total_ns, t->blocked.max_ns,
		   t->runnable.total_ns, t->runnable.max_ns, t->asleep_ns,
		   !!(t->flags & TLOB_WAIT_EXITED));
	if (worst)
		tlob_waits_show_stack(m, worst);
}

/* Position 0 is the first task: a file that was rewound gets a new snapshot. */
static void *tlob_waits_row(struct tlob_wait_snapshot *s, loff_t pos)
{
	if (pos >= s->status.tasks || pos >= TLOB_WAITS_ROWS ||
	    !s->task[pos].blocked.total_ns)
		return NULL;
	return &s->task[pos];
}

static void *tlob_waits_seq_start(struct seq_file *m, loff_t *pos)
{
	struct tlob_wait_snapshot *s = m->private;
	int err = 0;

	if (!*pos)
		err = tlob_wait_snapshot(s);
	return err ? ERR_PTR(err) : tlob_waits_row(s, *pos);
}

static void *tlob_waits_seq_next(struct seq_file *m, void *v, loff_t *pos)
{
	return tlob_waits_row(m->private, ++*pos);
}

static void tlob_waits_seq_stop(struct seq_file *m, void *v)
{
}

static int tlob_waits_seq_show(struct seq_file *m, void *v)
{
	tlob_waits_show_task(m, m->private, v);
	return 0;
}

static const struct seq_operations tlob_waits_seq_ops = {
	.start = tlob_waits_seq_start,
	.next = tlob_waits_seq_next,
	.stop = tlob_waits_seq_stop,
	.show = tlob_waits_seq_show,
};

static int tlob_waits_open(struct inode *inode, struct file *file)
{
	return tlob_may_open() ?:
	       seq_open_private(file, &tlob_waits_seq_ops,
				sizeof(struct tlob_wait_snapshot));
}

static int tlob_waits_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	tlob_wait_snapshot_free(m->private);
	return seq_release_private(inode, file);
}

static ssize_t tlob_waits_write(struct file *file, const char __user *buf,
				size_t size, loff_t *pos)
{
	char *text, *copy = tlob_control_text(buf, size, &text);
	struct tlob_wait_line line;
	int err;

	if (IS_ERR(copy))
		return PTR_ERR(copy);
	err = tlob_parse_wait(text, &line);
	if (!err) {
		mutex_lock(&tlob_mutex);
		err = tlob_waits_command(&line);
		mutex_unlock(&tlob_mutex);
	}
	kfree(copy);
	return err ?: size;
}

const struct file_operations tlob_waits_fops = {
	.owner = THIS_MODULE,
	.open = tlob_waits_open,
	.read = seq_read,
	.write = tlob_waits_write,
	.llseek = seq_lseek,
	.release = tlob_waits_release,
};

/* An open `waits_records`. */
struct tlob_wait_reader {
	struct mutex lock;		/* of all below */
	struct tlob_wait_snapshot snapshot;
	loff_t	pos;			/* where the next record begins */
	u64	record;			/* its number */
};

static int tlob_wait_records_open(struct inode *inode, struct file *file)
{
	int err = perfmon_capable() ? tlob_may_open() : -EPERM;
	struct tlob_wait_reader *r;

	if (err)
		return err;
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	mutex_init(&r->lock);
	err = tlob_wait_listen();
	if (err) {
		kfree(r);
		return err;
	}
	file->private_data = r;
	return 0;
}

static int tlob_wait_records_release(struct inode *inode, struct file *file)
{
	struct tlob_wait_reader *r = file->private_data;

	tlob_wait_deafen();
	tlob_wait_snapshot_free(&r->snapshot);
	kfree(r);
	return 0;
}

/* Returns the next record of the snapshot, or NULL behind the last one. */
static const void *tlob_wait_record(const struct tlob_wait_reader *r, size_t *size)
{
	const struct tlob_wait_snapshot *s = &r->snapshot;
	u64 i = r->record;

	*size = sizeof(s->status);
	if (!i)
		return &s->status;
	*size = sizeof(*s->task);
	if (--i < s->status.tasks)
		return &s->task[i];
	i -= s->status.tasks;
	*size = sizeof(*s->stack);
	return i < s->status.stacks ? &s->stack[i] : NULL;
}

/* Stores one raw copy. Returns its size, 0 without one, -EINVAL or -EFAULT. */
static ssize_t tlob_wait_read_copy(char __user *buf, size_t size)
{
	struct tlob_wait_buffer *b;

	b = tlob_wait_copy_next();
	if (!b)
		return 0;
	if (size < sizeof(b->copy) || copy_to_user(buf, &b->copy, sizeof(b->copy))) {
		tlob_wait_copy_unread(b);
		return size < sizeof(b->copy) ? -EINVAL : -EFAULT;
	}
	tlob_wait_copy_give(b);
	return sizeof(b->copy);
}

static ssize_t tlob_wait_read_one(struct tlob_wait_reader *r, char __user *buf,
				  size_t size)
{
	const void *record;
	size_t length;

	record = tlob_wait_record(r, &length);
	if (!record)
		return tlob_wait_read_copy(buf, size);
	if (size < length)
		return -EINVAL;
	if (copy_to_user(buf, record, length))
		return -EFAULT;
	r->record++;
	return length;
}

/* At position 0 a new snapshot begins. Under r->lock. */
static int tlob_wait_records_begin(struct tlob_wait_reader *r, loff_t pos)
{
	if (pos)
		return pos == r->pos ? 0 : -EINVAL;
	r->pos = 0;
	r->record = 0;
	return tlob_wait_snapshot(&r->snapshot);
}

static ssize_t tlob_wait_records_read(struct file *file, char __user *buf,
				      size_t size, loff_t *pos)
{
	struct tlob_wait_reader *r = file->private_data;
	ssize_t one = 0, total = 0;
	int err;

	mutex_lock(&r->lock);
	err = tlob_wait_records_begin(r, *pos);
	if (err)
		goto unlock;
	do {
		one = tlob_wait_read_one(r, buf + total, size - total);
		if (one > 0)
			total += one;
		cond_resched();
	} while (one > 0 && !signal_pending(current));
	/* what fits is returned; an error comes with the next read */
	err = total ? 0 : one;
	r->pos += total;
	*pos = r->pos;
unlock:
	mutex_unlock(&r->lock);
	return err ?: total;
}

const struct file_operations tlob_wait_records_fops = {
	.owner = THIS_MODULE,
	.open = tlob_wait_records_open,
	.read = tlob_wait_records_read,
	.llseek = default_llseek,
	.release = tlob_wait_records_release,
};
