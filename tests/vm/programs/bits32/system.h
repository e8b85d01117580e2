/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of a C library that main.c needs, for 32-bit x86 and arm. The numbers of these system
 * calls are the same on both.
 */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <asm-generic/errno.h>
#include <stddef.h>

enum {
	NR_exit = 1, NR_read = 3, NR_write = 4, NR_open = 5, NR_getpid = 20, NR_ioctl = 54,
	NR_mmap2 = 192, NR_clock_nanosleep_time64 = 407,
};

enum { O_RDONLY, O_WRONLY, O_RDWR };
enum { PROT_READ = 1, PROT_WRITE };
enum { MAP_SHARED = 1 };
enum { CLOCK_MONOTONIC = 1 };

#if defined(__i386__)
static long sys(long nr, long a, long b, long c)
{
	asm volatile("int $0x80" : "+a" (nr) : "b" (a), "c" (b), "d" (c) : "memory");
	return nr;
}

/* The sixth argument is 0 here. */
static long sys6(long nr, long a, long b, long c, long d, long e, long f)
{
	asm volatile("pushl %%ebp; xorl %%ebp, %%ebp; int $0x80; popl %%ebp"
		     : "+a" (nr) : "b" (a), "c" (b), "d" (c), "S" (d), "D" (e) : "memory");
	return nr;
}

asm(".globl _start\n_start: movl %esp, %eax\n andl $-16, %esp\n subl $12, %esp\n"
	" pushl %eax\n call begin\n");
#elif defined(__arm__)
static long sys6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r7 asm("r7") = nr;
	register long r0 asm("r0") = a;
	register long r1 asm("r1") = b;
	register long r2 asm("r2") = c;
	register long r3 asm("r3") = d;
	register long r4 asm("r4") = e;
	register long r5 asm("r5") = f;

	asm volatile("svc #0" : "+r" (r0)
		     : "r" (r7), "r" (r1), "r" (r2), "r" (r3), "r" (r4), "r" (r5) : "memory");
	return r0;
}

static long sys(long nr, long a, long b, long c)
{
	return sys6(nr, a, b, c, 0, 0, 0);
}

asm(".globl _start\n_start: mov r0, sp\n bic sp, sp, #7\n bl begin\n");
#else
#error "no 32-bit program of this architecture"
#endif

/* The compiler calls both for large structures. */
void *memset(void *to, int byte, size_t n)
{
	volatile char *p = to;

	while (n--)
		*p++ = byte;
	return to;
}

void *memcpy(void *to, const void *from, size_t n)
{
	volatile char *p = to;
	const char *q = from;

	while (n--)
		*p++ = *q++;
	return to;
}

static int same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static unsigned long number(const char *s)
{
	unsigned long n = 0;

	while (*s >= '0' && *s <= '9')
		n = n * 10 + *s++ - '0';
	return n;
}

static void say(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	sys(NR_write, 1, (long)text, n);
}

#define TEXT_(x)	#x
#define TEXT(x)		TEXT_(x)
/* Ends the program. */
#define check(cond)							\
	do {								\
		if (!(cond)) {						\
			say("# bits32/main.c:" TEXT(__LINE__) ": " #cond "\n");	\
			sys(NR_exit, 1, 0, 0);				\
		}							\
	} while (0)

int bits32_main(int argc, char **argv);

/* @stack: argc, and argv behind it */
__attribute__((used, noreturn)) void begin(long *stack)
{
	long status = bits32_main(stack[0], (char **)(stack + 1));

	for (;;)
		sys(NR_exit, status, 0, 0);
}

#endif /* SYSTEM_H */
