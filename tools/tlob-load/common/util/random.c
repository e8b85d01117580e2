// SPDX-License-Identifier: GPL-2.0
/* Pseudo-random numbers that depend on the seed only, on every machine. */
#include <stdbool.h>
#include <sys/random.h>
#include <time.h>

#include "util/random.h"

#define GOLDEN 0x9e3779b97f4a7c15ULL

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

uint64_t random_next(uint64_t *state)
{
	*state += GOLDEN;
	return mix(*state);
}

uint64_t random_derived(uint64_t seed, uint64_t n)
{
	return mix(mix(seed + GOLDEN) + (n + 1) * GOLDEN);
}

uint64_t random_seed(void)
{
	uint32_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uint32_t)time(NULL);
	return seed;
}
