/* SPDX-License-Identifier: GPL-2.0 */
/* What this process may do to the system. */
#ifndef TLOB_MACHINE_RIGHTS_H
#define TLOB_MACHINE_RIGHTS_H

#include <stdbool.h>

#include <linux/capability.h>

/*
 * Whether it is root with CAP_SYS_ADMIN. Root of a container has uid 0, but only the
 * capabilities that the container was given: it can neither change settings nor count on
 * real-time priority or locked memory.
 */
bool rights_of_root(void);

/* Whether it has the capability @cap, as in CAP_SYS_PTRACE, now. */
bool rights_have(int cap);

#endif /* TLOB_MACHINE_RIGHTS_H */
