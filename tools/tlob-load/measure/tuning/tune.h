/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run --tune: settings of this machine that can be changed and put back while it runs.
 * They are rows {path, wanted, saved}, made from what the machine has now. A row that has
 * its value already is not made. Rows are applied as knobs, so they are put back at the
 * end, and after a SIGKILL by the next start.
 */
#ifndef TLOB_TUNING_TUNE_H
#define TLOB_TUNING_TUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/cpulist.h"

struct knobs;

enum tune_kind {
	TUNE_FILE,			/* write wanted to path */
	TUNE_IRQ,			/* the same for the mask of an interrupt */
	TUNE_HOLD,			/* the caller holds path open for the run */
	TUNE_PARTITION,			/* path is a cgroup to make, for the measured CPUs */
	TUNE_COMMAND,			/* run wanted, and saved to put it back */
};

struct tune_row {
	enum tune_kind kind;
	const char *what;		/* "irq_affinity": rows of one name belong together */
	char	*path;			/* below root; "" for a command */
	char	*wanted;
	char	*saved;			/* NULL: there is nothing to put back */
	char	*problem;		/* why it is not applied, for people; NULL: it can be, or is */
	bool	 overruled;		/* the problem is another option: as the user wants it */
};

struct tune {
	size_t	 n;
	struct tune_row *row;
	char	*root;			/* "" is this machine */
	struct cpulist measured, others;
	bool	 partition;		/* applied: measured threads must be moved to TUNE_CGROUP */
	const char *governor;		/* wanted; NULL: performance */
};

/* Below the root of cgroup v2. Threaded: it takes single threads of a process of the root. */
#define TUNE_CGROUP	"/sys/fs/cgroup/tlob-load.measured"

/*
 * Makes the rows for the @measured CPUs; @others are all further ones that are online,
 * maybe none. @root: "", or the directory of another machine's files. What cannot be
 * read is a row with a problem. 0 or -ENOMEM, not printed. Call tune_free() in any case.
 */
int  tune_make(struct tune *t, const char *root, const struct cpulist *measured,
	       const struct cpulist *others);

/* The same without rows: those of tune_rows() or tune_add_file() are added. */
int  tune_begin(struct tune *t, const char *root, const struct cpulist *measured,
		const struct cpulist *others);

/*
 * The settings, in the order in which they are made: the partition comes last. X(NAME, RULE, BRIEF):
 * the rule of doctor that it satisfies; "": none.
 */
#define TUNE_SETTINGS(X) \
	X(cpu_dma_latency, "", "held at 0: no CPU enters a deep idle state") \
	X(idle_states, "idle_states", "states deeper than C1 are disabled on measured CPUs; where state 0 is not POLL, also state 1 if leaving it takes over 10us") \
	X(governor, "governor", "performance on measured CPUs") \
	X(irq_affinity, "irqs", "device interrupts are moved off measured CPUs, and new ones avoid them") \
	X(workqueues, "workqueues", "unbound kernel work stays off them") \
	X(timer_migration, "timer_migration", "off: timers stay where they were armed") \
	X(cpuset_partition, "partition", "an isolated partition of cgroup v2, with the measured threads")
#define TUNE_ENTRY(name, rule, brief)	{ #name, brief },

/* The names of the rows that tune_make() may make; the last is NULL. */
extern const char * const tune_names[];

/* Adds the rows @what, one of tune_names. 0 or -ENOMEM, not printed. */
int  tune_rows(struct tune *t, const char *what);
void tune_free(struct tune *t);

/* Adds a row for a file, unless it has that value already, or for a pair of commands. 0 or -ENOMEM. */
int tune_add_file(struct tune *t, const char *what, const char *path, const char *wanted);
int tune_add_command(struct tune *t, const char *what, const char *on, const char *off);

/*
 * Drops the rows @what, and those of the file @path (NULL: none), because a setting that is named
 * replaces them: also one that needs no row, since the machine has it already.
 */
void tune_drop(struct tune *t, const char *what, const char *path);

/* Leaves out the rows @what, because another option decides: @why. 0 or -ENOMEM, not printed. */
int tune_leave_out(struct tune *t, const char *what, const char *why);

/*
 * Applies the rows without a problem, in order, as changes of @k. One that fails gets a
 * problem, and the others are still applied. 0; -errno if all failed; printed.
 */
int tune_apply(struct tune *t, struct knobs *k);

/* The rows as a table, with what is and why not. 0 or -EIO, not printed. */
int tune_print(FILE *f, const struct tune *t);

/* "idle_states 4, timer_migration 1": rows in force by name. malloc(); NULL: no memory. */
char *tune_text(const struct tune *t);

/* The same for rows that could not be applied, with the first problem; NULL: no such row, or no memory. */
char *tune_problems(const struct tune *t);

/* The problem of a row @what, or NULL. */
const char *tune_problem(const struct tune *t, const char *what);

/* Returns whether a row @what is in force or will be. */
bool tune_has(const struct tune *t, const char *what);

#endif /* TLOB_TUNING_TUNE_H */
