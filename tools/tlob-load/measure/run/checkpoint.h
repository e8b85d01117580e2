/* SPDX-License-Identifier: GPL-2.0 */
/* The result so far, during the run: what a power cut leaves. */
#ifndef TLOB_RUN_CHECKPOINT_H
#define TLOB_RUN_CHECKPOINT_H

#include <stdint.h>

struct collector;

/*
 * Brings the result up to date, marks it as partial, passes it to @write, and takes
 * back what the run itself continues with. @end_ns: now, CLOCK_MONOTONIC of the kernel.
 * 0 or -errno, printed; or what @write returns.
 */
int checkpoint(struct collector *c, uint64_t end_ns, int (*write)(void *data),
	       void *data);

#endif /* TLOB_RUN_CHECKPOINT_H */
