/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every value of one metric, for runs whose clock counts instructions. The
 * histogram's resolution of 1/64 would hide differences of single instructions.
 */
#ifndef TLOB_UTIL_SAMPLES_H
#define TLOB_UTIL_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLES_MAX	65536U		/* 65 s at 1 ms; beyond, there are none */

struct samples {
	uint64_t *v;			/* ns */
	size_t	 n, room;
	bool	 sorted, full;		/* full: there were more, and n is 0 */
};

/* After SAMPLES_MAX values, or without memory, @s is full and keeps none. */
void samples_add(struct samples *s, uint64_t ns);
void samples_sort(struct samples *s);
void samples_drop(struct samples *s);
void samples_free(struct samples *s);

#endif /* TLOB_UTIL_SAMPLES_H */
