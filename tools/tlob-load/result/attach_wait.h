/* SPDX-License-Identifier: GPL-2.0 */
/* The longest waits of windows of attach: of the worst ones, and of the last one. */
#ifndef TLOB_RESULT_ATTACH_WAIT_H
#define TLOB_RESULT_ATTACH_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>
#include "result/result.h"

#define ATTACH_WAIT_FRAMES	80	/* of the kernel and of the program */

struct attach_result;

struct attach_frame {
	char	*name;
	bool	 kernel;
};

struct attach_wait {
	uint32_t tid;			/* with start_ns: of its window */
	uint64_t start_ns;
	uint64_t ns;			/* not 0 */
	struct tlob_wait_waker waker;
	struct attach_frame *frame;	/* innermost first */
	size_t	 nframe;		/* 0: no stack is known */
};

struct attach_waits {
	bool	 measured;
	size_t	 n;
	struct attach_wait at[RESULT_WORST + 1];
};

/* Takes @wait over, which is of @w. Frees it if there is no room. */
void attach_wait_add(struct attach_result *r, const struct tlob_task_window *w,
		     struct attach_wait *wait);

/* The longest wait of @w, or NULL: it had none, or it was not kept. */
const struct attach_wait *attach_wait_of(const struct attach_result *r,
					 const struct tlob_task_window *w);

/* Whether @w is one of the worst windows of @r, by thread and start. */
bool attach_is_worst(const struct attach_result *r, const struct tlob_task_window *w);

/* Keeps those of the worst windows. */
void attach_wait_tidy(struct attach_result *r);

void attach_wait_clear(struct attach_wait *wait);
void attach_waits_free(struct attach_waits *waits);

#endif /* TLOB_RESULT_ATTACH_WAIT_H */
