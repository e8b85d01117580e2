/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_TESTS_CALLS_OPEN_H
#define TLOB_TESTS_CALLS_OPEN_H

/* Returns the number of calls that have not returned. */
static inline unsigned int calls_open(const struct tlob_calls *c)
{
	unsigned int i, n = 0;

	for (i = TLOB_CALL_FIRST; i < TLOB_CALLS; i++)
		n += !tlob_call_is_gone(&c->call[i]);
	return n;
}

#endif /* TLOB_TESTS_CALLS_OPEN_H */
