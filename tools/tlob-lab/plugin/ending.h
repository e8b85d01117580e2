/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How an instruction of x86-64 or arm64 continues. Pure. The plugin's output has the same
 * letters: docs/reference/explain.md.
 */
#ifndef TLOB_PLUGIN_ENDING_H
#define TLOB_PLUGIN_ENDING_H

#include <stddef.h>
#include <stdint.h>

enum ending {
	ENDS_PLAIN	= '-',	/* with the next instruction */
	ENDS_BRANCH	= 'b',	/* with the next one or at a fixed address */
	ENDS_JUMP	= 'j',	/* at a fixed address */
	ENDS_INDIRECT	= 'i',	/* at an address from a register or memory */
	ENDS_CALL	= 'c',
	ENDS_RETURN	= 'r',
	ENDS_SYSCALL	= 's',	/* syscall, sysenter, int; svc, brk */
	ENDS_LEAVE	= 'l',	/* iret, sysret, sysexit; eret */
	ENDS_CLOCK	= 't',	/* rdtsc, rdtscp; mrs of the counter: then the next instruction */
	ENDS_HALT	= 'h',	/* hlt; wfi */
};

typedef enum ending (*ending_function)(const uint8_t *code, size_t size);

/* @code: the @size bytes of one instruction. */
static inline enum ending ending_of_x86_64(const uint8_t *code, size_t size)
{
	size_t i = 0;
	uint8_t op, next, reg;

	while (i + 1 < size &&
	       (code[i] == 0x26 || code[i] == 0x2e || code[i] == 0x36 ||
		code[i] == 0x3e || (code[i] >= 0x64 && code[i] <= 0x67) ||
		code[i] == 0xf0 || code[i] == 0xf2 || code[i] == 0xf3))
		i++;
	if (i + 1 < size && (code[i] & 0xf0) == 0x40)	/* REX comes last */
		i++;
	if (i >= size)
		return ENDS_PLAIN;
	op = code[i];
	next = i + 1 < size ? code[i + 1] : 0;
	if (op == 0x0f) {
		if ((next & 0xf0) == 0x80)
			return ENDS_BRANCH;
		if (next == 0x05 || next == 0x34)
			return ENDS_SYSCALL;
		if (next == 0x07 || next == 0x35)
			return ENDS_LEAVE;
		if (next == 0x31 ||
		    (next == 0x01 && i + 2 < size && code[i + 2] == 0xf9))
			return ENDS_CLOCK;
		return ENDS_PLAIN;
	}
	if (op == 0xff) {
		reg = next >> 3 & 7;
		return reg == 2 || reg == 3 ? ENDS_CALL :
		       reg == 4 || reg == 5 ? ENDS_INDIRECT : ENDS_PLAIN;
	}
	if ((op & 0xf0) == 0x70 || (op >= 0xe0 && op <= 0xe3))
		return ENDS_BRANCH;
	switch (op) {
	case 0xe8:
		return ENDS_CALL;
	case 0xe9: case 0xeb:
		return ENDS_JUMP;
	case 0xc2: case 0xc3: case 0xca: case 0xcb:
		return ENDS_RETURN;
	case 0xcf:
		return ENDS_LEAVE;
	case 0xcc: case 0xcd:
		return ENDS_SYSCALL;
	case 0xf4:
		return ENDS_HALT;
	}
	return ENDS_PLAIN;
}

/* br, blr, ret, eret, and those that check a signature of the address first */
static inline enum ending ending_of_arm64_register(uint32_t insn)
{
	switch (insn >> 21 & 7) {
	case 0:
		return ENDS_INDIRECT;
	case 1:
		return ENDS_CALL;
	case 2:
		return ENDS_RETURN;
	case 4:
		return ENDS_LEAVE;
	}
	return ENDS_PLAIN;
}

/* Calls of the hypervisor or the firmware, hvc and smc, are plain: the guest has none of their code. */
static inline enum ending ending_of_arm64(const uint8_t *code, size_t size)
{
	uint32_t insn;

	if (size != 4)
		return ENDS_PLAIN;
	insn = code[0] | code[1] << 8 | code[2] << 16 | (uint32_t)code[3] << 24;
	if ((insn & 0xfc000000) == 0x14000000)		/* b */
		return ENDS_JUMP;
	if ((insn & 0xfc000000) == 0x94000000)		/* bl */
		return ENDS_CALL;
	if ((insn & 0xff000000) == 0x54000000 ||	/* b.COND, bc.COND */
	    (insn & 0x7c000000) == 0x34000000)		/* cbz, cbnz, tbz, tbnz */
		return ENDS_BRANCH;
	if ((insn & 0xfe000000) == 0xd6000000)
		return ending_of_arm64_register(insn);
	if ((insn & 0xffe0001f) == 0xd4000001 ||	/* svc */
	    (insn & 0xffe0001f) == 0xd4200000)		/* brk */
		return ENDS_SYSCALL;
	if ((insn & 0xffffff00) == 0xd53be000 && (insn & 0x60))
		return ENDS_CLOCK;	/* cntpct_el0, cntvct_el0, cntpctss_el0, cntvctss_el0 */
	if (insn == 0xd503207f || (insn & 0xffffffe0) == 0xd5031020)
		return ENDS_HALT;			/* wfi, wfit */
	return ENDS_PLAIN;
}

#endif /* TLOB_PLUGIN_ENDING_H */
