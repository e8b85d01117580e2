/* SPDX-License-Identifier: GPL-2.0 */
/* Threads that wait for something all the time, so that no event tells of them. */
#ifndef TLOB_MACHINE_BLOCKED_H
#define TLOB_MACHINE_BLOCKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/blocked.h"

/* Whether the thread @tid waits now, by /proc. Then @to has its name, and where in the kernel if that may be read. */
bool blocked_now(int tid, struct blocked_thread *to);

/* Threads, and how often each had left a CPU. */
struct blocked_watch {
	struct blocked_start {
		int	 tid;
		uint64_t switches;
	} *at;
	size_t	 n;
};

/* Notes the threads of the processes, and the threads, in @pids: comma-separated, or NULL. 0 or -ENOMEM. */
int  blocked_begin(struct blocked_watch *w, const char *pids);

/* Those of them that wait, and have not left a CPU since: @list of @n, to be freed. 0 or -ENOMEM. */
int  blocked_since(const struct blocked_watch *w, struct blocked_thread **list, size_t *n);

#endif /* TLOB_MACHINE_BLOCKED_H */
