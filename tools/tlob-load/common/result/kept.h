/* SPDX-License-Identifier: GPL-2.0 */
/* The windows that a result keeps whole: the worst ones, and the one that stopped a run. */
#ifndef TLOB_RESULT_KEPT_H
#define TLOB_RESULT_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>
#include "result/causes.h"
#include "result/chain.h"
#include "result/functions.h"

#define RESULT_WORST		16	/* windows kept whole, largest response first */
#define RESULT_KEPT	64	/* with timelines: so many, if they are violations */
#define RESULT_HOST	65	/* uname's nodename and its NUL */

#define ATTACH_WAIT_FRAMES	80	/* of the kernel and of the program */

struct attach_frame {
	char	*name;
	bool	 kernel;
};

/* The longest wait of a thread in a window. */
struct attach_wait {
	uint64_t ns;			/* 0: it did not wait, or the wait is not known */
	struct tlob_wait_waker waker;
	struct attach_frame *frame;	/* innermost first */
	size_t	 nframe;		/* 0: no stack is known */
	struct chain_segment *chain;	/* the oldest first */
	size_t	 nchain;		/* 0: no chain is known */
};

/* Of attach: the task of a window. */
struct kept_task {
	uint32_t tid, tgid;		/* tid 0: a window of a run */
	uint32_t switches;		/* how often it left its CPU */
	/* with --key: the thread that began it, or 0; how long it was with no thread that is known */
	uint32_t begun_by;
	uint64_t elsewhere_ns;
	char	 comm[TLOB_NAME_LEN];
};

/* The data of a window next to its record. */
struct kept {
	struct kept_task task;
	struct tlob_timeline *timeline;	/* result/timeline.h; NULL: a run without --timeline */
	struct window_functions *functions; /* NULL: without --functions, or unknown */
	struct kernel_place place;	/* that made it late; unknown with the backend posix */
	bool	 waits;			/* with --waits: @wait is known */
	struct attach_wait wait;
	/* who held the lock of its longest sleep for one, or of the present one; or kind UNKNOWN */
	struct tlob_wait_waker holder;
	char	 host[RESULT_HOST];	/* "" unless results of several hosts were merged */
};

struct kept_window {
	struct kept kept;
	struct tlob_window w;
};

/* Frees what @wait has, and clears it. */
void attach_wait_clear(struct attach_wait *wait);

#endif /* TLOB_RESULT_KEPT_H */
