/* SPDX-License-Identifier: LGPL-2.1 */
/* Writes user events at the begin and end of windows, for tracers of the program. */
#ifndef TLOB_MARKERS_H
#define TLOB_MARKERS_H

#include <stdint.h>

/* Bits of tlob_site.bits. */
#define TLOB_BIT_MONITOR	0	/* the monitor is on */
#define TLOB_BIT_START		1	/* user_events:tlob_start is enabled */
#define TLOB_BIT_STOP		2	/* user_events:tlob_stop is enabled */

/*
 * Register and unregister the bits of @word with both events. Without user events in
 * the kernel they do nothing, and nothing is lost but the markers.
 */
void tlob_markers_open(uint32_t *word);
void tlob_markers_close(uint32_t *word);
/* Closes the file, after the last word was unregistered. */
void tlob_markers_release(void);

/* Write one event. */
void tlob_marker_start(uint64_t budget_ns, uint64_t tag);
void tlob_marker_stop(int32_t result);

#endif /* TLOB_MARKERS_H */
