/* SPDX-License-Identifier: GPL-2.0 */
/* Names of kernel functions, from /proc/kallsyms. */
#ifndef TLOB_CODE_KALLSYMS_H
#define TLOB_CODE_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

struct kallsyms {
	struct kernel_symbol {
		uint64_t addr;
		const char *name;
	} *symbol;			/* by address */
	size_t	n;
	char	*text;
};

/* 0 or -errno, printed. Addresses that are hidden (kptr_restrict) leave it empty. */
int  kallsyms_read(struct kallsyms *k, const char *path);
void kallsyms_free(struct kallsyms *k);

/* The function that @addr is in, or NULL. */
const char *kallsyms_name(const struct kallsyms *k, uint64_t addr);

#endif /* TLOB_CODE_KALLSYMS_H */
