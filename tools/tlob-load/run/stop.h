/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which window stopped the run, and which were the worst until then.
 *
 * Records of different CPUs arrive in any order: a record that is read later may be of
 * a window that ended earlier. So a condition that is met only begins the end of the
 * run. The window that stopped it is known when all records are read.
 */
#ifndef TLOB_RUN_STOP_H
#define TLOB_RUN_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

struct condition;
struct result;
struct run_config;

struct stop {
	const struct condition *by;	/* the --stop-on that was met first, or NULL */
	uint64_t known_ns;		/* when it was met; CLOCK_MONOTONIC */
	struct tlob_window window;	/* that met it */
	struct tlob_timeline *timeline;	/* of it; NULL: the run has none */
	struct window_functions *functions; /* likewise */
	uint64_t armed_ns;		/* from here on the kernel stops at violations */
	struct early *early;		/* largest response first */
	size_t	 n;
};

/* Whether a --stop-on is met by every violation. */
bool stop_on_violation(const struct run_config *config);

/* 0 or -ENOMEM, printed; then stop_free(). */
int  stop_init(struct stop *s, const struct run_config *config);
void stop_free(struct stop *s);

/*
 * Looks at one record, in any order. Windows of the warm-up are ignored. @t is its
 * timeline, @f its time in functions; or NULL.
 */
void stop_window(struct stop *s, const struct run_config *config,
		 const struct tlob_window *w, const struct tlob_timeline *t,
		 const struct window_functions *f);

/*
 * Whether @w stops the run as far as is known, or may be one of the worst windows until then. It
 * need not be one of the result's: these may be later.
 */
bool stop_keeps(const struct stop *s, const struct tlob_window *w);

/*
 * After the last record. If a window stopped the run, the result gets it, and as its
 * worst windows those that had ended by then. 0 or -ENOMEM, printed.
 */
int  stop_finish(struct stop *s, struct result *r);

#endif /* TLOB_RUN_STOP_H */
