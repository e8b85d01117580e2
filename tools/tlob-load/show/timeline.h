/* SPDX-License-Identifier: GPL-2.0 */
/* Timelines: what happened in the windows that a result keeps, in its order. */
#ifndef TLOB_SHOW_TIMELINE_H
#define TLOB_SHOW_TIMELINE_H

#include <stddef.h>
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
 * and speedscope open. A CPU is a process there. Its times are CLOCK_MONOTONIC, as those
 * of a trace with trace_clock mono. Returns as the functions of render.h do.
 */
int render_trace_events(FILE *f, const struct result *r);

#endif /* TLOB_SHOW_TIMELINE_H */
