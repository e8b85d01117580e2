/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of a kernel and its modules, from /proc/kallsyms or System.map:
 *
 *	ffffffff81000000 T _stext
 *	ffffffffc0202210 t tlob_period_fire	[tlob_load]
 *
 * One function for an address. Where several symbols share it: no name of the linker's for the
 * place, then the global one, then the one with fewer underscores in front, then the first of the
 * alphabet. Pure: no I/O.
 */
#ifndef TLOB_CODE_KSYMS_H
#define TLOB_CODE_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ksym {
	uint64_t address;
	const char *name;		/* in the text of ksyms_parse() */
	const char *module;		/* "" for the kernel itself */
	bool	 global;
};

struct ksyms {
	struct ksym *sym;		/* by address */
	size_t	 n;
};

/*
 * Cuts @text up, which must live as long as @k. 0, -ENOMEM, -ENODATA (no function), or
 * -EPERM: all addresses are 0, which the kernel shows to those who may not see them.
 */
int  ksyms_parse(struct ksyms *k, char *text);
void ksyms_free(struct ksyms *k);

/* The function with the code at @address, or NULL. It ends where the next one begins. */
const struct ksym *ksyms_at(const struct ksyms *k, uint64_t address);

/* The function that @s is a part of: NAME for NAME.cold, which is NAME's unlikely code; else @s. */
const struct ksym *ksyms_whole(const struct ksyms *k, const struct ksym *s);

/* The function of that name, in any module; NULL: none. */
const struct ksym *ksyms_named(const struct ksyms *k, const char *name);

#endif /* TLOB_CODE_KSYMS_H */
