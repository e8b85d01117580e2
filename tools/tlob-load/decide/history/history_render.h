/* SPDX-License-Identifier: GPL-2.0 */
/* Shows a history, which history_sort() has sorted, and its sessions. */
#ifndef TLOB_HISTORY_HISTORY_RENDER_H
#define TLOB_HISTORY_HISTORY_RENDER_H

#include <stdio.h>

#include "history/history.h"
#include "util/units.h"

/* A line for each session, or all of one. 0, or -errno, printed. */
int history_list(FILE *f, const struct history *h);
int history_show(FILE *f, const struct history *h, const struct session *s);

/* A page: each number of each series over its sessions. 0, or -errno, printed. */
int history_page(FILE *f, const struct history *h);

/* "41.2us", "0.15 %", "missed" or "-": a number of session_values. Returns @buf. */
const char *history_value(char buf[DURATION_LEN], unsigned int value, double x);

/* "9 days later", "2 hours earlier (its clock was set back)", or "": series_gap(). Returns @buf. */
#define GAP_LEN	64
const char *history_gap(char buf[GAP_LEN], double gap);

/* UTC, to the minute. Returns @buf. */
#define WHEN_LEN	32
const char *history_when(char buf[WHEN_LEN], time_t t);

#endif /* TLOB_HISTORY_HISTORY_RENDER_H */
