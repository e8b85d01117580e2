/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control files of the kernel part. Their directory tlob_load/ is in tracefs
 * if the kernel part is built in, in debugfs if it is a module.
 * docs/reference/kernel-interface.md describes the files.
 */
#ifndef TLOB_MACHINE_CONTROL_H
#define TLOB_MACHINE_CONTROL_H

#include <stdbool.h>

struct control {
	char *dir;
};

/*
 * Checks that control_find() would find it. 0, or -EOPNOTSUPP with one line in @why.
 * Mounts and prints nothing.
 */
int control_probe(char *why, unsigned int size);

/*
 * Finds the directory and mounts debugfs if needed. 0; -EOPNOTSUPP: the module is
 * not loaded, or the kernel is locked down; -EACCES: not root; -errno. Printed.
 */
int  control_find(struct control *c);
void control_free(struct control *c);

/* Like printf to a control file. 0 or -errno, printed with file, value and meaning. */
int control_write(const struct control *c, const char *file,
		  const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Prints what @err means after writing @value to @file. Returns @err. */
int control_error(const struct control *c, const char *file,
		  const char *value, int err);

/*
 * Prints why @file does not exist: the kernel part was built without that option, or is
 * older than this tool. Returns -EOPNOTSUPP.
 */
int control_missing(const struct control *c, const char *file);

/* Reads a control file into *@text (malloc). 0 or -errno, printed. */
int control_read(const struct control *c, const char *file, char **text);

/* The path of per_cpu/cpuN/@file, or of @file if @cpu < 0 (malloc). NULL: out of memory. */
char *control_path(const struct control *c, int cpu, const char *file);

#endif /* TLOB_MACHINE_CONTROL_H */
