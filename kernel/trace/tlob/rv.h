/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The monitor's second face: in a kernel with RV, and built in, it is the monitor
 * `tlob` of that. Elsewhere these do nothing.
 */
#ifndef _TLOB_RV_H
#define _TLOB_RV_H

#include <linux/types.h>

#include "compat.h"

#ifdef TLOB_RV
int  tlob_rv_register(void);
void tlob_rv_unregister(void);

/* RV has the monitor on and its monitoring_on off: the automaton tells nothing. */
bool tlob_rv_is_silent(void);

/*
 * What RV's user has chosen to happen, if RV has the monitor on. In any context but
 * nmi, under any lock. @env: NAME=VALUE, where the constraint is broken; NULL: the state
 * does not accept the event.
 */
void tlob_rv_react(const char *comm, pid_t pid, const char *state,
		   const char *event, const char *env);
#else
static inline int tlob_rv_register(void)
{
	return 0;
}

static inline void tlob_rv_unregister(void) { }

static inline bool tlob_rv_is_silent(void)
{
	return false;
}

static inline void tlob_rv_react(const char *comm, pid_t pid, const char *state,
				 const char *event, const char *env) { }
#endif /* TLOB_RV */

#endif /* _TLOB_RV_H */
