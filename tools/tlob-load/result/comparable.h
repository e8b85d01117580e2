/* SPDX-License-Identifier: GPL-2.0 */
/* Whether two results measured the same thing in the same way. */
#ifndef TLOB_RESULT_COMPARABLE_H
#define TLOB_RESULT_COMPARABLE_H

#include "result/result.h"

/*
 * Adds a line to @list for each difference: "work: spin:1ms, but loops:20000 in
 * FILE". @name is the file of @b. Settings give a window its meaning: backend,
 * clock, workload, work, policy and times. Circumstances are where it was
 * measured: machine, CPUs, tuning. 0 or -ENOMEM.
 */
int settings_differ(char ***list, const struct result *a,
		    const struct result *b, const char *name);
int circumstances_differ(char ***list, const struct result *a,
			 const struct result *b, const char *name);

/* The value of the fact, or NULL. */
const char *tuning_of(const struct result *r, const char *fact);

#endif /* TLOB_RESULT_COMPARABLE_H */
