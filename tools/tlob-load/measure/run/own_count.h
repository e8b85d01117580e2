/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a measuring thread counts itself, instead of handing each record to the collector: it
 * loses no window, however long the collector gets no CPU.
 *
 * It has two sides. The thread counts on one, and the collector takes the other. Neither
 * waits: a side that the thread still writes is left until the next time.
 */
#ifndef TLOB_RUN_OWN_COUNT_H
#define TLOB_RUN_OWN_COUNT_H

#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

struct os_counts;
struct result;
struct own_count;

/*
 * For a run with the settings of @r, of its CPU with index @i; in the memory of that CPU. @never: the
 * parts that no window has, 1 << enum tlob_part.
 */
struct own_count *own_count_new(const struct result *r, size_t i, uint32_t never);
void own_count_free(struct own_count *t);

/*
 * In the thread, in the order of the windows: counts all of @w, with a hardware gap of @gap_ns
 * that is not a part of it; 0: none.
 */
void own_count_window(struct own_count *t, const struct tlob_window *w, uint64_t gap_ns);

/*
 * Moves what was counted to the CPU with index @i of @r. @continued_ns: when the last SIGCONT was
 * taken; no thread can know it before it counts its window.
 */
void own_count_take(struct own_count *t, struct result *r, size_t i, uint64_t continued_ns);

/* Before the threads begin: the slices of @r have their 0. */
void own_count_begin(struct own_count *t, const struct result *r);

/* Adds the gap of a window in which interrupts are not seen. */
void own_count_gap(struct os_counts *os, const struct tlob_window *w, uint64_t ns);

#endif /* TLOB_RUN_OWN_COUNT_H */
