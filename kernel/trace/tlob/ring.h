/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring, for the files that know what is in it. ring.c has the rules.
 */
#ifndef _TLOB_RING_H
#define _TLOB_RING_H

#include <linux/kref.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "tlob.h"

#define TLOB_RING_RECORDS	4096U
/* Timelines are large. These are those of 200 ms from a period of 200 us on. */
#define TLOB_TIMELINE_RECORDS	1024U
#define TLOB_WAIT_RECORDS	1024U
#define TLOB_FUNCTIONS_RECORDS	1024U

struct tlob_ring {
	struct kref ref;
	u32	records, record_size;
	unsigned int nr_pages;		/* of the mapping */
	struct mutex read_lock;		/* readers of one open file */
	wait_queue_head_t *wait;	/* tlob_run.wait, or own_wait */
	wait_queue_head_t own_wait;
	struct llist_node wake;		/* in the list of rings to wake */
	bool	waking;			/* is in that list, with a reference */
	raw_spinlock_t write_lock;	/* of writers; /dev/tlob only */
	struct pid_namespace *pid_ns;	/* the opener's; /dev/tlob only */
	enum tlob_format format;	/* /dev/tlob only */
	bool	wakers;			/* the reader may know all; /dev/tlob only */
	struct llist_node dead;
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

#endif /* _TLOB_RING_H */
