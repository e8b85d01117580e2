/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_VERDICT_H
#define TLOB_VERDICT_H

#include "msg.h"

struct options;
struct result;

/*
 * Evaluates every --assert; one line on stderr for each that fails. EXIT_PASS
 * or EXIT_ASSERTION. Violations alone pass; missing data never does.
 */
enum exit_code verdict(const struct options *o, const struct result *r);

#endif /* TLOB_VERDICT_H */
