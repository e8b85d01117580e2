/* SPDX-License-Identifier: GPL-2.0 */
/* Whether two results measured the same thing in the same way. */
#ifndef TLOB_SETTINGS_H
#define TLOB_SETTINGS_H

#include "result/result.h"

/*
 * Adds a line for each setting that differs: "work: spin:1ms, but loops:20000
 * in FILE", @name being that of @b. Backend, clock, workload, work, policy and
 * times are what a window means; CPUs, what could be measured and the machine's
 * tuning are under which circumstances it was. 0 or -ENOMEM.
 */
int settings_differ(char ***list, const struct result *a,
		    const struct result *b, const char *name);
int circumstances_differ(char ***list, const struct result *a,
			 const struct result *b, const char *name);

/* The value of the fact, or NULL. */
const char *tuning_of(const struct result *r, const char *fact);

#endif /* TLOB_SETTINGS_H */
