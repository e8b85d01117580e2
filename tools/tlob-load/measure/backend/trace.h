/* SPDX-License-Identifier: GPL-2.0 */
/* The trace instance of --trace and -e. With the module the kernel freezes it at the stop. */
#ifndef TLOB_BACKEND_TRACE_H
#define TLOB_BACKEND_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct knobs;
struct result;
struct run_config;
struct tracefs_instance;

struct trace {
	struct tracefs_instance *instance;	/* NULL: no trace wanted */
	char	*dir;				/* its path */
};

/* Lines that are not the kernel's. They come before its lines of the same time. */
struct trace_lines {
	struct trace_line {
		uint64_t at_ns;			/* CLOCK_MONOTONIC */
		char	*text;
	} *at;
	size_t	 n, room;
	int	 err;				/* 0, or -ENOMEM: a line is missing */
	unsigned long before;			/* lines that the file has already */
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

/* Adds an event of the workload's thread @pid (0: not known) of @cpu, in the kernel's form. */
void trace_line_add(struct trace_lines *lines, uint64_t at_ns, uint32_t cpu, int pid, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * Writes the trace to @out, with @lines in their places; without an instance, only these. The window
 * that stopped the run gets lines at its expiry, its wake-up and its end, and a note in @r says which
 * lines of @out are its. Frees @lines. 0 or -errno, printed.
 */
int  trace_save(struct trace *t, FILE *out, struct trace_lines *lines, struct result *r);

/* Frees @t. The instance is a knob: knobs_end() removes it. */
void trace_free(struct trace *t);

#endif /* TLOB_BACKEND_TRACE_H */
