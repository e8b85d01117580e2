/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernels that no script fetches by name. Each becomes an image with its module:
 *
 *	TREE@REV	a revision of a git repository of Linux: built as small as possible
 *	DIR		a built tree, with a / in its name
 *	FILE		a bzImage, with a / in its name
 *	FILE.deb	a package with an image, and next to it the one with its headers
 *
 * What is made of them is in DIR/kernels of the laboratory.
 */
#ifndef TLOB_LAB_KERNEL_SOURCE_H
#define TLOB_LAB_KERNEL_SOURCE_H

#include <limits.h>
#include <stdbool.h>

#include "lab/lab_guests.h"

#define COMMIT_LEN	41		/* bytes of the hash of a commit */

/* Returns whether a kernel with this name is one of them. */
bool kernel_source_is(const char *name);

/* Makes kernel @i of @lab an image, and sets its module. 0 or -errno, printed. */
int kernel_source_take(struct lab *lab, unsigned int i);

/* Removes what the revisions of @lab were built in. 0 or -errno, printed. */
int kernel_source_tidy(struct lab *lab);

/* The commit of @rev in the repository @tree. 0 or -errno, printed. */
int kernel_source_commit(const struct lab *lab, const char *tree, const char *rev,
			 char commit[COMMIT_LEN]);

/* DIR/kernels/COMMIT, where that revision's kernel is or will be. */
void kernel_source_place(const struct lab *lab, const char *commit, char path[PATH_MAX]);

/*
 * Builds @commit of @tree, unless it is built: vmlinuz and tlob_load.ko in its place. 0; -ENOEXEC:
 * this revision does not compile, with the reason in @why; another -errno, printed.
 */
int kernel_source_build(const struct lab *lab, const char *tree, const char *commit,
			char why[LAB_REASON]);

#endif /* TLOB_LAB_KERNEL_SOURCE_H */
