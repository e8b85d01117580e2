/* SPDX-License-Identifier: GPL-2.0 */
/* The source tree: $TLOB_TREE, or the one that this program was built in. */
#ifndef TLOB_LAB_TREE_H
#define TLOB_LAB_TREE_H

#include <limits.h>

/* The path of @file of the tree, whether it exists or not. 0 or -errno, printed. */
int tree_path(char path[PATH_MAX], const char *file);

/* The path of scripts/@script. -EOPNOTSUPP: it does not exist, so this is no source tree. */
int tree_script(char path[PATH_MAX], const char *script);

#endif /* TLOB_LAB_TREE_H */
