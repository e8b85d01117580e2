/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Regions of this program for the tests of bindings: ordinary code, and its offset in its
 * file.
 */
#ifndef REGION_H
#define REGION_H

#include "file_offset.h"

/* The texts differ, or the compiler may merge two functions. */
#define REGION_POINT(name)						\
	static __attribute__((noinline, used)) void name(void)		\
	{								\
		__asm__ volatile("# " #name ::: "memory");		\
	}

REGION_POINT(outer_start)
REGION_POINT(outer_stop)
REGION_POINT(inner_start)
REGION_POINT(inner_stop)

#endif /* REGION_H */
