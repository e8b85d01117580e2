/* SPDX-License-Identifier: GPL-2.0 */
/* The chain behind a wait, in a sentence and in lines. */
#ifndef TLOB_REPORT_CHAIN_TEXT_H
#define TLOB_REPORT_CHAIN_TEXT_H

#include <stdio.h>

#include "result/kept.h"

/*
 * "4.02 ms of 4.39 ms: tD/17 (FIFO 20) computed, then woke tC/18, which woke it": what had most of
 * the wait of the thread @tid. Only for a wait with a chain.
 */
void chain_text(FILE *f, const struct attach_wait *wait, uint32_t tid);

/* False: all it says is that the thread @tid slept until its own timer, or that nothing is known. */
bool chain_tells(const struct attach_wait *wait, uint32_t tid);

/* " computed": what the task of @s did. */
void chain_what(FILE *f, const struct chain_segment *s);

/* A line for each segment, the oldest first: when it began, its time, and what it was. */
void chain_lines(FILE *f, const struct attach_wait *wait, uint32_t tid);

#endif /* TLOB_REPORT_CHAIN_TEXT_H */
