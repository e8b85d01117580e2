// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>

#include "util/random.h"

/* A number below @n. Draws again beyond the last multiple of @n, to avoid the remainder's bias. */
static unsigned int below(uint64_t *state, unsigned int n)
{
	uint64_t x;

	do
		x = random_next(state);
	while (x >= UINT64_MAX - UINT64_MAX % n);
	return (unsigned int)(x % n);
}

static void shuffle(unsigned int *order, size_t blocks, unsigned int sides, uint64_t *state)
{
	unsigned int i, k;

	for (; blocks; blocks--, order += sides) {
		for (i = 0; i < sides; i++) {
			k = below(state, i + 1);
			order[i] = order[k];
			order[k] = i;
		}
	}
}

static bool is_before(const unsigned int *block, unsigned int side, unsigned int other)
{
	while (*block != side && *block != other)
		block++;
	return *block == side;
}

/* Returns whether each side is before side 0 in some of the first blocks and behind it in others. */
static bool is_mixed(const unsigned int *order, unsigned int sides)
{
	unsigned int side, block, n;

	for (side = 1; side < sides; side++) {
		for (block = n = 0; block < RANDOM_MIXED; block++)
			n += is_before(order + (size_t)block * sides, side, 0);
		if (!n || n == RANDOM_MIXED)
			return false;
	}
	return true;
}

void random_blocks(unsigned int *order, size_t blocks, unsigned int sides,
		  uint64_t seed)
{
	const size_t first = blocks < RANDOM_MIXED ? blocks : RANDOM_MIXED;
	uint64_t state = seed;

	do
		shuffle(order, first, sides, &state);
	while (first == RANDOM_MIXED && !is_mixed(order, sides));
	shuffle(order + first * sides, blocks - first, sides, &state);
}
