/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the records of the monitor from /dev/tlob, by mmap. The mapped header page
 * is the only place that counts dropped records, and busy regions need no system
 * call for each record.
 */
#ifndef TLOB_ATTACH_TASK_RING_H
#define TLOB_ATTACH_TASK_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

#include "result/activation.h"

struct task_ring {
	int	 fd;			/* readable when records wait; -1: closed */
	enum tlob_format format;	/* of the records */
	size_t	 record_size;
	struct tlob_ring_page *page;
	size_t	 length;		/* of the mapping, bytes */
};

/* Both begin with the window and its longest wait. What a format does not have is all zeros. */
union task_record {
	struct tlob_task_window_functions f;
	struct tlob_task_activation a;	/* by BPF */
};

/*
 * Opens and maps the device. @format: not TLOB_FORMAT_EVENT. 0; -EOPNOTSUPP: this kernel part has no monitor; -errno. Printed.
 * task_ring_close() accepts a ring whose fd is -1.
 */
int  task_ring_open(struct task_ring *r, enum tlob_format format);
void task_ring_close(struct task_ring *r);

/* Sends all windows of the binding @name to @r from now on. 0 or -errno, printed. */
int  task_ring_listen(const struct task_ring *r, const char *name);

/* Gives every record that is there to @take. 0 or -errno, printed. */
int  task_ring_drain(struct task_ring *r,
		     void (*take)(void *data, const union task_record *record),
		     void *data);

/* The number of records that found the ring full. */
uint64_t task_ring_dropped(const struct task_ring *r);

#endif /* TLOB_ATTACH_TASK_RING_H */
