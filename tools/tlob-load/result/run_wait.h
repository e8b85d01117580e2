/* SPDX-License-Identifier: GPL-2.0 */
/* The longest waits of windows of a run that was given --waits: of those that it keeps whole. */
#ifndef TLOB_RESULT_RUN_WAIT_H
#define TLOB_RESULT_RUN_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

struct attach_wait;
struct result;

struct run_wait {
	struct run_wait *next;
	uint32_t cpu;			/* with the next two: of its window */
	uint64_t activation, t0_ns;
	struct attach_wait *wait;
};

struct run_waits {
	bool	 measured;
	struct run_wait *first;
};

/*
 * Keeps @wait, the wait of @w. The frames are taken over, also without memory. 0 or
 * -ENOMEM.
 */
int  run_wait_add(struct result *r, const struct tlob_window *w, struct attach_wait *wait);

/* That of @w, or NULL: it had none, it was lost, or it was not kept. */
const struct attach_wait *run_wait_of(const struct result *r, const struct tlob_window *w);

/* Returns whether @w is one of the worst windows of @r. */
bool run_is_worst(const struct result *r, const struct tlob_window *w);

/* Drops the waits of windows that @r does not keep. */
void run_waits_tidy(struct result *r);

/* Copies @from's waits of the worst windows of @r. 0 or -ENOMEM. */
int  run_waits_merge(struct result *r, const struct result *from);

void run_waits_free(struct run_waits *waits);

#endif /* TLOB_RESULT_RUN_WAIT_H */
