/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of the monitor, from /dev/tlob. They are read by mmap: the page that
 * goes with it is the only place that tells how many were dropped, and a region that
 * ends often costs no system call a record.
 */
#ifndef TLOB_TASK_RING_H
#define TLOB_TASK_RING_H

#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

struct task_ring {
	int	 fd;			/* readable when there are records; -1: closed */
	struct tlob_ring_page *page;
	size_t	 length;		/* of the mapping */
};

/*
 * 0; -EOPNOTSUPP: this kernel part has no monitor; -errno. Printed. A ring with fd
 * -1 may be closed in any case.
 */
int  task_ring_open(struct task_ring *r);
void task_ring_close(struct task_ring *r);

/* All windows of the binding @name come to @r from now on. 0 or -errno, printed. */
int  task_ring_listen(const struct task_ring *r, const char *name);

/* Hands all records over that are there. 0 or -errno, printed. */
int  task_ring_drain(struct task_ring *r,
		     void (*take)(void *data, const struct tlob_task_window *w),
		     void *data);

/* Records for which there was no room. */
uint64_t task_ring_dropped(const struct task_ring *r);

#endif /* TLOB_TASK_RING_H */
