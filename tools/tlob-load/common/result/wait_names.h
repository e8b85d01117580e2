/* SPDX-License-Identifier: GPL-2.0 */
/* The words for a wait, the same wherever waits are shown. Pure. */
#ifndef TLOB_RESULT_WAIT_NAMES_H
#define TLOB_RESULT_WAIT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/tlob.h>
#include "util/printable.h"

#define WAKER_LEN	(PRINTABLE_NAME + 16)

/* Returns whether both are the same task. */
static inline bool waker_is(const struct tlob_wait_waker *a, const struct tlob_wait_waker *b)
{
	return a->kind == b->kind && a->tid == b->tid;
}

/* In files: of enum tlob_waker. */
extern const char *const waker_kinds[TLOB_WAKER_NMI + 1];

/* "worker/482", "irq", "?"; "another process": a task that the reader may not know. */
const char *waker_text(char buf[WAKER_LEN], const struct tlob_wait_waker *w);

/* Returns true for a function of the scheduler, or one that every system call has. */
bool wait_frame_is_common(const char *name);

#endif /* TLOB_RESULT_WAIT_NAMES_H */
