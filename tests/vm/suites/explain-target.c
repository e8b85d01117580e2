// SPDX-License-Identifier: GPL-2.0
/*
 * A program with a region of known length, for tlob-lab explain: it begins at
 * region_start() and ends at region_stop(). In each of 20 regions
 *
 *	many()		executes 1000 instructions and a return
 *	outer()		calls inner() 3 times: 100 instructions and a return each
 *	in_library()	is in explain-library.c
 *	labs()		is the C library's, without a branch
 *
 * The test counts them by objdump. With the argument "sleep" each region also sleeps 1 ms.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, used))

void in_library(void);

/* volatile: else the compiler knows what it does */
static long (*volatile absolute)(long n) = labs;

NOINLINE void region_start(void)
{
	__asm__ volatile("nop");
}

NOINLINE void region_stop(void)
{
	__asm__ volatile("nop; nop");
}

NOINLINE static void many(void)
{
	__asm__ volatile(".rept 1000; nop; .endr");
}

NOINLINE static void inner(void)
{
	__asm__ volatile(".rept 100; nop; .endr");
}

NOINLINE static void outer(void)
{
	inner();
	inner();
	inner();
	__asm__ volatile("");		/* no tail call */
}

int main(int argc, char **argv)
{
	int i;

	for (i = 0; i < 20; i++) {
		region_start();
		many();
		outer();
		in_library();
		absolute(-i);
		if (argc > 1 && !strcmp(argv[1], "sleep"))
			usleep(1000);
		region_stop();
	}
	return 0;
}
