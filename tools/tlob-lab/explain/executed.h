/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One boot with the plugin: its windows, which instructions they executed, and its symbols. The
 * windows belong to a run, or to a region of a program. A region's windows are all phase of work.
 */
#ifndef TLOB_EXPLAIN_EXECUTED_H
#define TLOB_EXPLAIN_EXECUTED_H

#include "explain/trace_windows.h"
#include "explain/boot_symbols.h"
#include "explain/tally.h"

struct executed {
	bool	 region;
	uint32_t step;			/* of the guest's clock, ns */
	char	*symbols_text;
	struct ksyms symbols;
	struct records records;
	struct profile profile;
	struct place *place;		/* of each segment */
	struct tree *tree;		/* of each path; made when it is asked for */
	struct tally *tally;
};

/* The files that a boot has left. */
struct executed_files {
	struct symbol_files symbols;
	const char *windows;		/* the trace of a run; of a region its windows */
	const char *result;		/* the JSON, which has the step of the clock; NULL: 1 ns */
	bool	 region;
};

/*
 * Reads the symbols and the windows of a boot. 0 or -errno, printed with the file's name. What it
 * has read is freed by executed_free(), also after an error.
 */
int  executed_read_guest(struct executed *e, const struct executed_files *files);

/*
 * Writes to @path what the plugin must know: where windows begin and end, and how long each was.
 * 0 or -errno, printed.
 */
int  executed_write_marks(const struct executed *e, const char *path);

/*
 * Reads what the plugin has written, and checks each window: its instructions are its time. 0 or
 * -errno, printed with the first window that does not add up.
 */
int  executed_read_profile(struct executed *e, const char *path);
void executed_free(struct executed *e);

/* The span that is explained: a window up to t2, or all of a region. */
static inline enum span executed_span(const struct executed *e)
{
	return e->region ? SPAN_WORK : SPAN_WAKE;
}

/* Its time in ns, and its instructions. */
static inline uint64_t executed_time(const struct executed *e, size_t window)
{
	const struct record *r = &e->records.record[window];

	return e->region ? r->response : r->wake;
}

static inline uint64_t executed_length(const struct executed *e, const struct path *p)
{
	return e->region ? p->n[PHASE_WORK] : path_wake(p);
}

/*
 * Time asleep in ns: what @window took without an instruction. In a run this is time past the
 * expiry: the CPU wakes at the next step of its timer.
 */
uint64_t executed_asleep(const struct executed *e, size_t window);

static inline const struct path *executed_path(const struct executed *e, size_t window)
{
	return &e->profile.path[e->profile.window[window].path];
}

/*
 * The window whose executed_time() is the nearest rank to @share (0 to 1) of all but the warm-up: the first
 * of those with the same.
 */
int  executed_window_at(const struct executed *e, double share, size_t *window);

/* The number of windows that are no warm-up, and in @window[], unless it is NULL, which they are. */
size_t executed_measured(const struct executed *e, size_t *window);

/* Functions and stacks of @path; NULL: out of memory, printed. */
const struct tally *executed_tally(struct executed *e, size_t path);
const struct tree *executed_tree(struct executed *e, size_t path);

#endif /* TLOB_EXPLAIN_EXECUTED_H */
