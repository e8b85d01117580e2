/* SPDX-License-Identifier: GPL-2.0 */
/* Between the tool and the process that takes actions. */
#ifndef TLOB_MACHINE_ACTIONS_LOCAL_H
#define TLOB_MACHINE_ACTIONS_LOCAL_H

#include "machine/actions.h"

/*
 * To the runner, one datagram each: ASK_VIOLATION and ASK_END with a line for each variable
 * behind it and a descriptor with the input; ASK_KILL ends what runs. Each of the first two has one answer. The
 * runner ends when the tool closes its side.
 */
enum ask { ASK_VIOLATION = 'v', ASK_END = 'e', ASK_KILL = 'k' };

struct answer {
	uint32_t failed, killed;
	char	 reason[ACTIONS_REASON];	/* of the first that failed */
};

/* The life of the runner; @tool: its side of the socket. */
void actions_run(const struct actions_setup *set, bool later, int tool)
	__attribute__((noreturn));

/* The process that @a signals. */
static inline pid_t action_target(const struct actions_setup *set, const struct action *a)
{
	return a->pid ? a->pid : set->pid;
}

#endif /* TLOB_MACHINE_ACTIONS_LOCAL_H */
