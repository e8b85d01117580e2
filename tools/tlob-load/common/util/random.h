/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers from a seed, and the order of a comparison's runs: blocks with
 * one run of each side, in random order within the block. So neither drift nor the
 * order itself can look like an effect (docs/explanation/statistics.md). The same seed gives
 * the same order. Pure: no I/O, except random_seed().
 */
#ifndef TLOB_UTIL_RANDOM_H
#define TLOB_UTIL_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* SplitMix64 (Steele, Lea & Flood 2014): the next number; advances *@state. */
uint64_t random_next(uint64_t *state);

/* The @n'th number of @seed, computed directly. */
uint64_t random_derived(uint64_t seed, uint64_t n);

/*
 * Writes @blocks permutations of 0 ... @sides - 1 to @order, one after the other
 * (@blocks * @sides numbers). All permutations are equally likely (Fisher & Yates), but five or
 * more are drawn again until each side is before side 0 in some of the first five and behind it in
 * others: compare decides nothing where one side always came first.
 */
#define RANDOM_MIXED	5

void random_blocks(unsigned int *order, size_t blocks, unsigned int sides,
		  uint64_t seed);

/* A new seed below 2^32, from the kernel's random numbers. */
uint64_t random_seed(void);

#endif /* TLOB_UTIL_RANDOM_H */
