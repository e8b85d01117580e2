/* SPDX-License-Identifier: GPL-2.0 */
/* From the stacks of a late window to the names of its place in the kernel. */
#ifndef TLOB_BACKEND_LATE_NAMES_H
#define TLOB_BACKEND_LATE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/backend.h"
#include "util/ksyms.h"

struct late_names {
	struct ksyms ksyms;		/* empty if the addresses are hidden */
	bool	 noted;			/* a note says that they are */
};

/* Reads the names: that would disturb a measurement. 0 or -ENOMEM, printed. */
int  late_names_begin(struct late_names *n);
void late_names_end(struct late_names *n);

/* Only the stacks of @looked, 1 << enum tlob_late_moment, were taken. */
void late_names_looked(struct tlob_late *stacks, uint64_t looked);

/* Fills @to with the place of @cause, as far as @stacks know it. */
void late_names_place(const struct late_names *n, const struct cause *cause,
		      const struct tlob_late *stacks, struct kernel_place *to);

/* Fills @to with the window @w and its place. @usual_ns: as for backend.late. 0 or -errno. */
int  late_names_find(struct late_names *n, struct backend_run *b, const struct tlob_window *w,
		     const struct tlob_late *stacks, uint64_t usual_ns, struct late_window *to);

#endif /* TLOB_BACKEND_LATE_NAMES_H */
