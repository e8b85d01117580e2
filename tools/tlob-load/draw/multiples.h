/* SPDX-License-Identifier: GPL-2.0 */
/* Small multiples: the quantiles of each CPU in a plot of its own, all on one scale. */
#ifndef TLOB_PAGE_MULTIPLES_H
#define TLOB_PAGE_MULTIPLES_H

#include <stdio.h>

#include "result/result.h"

/*
 * Wake and response of each CPU over those of all together. Of very many CPUs those with
 * the longest responses. @number tells the results of one page apart. 0 or -ENOMEM.
 */
int multiples_cpus(FILE *f, const struct result *r, size_t number);

#endif /* TLOB_PAGE_MULTIPLES_H */
