/* SPDX-License-Identifier: GPL-2.0 */
/* Small files of procfs, sysfs, tracefs and debugfs, and the output files of a command. */
#ifndef TLOB_UTIL_FILE_H
#define TLOB_UTIL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Reads a whole file into *@text (malloc). Returns 0 or -errno, prints nothing. -EFBIG: a regular
 * file has more than FILE_LARGEST bytes, or another one, whose size nobody knows, more than
 * FILE_MAX.
 */
#define FILE_MAX	(64U << 20)
#define FILE_LARGEST	(1U << 30)
int file_read(const char *path, char **text);

/* The same for what may have a NUL: *@length bytes. */
int file_read_bytes(const char *path, char **bytes, size_t *length);

/* The same for a text; -EILSEQ if it has a NUL, which would hide what follows. */
int file_read_text(const char *path, char **text);

/* The same of a file that somebody may have put there: -EINVAL if it is empty or no regular one. */
int file_read_regular(const char *path, char **text);

/* file_read_text(), but prints the error. */
int file_load_text(const char *path, char **text);

/* Reads the first line without its newline. 0 or -errno; -EOVERFLOW: @size is too small. */
int file_read_line(const char *path, char *buf, size_t size);

/*
 * Reads the last line that is not empty, printable and cut to @size. 0 or -errno;
 * -ENODATA: there is none.
 */
int file_last_line(const char *path, char *buf, size_t size);

/*
 * Opens a regular file of at least one byte for reading: one that somebody else has named. To open
 * a FIFO would wait, and to open a device may do something; so may to read a file of procfs or
 * tracefs, which has no size. Returns the descriptor or -errno, prints nothing; -EINVAL: it is
 * something else; -ENOSYS: /proc, which this needs, is not mounted.
 */
int file_open_regular(const char *path);

/* Writes @value with one write() to an existing file. 0 or -errno. */
int file_write(const char *path, const char *value);

/*
 * A file that the user asked for. It is opened before the run, so that a wrong
 * path fails before the measurement and not after it. A regular file appears
 * under its name only when it is complete: until then it has no name, or without
 * O_TMPFILE or /proc the name .FILE.PID.RANDOM.tmp. A link stays, and its target is
 * replaced. "-" is stdout.
 */
struct output {
	FILE *f;		/* NULL: not asked for */
	bool unnamed;		/* tmp does not exist yet */
	char *path, *tmp;	/* tmp NULL: written in place (pipe, device, open file) */
};

/* Opens @path; NULL opens nothing. 0 or -errno, printed. */
int  output_open(struct output *o, const char *path);

/* True if both would write the same file. */
bool output_same(const struct output *a, const struct output *b);

/* True if the file will be replaced by output_commit(), and not written in place. */
bool output_replaces(const struct output *o);

/* Opens @path[i] as @o[i]; two that would write the same file are an error. 0 or -errno, printed. */
int  outputs_open(struct output o[], const char *const path[], size_t n);
void outputs_discard(struct output o[], size_t n);

/* Where the report for people goes: stdout, or stderr if one of @o takes stdout. */
FILE *outputs_people(const struct output o[], size_t n);

/*
 * After all are written: commits those that are open, and flushes stdout. @err is the first error of
 * writing. Returns it, or 0 or -errno; printed.
 */
int outputs_end(struct output o[], size_t n, int err);

/* Removes older files of these names, which would pass for the results of this run. */
void outputs_remove(const struct output o[], size_t n);

/*
 * At the end of a command: discards what was not committed. If it failed with @err, outputs_remove()
 * too, unless it refused its command line: that has begun nothing.
 */
void outputs_drop(struct output o[], size_t n, int err);

/*
 * 0, or -errno: the reason why @f could not be written. A stream that has failed keeps no reason, and
 * errno is that of a later call, so a blank is written to it.
 */
int file_write_error(FILE *f);

/*
 * Says that the output whose stream is @f could not be written, @what if it has no name, and returns
 * @err, of which that is the reason. The -EIO of a form stands for the stream's own reason.
 */
int output_failed(FILE *f, const char *what, int err);

/* Gives a complete file its name and closes it. 0; -errno, printed: output_discard() has the rest to do. */
int  output_commit(struct output *o);
/* Drops what was not committed. Does nothing after that. */
void output_discard(struct output *o);

/*
 * Opens a file to write in its place, such as a log; it is made if it is missing. As output_open(), and
 * as nothing else may, it follows no link of somebody else in a directory that all may write. @flags: of
 * open(). Returns the descriptor or -errno, prints nothing.
 */
int  file_open_output(const char *path, int flags);

/* The same as an empty stream; NULL and errno. */
FILE *file_create(const char *path);

/* The file has @text from now on, or what it had. 0 or -errno, printed. */
int  file_replace(const char *path, const char *text);

/*
 * A temporary file without a name, in $TMPDIR or /tmp. 0 or -errno, prints nothing.
 */
int file_temporary(FILE **f);
const char *file_temporary_dir(void);

/* FNV-1a hash (Fowler, Noll & Vo) of a text: finds copies, not forgeries. */
uint64_t file_fingerprint(const char *text);

#endif /* TLOB_UTIL_FILE_H */
