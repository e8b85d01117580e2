/* SPDX-License-Identifier: GPL-2.0 */
/* The scheduling policy of the workload: policyspec.h has the grammar. Pure: no I/O. */
#ifndef TLOB_UTIL_POLICY_H
#define TLOB_UTIL_POLICY_H

#include "policyspec.h"

/* 0, or -EINVAL with one line in @err. *@p is written on success only. */
int policy_parse(struct tlob_policy *p, const char *text, char *err,
		 unsigned int size);

/* The text that the file `policy` takes. 0, or -ENOSPC if @size is short. */
int policy_format(const struct tlob_policy *p, char *buf, unsigned int size);

#endif /* TLOB_UTIL_POLICY_H */
