/* SPDX-License-Identifier: GPL-2.0 */
/* The full screen of `tlob-load top`. */
#ifndef TLOB_REPORT_TOP_H
#define TLOB_REPORT_TOP_H

#include <stdbool.h>

struct snapshot;
struct top;

/*
 * Takes the terminal over, until top_end(). What is written to stderr meanwhile appears
 * after it. 0, -ENOTTY or -ENOMEM, printed.
 */
int  top_begin(struct top **top);

/* Gives the terminal back. NULL does nothing. */
void top_end(struct top *top);

/* Reads the keys. Returns true once the user has asked for the end. */
bool top_keys(struct top *top, const struct snapshot *s);

/* Draws @s. A paused screen draws the same snapshot again: do not take another one. */
void top_draw(struct top *top, const struct snapshot *s);
bool top_is_paused(const struct top *top);

#endif /* TLOB_REPORT_TOP_H */
