// SPDX-License-Identifier: GPL-2.0
/* Defines the tracepoints of tlob-load and fills them in. */
#include "report.h"

#define CREATE_TRACE_POINTS
#include "events.h"

void tlob_report_exceeded(const struct tlob_exceeded *x)
{
	trace_tlob_budget_exceeded(x);
}

void tlob_report_window(const struct tlob_window *w)
{
	trace_tlob_window(w);
}
