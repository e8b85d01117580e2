// SPDX-License-Identifier: GPL-2.0
/*
 * taken TURNS: how long a thread of low priority, FIFO 1, takes for TURNS turns of an empty
 * loop on CPU 0, in ns. What it takes longer next to a workload is what that took from it.
 * Threads without a real-time priority do not run meanwhile, so reading is not in it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

int main(int argc, char **argv)
{
	unsigned long turns = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t start;

	if (!turns)
		return 129;
	pin();
	be(1);
	start = now_ns();
	while (turns--)
		__asm__ volatile("");
	printf("%llu\n", (unsigned long long)(now_ns() - start));
	return 0;
}
