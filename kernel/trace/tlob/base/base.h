/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State that all rooms share. docs/development/HACKING.md has the order of the rooms:
 * each includes only those below it.
 */
#ifndef _TLOB_BASE_H
#define _TLOB_BASE_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct task_struct;

/*
 * Protects settings, life cycle and owners of files. Lock order: tlob_mutex, then cpu_hotplug_lock,
 * which static keys of tracepoints take. So the hotplug callback never takes tlob_mutex.
 */
extern struct mutex tlob_mutex;

/*
 * Not bound to a CPU. A work that was found on a CPU must not wait for it: on PREEMPT_RT a
 * real-time task of any user may keep the threads of that CPU from running.
 */
extern struct workqueue_struct *tlob_wq;

/* Set when nothing can fail any more in the module's init. */
extern bool tlob_loaded;

/*
 * Every open of a control file but `status` calls this, as the open of each of the
 * kernel's trace files does: tracefs asks only when a file is created. debugfs
 * leaves files open that can only be read. Returns 0, -EPERM under
 * lockdown=confidentiality, or -ENODEV while the module loads: if its init fails, the
 * module goes, and an open file could not hold it.
 */
int tlob_may_open(void);

/*
 * Ends a thread of the module and waits for it. The caller holds tlob_mutex, or the lock of CPU
 * hotplug, for which all control files wait. So it gives @task the highest priority: no task that
 * spins may keep it from its end.
 */
void tlob_thread_end(struct task_struct *task);

/* The bytes of all rings, histograms and working sets. */
extern atomic_long_t tlob_memory;

static inline void tlob_memory_add(size_t bytes)
{
	atomic_long_add(bytes, &tlob_memory);
}

static inline void tlob_memory_sub(size_t bytes)
{
	atomic_long_sub(bytes, &tlob_memory);
}

/* Adds to a counter that has one writer. `status` reads it meanwhile. */
static inline void tlob_count(u64 *counter, u64 by)
{
	WRITE_ONCE(*counter, *counter + by);
}

#endif /* _TLOB_BASE_H */
