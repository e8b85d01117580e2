/* SPDX-License-Identifier: GPL-2.0 */
/* The ring of a file of /dev/tlob. */
#ifndef _TLOB_TASK_RING_H
#define _TLOB_TASK_RING_H

#include "../ring/ring.h"

struct pid_namespace;
struct tlob_longest;
struct tlob_task_calls;

void tlob_rings_init(void);
void tlob_rings_exit(void);
struct tlob_ring *tlob_ring_alloc_events(enum tlob_format format,
					 struct pid_namespace *ns, bool wakers);
/*
 * Returns whether the reader may know all other tasks, and by their pids of the
 * initial namespace.
 */
bool tlob_ring_names_tasks(const struct tlob_ring *ring);
void tlob_ring_put_atomic(struct tlob_ring *ring);
void tlob_ring_close(struct tlob_ring *ring, struct tlob_user *user);
void tlob_ring_write_event(struct tlob_ring *ring, struct task_struct *task,
			   const struct tlob_task_window *w,
			   const struct tlob_longest *longest,
			   const struct tlob_task_calls *functions);
bool tlob_ring_use(struct tlob_ring *ring);
void tlob_ring_off(struct tlob_ring *ring);

static inline enum tlob_format tlob_ring_format(const struct tlob_ring *ring)
{
	return ring->format;
}

#endif /* _TLOB_TASK_RING_H */
