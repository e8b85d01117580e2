/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of a program and its libraries, at the addresses where a guest has them. */
#ifndef TLOB_EXPLAIN_PROGRAM_H
#define TLOB_EXPLAIN_PROGRAM_H

#include <stdio.h>

#include "explain/mapped.h"

/*
 * Both print lines for ksyms_parse(), with the name of the file in place of a module. Code that no
 * symbol covers has the name of its section, as ".plt [libc.so.6]". Behind the last code of a
 * file is "[user]", which is nothing known.
 *
 * program_symbols() prints the functions of the program @path, at the addresses where a guest
 * without randomization loads it. It prints nothing for a file without symbols. 0 or -errno,
 * printed.
 *
 * program_mapped() prints the functions of all files of @m. @packed says where the files are: see
 * mapped_host(). A mapping without a readable file is one function: "[vdso]". 0 or
 * -ENOMEM, printed.
 */
int program_symbols(FILE *f, const char *path);
int program_mapped(FILE *f, const struct mapped *m, const char *packed);

#endif /* TLOB_EXPLAIN_PROGRAM_H */
