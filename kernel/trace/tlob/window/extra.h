/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data that a run may keep of each window beyond its record: timelines, the longest wait,
 * times in functions, stacks of late ones. Each has memory and a ring of its own, and adds
 * itself when the module begins. A function that it does not need is NULL.
 */
#ifndef _TLOB_EXTRA_H
#define _TLOB_EXTRA_H

#include <linux/fs.h>
#include <linux/types.h>

struct tlob_cpu;

struct tlob_extra {
	const char *file;		/* in per_cpu/cpuN/ */
	const struct file_operations *fops;
	bool	ordered;		/* needs to know when an interruption began */

	/* All of these under tlob_mutex. The answer does not change during a run. */
	bool (*wanted)(void);		/* NULL: always; it does nothing in each window */
	size_t (*bytes)(void);		/* of a CPU */
	int  (*attach)(void);		/* after the noise source; 0 or -errno */
	void (*detach)(void);
	/* Before the first window. Returns 0 or -ENOMEM; then free() and forget(). */
	int  (*alloc)(struct tlob_cpu *c, int node);
	/* No probe and no thread uses it. These, end() and exited() may find no memory. */
	void (*free)(struct tlob_cpu *c);
	void (*forget)(struct tlob_cpu *c);	/* what free() has kept, if anything */

	/* In windows of a run that wants any of them, on their CPU: */
	void (*begin)(struct tlob_cpu *c);	/* just armed; irqs off */
	void (*close)(struct tlob_cpu *c);	/* at t3; irqs off */
	/* After t3, in the measured task, before the window's record is written. */
	void (*write)(struct tlob_cpu *c, u64 activation, bool warm_up);

	/* Always, and perhaps while the run ends: */
	void (*end)(const struct tlob_cpu *c);	/* no record follows */
	/* @pid is about to die, or has run for the last time. Irqs off, on @c. */
	void (*exited)(struct tlob_cpu *c, pid_t pid);
};

extern const struct tlob_extra tlob_timelines_extra, tlob_lates_extra;

/* All extras that exist, ended by NULL. Constant once the module has begun. */
extern const struct tlob_extra *tlob_extras[];

#define tlob_for_each_extra(e, i)					\
	for ((i) = tlob_extras; ((e) = *(i)); (i)++)

void tlob_extra_add(const struct tlob_extra *e);

/* Returns whether any of them does something in each window. */
bool tlob_extra_is_wanted(void);
bool tlob_extra_needs_order(void);
size_t tlob_extra_bytes(void);
int  tlob_extra_attach(void);
void tlob_extra_detach(void);
int  tlob_extra_alloc(struct tlob_cpu *c, int node);
void tlob_extra_free(struct tlob_cpu *c);
void tlob_extra_forget(struct tlob_cpu *c);
void tlob_extra_begin(struct tlob_cpu *c);
void tlob_extra_close(struct tlob_cpu *c);
void tlob_extra_write(struct tlob_cpu *c, u64 activation, bool warm_up);
void tlob_extra_end(const struct tlob_cpu *c);
void tlob_extra_exited(struct tlob_cpu *c, pid_t pid);

#endif /* _TLOB_EXTRA_H */
