/* SPDX-License-Identifier: GPL-2.0 */
/* Two sides of results, compared as the options say. */
#ifndef TLOB_COMPARE_COMPARE_H
#define TLOB_COMPARE_COMPARE_H

#include "compare/campaign.h"
#include "compare/config.h"

/* 0 with the verdict, which is OK for results of waits; or -errno, printed. */
int compare_carry_out(struct compare_config *o, enum decision_verdict *verdict);

/*
 * Without --metric the statistics that the first result asks for, which @first is then: the default
 * depends on the clock. 0 or -errno, printed.
 */
int compare_statistics(struct compare_config *o, struct campaign_run *first);

#endif /* TLOB_COMPARE_COMPARE_H */
