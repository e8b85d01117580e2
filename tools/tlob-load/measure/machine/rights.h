/* SPDX-License-Identifier: GPL-2.0 */
/* The rights of this process. */
#ifndef TLOB_MACHINE_RIGHTS_H
#define TLOB_MACHINE_RIGHTS_H

#include <stdbool.h>

#include <linux/capability.h>

/*
 * Returns whether it is root with CAP_SYS_ADMIN. Root of a container has uid 0, but only the
 * capabilities that the container was given: it can neither change settings nor count on
 * real-time priority or locked memory.
 */
bool rights_of_root(void);

/* Returns whether it has the capability @cap now, as in CAP_SYS_PTRACE. */
bool rights_have(int cap);

/*
 * Returns whether lockdown=confidentiality forbids to read the kernel by tracing, BPF and kprobes.
 * The kernel's errors do not say so: ask after each refusal.
 */
bool rights_locked_down(void);

/*
 * Returns whether its user namespace is the first one. Capabilities in another namespace
 * give no access to the kernel's files and no real-time priority.
 */
bool rights_of_first_namespace(void);
/* The same of a process with this uid_map. */
bool rights_first_map(const char *uid_map);

#endif /* TLOB_MACHINE_RIGHTS_H */
