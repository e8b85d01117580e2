// SPDX-License-Identifier: GPL-2.0
/* Defines the tracepoints of tlob-load and fills them in. */
#include <linux/stacktrace.h>

#include "report.h"
#include "window.h"

#define CREATE_TRACE_POINTS
#include "events.h"

/* Prints " <- frame <- frame" into the event's line. Returns the text. */
const char *tlob_trace_frames(struct trace_seq *p, const unsigned long *frame,
			      unsigned int nr)
{
	const char *line = trace_seq_buffer_ptr(p);
	unsigned int i;

	for (i = 0; i < nr && i < TLOB_STACK_FRAMES; i++)
		trace_seq_printf(p, " <- %pS", (void *)frame[i]);
	trace_seq_putc(p, 0);
	return line;
}

/* Traces the stack of this context if print_stack is set. */
static void tlob_report_stack(const struct tlob_exceeded *x)
{
	unsigned long frame[TLOB_STACK_FRAMES];
	unsigned int nr;

	if (!READ_ONCE(tlob_config.print_stack) || !trace_tlob_stack_enabled())
		return;
	nr = stack_trace_save(frame, ARRAY_SIZE(frame), 1);
	trace_tlob_stack(x, frame, nr);
}

void tlob_report_exceeded(const struct tlob_exceeded *x)
{
	trace_tlob_budget_exceeded(x);
	tlob_report_stack(x);
}

void tlob_report_window(const struct tlob_window *w)
{
	trace_tlob_window(w);
}
