/* SPDX-License-Identifier: GPL-2.0 */
/* The trace instance of --trace and -e, frozen by the kernel at the stop. */
#ifndef TLOB_TRACE_H
#define TLOB_TRACE_H

#include <stdio.h>

struct knobs;
struct run_config;
struct tracefs_instance;

struct trace {
	struct tracefs_instance *instance;	/* NULL: no trace wanted */
};

/*
 * Makes the instance `tlob-load` with the events tlob_load:* and those of -e,
 * and lets the kernel freeze it at a window that meets a --stop-on. 0 or -errno;
 * errors have been printed.
 */
int  trace_begin(struct trace *t, struct knobs *k, const struct run_config *o);

/*
 * Freezes it at the next violation of the budget. The event does not tell a
 * window of the warm-up, so this is for afterwards. 0 or -errno, printed.
 */
int  trace_stop_at_violation(struct trace *t, const struct run_config *o);

/* Stops recording and copies the trace as text. 0 or -errno, printed. */
int  trace_save(struct trace *t, FILE *out);

void trace_free(struct trace *t);	/* the instance itself goes by its knob */

#endif /* TLOB_TRACE_H */
