/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the settings and circumstances in which two results differ. */
#ifndef TLOB_RESULT_COMPARABLE_H
#define TLOB_RESULT_COMPARABLE_H

#include "result/result.h"

struct vary;

/*
 * Adds a line to @list for each difference: "work: spin:1ms, but loops:20000 in
 * FILE". @name is the file of @b. Settings give a window its meaning: backend,
 * clock, workload, work, policy and times. Circumstances describe where it
 * was measured: machine, CPUs, tuning. 0 or -ENOMEM.
 */
int settings_differ(char ***list, const struct result *a,
		    const struct result *b, const char *name);

/* The same for settings and circumstances: only facts that @vary names (@named), or the others. */
int facts_differ(char ***list, const struct result *a, const struct result *b,
		 const char *name, const struct vary *vary, bool named);

/*
 * The values of a setting, a circumstance or a fact of the tuning in @a and in @b, by the
 * name that --vary has for it: malloc(), printable. For kernel arguments it is the ones that
 * the other result lacks, if any. NULL: the result has no such fact, or no memory.
 */
void fact_values(const struct result *a, const struct result *b, const char *name,
		 char *value[2]);

/* "smt,governor": the facts of the tuning in which @b must not differ from @a, but does; or "". malloc() */
char *tuning_refused(const struct result *a, const struct result *b);

/* "work, policy, ... smt": the facts of the result that --vary can name. malloc(). */
char *fact_names(const struct result *r);

/*
 * A hash of all these facts, without the kernel: between two results with one key facts_differ()
 * finds nothing. 0: no memory.
 */
uint64_t facts_key(const struct result *r);

/* The value of the fact of the tuning, or NULL. */
const char *tuning_of(const struct result *r, const char *fact);

#endif /* TLOB_RESULT_COMPARABLE_H */
