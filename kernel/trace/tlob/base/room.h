/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A room that may be left out (Kconfig): what the module calls of it, in the order of
 * this file. Any member may be NULL. trace_tlob_load.c has the list.
 */
#ifndef _TLOB_ROOM_H
#define _TLOB_ROOM_H

#include <linux/fs.h>
#include <linux/types.h>

struct seq_file;

/* A file in tlob_load/ or, with the CPU's struct tlob_cpu as data, in per_cpu/cpuN/. */
struct tlob_file_entry {
	const char *name;		/* NULL: the end */
	umode_t	mode;
	const struct file_operations *fops;
	const void *data;
	bool	raw;			/* needs mmap or compat_ioctl; see compat.h */
};

struct tlob_room {
	const char *name;		/* in `status` */
	int  (*init)(void);		/* 0 or -errno, with nothing left to undo */
	const struct tlob_file_entry *files, *cpu_files;
	int  (*start)(void);		/* last: a user may come at once. 0 or -errno */
	void (*show)(struct seq_file *m);	/* its lines of `status`; under tlob_mutex */
	void (*shut)(void);		/* undoes start() */
	void (*stop)(void);		/* ends what users began; no file is left */
	void (*exit)(void);		/* neither a run nor a user is left */
};

/* A file that is 0 or 1, and nothing else. Both are called under tlob_mutex. */
struct tlob_switch {
	bool (*get)(void);
	int  (*set)(bool on);
};

/* The operations of a file whose private data is a struct tlob_switch. */
extern const struct file_operations tlob_switch_fops;

/* Returns the 0 or 1 of a write, or a negative errno. */
int  tlob_control_switch(const char __user *buf, size_t size);
/*
 * Copies the text of a write and sets *@text to it without surrounding white
 * space. The caller frees the copy. Returns ERR_PTR(-EINVAL), -EFAULT or
 * -ENOMEM on errors.
 */
char *tlob_control_text(const char __user *buf, size_t size, char **text);

#endif /* _TLOB_ROOM_H */
