// SPDX-License-Identifier: GPL-2.0
/*
 * Windows in unmodified programs. A binding is a region of a file with a budget.
 * A task that reaches one of its starts has a window until it reaches one of its
 * stops. binding.h has the grammar of `monitor`, the file that adds, removes and
 * lists bindings.
 *
 * A binding belongs to a file, not to a name. It stays in every process that
 * runs the file, even after the file is deleted or replaced. From then on its
 * own name or the path in its line finds it.
 *
 * A binding holds the file's path and thus its mount, so the file system is
 * busy. A uprobe needs its inode until it is unregistered. An inode held
 * without its mount outlives the file system ("Busy inodes after unmount"). The
 * kernel's own uprobe_events also holds the path.
 *
 * tlob_bindings_lock protects the list. It is held while a binding is made or
 * removed, which takes locks of inodes and the mmap_lock of other processes. It
 * is never taken under tlob_mutex, and tlob_mutex is never taken under it. No
 * code touches user memory while it holds the lock. Handlers take neither lock.
 */
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/namei.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../base/base.h"
#include "../base/room.h"
#include "../ring/ring.h"
#include "monitor.h"
#include "uprobe.h"

#define TLOB_BINDINGS_MAX	256
#define TLOB_PROBES_MAX		1024	/* of all bindings */

static const char * const tlob_binding_count_names[] = {
	[TLOB_BINDING_WINDOWS] = "windows", [TLOB_BINDING_NESTED] = "nested",
	[TLOB_BINDING_NO_SLOT] = "no_slot", [TLOB_BINDING_OFF] = "off",
	[TLOB_BINDING_UNMATCHED] = "unmatched",
};

static DEFINE_MUTEX(tlob_bindings_lock);
static LIST_HEAD(tlob_bindings);
static unsigned int tlob_nr_bindings;
static unsigned int tlob_nr_probes;

/* Frees @listener, which no handler reads any more. May sleep. */
static void tlob_binding_free_listener(struct tlob_binding_listener *listener)
{
	if (!listener)
		return;
	tlob_ring_put(listener->ring);
	kfree(listener);
}

/* Frees a binding that is not attached. */
static void tlob_binding_free(struct tlob_binding *b)
{
	tlob_binding_free_listener(rcu_dereference_protected(b->listener, true));
	if (b->inode)
		path_put(&b->path);
	kfree(b->line.path);
	kfree(b);
}

/*
 * Finds the regular file at @text and the inode that its pages belong to. An
 * error leaves both results unchanged. Returns 0, -EINVAL or an error of
 * kern_path().
 */
static int tlob_binding_resolve(const char *text, struct path *path,
				struct inode **inode)
{
	struct path found;
	int err = kern_path(text, LOOKUP_FOLLOW, &found);

	if (err)
		return err;
	if (!d_is_reg(found.dentry)) {
		path_put(&found);
		return -EINVAL;
	}
	*path = found;
	*inode = d_real_inode(found.dentry);
	return 0;
}

static u64 tlob_offsets_last(const struct tlob_offsets *p)
{
	unsigned int i;
	u64 last = 0;

	for (i = 0; i < p->nr; i++)
		last = max(last, p->at[i]);
	return last;
}

static struct tlob_binding *
tlob_binding_alloc(const struct tlob_binding_line *line)
{
	unsigned int nr = line->start.nr + line->stop.nr;
	struct tlob_binding *b = kzalloc(struct_size(b, probe, nr), GFP_KERNEL);
	int err = -ENOMEM;
	u64 last;

	if (!b)
		return ERR_PTR(err);
	b->nr_probes = nr;
	b->line = *line;
	b->line.path = kstrdup(line->path, GFP_KERNEL);
	if (!b->line.path)
		goto free;
	err = tlob_binding_resolve(line->path, &b->path, &b->inode);
	if (err)
		goto free;
	err = -EINVAL;
	last = max(tlob_offsets_last(&line->start),
		   tlob_offsets_last(&line->stop));
	if (last >= i_size_read(b->inode))
		goto free;
	return b;
free:
	tlob_binding_free(b);
	return ERR_PTR(err);
}

static struct tlob_binding *tlob_binding_by_name(const char *name)
{
	struct tlob_binding *b;

	if (!*name)
		return NULL;
	list_for_each_entry(b, &tlob_bindings, node)
		if (!strcmp(b->line.name, name))
			return b;
	return NULL;
}

/* Returns a binding of @inode that has one of @start. */
static struct tlob_binding *
tlob_binding_by_inode(const struct inode *inode, const struct tlob_offsets *start)
{
	struct tlob_binding *b;

	list_for_each_entry(b, &tlob_bindings, node)
		if (b->inode == inode && tlob_offsets_meet(&b->line.start, start))
			return b;
	return NULL;
}

static struct tlob_binding *
tlob_binding_by_path(const char *path, const struct tlob_offsets *start)
{
	struct tlob_binding *b;

	list_for_each_entry(b, &tlob_bindings, node)
		if (tlob_offsets_meet(&b->line.start, start) &&
		    !strcmp(b->line.path, path))
			return b;
	return NULL;
}

/*
 * Attaches @b and adds it to the list. Under tlob_bindings_lock. Returns 0,
 * -EEXIST, -ENOSPC or an error of tlob_binding_attach().
 */
static int tlob_binding_insert(struct tlob_binding *b)
{
	int err;

	if (tlob_binding_by_name(b->line.name) ||
	    tlob_binding_by_inode(b->inode, &b->line.start))
		return -EEXIST;
	if (tlob_nr_bindings == TLOB_BINDINGS_MAX ||
	    b->nr_probes > TLOB_PROBES_MAX - tlob_nr_probes)
		return -ENOSPC;
	err = tlob_binding_attach(b);
	if (err)
		/* ENOTSUPP is internal to the kernel */
		return err == -ENOTSUPP ? -EOPNOTSUPP : err;
	list_add_tail(&b->node, &tlob_bindings);
	tlob_nr_bindings++;
	tlob_nr_probes += b->nr_probes;
	return 0;
}

static int tlob_binding_add_line(const struct tlob_binding_line *line)
{
	struct tlob_binding *b = tlob_binding_alloc(line);
	int err;

	if (IS_ERR(b))
		return PTR_ERR(b);
	mutex_lock(&tlob_bindings_lock);
	err = tlob_binding_insert(b);
	mutex_unlock(&tlob_bindings_lock);
	if (err)
		tlob_binding_free(b);
	return err;
}

/*
 * Detaches and frees the bindings of @gone, which tlob_bindings no longer
 * contains. Under tlob_bindings_lock.
 */
static void tlob_bindings_discard(struct list_head *gone)
{
	struct tlob_binding *b, *next;

	tlob_bindings_detach(gone);
	list_for_each_entry_safe(b, next, gone, node)
		tlob_binding_free(b);
}

/*
 * Removes the binding that @line names. The file that the path names now comes
 * first. The file from the time when the binding was made comes second: it may
 * be gone, or another file may have its name. Returns 0 or -ENOENT.
 */
static int tlob_binding_remove_line(const struct tlob_binding_line *line)
{
	struct tlob_binding *b = NULL;
	struct inode *inode = NULL;
	struct path path;
	LIST_HEAD(gone);

	/* not under the lock, because a file system may take long to answer */
	if (line->path)
		tlob_binding_resolve(line->path, &path, &inode);
	mutex_lock(&tlob_bindings_lock);
	if (inode)
		b = tlob_binding_by_inode(inode, &line->start);
	if (!b)
		b = line->path ? tlob_binding_by_path(line->path, &line->start) :
				 tlob_binding_by_name(line->name);
	if (b) {
		list_move(&b->node, &gone);
		tlob_nr_bindings--;
		tlob_nr_probes -= b->nr_probes;
		tlob_bindings_discard(&gone);
	}
	mutex_unlock(&tlob_bindings_lock);
	if (inode)
		path_put(&path);
	return b ? 0 : -ENOENT;
}

/* Removes all bindings. No file exists any more that could add one. */
void tlob_bindings_remove_all(void)
{
	LIST_HEAD(gone);

	mutex_lock(&tlob_bindings_lock);
	list_splice_init(&tlob_bindings, &gone);
	tlob_nr_bindings = 0;
	tlob_nr_probes = 0;
	if (!list_empty(&gone))
		tlob_bindings_discard(&gone);
	mutex_unlock(&tlob_bindings_lock);
}

/* Returns the listener of @b for a writer. Under tlob_bindings_lock. */
static struct tlob_binding_listener *
tlob_binding_listener(const struct tlob_binding *b)
{
	return rcu_dereference_protected(b->listener,
					 lockdep_is_held(&tlob_bindings_lock));
}

/* monitor.h has the errors. A current listener may change what it asks for. */
int tlob_binding_listen(const char *name, const void *who,
			struct tlob_ring *ring, bool every)
{
	struct tlob_binding_listener *new, *old = NULL;
	struct tlob_binding *b;
	int err = -ENOENT;

	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	new->who = who;
	new->every = every;
	new->ring = tlob_ring_get(ring);

	mutex_lock(&tlob_bindings_lock);
	b = tlob_binding_by_name(name);
	if (b) {
		old = tlob_binding_listener(b);
		err = old && old->who != who ? -EBUSY : 0;
	}
	if (!err)
		rcu_assign_pointer(b->listener, new);
	mutex_unlock(&tlob_bindings_lock);

	if (err)
		old = new;
	else if (old)
		synchronize_rcu();
	tlob_binding_free_listener(old);
	return err;
}

/* An open window keeps its reference to the ring until it is closed. */
void tlob_binding_deafen(const void *who)
{
	struct tlob_binding_listener *old, *gone = NULL;
	struct tlob_binding *b;

	mutex_lock(&tlob_bindings_lock);
	list_for_each_entry(b, &tlob_bindings, node) {
		old = tlob_binding_listener(b);
		if (!old || old->who != who)
			continue;
		RCU_INIT_POINTER(b->listener, NULL);
		old->next = gone;
		gone = old;
	}
	mutex_unlock(&tlob_bindings_lock);

	if (gone)
		synchronize_rcu();
	while (gone) {
		old = gone;
		gone = old->next;
		tlob_binding_free_listener(old);
	}
}

static ssize_t tlob_bindings_write(struct file *file, const char __user *buf,
				   size_t size, loff_t *pos)
{
	struct tlob_binding_line line;
	char *text;
	int err;

	if (!IS_ENABLED(CONFIG_UPROBES))
		return -EOPNOTSUPP;
	/* the longest line and its newline */
	if (size > TLOB_BINDING_MAX + 1)
		return -EINVAL;
	text = memdup_user_nul(buf, size);
	if (IS_ERR(text))
		return PTR_ERR(text);
	err = tlob_parse_binding(text, size, &line);
	if (!err)
		err = line.op == TLOB_BINDING_ADD ?
		      tlob_binding_add_line(&line) :
		      tlob_binding_remove_line(&line);
	kfree(text);
	return err ?: size;
}

static void *tlob_bindings_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&tlob_bindings_lock);
	return seq_list_start(&tlob_bindings, *pos);
}

static void *tlob_bindings_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &tlob_bindings, pos);
}

static void tlob_bindings_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&tlob_bindings_lock);
}

/*
 * Writes straight into the file's buffer, because a line may exceed the stack.
 */
static int tlob_bindings_show(struct seq_file *m, void *v)
{
	const struct tlob_binding *b = list_entry(v, struct tlob_binding, node);
	size_t size;
	char *buf;

	size = seq_get_buf(m, &buf);
	/* a negative length makes seq_file retry with a larger buffer */
	seq_commit(m, size ? tlob_format_binding(buf, size, &b->line) : -1);
	seq_putc(m, '\n');
	return 0;
}

static int tlob_binding_stats_show(struct seq_file *m, void *v)
{
	struct tlob_binding *b = list_entry(v, struct tlob_binding, node);
	u64 count[TLOB_BINDING_NR_COUNTS], hits = 0;
	unsigned int i;

	for (i = 0; i < TLOB_BINDING_NR_COUNTS; i++) {
		count[i] = atomic64_read(&b->count[i]);
		if (i < TLOB_BINDING_NR_STARTS)
			hits += count[i];
	}
	if (*b->line.name)
		seq_puts(m, b->line.name);
	else
		seq_printf(m, "%s:0x%llx", b->line.path, b->line.start.at[0]);
	seq_printf(m, " hits=%llu", hits);
	for (i = 0; i < TLOB_BINDING_NR_COUNTS; i++)
		seq_printf(m, " %s=%llu", tlob_binding_count_names[i],
			   count[i]);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations tlob_bindings_sops = {
	.start = tlob_bindings_start,
	.next = tlob_bindings_next,
	.stop = tlob_bindings_stop,
	.show = tlob_bindings_show,
};

static const struct seq_operations tlob_binding_stats_sops = {
	.start = tlob_bindings_start,
	.next = tlob_bindings_next,
	.stop = tlob_bindings_stop,
	.show = tlob_binding_stats_show,
};

static int tlob_bindings_open(struct inode *inode, struct file *file)
{
	return tlob_may_open() ?: seq_open(file, &tlob_bindings_sops);
}

static int tlob_binding_stats_open(struct inode *inode, struct file *file)
{
	return tlob_may_open() ?: seq_open(file, &tlob_binding_stats_sops);
}

const struct file_operations tlob_bindings_fops = {
	.owner = THIS_MODULE,
	.open = tlob_bindings_open,
	.read = seq_read,
	.write = tlob_bindings_write,
	.llseek = seq_lseek,
	.release = seq_release,
};

const struct file_operations tlob_binding_stats_fops = {
	.owner = THIS_MODULE,
	.open = tlob_binding_stats_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release,
};
