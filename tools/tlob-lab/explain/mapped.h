/* SPDX-License-Identifier: GPL-2.0 */
/* The code that a program of a guest has mapped. Pure: no I/O. */
#ifndef TLOB_EXPLAIN_MAPPED_H
#define TLOB_EXPLAIN_MAPPED_H

#include <stddef.h>
#include <stdint.h>

struct mapping {
	uint64_t start, end;		/* addresses */
	uint64_t offset;		/* of the file at @start */
	const char *path;		/* in the guest: "/lib/libc.so.6", "[vdso]", "//anon" */
};

struct mapped {
	struct mapping *mapping;	/* by address; none overlap */
	size_t	 n;
};

/*
 * Reads lines as /proc/PID/maps has them, in the order in which they were mapped: where two
 * overlap, the later one counts. Cuts @text up, which must live as long as @m. 0, -ENOMEM, or
 * -EINVAL with what is wrong in @why.
 */
int  mapped_read(struct mapped *m, char *text, char *why, size_t size);
void mapped_free(struct mapped *m);

/*
 * The file of this machine that is @guest in the guest. @packed has lines "GUEST<tab>HOST"; the
 * last one with this name counts. Returns a copy (malloc), or NULL.
 */
char *mapped_host(const char *packed, const char *guest);

#endif /* TLOB_EXPLAIN_MAPPED_H */
