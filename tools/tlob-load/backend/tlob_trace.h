/* SPDX-License-Identifier: GPL-2.0 */
/* The trace instance of --trace and -e, frozen by the kernel at the stop. */
#ifndef TLOB_BACKEND_TLOB_TRACE_H
#define TLOB_BACKEND_TLOB_TRACE_H

#include <stdio.h>

struct knobs;
struct run_config;
struct tracefs_instance;

struct trace {
	struct tracefs_instance *instance;	/* NULL: no trace wanted */
};

/*
 * Makes the instance tlob-load with the events tlob_load:* and the events of -e, and
 * asks the kernel to freeze it at a window that meets --stop-on. Does nothing
 * without --trace. 0 or -errno, printed.
 */
int  trace_begin(struct trace *t, struct knobs *k, const struct run_config *config);

/*
 * Asks the kernel to freeze it at the next violation. Call it after the warm-up:
 * the event does not distinguish windows of the warm-up. 0 or -errno, printed.
 */
int  trace_stop_at_violation(struct trace *t, const struct run_config *config);

/* Stops recording and copies the trace as text. 0 or -errno, printed. */
int  trace_save(struct trace *t, FILE *out);

/* Frees @t. The instance is a knob: knobs_end() removes it. */
void trace_free(struct trace *t);

#endif /* TLOB_BACKEND_TLOB_TRACE_H */
