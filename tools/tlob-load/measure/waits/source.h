/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where waits come from: the module, or BPF programs. Both give the records of
 * <linux/tlob.h>. A caller calls, in this order:
 *
 *	open	all that may be refused; measures nothing
 *	on	the measurement begins
 *	take	every 20 ms: hands copies over while their process still exists
 *	read	takes, and makes a snapshot
 *	off	the measurement ends; a read() then has all of it
 *	close	also after an error of any of these, and without off
 *
 * All functions return 0 or -errno, printed.
 */
#ifndef TLOB_WAITS_SOURCE_H
#define TLOB_WAITS_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "waits/records.h"

/* Which tasks, and which of their waits have stacks. */
struct wait_scope {
	uint64_t threshold_ns;
	bool	in_windows;
	bool	chain;			/* by BPF, what was behind the longest wait of each task */
	struct critical_path *critical;	/* gets the path of this process; or NULL */
	const char *cgroup;		/* below the mount, with a / first, or NULL */
	const char *cgroup_dir;		/* its directory */
	const char *pids;		/* as the kernel takes them, or NULL */
	int	pid;			/* of a COMMAND; 0: none */
	bool	watched;		/* only threads that attach watches, by BPF, with two maps of it: */
	int	slots, longest_waits;
};

struct wait_source {
	const struct wait_backend *backend;
	struct wait_records records;	/* the last snapshot */
	void	*data;			/* the backend's */
};

struct wait_backend {
	const char *name;		/* of --backend, and `backend` in the JSON */
	int  (*open)(struct wait_source *s, const struct wait_scope *scope);
	int  (*on)(struct wait_source *s, const struct wait_scope *scope);
	int  (*take)(struct wait_source *s, wait_copy_taker take, void *arg);
	int  (*read)(struct wait_source *s, wait_copy_taker take, void *arg);
	int  (*off)(struct wait_source *s);
	void (*close)(struct wait_source *s);
};

extern const struct wait_backend wait_backend_tlob, wait_backend_bpf;

/*
 * Finds the backend @name, "tlob" or "bpf". With BACKEND_AUTO this is the first of module and BPF
 * that is available; one line on stderr says why it is not the module. 0; -EOPNOTSUPP, printed: it
 * is not available, or cannot do what @scope asks for.
 */
int wait_backend_choose(const char *name, const struct wait_scope *scope,
			const struct wait_backend **chosen);

#endif /* TLOB_WAITS_SOURCE_H */
