/* SPDX-License-Identifier: GPL-2.0 */
/* `lab --explain`: the files of the boots, without and with the plugin, and what they explain. */
#ifndef TLOB_SERIES_LAB_EXPLAIN_H
#define TLOB_SERIES_LAB_EXPLAIN_H

#include <limits.h>

#include "series/lab.h"

/*
 * A boot without the plugin leaves DIR/NNN.json, DIR/NNN/kallsyms and DIR/NNN/trace, and the one
 * with it DIR/NNN.explain/ with the same files and `executed`. DIR is the kernel's.
 */
#define EXPLAIN_SUFFIX	".explain"

/* The plugin of this tree. 0, or -EOPNOTSUPP if it is not built, printed. */
int lab_explain_plugin(char path[PATH_MAX]);

/*
 * What the guest does before its command, as the first words of its command line: it saves the
 * addresses of its functions.
 */
extern const char * const lab_explain_prefix[];

/* Writes what the plugin must know of the boot @dir/@pair of @k. 0 or -errno, printed. */
int lab_explain_marks(const struct lab_kernel *k, const char *dir, uint64_t pair);

/*
 * Compares the boots with and without the plugin, then prints and writes the explanations to
 * @o->dir. @dirs: one for each kernel. 0 or -errno, printed.
 */
int lab_explain(const struct lab_config *o, char (*dirs)[PATH_MAX]);

#endif /* TLOB_SERIES_LAB_EXPLAIN_H */
