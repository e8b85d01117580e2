/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module writes besides the record of a window: one kind of record, in a ring of each
 * CPU. A record is in its ring before the window's own. So if the next one belongs to a later
 * window, or there is none, the window has none, or its record was dropped.
 */
#ifndef TLOB_BACKEND_TLOB_RINGS_H
#define TLOB_BACKEND_TLOB_RINGS_H

#include <stddef.h>

struct backend_run;
struct tlob_rings;
struct tlob_window;

/*
 * Opens per_cpu/cpuN/@file of each CPU of the run. Each record has @size bytes. 0 or -errno,
 * printed; also then the caller closes *@r.
 */
int  tlob_rings_open(struct tlob_rings **r, const struct backend_run *b, const char *file,
		     size_t size);
void tlob_rings_close(struct tlob_rings *r);

/* The record of @w on the CPU with index @i; it stays until the next call. NULL: none. */
const void *tlob_rings_find(struct tlob_rings *r, size_t i, const struct tlob_window *w);

/* The next record of any window, which is taken. NULL: none. */
const void *tlob_rings_next(struct tlob_rings *r, size_t i);

#endif /* TLOB_BACKEND_TLOB_RINGS_H */
