/* SPDX-License-Identifier: GPL-2.0 */
/* The wait profiler beside a run: what `run --waits` needs of it. */
#ifndef TLOB_CMD_RUN_PROFILE_H
#define TLOB_CMD_RUN_PROFILE_H

#include "machine/control.h"
#include "run/collect.h"
#include "waits/of_windows.h"

struct run_profile {
	struct control control;
	struct attach_profile profile;	/* ATTACH_PROFILE_NONE at first */
};

/*
 * With --waits: gets the names for @c. Before the run begins, which switches the profiler
 * on. 0 or -errno, printed; -EBUSY: another tool has it.
 */
int  run_profile_open(struct run_profile *p, struct collector *c);
/* Unwinds what has come. 0 or -errno, printed. */
int  run_profile_take(struct run_profile *p);
void run_profile_close(struct run_profile *p);

#endif /* TLOB_CMD_RUN_PROFILE_H */
