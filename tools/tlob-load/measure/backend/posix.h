/* SPDX-License-Identifier: GPL-2.0 */
/* The backend without privilege, shared by posix.c and posix_thread.c. */
#ifndef TLOB_BACKEND_POSIX_H
#define TLOB_BACKEND_POSIX_H

#include <stdint.h>

#include "backend/backend.h"
#include "machine/proc_counts.h"

struct grid_counts;

struct posix {
	uint64_t grid_start;		/* of the first CPU */
	struct grid_counts *counts;	/* [ncpus] */
	/* before the run */
	struct proc_table irq, softirq;
	uint64_t *steal;		/* [ncpus] ticks */
};

static inline struct posix *posix_of(const struct backend_run *b)
{
	return b->data;
}

int  posix_thread_open(struct backend_thread *t);
int  posix_thread_next(struct backend_thread *t, struct tlob_window *w);
int  posix_thread_last(struct backend_thread *t, struct tlob_window *w);
void posix_thread_close(struct backend_thread *t);

#endif /* TLOB_BACKEND_POSIX_H */
