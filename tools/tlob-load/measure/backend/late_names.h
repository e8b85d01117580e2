/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the stacks of a late window to the names of its place in the kernel. Reading all names takes
 * a tenth of a second, so they are read when the first window needs one.
 */
#ifndef TLOB_BACKEND_LATE_NAMES_H
#define TLOB_BACKEND_LATE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/tlob.h>
#include "util/ksyms.h"

struct cause;
struct kernel_place;

#define LATE_NAMES_HIDDEN						\
	"the functions that kept the CPU cannot be named, because /proc/kallsyms hides addresses: set kernel.kptr_restrict to 1, and run as root or with CAP_SYSLOG"

/* Zeroes at first. */
struct late_names {
	struct ksyms ksyms;		/* empty if the addresses are hidden */
	bool	 read;
	bool	 missed;		/* a window lacks its place, because they are hidden */
	bool	 noted;
};

/* Reads the names now, where a later reading would disturb. Where that fails, they are missed. */
void late_names_read(struct late_names *n);
void late_names_end(struct late_names *n);

/* Only the stacks of @looked, 1 << enum tlob_late_moment, were taken. */
void late_names_looked(struct tlob_late *stacks, uint64_t looked);

/* Fills @to with the place of @cause, as far as @stacks know it. */
void late_names_place(struct late_names *n, const struct cause *cause,
		      const struct tlob_late *stacks, struct kernel_place *to);

/* Returns true once, when a place was missed. */
bool late_names_note(struct late_names *n);

#endif /* TLOB_BACKEND_LATE_NAMES_H */
