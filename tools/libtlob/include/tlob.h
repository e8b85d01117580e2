/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * libtlob: latency budgets in a program, by /dev/tlob. libtlob(3) describes it.
 *
 * Functions return 0 or more, or -errno, and leave errno alone: what they are put
 * into may be between a call and its look at errno.
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

/* One of each program or shared library. Its members are the library's. */
struct tlob_site {
	uint32_t bits;		/* 1: somebody listens */
	uint32_t opens;
	uint64_t reserved[2];
};

/*
 * Weak, so that all files which include this have one in common; hidden, so that
 * reaching it costs no look into a table of addresses, not even in a shared library.
 */
__attribute__((weak, visibility("hidden"))) struct tlob_site tlob_site;

int tlob_site_open(struct tlob_site *site);
void tlob_site_close(struct tlob_site *site);
int tlob_site_begin(struct tlob_site *site, uint64_t budget_ns, uint64_t tag);
int tlob_site_end(struct tlob_site *site, struct tlob_task_window *w);

/* Opens /dev/tlob for this program or library; calls nest. 0, or -errno of open(). */
static inline int tlob_open(void)
{
	return tlob_site_open(&tlob_site);
}

/* The end of one tlob_open(), whatever that returned. */
static inline void tlob_close(void)
{
	tlob_site_close(&tlob_site);
}

/* Whether anybody listens: a load and a branch. */
static inline int tlob_enabled(void)
{
	return __builtin_expect(!!__atomic_load_n(&tlob_site.bits,
						  __ATOMIC_RELAXED), 0);
}

/*
 * Begins the calling thread's window with a budget of 1 000 ns to an hour. 0; -ENODEV nobody
 * listens; -EEXIST it has one; -ERANGE; -ENOSPC and -EDQUOT as in linux/tlob.h.
 */
static inline int tlob_begin(uint64_t budget_ns, uint64_t tag)
{
	return tlob_enabled() ? tlob_site_begin(&tlob_site, budget_ns, tag) :
				-ENODEV;
}

/*
 * Ends it. 0 within the budget; 1 over it; -ENODEV nobody listens; -ESRCH there is
 * none. The second stores the whole window in @w for 0 and 1.
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
 * From now on each window of this process that outlives its budget sends an event.
 * A descriptor for poll() and mmap(), which stays the library's; -ENODEV; -ENOMEM.
 */
int tlob_events(void);

/* Waits for events and takes at most @n. Their number; -ENODEV; -EINTR. */
int tlob_read(struct tlob_event *event, size_t n);

#ifdef __cplusplus
}
#endif

#endif /* TLOB_H */
