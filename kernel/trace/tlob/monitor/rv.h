/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The monitor's interface to RV. Built into a kernel with RV, the monitor is
 * also RV's monitor `tlob`. In other builds these functions do nothing.
 */
#ifndef _TLOB_RV_H
#define _TLOB_RV_H

#include <linux/types.h>

#include "../base/compat.h"

/* The functions that RV calls, and the file `monitor`. */
struct tlob_rv_ops {
	int  (*want)(bool on);
	void (*reset)(void);
	const struct file_operations *file;
};

#ifdef TLOB_RV
int  tlob_rv_register(const struct tlob_rv_ops *ops);
void tlob_rv_unregister(void);

/*
 * Returns whether RV has the monitor on but its monitoring_on off. Then the
 * automaton reports nothing.
 */
bool tlob_rv_is_silent(void);

/*
 * Runs the reactor that RV's user has chosen, if RV has the monitor on. In any
 * context but nmi and under any lock. @env: NAME=VALUE of a broken constraint,
 * or NULL if the state does not accept the event.
 */
void tlob_rv_react(const char *comm, pid_t pid, const char *state,
		   const char *event, const char *env);
#else
static inline int tlob_rv_register(const struct tlob_rv_ops *ops)
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
