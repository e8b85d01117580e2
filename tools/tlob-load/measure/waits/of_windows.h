/* SPDX-License-Identifier: GPL-2.0 */
/* `attach --waits` and `run --waits`: the names of the stacks on which windows waited, from the wait profiler. */
#ifndef TLOB_WAITS_OF_WINDOWS_H
#define TLOB_WAITS_OF_WINDOWS_H

#include <linux/tlob.h>

#include "result/kept.h"
#include "waits/profile.h"
#include "waits/source.h"

struct attach_profile {
	struct wait_source source;	/* its backend NULL: off */
	struct wait_profile profile;
};

#define ATTACH_PROFILE_NONE { .source.records = WAIT_RECORDS_NONE }

/* Opens the module's records. 0 or -errno, printed; -EBUSY: another tool has the profiler. */
int  attach_profile_open(struct attach_profile *p, const struct control *c);
/* Begins a profile by @backend, of what has windows by it. 0 or -errno, printed. */
int  attach_profile_begin(struct attach_profile *p, const struct wait_backend *backend,
			  struct wait_scope *scope);
void attach_profile_close(struct attach_profile *p);

/* Unwinds what has come, while its process still exists. 0 or -errno, printed. */
int  attach_profile_take(struct attach_profile *p);

/*
 * What is known of @w, with the names of its stack; nothing without --waits or a wait. Call it
 * when the record has come: the kernel has noted the stack by then. Then attach_wait_clear().
 * @profile: a struct attach_profile. 0 or -errno, printed.
 */
int  attach_profile_name(void *profile, const struct tlob_window_wait *w, struct attach_wait *to);

#endif /* TLOB_WAITS_OF_WINDOWS_H */
