# SPDX-License-Identifier: GPL-2.0
#
# A static 32-bit program without a library, as
#	as --32 waits-32bit.s -o x.o && ld -m elf_i386 x.o -o x
# builds it: main32() calls nap32(), which sleeps 20 ms three times.
	.data
time:	.long 0, 20000000

	.text
	.type nap32, @function
nap32:
	movl $162, %eax		# nanosleep
	movl $time, %ebx
	xorl %ecx, %ecx
	int $0x80
	ret
	.size nap32, . - nap32

	.type main32, @function
main32:
	movl $3, %esi
1:	call nap32
	decl %esi
	jnz 1b
	ret
	.size main32, . - main32

	.globl _start
	.type _start, @function
_start:
	call main32
	movl $1, %eax		# exit
	xorl %ebx, %ebx
	int $0x80
	.size _start, . - _start
	.section .note.GNU-stack,"",@progbits
