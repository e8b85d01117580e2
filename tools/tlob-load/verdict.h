/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_VERDICT_H
#define TLOB_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "expr.h"
#include "msg.h"

struct options;
struct result;

/*
 * Evaluates every --assert; one line on stderr for each that fails. EXIT_PASS
 * or EXIT_ASSERTION. Violations alone pass; missing data never does.
 */
enum exit_code verdict(const struct options *o, const struct result *r);

/*
 * Whether one condition was found to be true; a line on stderr if not, with its
 * value and @where.
 */
bool verdict_is(const struct expr *e, enum expr_verdict found, uint64_t value,
		const char *where);

#endif /* TLOB_VERDICT_H */
