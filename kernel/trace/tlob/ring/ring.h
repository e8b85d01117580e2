/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings: they carry records to one reader. ring.c has the rules. Who owns a ring says
 * what its records are; tlob_ring_copy_record() knows all of them.
 */
#ifndef _TLOB_RING_H
#define _TLOB_RING_H

#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <linux/tlob.h>

struct poll_table_struct;
struct tlob_cpu;
struct tlob_user;

/* The records of one kind of ring of a measured CPU. */
struct tlob_ring_kind {
	u32	records, record_size, version;
};

struct tlob_ring {
	struct kref ref;
	u32	records, record_size;
	unsigned int nr_pages;		/* of the mapping */
	struct mutex read_lock;		/* readers of one open file */
	wait_queue_head_t *wait;	/* tlob_ring_readers, or own_wait */
	wait_queue_head_t own_wait;
	struct llist_node wake;		/* in a list of rings to wake */
	struct work_struct wake_work;	/* on PREEMPT_RT, after the list; /dev/tlob only */
	bool	waking;			/* one of both has it, with a reference */
	raw_spinlock_t write_lock;	/* of writers; /dev/tlob only */
	struct pid_namespace *pid_ns;	/* the opener's; /dev/tlob only */
	enum tlob_format format;	/* /dev/tlob only */
	bool	wakers;			/* the reader may know all; /dev/tlob only */
	struct tlob_user *user;		/* pays for it since its file is closed; or NULL */
	struct work_struct free_work;	/* /dev/tlob only */
	bool	attached;		/* a reader has it open */
	bool	opened;			/* a reader had it open once */
	bool	used;			/* windows report here; /dev/tlob */
	bool	over;			/* no record comes (for now) */
	u32	head;			/* records ever written; the writer's */
	u32	tail;			/* records read; the reader's */
	u64	dropped;
	struct tlob_ring_page *page;	/* start of the mapping */
	struct page **pages;
};

static inline void *tlob_ring_record(struct tlob_ring *ring, u32 i)
{
	return (void *)ring->page + PAGE_SIZE +
	       (size_t)(i & (ring->records - 1)) * ring->record_size;
}

/*
 * Takes over the tail of a reader through the mapping, if it is valid. Returns
 * the tail.
 */
static inline u32 tlob_ring_sync_tail(struct tlob_ring *ring, u32 head)
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

/*
 * Returns the place of the next record, or NULL: the ring is full. The caller is the
 * only writer. It must not read that place: a reader may have it mapped for writing.
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
 * the ring and a constant, so the copy is inline.
 */
static __always_inline void tlob_ring_put_record(struct tlob_ring *ring,
						 const void *record, size_t size)
{
	void *to = tlob_ring_next(ring);

	if (!to)
		return;
	memcpy(to, record, size);
	tlob_ring_publish(ring);
}

/*
 * Writes a record of a run. The only writer is the measured thread, which takes no lock.
 */
static __always_inline void tlob_ring_write(struct tlob_ring *ring,
					    const void *record, size_t size)
{
	/* pairs with the releases in tlob_ring_attach() */
	if (smp_load_acquire(&ring->opened) && !smp_load_acquire(&ring->attached))
		return;
	tlob_ring_put_record(ring, record, size);
}

static inline bool tlob_ring_over(struct tlob_ring *ring)
{
	/* pairs with the release in tlob_ring_end() */
	return smp_load_acquire(&ring->over);
}

/* ring.c */
struct tlob_ring *tlob_ring_make(int node, gfp_t gfp, u32 records, u32 record_size);
void tlob_ring_free(struct tlob_ring *ring);
struct tlob_ring *tlob_ring_alloc(const struct tlob_ring_kind *kind, int node);
size_t tlob_ring_bytes(const struct tlob_ring_kind *kind);
size_t tlob_ring_length(const struct tlob_ring *ring);
struct tlob_ring *tlob_ring_get(struct tlob_ring *ring);
void tlob_ring_put(struct tlob_ring *ring);
void tlob_ring_end(struct tlob_ring *ring);
u64  tlob_ring_lost(const struct tlob_ring *ring);

/* Readers of the rings of measured CPUs, and pollers of tlob_fd. */
extern wait_queue_head_t tlob_ring_readers;
/*
 * Calls @before, in a thread, and wakes them, now and then and not from @measured, which stays
 * valid until stop(). Returns 0 or the error of kthread_create().
 */
int  tlob_ring_wake_start(const struct cpumask *measured, void (*before)(void));
void tlob_ring_wake_stop(void);

/* ring_read.c */
ssize_t tlob_ring_read(struct tlob_ring *ring, struct file *file,
		       char __user *buf, size_t size);
__poll_t tlob_ring_poll(struct tlob_ring *ring, struct file *file,
			struct poll_table_struct *wait);
int  tlob_ring_mmap(struct tlob_ring *ring, struct vm_area_struct *vma);

/* The file of a measured CPU's ring: its owner adds .open. */
int  tlob_ring_open(struct inode *inode, struct file *file,
		    struct tlob_ring *(*of)(const struct tlob_cpu *c));
int  tlob_ring_file_release(struct inode *inode, struct file *file);
ssize_t tlob_ring_file_read(struct file *file, char __user *buf, size_t size, loff_t *pos);
__poll_t tlob_ring_file_poll(struct file *file, struct poll_table_struct *wait);
int  tlob_ring_file_mmap(struct file *file, struct vm_area_struct *vma);

#define TLOB_RING_FOPS(_open)			\
	.owner = THIS_MODULE,			\
	.open = (_open),			\
	.release = tlob_ring_file_release,	\
	.read = tlob_ring_file_read,		\
	.poll = tlob_ring_file_poll,		\
	.mmap = tlob_ring_file_mmap

#endif /* _TLOB_RING_H */
