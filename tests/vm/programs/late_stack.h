/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LATE_STACK_H
#define LATE_STACK_H

#include <stdbool.h>
#include <linux/tlob.h>

/*
 * Stack @i of @r, if it has that one, is of a task, and has frames. One of TLOB_LATE_LEFT has none
 * if the task of TLOB_LATE_TICK had left before.
 */
static inline bool late_stack_is_right(const struct tlob_late_activation *r, unsigned int i)
{
	const struct tlob_late_stack *s = &r->late.at[i], *tick = &r->late.at[TLOB_LATE_TICK];

	if (!(r->looked & 1U << i))
		return true;
	if (i == TLOB_LATE_LEFT && !s->size)
		return r->looked & 1U << TLOB_LATE_TICK && s->pid == tick->pid && s->blocked && s->call < 0;
	return s->pid && s->size >= 8;
}

#endif /* LATE_STACK_H */
