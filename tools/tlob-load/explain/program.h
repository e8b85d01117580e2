/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of a program, at the addresses where a guest without randomization has them. */
#ifndef TLOB_EXPLAIN_PROGRAM_H
#define TLOB_EXPLAIN_PROGRAM_H

#include <stdio.h>

#include "util/error.h"

/*
 * Prints the functions of the ELF file @path as lines for ksyms_parse(), with @name in place of a
 * module, and "[user]" behind its code: libraries are there. A file without symbols has none. 0 or
 * -errno, printed.
 */
#ifdef TLOB_LACKS
static inline int program_symbols(FILE *f, const char *path, const char *name)
{
	(void)f;
	(void)name;
	warning("%s: its functions stay [user], because this tlob-load was built without " TLOB_LACKS, path);
	return 0;
}
#else
int program_symbols(FILE *f, const char *path, const char *name);
#endif

#endif /* TLOB_EXPLAIN_PROGRAM_H */
