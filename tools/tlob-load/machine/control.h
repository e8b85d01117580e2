/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The directory tlob_load/ of the kernel part: in tracefs when it is built in,
 * in debugfs when it is a module. docs/reference/kernel-interface.md describes its files.
 */
#ifndef TLOB_CONTROL_H
#define TLOB_CONTROL_H

#include <stdbool.h>

struct control {
	char *dir;
};

/*
 * Finds the directory. 0; -EOPNOTSUPP: the module is not loaded, or the kernel
 * is locked down; -EACCES: not root; -errno. Errors have been printed.
 */
int  control_find(struct control *c);
void control_free(struct control *c);

/* Like printf to a control file. Errors are printed: file, value, meaning. */
int control_write(const struct control *c, const char *file,
		  const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Prints what an @err of writing @value to @file means; returns @err. */
int control_error(const struct control *c, const char *file,
		  const char *value, int err);

/* The text of a control file (malloc). 0 or -errno, printed. */
int control_read(const struct control *c, const char *file, char **text);

/* The path of per_cpu/cpuN/FILE, or of FILE if @cpu < 0 (malloc), or NULL. */
char *control_path(const struct control *c, int cpu, const char *file);

#endif /* TLOB_CONTROL_H */
