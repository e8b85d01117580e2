/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time in chosen functions of the kernel, inside windows: --functions. Times are net:
 * nested calls of one set count once, a call of another set is taken out, and so are
 * interrupts.
 */
#ifndef TLOB_RESULT_FUNCTIONS_H
#define TLOB_RESULT_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>
#include "hist.h"

#define FUNCTION_SETS		TLOB_FUNCTION_SETS
#define FUNCTION_SET_NAME	16	/* of a set, with its NUL */
#define FUNCTION_NAME		96	/* of a function; longer ones are cut */

/* One set of the run. */
struct function_set {
	char	 name[FUNCTION_SET_NAME];
	char	*words;			/* as given: "*mutex_lock*,rt_spin_lock" */
	uint64_t functions;		/* that matched */
	/* They count all calls in the run, in windows that were kept or not: */
	uint64_t open;			/* not left when the run ended */
	uint64_t unreturned;		/* never seen to leave */
	uint64_t missed;		/* that the probes did not report */
};

struct function_sets {
	char	*mechanism;		/* "fprobe", "kretprobe", "fentry" */
	uint64_t probe_ns;		/* of one call, measured before the run; 0: not known */
	bool	 of_tasks;		/* of attach */
	size_t	 n;
	struct function_set at[FUNCTION_SETS];
};

/* One set in one window. */
struct function_time {
	uint64_t part_ns[TLOB_NR_PARTS]; /* by the part in which the time lies */
	uint64_t max_ns;		/* the longest call */
	uint64_t calls, unreturned;
	char	 longest[FUNCTION_NAME];	/* function of that call; "": none */
};

/* All sets in one window. A record that was lost has @lost, and nothing else. */
struct window_functions {
	bool	 lost;
	uint64_t missed;
	size_t	 n;			/* as in struct function_sets */
	struct function_time at[FUNCTION_SETS];
};

/* One set on one CPU, of the windows after the warm-up. */
struct function_total {
	uint64_t calls, unreturned;
	uint64_t max_ns;		/* the longest call */
	char	 longest[FUNCTION_NAME];
	struct tlob_hist hist;		/* net ns of each window, 0 without a call */
};

struct function_totals {
	uint64_t lost;			/* windows whose record was lost */
	uint64_t missed;
	size_t	 n;
	struct function_total at[];
};

/* "func.": what a set is called in conditions and tables is this and its name. */
#define FUNCTION_PREFIX	"func."

/* The index of the set, or -1. @sets may be NULL. */
int  function_set_find(const struct function_sets *sets, const char *name);
void function_sets_free(struct function_sets *sets);

/* Adds the counts of @from, which has the same sets. NULL @to or @from: nothing. */
void function_sets_add(struct function_sets *to, const struct function_sets *from);

/* The sum of all parts. */
uint64_t function_net_ns(const struct function_time *t);

/* A copy from malloc(); NULL @f: a lost one. NULL: out of memory. */
struct window_functions *functions_copy(const struct window_functions *f);

/* For @n sets, from malloc(), or NULL. */
struct function_totals *function_totals_new(size_t n);

/* Adds a window after the warm-up; NULL @f: its record was lost. */
void function_totals_window(struct function_totals *t, const struct window_functions *f);

/* hist_set_step() of all. NULL @t: nothing to do. */
void function_totals_set_step(struct function_totals *t, uint64_t step);

/*
 * Adds @from to *@to, which becomes a copy if it is NULL. Of another number of sets, or a
 * NULL @from: nothing is added. 0 or -ENOMEM.
 */
int  function_totals_add(struct function_totals **to, const struct function_totals *from);

#endif /* TLOB_RESULT_FUNCTIONS_H */
