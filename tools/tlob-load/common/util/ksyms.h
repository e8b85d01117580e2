/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of a kernel and its modules, from /proc/kallsyms or System.map:
 *
 *	ffffffff81000000 T _stext
 *	ffffffffc0202210 t tlob_period_fire	[tlob_load]
 *
 * One function for an address. Where several symbols share it: no name of the linker's for the
 * place, then the global one, then the one with fewer underscores in front, then the first of the
 * alphabet. Pure but for ksyms_load().
 */
#ifndef TLOB_UTIL_KSYMS_H
#define TLOB_UTIL_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KALLSYMS	"/proc/kallsyms"

struct ksym {
	uint64_t address;
	const char *name;		/* in the text of ksyms_parse() */
	const char *own;		/* the same, also if @name was changed since */
	const char *module;		/* "" for the kernel itself */
	bool	 global;
};

struct ksyms {
	struct ksym *sym;		/* by address */
	size_t	 n;
	struct ksym *alias;		/* by address: the other names of functions in @sym */
	size_t	 aliases;
	char	*text;			/* of ksyms_load(), else NULL */
};

/* Cuts one line up, in place. False: it is not a function of the kernel. */
bool ksyms_line(char *line, struct ksym *s);

/*
 * Cuts @text up, which must live as long as @k. 0, -ENOMEM, -ENODATA (no function), or
 * -EPERM: all addresses are 0, which the kernel shows to those who may not see them.
 */
int  ksyms_parse(struct ksyms *k, char *text);
/* Reads @path. 0 or -errno, printed. @k is empty if the addresses are hidden (kptr_restrict). */
int  ksyms_load(struct ksyms *k, const char *path);
void ksyms_free(struct ksyms *k);

/*
 * The function with the code at @address, or NULL, also behind the code of the kernel without its
 * modules. It ends where the next one begins.
 */
const struct ksym *ksyms_at(const struct ksyms *k, uint64_t address);

/* The function that @s is a part of: NAME for NAME.cold, which is NAME's unlikely code; else @s. */
const struct ksym *ksyms_whole(const struct ksyms *k, const struct ksym *s);

/* The aliases of @s: the first one, and their number in @n. */
const struct ksym *ksyms_aliases(const struct ksyms *k, const struct ksym *s, size_t *n);

#endif /* TLOB_UTIL_KSYMS_H */
