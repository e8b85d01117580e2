/* SPDX-License-Identifier: GPL-2.0 */
/* Which windows of a run get the actions of --on-violation, and what their commands are given. */
#ifndef TLOB_RUN_ACT_H
#define TLOB_RUN_ACT_H

#include <stdbool.h>

#include <linux/tlob.h>

struct actions;
struct kept_window;
struct result;
struct run_config;
struct window_functions;

/*
 * Returns the condition that @w meets, as given; NULL: none, or @w belongs to the warm-up. Only
 * computes, so a measuring thread may ask.
 */
const char *act_condition(const struct run_config *o, const struct tlob_window *w,
			  const struct window_functions *f);

/* Takes the actions at @k, which meets @condition, or counts it. 0 or -ENOMEM, printed. */
int act_window(struct actions *a, const struct result *r, const struct kept_window *k,
	       const char *condition);

#endif /* TLOB_RUN_ACT_H */
