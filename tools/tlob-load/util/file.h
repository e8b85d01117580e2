/* SPDX-License-Identifier: GPL-2.0 */
/* Small files of procfs, sysfs, tracefs and debugfs; and output files. */
#ifndef TLOB_FILE_H
#define TLOB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * The whole of a file as a string (malloc) in *@text. 0 or -errno, in silence;
 * -EFBIG beyond FILE_MAX bytes.
 */
#define FILE_MAX	(64U << 20)
int file_read(const char *path, char **text);

/* The first line without its newline. 0 or -errno; -EOVERFLOW: too long. */
int file_read_line(const char *path, char *buf, size_t size);

/* Writes @value with one write() to an existing file. 0 or -errno. */
int file_write(const char *path, const char *value);

/*
 * A file that the user asked for, opened before the run so that it cannot fail
 * after it. A regular file has no name, or in file systems without O_TMPFILE
 * the name .FILE.PID.tmp, until it is renamed on success: whoever reads it sees
 * all or nothing. "-" is stdout.
 */
struct output {
	FILE *f;		/* NULL: not asked for */
	bool unnamed;		/* tmp does not exist yet */
	char *path, *tmp;	/* tmp NULL: written in place (pipe, device, link) */
};

int  output_open(struct output *o, const char *path);

/* True if both will get the same name in the same directory. */
bool output_same(const struct output *a, const struct output *b);

/* Removes what had that name before: it is not the result of this run. */
void output_remove(const struct output *o);

int  output_commit(struct output *o);	/* 0 or -errno with a line */
void output_discard(struct output *o);	/* harmless after commit */

/* FNV-1a (Fowler, Noll & Vo) of a text: tells copies, not forgeries. */
uint64_t file_fingerprint(const char *text);

#endif /* TLOB_FILE_H */
