/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which window stopped the run, and which windows belong to the run until then.
 *
 * Records of different CPUs arrive in any order: a record that is read later may be of
 * a window that ended earlier. So a condition that is met only begins the end of the
 * run. The window that stopped it is known when all records are read. Until it is known
 * that a window ended before any stop, its record is held back.
 */
#ifndef TLOB_RUN_STOP_H
#define TLOB_RUN_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

struct condition;
struct result;
struct result_cpu;
struct run_config;

/* A record with all that was read with it. */
struct held {
	struct tlob_window w;
	const struct tlob_timeline *timeline; /* NULL: the run has none */
	const struct window_functions *functions; /* likewise */
	bool	 late;			/* stacks were taken in it */
	bool	 has_wait;
	struct tlob_window_wait wait;
};

/* The records of a CPU, in the order of its windows. */
struct held_cpu {
	struct held *at;
	size_t	 n, room;
	uint64_t end_ns;		/* of its last window */
	/* Over the windows that count, with the warm-up: */
	uint64_t windows, missed, last;	/* the last activation; 0: none */
	/* Over the windows after the stop: */
	uint64_t after;			/* their number */
	uint64_t next_t0_ns;		/* of the first */
};

struct stop {
	const struct condition *by;	/* the --stop-on that was met first, or NULL */
	uint64_t known_ns;		/* when it was met; CLOCK_MONOTONIC */
	struct kept_window window;	/* that met it */
	uint64_t armed_ns;		/* from here on the kernel stops at violations */
	struct held_cpu *cpu;		/* [ncpus]; NULL: the run has no --stop-on */
	size_t	 ncpus;
	uint64_t too_early_ns;		/* end of windows that could not be held back; 0: none */
};

/* Returns whether every violation meets a --stop-on. */
bool stop_on_violation(const struct run_config *config);

/* 0 or -ENOMEM, printed; then stop_free(). */
int  stop_init(struct stop *s, const struct run_config *config, size_t ncpus);
void stop_free(struct stop *s);

/* Takes over a window that belongs to the run, of the CPU with index @i. */
typedef void (*stop_take)(void *data, size_t i, const struct held *h);

/*
 * Looks at one record of the CPU with index @i, and holds it back. Windows of the warm-up
 * do not stop a run. @t is its timeline, @f its time in functions, @wait its longest wait;
 * or NULL.
 */
void stop_window(struct stop *s, const struct run_config *config, size_t i,
		 const struct tlob_window *w, const struct tlob_timeline *t,
		 const struct window_functions *f, const struct tlob_window_wait *wait, bool late);

/*
 * Hands over the windows that ended before any stop that may still be found. @ended: whether
 * all records of a CPU have been read; or NULL: of all CPUs.
 */
void stop_release(struct stop *s, bool (*ended)(void *data, size_t i), stop_take take, void *data);

/* Returns whether @w stops the run, as far as is known. */
bool stop_is_at(const struct stop *s, const struct tlob_window *w);

/* After the last record: when the run was over. UINT64_MAX: no window stopped it. */
uint64_t stop_end_ns(const struct stop *s);

/*
 * After stop_release() of all: the result gets the window that stopped the run. 0 or -ENOMEM,
 * printed.
 */
int  stop_finish(struct stop *s, struct result *r);

#endif /* TLOB_RUN_STOP_H */
