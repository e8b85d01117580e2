/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The user workload: one thread a measured CPU that loops on read() of its
 * tlob_fd and works in between. In a window a thread does nothing but its work
 * and that read(), which stores the record of the window before into the next
 * slot of a ring; the main thread takes them out.
 */
#ifndef TLOB_WORKERS_H
#define TLOB_WORKERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

struct cgroup;
struct control;
struct cpus;
struct run_config;
struct worker;

struct workers {
	size_t	n;
	struct worker *at;		/* in the order of cpus->list */
	atomic_bool stop;		/* end with the window that runs */
	atomic_bool abort;		/* end in the middle of it */
};

/*
 * Starts the threads and returns when all have set up and are ready to
 * open their tlob_fd. Locks the memory of the process. 0; -EPERM or -EAGAIN:
 * the policy was refused; -errno. Errors have been printed.
 */
int  workers_start(struct workers *ws, const struct run_config *o,
		   const struct cpus *cpus, const struct control *c,
		   const struct cgroup *cgroup);

/* Lets them open their tlob_fd and measure: after enable = 1. */
void workers_go(struct workers *ws);

/*
 * Gives every record that has come so far to @take, with the index of its CPU
 * and the ns of its work that only hardware explains.
 */
typedef void (*worker_take)(void *data, size_t cpu,
			    const struct tlob_window *w, uint64_t hw_ns);
void workers_drain(struct workers *ws, worker_take take, void *data);

/* Threads that still measure. */
size_t workers_running(const struct workers *ws);

/* Records of the thread at index @cpu that found its ring full. */
uint64_t workers_lost(const struct workers *ws, size_t cpu);

/* A thread has ended with an error. */
bool workers_failed(const struct workers *ws);

/*
 * Stops and joins them; they end with a whole window, but for one whose work
 * goes on for seconds: that is cut off, and aborted. 0 or the first error of
 * a thread, printed. workers_drain() afterwards takes the last records.
 */
int  workers_stop(struct workers *ws);

void workers_free(struct workers *ws);

#endif /* TLOB_WORKERS_H */
