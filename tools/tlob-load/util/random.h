/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order of a comparison's runs: blocks with one run of each side, in random
 * order within the block, so that neither drift nor the order itself can look
 * like an effect (docs/explanation/statistics.md). The same seed gives the same order. Pure.
 */
#ifndef TLOB_RANDOM_H
#define TLOB_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* SplitMix64 (Steele, Lea & Flood 2014): the state becomes the next number. */
uint64_t random_next(uint64_t *state);

/* The @n'th number of @seed, without the ones before it. */
uint64_t random_derived(uint64_t seed, uint64_t n);

/*
 * @blocks permutations of 0 ... @sides - 1, one after the other, into @order
 * (@blocks * @sides). Every permutation is equally likely (Fisher & Yates).
 */
void random_blocks(unsigned int *order, size_t blocks, unsigned int sides,
		  uint64_t seed);

/* A seed that nobody chose. */
uint64_t random_seed(void);

#endif /* TLOB_RANDOM_H */
