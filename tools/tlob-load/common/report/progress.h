/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stderr shows while a run continues: a table in place on a terminal, else a
 * line at times. The main thread draws it, on the housekeeping CPU.
 */
#ifndef TLOB_REPORT_PROGRESS_H
#define TLOB_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/snapshot.h"
#include "util/tty.h"

struct result;
struct top;

#define PROGRESS_LINES_NS	10000000000ULL	/* between lines */
#define PROGRESS_STEPS_NS	60000000000ULL	/* the same for progress_step() */
#define PROGRESS_TABLE_NS	200000000ULL	/* between tables: five times a second */

enum progress_how { PROGRESS_OFF, PROGRESS_LINES, PROGRESS_TABLE, PROGRESS_TOP };

struct progress {
	enum progress_how how;
	uint64_t interval_ns, next_ns;	/* since the start of the run */
	uint64_t duration_ns;		/* that was asked for; 0: no limit */
	struct tty tty;
	FILE	*lines, *lines_to;	/* of progress_lines() */
	char	*lines_text;
	size_t	 lines_len;
	struct top *top;		/* PROGRESS_TOP, after progress_begin() */
	bool	 ended;
	struct snapshot snapshot;	/* of a run */
};

/*
 * @quiet: nothing is shown. @given, @ns: lines each @ns were asked for, 0 for nothing.
 * Else it depends on stderr: a terminal gets a table.
 */
void progress_init(struct progress *p, bool quiet, bool given, uint64_t ns);

/*
 * The same for a command that starts runs one after another. progress_step() shows what it does and
 * for how long, in @of_ns (0: not known), if it is time to: a terminal has it in place until
 * progress_clear(), else it is at most a line a minute.
 */
void progress_init_steps(struct progress *p, bool quiet);
void progress_step(struct progress *p, const char *doing, uint64_t elapsed_ns, uint64_t of_ns);

/* A full screen, between progress_begin() and progress_end(). */
void progress_init_top(struct progress *p);

/* On a terminal: says what is done before the run starts, which can take seconds. */
void progress_starting(const struct progress *p, const char *doing);

/* 0 or -errno, printed. progress_end() leaves the terminal as it was. */
int  progress_begin(struct progress *p);
void progress_end(struct progress *p);

/* Waits for @ms, less if a key is pressed, a signal comes, or @fd is readable; -1: none. */
void progress_wait(const struct progress *p, int fd, int ms);

/* Returns true if the user has asked for the end of the run, by a key. */
bool progress_ended(const struct progress *p);

/* Makes room for a run on @ncpus CPUs. 0 or -ENOMEM. progress_free() takes a zeroed one. */
int  progress_alloc(struct progress *p, size_t ncpus);
void progress_free(struct progress *p);

/*
 * A screen shows single windows, which the result does not keep. Each is given to
 * progress_window(), of the CPU with index @i, with the place in the kernel that made it late.
 */
bool progress_shows_windows(const struct progress *p);
void progress_window(struct progress *p, size_t i, const struct tlob_window *w,
		     const struct kernel_place *place);

/* Shows the state of a run, or of attach, if it is time to. */
void progress_run(struct progress *p, const struct result *r, uint64_t elapsed_ns);
void progress_attach(struct progress *p, const struct result *r,
		     uint64_t elapsed_ns);

/*
 * Where to print lines that belong on @f. On a terminal the next progress_attach() wraps them; those
 * next to a table come with the next table, as each would take the table away until then.
 */
FILE *progress_lines(struct progress *p, FILE *f);

/* Takes the table away and prints those lines, so that something else can be printed. */
void progress_clear(struct progress *p);

#endif /* TLOB_REPORT_PROGRESS_H */
