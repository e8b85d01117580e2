/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of a machine below a root directory: procfs, sysfs, debugfs and devices.
 * All readers of doctor go through here, so a test can be a machine. libcpupower and
 * libnuma read the same files, but only below the real root.
 */
#ifndef TLOB_UTIL_TREE_H
#define TLOB_UTIL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cpulist.h"

/* A whole file without the newline at its end, into *@text (malloc). 0 or -errno. */
int  tree_read(const char *root, const char *path, char **text);

bool tree_can_read(const char *root, const char *path);

/* A file with one number, or with CPUs in the kernel's list format. 0 or -errno. */
int  tree_read_number(const char *root, const char *path, uint64_t *n);
int  tree_read_list(const char *root, const char *path, struct cpulist *cpus);

/* The choice in "always [madvise] never" or "none (full)", in place; else @text. */
char *tree_chosen(char *text);

/* @size bytes at @offset of a file, as of an MSR. 0; -errno; -ENODATA: fewer bytes. */
int  tree_read_at(const char *root, const char *path, long offset, void *to, size_t size);

/* Names in a directory, sorted, without those that begin with a dot; ends with NULL. */
int  tree_list(const char *root, const char *path, char ***names);
void tree_list_free(char **names);

/* True if the directory can be read and has entries: an empty one may be a mask. */
bool tree_has_entries(const char *root, const char *path);

/*
 * The kernel's log since the boot (malloc); in a copy the file /dev/kmsg. 0 or -errno;
 * -EPERM: not for this user.
 */
int  tree_log(const char *root, char **text);

/* The target of a link (malloc). 0 or -errno. */
int  tree_link(const char *root, const char *path, char **target);

/*
 * The next value of the kernel's argument @name behind *@at, which is moved, up to the next blank, in
 * @buf; NULL: no more. "" without =. What stands behind "--" is for init.
 */
const char *cmdline_next(const char **at, const char *name, char *buf, size_t size);

/* Returns whether @release is known (not NULL), and Linux @major.@minor or later. */
bool release_is_since(const char *release, unsigned long major, unsigned long minor);

#endif /* TLOB_UTIL_TREE_H */
