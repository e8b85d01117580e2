/* SPDX-License-Identifier: GPL-2.0 */
/* --vary: the facts in which two sides of a comparison are meant to differ. */
#ifndef TLOB_RESULT_VARY_H
#define TLOB_RESULT_VARY_H

#include <stdbool.h>

#define VARY_MAX	16
#define VARY_LEN	32		/* of a fact's name, with its NUL */

struct vary {
	unsigned int n;
	char	 fact[VARY_MAX][VARY_LEN];
};

/*
 * Adds the facts of a list FACT[,FACT]. Only the results can say whether they exist. 0, or
 * -EINVAL with one line in @err.
 */
int vary_add(struct vary *v, const char *list, char *err, unsigned int size);

bool vary_has(const struct vary *v, const char *fact);

/* "FACT,FACT", as vary_add() reads it. */
#define VARY_TEXT	(VARY_MAX * VARY_LEN)
const char *vary_text(char buf[VARY_TEXT], const struct vary *v);

#endif /* TLOB_RESULT_VARY_H */
