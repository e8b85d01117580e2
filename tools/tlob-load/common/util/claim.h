/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A directory of results belongs to one experiment: what made its first result continues it, and
 * anything else is refused. A file in it, the claim, has a hash of all that the results depend on.
 */
#ifndef TLOB_UTIL_CLAIM_H
#define TLOB_UTIL_CLAIM_H

#include <stdint.h>

#define CLAIM_ID	20

struct claim {
	const char *dir, *file;		/* its name in @dir */
	char	id[CLAIM_ID];		/* claim_identify() */
	uint64_t seed;			/* of the first start, if it has one */
};

enum claim_of { CLAIM_NOBODY, CLAIM_OURS, CLAIM_OTHER };

/* @text is all that the results depend on. */
void claim_identify(struct claim *c, const char *text);

/* Whose directory it is. If it is ours, @seed is the one of the first start. */
enum claim_of claim_read(struct claim *c);

/* It is ours from now on. 0 or -errno, printed. */
int claim_take(const struct claim *c);

#endif /* TLOB_UTIL_CLAIM_H */
