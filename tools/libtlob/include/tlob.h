/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * libtlob: latency budgets in a program, with /dev/tlob. libtlob(3) describes it.
 *
 * Functions return 0 or more, or -errno. They do not change errno, so they may
 * stand between a call and the check of its errno.
 */
#ifndef TLOB_H
#define TLOB_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each program and each shared library has one. The members are private to libtlob. */
struct tlob_site {
	uint32_t bits;		/* not 0: somebody listens */
	uint32_t opens;		/* nested tlob_open() calls */
	uint64_t registered;	/* not 0: the kernel has the word */
	uint64_t reserved;
};

/*
 * Weak: all files of a program that include this header share one. Hidden: access
 * needs no lookup in a table of addresses, not even in a shared library.
 */
__attribute__((weak, visibility("hidden"))) struct tlob_site tlob_site;

int tlob_site_open(struct tlob_site *site);
void tlob_site_close(struct tlob_site *site);
int tlob_site_begin(struct tlob_site *site, uint64_t budget_ns, uint64_t tag);
int tlob_site_end(struct tlob_site *site, struct tlob_task_window *w);
int tlob_site_end_wait(struct tlob_site *site, struct tlob_task_window_wait *w);

/*
 * Opens /dev/tlob for this program or library. Calls nest, and each tries again what
 * has failed. 0 or -errno: see libtlob(3).
 */
static inline int tlob_open(void)
{
	return tlob_site_open(&tlob_site);
}

/* Undoes one tlob_open(), also one that failed. */
static inline void tlob_close(void)
{
	tlob_site_close(&tlob_site);
}

/* Not 0 if somebody listens. Costs a load and a branch. */
static inline int tlob_enabled(void)
{
	return __builtin_expect(!!__atomic_load_n(&tlob_site.bits,
						  __ATOMIC_RELAXED), 0);
}

/*
 * Begins a window of the calling thread. @budget_ns is 1000 ns to one hour; @tag
 * comes back in the record. 0; -ENODEV: nobody listens; -EEXIST: the thread has a
 * window; -EINVAL, -ERANGE: the budget; -ENOSPC, -EDQUOT: see linux/tlob.h.
 */
static inline int tlob_begin(uint64_t budget_ns, uint64_t tag)
{
	return tlob_enabled() ? tlob_site_begin(&tlob_site, budget_ns, tag) :
				-ENODEV;
}

/*
 * End the window. 0: within the budget; 1: over it; -ENODEV: nobody listens; -ESRCH:
 * the thread has no window. tlob_end_window() also stores the record in @w, if it
 * returns 0 or 1; -EFAULT: @w cannot be written, and the window has ended.
 */
static inline int tlob_end(void)
{
	return tlob_enabled() ? tlob_site_end(&tlob_site, NULL) : -ENODEV;
}

static inline int tlob_end_window(struct tlob_task_window *w)
{
	return tlob_enabled() ? tlob_site_end(&tlob_site, w) : -ENODEV;
}

/*
 * The same as tlob_end_window(), and stores the window's longest wait. It is there while
 * the wait profiler is on: see linux/tlob.h. -ENOTTY: the kernel part is older, and the
 * window continues.
 */
static inline int tlob_end_wait(struct tlob_task_window_wait *w)
{
	return tlob_enabled() ? tlob_site_end_wait(&tlob_site, w) : -ENODEV;
}

/*
 * From now on each window of this process sends an event when its budget runs out.
 * Returns a descriptor for poll() and mmap(), which the library keeps and closes;
 * -ENODEV; -ENOMEM.
 */
int tlob_events(void);

/* Waits for events and stores up to @n. Returns their number; -ENODEV; -EINTR; -EAGAIN. */
int tlob_read(struct tlob_event *event, size_t n);

#ifdef __cplusplus
}
#endif

#endif /* TLOB_H */
