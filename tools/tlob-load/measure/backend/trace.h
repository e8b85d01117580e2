/* SPDX-License-Identifier: GPL-2.0 */
/* The trace instance of --trace and -e. With the module the kernel freezes it at the stop. */
#ifndef TLOB_BACKEND_TRACE_H
#define TLOB_BACKEND_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct knobs;
struct run_config;
struct tracefs_instance;

struct trace {
	struct tracefs_instance *instance;	/* NULL: no trace wanted */
	char	*dir;				/* its path */
};

/* A line that is not the kernel's: when it belongs, ns of CLOCK_MONOTONIC, and what prints it. */
struct trace_lines {
	size_t	 n;
	uint64_t (*at)(const void *data, size_t i);	/* ascending */
	void	(*print)(FILE *f, const void *data, size_t i);
	const void *data;
};

/*
 * Makes the instance tlob-load with the events of -e. With the @module also with its events
 * tlob_load:*, and the kernel will freeze it at a window that meets --stop-on. Does nothing without
 * --trace. 0; -EOPNOTSUPP: there is no tracefs; -errno. Printed.
 */
int  trace_begin(struct trace *t, struct knobs *k, const struct run_config *config, bool module);

/*
 * Asks the kernel to freeze it at the next violation. Call it after the warm-up:
 * the event does not distinguish windows of the warm-up. 0 or -errno, printed.
 */
int  trace_stop_at_violation(struct trace *t);

/* Stops recording: the run is over. */
void trace_off(struct trace *t);

/* Copies the trace as text, with @lines (or NULL) in their places. 0 or -errno, printed. */
int  trace_save(struct trace *t, FILE *out, const struct trace_lines *lines);

/* Frees @t. The instance is a knob: knobs_end() removes it. */
void trace_free(struct trace *t);

#endif /* TLOB_BACKEND_TRACE_H */
