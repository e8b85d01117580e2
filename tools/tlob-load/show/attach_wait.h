/* SPDX-License-Identifier: GPL-2.0 */
/* The longest wait of a window, for people and for programs. */
#ifndef TLOB_SHOW_ATTACH_WAIT_H
#define TLOB_SHOW_ATTACH_WAIT_H

#include <stdio.h>

#include "result/attach_result.h"
#include "util/json_write.h"

/*
 * "30.9ms in futex_wait < Queue::pop < reply, woken by worker/482": the function of the kernel
 * that it slept in, and those of the program around it, at most five.
 */
void attach_wait_text(FILE *f, const struct attach_wait *wait);

/* The same of window @w of a run, or why there is none. */
void run_wait_text(FILE *f, const struct result *r, const struct tlob_window *w);

/* For each of the worst windows a line, if waits were measured. */
void attach_waits_table(FILE *f, const struct attach_result *r, size_t rows);

/* The key "wait" of a window. */
void put_attach_wait(struct builder *b, struct json_object *to, const struct attach_wait *wait);

#endif /* TLOB_SHOW_ATTACH_WAIT_H */
