// SPDX-License-Identifier: GPL-2.0
/*
 * A library for explain-target.c: in_library() executes 500 instructions and a return, and
 * hidden() below it 50, which no symbol names in the stripped file.
 */
#define NOINLINE __attribute__((noinline, used))

NOINLINE static void hidden(void)
{
	__asm__ volatile(".rept 50; nop; .endr");
}

void in_library(void);

NOINLINE void in_library(void)
{
	__asm__ volatile(".rept 500; nop; .endr");
	hidden();
	__asm__ volatile("");		/* no tail call */
}
