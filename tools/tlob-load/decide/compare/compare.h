/* SPDX-License-Identifier: GPL-2.0 */
/* Comparing by options, for the subcommands that do: compare, and gate, which a history may stand behind. */
#ifndef TLOB_COMPARE_COMPARE_H
#define TLOB_COMPARE_COMPARE_H

#include "compare/campaign.h"
#include "compare/config.h"
#include "util/error.h"

/* Compares as the options say. @decides: the verdict is the exit code. Errors are printed. */
enum exit_code compare_carry_out(struct compare_config *o, bool decides);
enum exit_code verdict_exit(enum decision_verdict v);

/*
 * Without --metric the statistics that the first result asks for, which @first is then: the default
 * depends on the clock. 0 or -errno, printed.
 */
int compare_statistics(struct compare_config *o, struct campaign_run *first);

/* Refuses an output that would overwrite one of the results: -EUSAGE, printed. */
int compare_check_outputs(const struct compare_config *o);

#endif /* TLOB_COMPARE_COMPARE_H */
