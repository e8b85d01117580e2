/* SPDX-License-Identifier: GPL-2.0 */
/* The longest waits of windows: in sentences, below a table and on a page. */
#ifndef TLOB_REPORT_WINDOW_WAITS_H
#define TLOB_REPORT_WINDOW_WAITS_H

#include <stdio.h>

#include "result/result.h"

/*
 * "30.9ms in futex_wait < Queue::pop < reply, woken by worker/482": the kernel's function in which
 * it slept, and at most five functions of the program that led to it. With a chain, instead of the last
 * words, what had most of the wait of the thread @tid.
 */
void attach_wait_text(FILE *f, const struct attach_wait *wait, uint32_t tid);

/* The same for a window, or the reason that it has no wait. */
void window_wait_text(FILE *f, const struct kept_window *k);

#endif /* TLOB_REPORT_WINDOW_WAITS_H */
