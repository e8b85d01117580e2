/* SPDX-License-Identifier: GPL-2.0 */
/* Timelines of the windows that a result keeps: text, trace events. */
#ifndef TLOB_REPORT_TIMELINE_RENDER_H
#define TLOB_REPORT_TIMELINE_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "result/result.h"

/* "local_timer (vector 236)", as noise_name() calls it; "" where the part says it all. */
#define SPAN_TEXT	128
const char *span_text(char buf[SPAN_TEXT], const struct tlob_span *s,
		      const struct tlob_window *w);

/* A line for each span, with its times from the expiry. Nothing without @t. 0 or -ENOMEM. */
int render_timeline(FILE *f, const struct tlob_window *w, const struct tlob_timeline *t);

/*
 * The same of all windows with one, in the trace-event format of Chrome, which Perfetto
 * and speedscope open. A CPU is a process there. Its times are CLOCK_MONOTONIC, like the times of
 * a trace with trace_clock mono. 0, -ENOMEM or -EIO.
 */
int render_trace_events(FILE *f, const struct result *r);

#endif /* TLOB_REPORT_TIMELINE_RENDER_H */
