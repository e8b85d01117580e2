/* SPDX-License-Identifier: GPL-2.0 */
/* One boot with the plugin: its windows, which instructions they executed, and its symbols. */
#ifndef TLOB_EXPLAIN_EXECUTED_H
#define TLOB_EXPLAIN_EXECUTED_H

#include "explain/records.h"
#include "explain/tally.h"

struct executed {
	char	*symbols_text;
	struct ksyms symbols;
	struct records records;
	struct profile profile;
	struct place *place;		/* of each segment */
	struct tree *tree;		/* of each path; made when it is asked for */
	struct tally *tally;
};

/*
 * Reads the symbols and the trace of a boot. @kernel: a file with the kernel's symbols, or NULL;
 * @program: the ELF file that measured, or NULL.
 * 0 or -errno, printed with the file's name. What it has read is freed by executed_free(), also
 * after an error.
 */
int  executed_read_guest(struct executed *e, const char *symbols, const char *kernel,
			 const char *program, const char *trace);

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

/*
 * Time asleep past the expiry, in ns: what @window took until t2 without an instruction. The CPU
 * wakes at the next step of its timer.
 */
uint64_t executed_asleep(const struct executed *e, size_t window);

static inline const struct path *executed_path(const struct executed *e, size_t window)
{
	return &e->profile.path[e->profile.window[window].path];
}

/*
 * The window whose `wake` is the nearest rank to @share (0 to 1) of all but the warm-up: the first
 * of those with the same.
 */
int  executed_window_at(const struct executed *e, double share, size_t *window);

/* Functions and stacks of @path; NULL: out of memory, printed. */
const struct tally *executed_tally(struct executed *e, size_t path);
const struct tree *executed_tree(struct executed *e, size_t path);

#endif /* TLOB_EXPLAIN_EXECUTED_H */
