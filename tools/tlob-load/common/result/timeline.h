/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The spans of a window, in their order. A result has the timelines of the windows
 * that it keeps whole. NULL stands for a run without --timeline. A window whose
 * timeline was lost has one without a version.
 */
#ifndef TLOB_RESULT_TIMELINE_H
#define TLOB_RESULT_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/tlob.h>

/*
 * A copy from malloc(). NULL @t: a lost one. NULL: out of memory, as if the run had
 * not been asked for it.
 */
struct tlob_timeline *timeline_copy(const struct tlob_timeline *t);

static inline bool timeline_is_lost(const struct tlob_timeline *t)
{
	return !t->version;
}

/*
 * NULL if @t is a timeline of @w, or why not. It is one if the spans follow one
 * another up to the response, none crosses the end of the wake phase, and they add up
 * to each part: exactly if all are kept, else to no more. on_cpu and hw are one here.
 */
const char *timeline_defect(const struct tlob_timeline *t, const struct tlob_window *w);

/* The kind of noise that @part is; TLOB_NR_NOISE: none. */
unsigned int part_noise(unsigned int part);

/* The begin of span @i, in ns from the expiry. */
static inline uint64_t timeline_start(const struct tlob_timeline *t, uint32_t i)
{
	return i ? t->span[i - 1].end_ns : t->start_ns;
}

#endif /* TLOB_RESULT_TIMELINE_H */
