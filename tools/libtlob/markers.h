/* SPDX-License-Identifier: LGPL-2.1 */
/* Begin and end of windows as user events, for who traces the program. */
#ifndef TLOB_MARKERS_H
#define TLOB_MARKERS_H

#include <stdint.h>

/* Bits of tlob_site.bits. */
#define TLOB_BIT_MONITOR	0
#define TLOB_BIT_START		1	/* user_events:tlob_start is enabled */
#define TLOB_BIT_STOP		2

/*
 * Registers the bits in @word with both events, if this kernel has such; ends it. Not
 * being able to is no error: a marker is there for who looks.
 */
void tlob_markers_open(uint32_t *word);
void tlob_markers_close(uint32_t *word);
/* As the last word was unregistered. */
void tlob_markers_release(void);

void tlob_marker_start(uint64_t budget_ns, uint64_t tag);
void tlob_marker_stop(int32_t result);

#endif /* TLOB_MARKERS_H */
