/* SPDX-License-Identifier: GPL-2.0 */
/* Under which conditions a result was measured, and what lowers its meaning: for every command that judges. */
#ifndef TLOB_RESULT_MEANING_H
#define TLOB_RESULT_MEANING_H

#include "result/result.h"

/*
 * What a verdict holds for, one after the other: "policy" is "fifo:95". @between and @before make a
 * sentence of them.
 */
typedef void (*condition_put)(void *to, const char *between, const char *before, const char *key, const char *value);
void result_each_condition(const struct result *r, condition_put put, void *to);

/*
 * The same as text: "fifo:95, spin:80us every 1 ms, budget 1 ms, CPUs 2-5, backend bpf, dma_latency
 * 0us, load @io on CPUs 0-1". NULL without memory.
 */
char *result_conditions(const struct result *r);
/* The same for memstream_of(), of a struct result. */
void result_put_conditions(FILE *f, const void *r);

/*
 * Adds a line to @list, unless it has it, for each reason why the result means less than it
 * says: the policy, a run that was cut short, settings that --tune could not change, a limit that
 * throttled it, inexact parts, assertions that do not hold, a virtual machine. 0 or -ENOMEM.
 */
int result_lowered(const struct result *r, char ***list);

#define MEANING_LINE	ASSERTION_FOUND
/* What starts without a stop and stops without a start a region had, in @buf, or NULL: none. */
const char *result_unpaired(const struct result *r, char buf[MEANING_LINE]);

/* What to do where a policy was not permitted. */
#define POLICY_ADVICE	"give the user 'rtprio 99' in /etc/security/limits.conf or the tool CAP_SYS_NICE"

/*
 * Why no verdict can rest on the result, in @buf, or NULL: a real-time policy was asked for, and the
 * run had none; starts and stops of a region do not pair; or too many windows of attach were not
 * measured. A policy that was asked for is a condition like the others.
 */
const char *result_undecidable(const struct result *r, char buf[MEANING_LINE]);

#endif /* TLOB_RESULT_MEANING_H */
