/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every value of one metric, for runs whose clock counts instructions: there
 * the histogram's 1/64 would hide what can be known to the instruction.
 */
#ifndef TLOB_SAMPLES_H
#define TLOB_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLES_MAX	65536U		/* 65 s at 1 ms; beyond, there are none */

struct samples {
	uint64_t *v;			/* ns */
	size_t	 n, room;
	bool	 sorted, full;		/* full: there were more, and n is 0 */
};

/* Without memory, and beyond SAMPLES_MAX, they are full. */
void samples_add(struct samples *s, uint64_t ns);
void samples_sort(struct samples *s);
void samples_drop(struct samples *s);
void samples_free(struct samples *s);

/*
 * The value with rank ceil(n * @ppm / 10^6), at least 1: the quantile that
 * hist_quantile() rounds. Sorted, and 0 if there is none.
 */
uint64_t samples_quantile(const struct samples *s, unsigned int ppm);

#endif /* TLOB_SAMPLES_H */
