/* SPDX-License-Identifier: GPL-2.0 */
/* `tlob-lab explain`: the files of the boots, without and with the plugin, and what they explain. */
#ifndef TLOB_LAB_LAB_EXPLAIN_H
#define TLOB_LAB_LAB_EXPLAIN_H

#include <limits.h>

#include "lab/lab.h"
#include "util/process.h"

/*
 * A boot without the plugin leaves DIR/NNN.json, DIR/NNN/kallsyms and DIR/NNN/trace (of a region
 * DIR/NNN/windows, mappings and packed), and the one with it DIR/NNN.explain/ with the same files
 * and `executed`. DIR is the kernel's.
 */
#define EXPLAIN_SUFFIX	".explain"

/* The plugin of this tree. 0, or -EOPNOTSUPP if it is not built, printed. */
int lab_explain_plugin(char path[PATH_MAX]);

/*
 * The first words of the command line in the guest. Before its command, it saves the addresses of
 * its functions.
 */
extern const char * const lab_explain_prefix[];

/*
 * Options of scripts/vm: the program of @attach goes to the guest, and @out/packed will say which
 * file of this machine each file of the guest is. 0 or -errno, printed.
 */
int lab_region_program(struct call *c, const struct attach_config *attach, const char *out);

/* The arguments of tlob-load in the guest, where the program is /bin/NAME. */
void lab_region_command(struct call *c, const struct lab_config *o);

/* Writes what the plugin must know of the boot @dir/@pair of kernel @k. 0 or -errno, printed. */
int lab_explain_marks(const struct lab_config *o, unsigned int k, const char *dir, uint64_t pair);

/*
 * Compares the boots with and without the plugin, then prints and writes the explanations to
 * @o->dir. @dirs: one for each kernel. 0 or -errno, printed.
 */
int lab_explain(const struct lab_config *o, char (*dirs)[PATH_MAX]);

#endif /* TLOB_LAB_LAB_EXPLAIN_H */
