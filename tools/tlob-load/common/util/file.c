// SPDX-License-Identifier: GPL-2.0
/* Reading and writing small files, and replacing output files in one step. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "util/error.h"
#include "util/file.h"
#include "util/printable.h"
#include "util/random.h"

#define LINKS_MAX	40	/* like the kernel */
#define MOUNT_ROOT	0x2000	/* STATX_ATTR_MOUNT_ROOT */

/* How much may be read, and a byte more; 0: too much. Files of procfs and sysfs have no size, nor has a pipe. */
static size_t most_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < (off_t)FILE_MAX)
		return FILE_MAX + 1;
	return st.st_size <= (off_t)FILE_LARGEST ? (size_t)st.st_size + 1 : 0;
}

/* @buf grows, and is the caller's also on errors. */
static int read_all(int fd, char **buf, size_t *size)
{
	size_t room = 0, most = most_of(fd);
	ssize_t n = 1;
	char *more;

	for (*size = 0; n; *size += n) {
		if (*size >= room) {
			if (room >= most)
				return -EFBIG;
			room = !room ? 4096 : 2 * room < most ? 2 * room : most;
			more = realloc(*buf, room + 1);
			if (!more)
				return -ENOMEM;
			*buf = more;
		}
		do
			n = read(fd, *buf + *size, room - *size);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return -errno;
	}
	return 0;
}

/* Reads @fd to its end, and closes it. */
static int read_bytes(int fd, char **text, size_t *length)
{
	char *buf = NULL;
	size_t size;
	int err;

	err = read_all(fd, &buf, &size);
	close(fd);
	if (err) {
		free(buf);
		return err;
	}
	buf[size] = '\0';
	*text = buf;
	*length = size;
	return 0;
}

int file_read_bytes(const char *path, char **text, size_t *length)
{
	/* a FIFO that nobody writes to is empty: to open it does not wait for a writer */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	fcntl(fd, F_SETFL, 0);
	return read_bytes(fd, text, length);
}

int file_read(const char *path, char **text)
{
	size_t length = 0;

	return file_read_bytes(path, text, &length);
}

/* What @err and @length say of @text: 0, or -EILSEQ if it has a NUL. */
static int no_nul(int err, char **text, size_t length)
{
	if (err || strlen(*text) == length)
		return err;
	free(*text);
	*text = NULL;
	return -EILSEQ;
}

int file_read_text(const char *path, char **text)
{
	size_t length = 0;
	int err = file_read_bytes(path, text, &length);

	return no_nul(err, text, length);
}

int file_read_regular(const char *path, char **text)
{
	int fd = file_open_regular(path);
	size_t length = 0;
	int err = fd < 0 ? fd : read_bytes(fd, text, &length);

	return no_nul(err, text, length);
}

int file_load_text(const char *path, char **text)
{
	int err = file_read_text(path, text);

	return err ? fail(err, "%s: %s", path, strerror(-err)) : 0;
}

int file_read_line(const char *path, char *buf, size_t size)
{
	char *text;
	size_t n;
	int err;

	err = file_read(path, &text);
	if (err)
		return err;
	n = strcspn(text, "\n");
	if (n < size) {
		memcpy(buf, text, n);
		buf[n] = '\0';
	} else {
		err = -EOVERFLOW;
	}
	free(text);
	return err;
}

int file_last_line(const char *path, char *buf, size_t size)
{
	char *text, *line, *end;
	int err = file_read(path, &text);

	if (err)
		return err;
	end = text + strlen(text);
	while (end > text && strchr(" \t\r\n", end[-1]))
		end--;
	*end = 0;
	line = strrchr(text, '\n');
	line = printable_dup(line ? line + 1 : text);
	err = !line ? -ENOMEM : *line ? 0 : -ENODATA;
	if (!err)
		snprintf(buf, size, "%s", line);
	free(line);
	free(text);
	return err;
}

int file_open_regular(const char *path)
{
	/* neither waits nor does anything, whatever it is */
	int place = open(path, O_PATH | O_CLOEXEC), fd;
	char again[64];
	struct stat st;

	if (place < 0)
		return -errno;
	if (fstat(place, &st) || !S_ISREG(st.st_mode) || !st.st_size) {
		close(place);
		return -EINVAL;
	}
	snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
	fd = open(again, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	if (fd < 0 && access("/proc/self/fd", F_OK))
		fd = -ENOSYS;
	close(place);
	return fd;
}

int file_write(const char *path, const char *value)
{
	size_t size = strlen(value);
	int fd, err = 0;
	ssize_t n;

	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		n = write(fd, value, size);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		err = -errno;
	else if ((size_t)n != size)
		err = -EIO;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

/* The length of @path's directory, with its slash. */
static int dir_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash + 1 - path) : 0;
}

/*
 * Opens a file without a name in the directory of @path: a killed process leaves
 * nothing behind. -1 and errno: no access, or the file system cannot do it.
 */
static int open_unnamed(const char *path)
{
	char *dir;
	int fd;

	if (asprintf(&dir, "%.*s.", dir_length(path), path) < 0)
		return -1;
	fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	free(dir);
	return fd;
}

/* Gives the file without a name a name, by /proc. 0 or -errno. */
static int give_name(int fd, const char *name)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) ?
	       -errno : 0;
}

/*
 * Returns whether the link at @path, with its owner, may be followed: in a directory that everybody
 * may write, as /tmp is, somebody else's would choose which file is replaced. The rule is that of the
 * sysctl fs.protected_symlinks, which the kernel does not apply to a link that we read.
 */
static bool may_follow(const char *path, uid_t owner)
{
	char dir[PATH_MAX];
	struct stat st;

	snprintf(dir, sizeof(dir), "%.*s.", dir_length(path), path);
	return owner == geteuid() ||
	       (!stat(dir, &st) && ((st.st_mode & (S_ISVTX | S_IWOTH)) != (S_ISVTX | S_IWOTH) ||
				    st.st_uid == owner));
}

/* @link is the link at *@path, which becomes the path that it has. 1, or -errno. */
static int follow(int link, char **path)
{
	char to[PATH_MAX], *next;
	ssize_t n = readlinkat(link, "", to, sizeof(to));

	if (n < 0)
		return -errno;
	if (n == sizeof(to))
		return -ENAMETOOLONG;
	if (asprintf(&next, "%.*s%.*s", *to == '/' ? 0 : dir_length(*path), *path, (int)n, to) < 0)
		return -ENOMEM;
	free(*path);
	*path = next;
	return 1;
}

/*
 * Follows one link. It is held meanwhile, so that nobody puts another one into its place. Links of
 * procfs lead to open files, not to names: they are not followed. /dev/stdout leads to one.
 * 1: *@path is where the link leads; 0: no link to follow; -errno.
 */
static int next_link(char **path)
{
	int fd = open(*path, O_PATH | O_NOFOLLOW | O_CLOEXEC), err;
	struct statfs fs;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(fd, &st) || fstatfs(fd, &fs))
		err = -errno;
	else if (!S_ISLNK(st.st_mode) || fs.f_type == PROC_SUPER_MAGIC)
		err = 0;
	else
		err = may_follow(*path, st.st_uid) ? follow(fd, path) : -EACCES;
	close(fd);
	return err;
}

/*
 * Follows links to the name that a rename has to replace, also where no file has it yet: a link
 * that is opened for writing would lose its old file at once. 0 or -errno.
 */
static int follow_links(char **path)
{
	unsigned int links;
	int err = 1;

	for (links = 0; links < LINKS_MAX && err > 0; links++)
		err = next_link(path);
	return err > 0 ? -ELOOP : err;
}

/* Devices, pipes and open files such as /dev/stdout cannot be replaced by a rename. */
static bool is_in_place(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && !S_ISREG(st.st_mode);
}

/*
 * Returns 0 if a rename may replace the file @path, or -errno. rmdir() asks the kernel: it refuses,
 * as rename() does, a file of somebody else in a directory like /tmp, and an immutable one, before
 * it says that a file is no directory. It does not refuse a mount point, such as a file that is
 * mounted into a container; statx() knows it.
 */
static int try_replace(const char *path)
{
	uint64_t st[32] = { 0 };	/* a struct statx, which musl may lack: [1] is stx_attributes */

	if (!syscall(SYS_statx, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0, st) && st[1] & MOUNT_ROOT)
		return -EBUSY;
	/* any other error, as of a sandbox without rmdir(), says nothing of a rename */
	return rmdir(path) && (errno == EPERM || errno == EBUSY || errno == EROFS) ? -errno : 0;
}

/*
 * Returns 0 if a file without a name can have the name @o->tmp, or -errno. Another file tries it:
 * the kernel names no file again whose last name was removed.
 */
static int try_name(const struct output *o)
{
	int fd = open_unnamed(o->path), err;

	if (fd < 0)
		return -errno;
	err = give_name(fd, o->tmp);
	if (!err)
		unlink(o->tmp);
	close(fd);
	return err;
}

/*
 * Opens the file that output_commit() renames. It has a name if none can be given later: not all
 * file systems can do it, and it needs /proc. Returns the descriptor or -errno.
 */
static int open_new(struct output *o)
{
	int fd = try_name(o) ? -1 : open_unnamed(o->path);

	o->unnamed = fd >= 0;
	if (fd < 0)
		fd = open(o->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return fd < 0 ? -errno : fd;
}

/* The files of outputs, for output_failed(): most of its callers know only the stream. */
static struct {
	FILE *f;
	const char *path;	/* of the output; NULL: unused */
} named[16];

/* The entry with the name @from, which may be NULL, gets these. */
static void name_stream(const char *from, FILE *f, const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (named[i].path == from) {
			named[i].f = f;
			named[i].path = path;
			return;
		}
}

static const char *name_of(const FILE *f)
{
	size_t i;

	for (i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (named[i].path && named[i].f == f)
			return named[i].path;
	return NULL;
}

bool output_same(const struct output *a, const struct output *b)
{
	char dir[2][PATH_MAX];
	struct stat st[2];
	int i;

	if (!a->f || !b->f)
		return false;
	if (a->f == stdout && b->f == stdout)
		return true;
	/* Two outputs may share a pipe or a device, but not an open file. */
	if (!a->tmp && !b->tmp)
		return !fstat(fileno(a->f), &st[0]) &&
		       !fstat(fileno(b->f), &st[1]) && S_ISREG(st[0].st_mode) &&
		       st[0].st_dev == st[1].st_dev &&
		       st[0].st_ino == st[1].st_ino;
	if (!a->tmp || !b->tmp ||
	    strcmp(a->path + dir_length(a->path), b->path + dir_length(b->path)))
		return false;
	for (i = 0; i < 2; i++) {
		const char *path = i ? b->path : a->path;

		snprintf(dir[i], PATH_MAX, "%.*s.", dir_length(path), path);
		if (stat(dir[i], &st[i]))
			return false;
	}
	return st[0].st_dev == st[1].st_dev && st[0].st_ino == st[1].st_ino;
}

bool output_replaces(const struct output *o)
{
	return o->tmp;
}

int output_open(struct output *o, const char *path)
{
	int fd, err;

	if (!path)
		return 0;
	o->path = strdup(path);
	if (!o->path)
		return fail(-ENOMEM, "%s: out of memory", path);
	if (!strcmp(path, "-")) {
		o->f = stdout;
		return 0;
	}
	err = follow_links(&o->path);
	if (err) {
		errno = -err;
		goto failed;
	}
	if (is_in_place(o->path)) {
		o->f = fopen(o->path, "we");
		if (!o->f)
			goto failed;
		goto opened;
	}
	err = try_replace(o->path);
	if (err == -EBUSY) {
		fail(err, "cannot write %s: it is a mount point, which no new file can replace: give another name, or mount its directory instead",
		     path);
		output_discard(o);
		return err;
	}
	if (err) {
		errno = -err;
		goto failed;
	}
	/* a number of a process alone is not enough: in each container it is 1. 255 bytes at most. */
	if (asprintf(&o->tmp, "%.*s.%.200s.%d.%08" PRIx64 ".tmp", dir_length(o->path), o->path,
		     o->path + dir_length(o->path), getpid(), random_seed()) < 0) {
		o->tmp = NULL;
		errno = ENOMEM;
		goto failed;
	}
	fd = open_new(o);
	if (fd < 0) {
		free(o->tmp);	/* another process may own it: never removed */
		o->tmp = NULL;
		errno = -fd;
		goto failed;
	}
	o->f = fdopen(fd, "w");
	if (!o->f) {
		err = errno;
		close(fd);
		errno = err;
		goto failed;
	}
opened:
	name_stream(NULL, o->f, o->path);
	return 0;
failed:
	err = -errno;
	fail(err, "cannot write %s: %s", path, strerror(-err));
	output_discard(o);
	/* -EOPNOTSUPP would exit as "unsupported here", but only the path is wrong. */
	return err == -EOPNOTSUPP ? -EINVAL : err;
}

/* Whether @path is in procfs, where nobody makes links. */
static bool is_in_proc(const char *path)
{
	char dir[PATH_MAX];
	struct statfs fs;

	snprintf(dir, sizeof(dir), "%.*s.", dir_length(path), path);
	return !statfs(dir, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

int file_open_output(const char *path, int flags)
{
	char *name = strdup(path);
	int err = name ? follow_links(&name) : -ENOMEM, fd = -1;

	/* nobody puts a link into the place that was looked at; those of procfs lead to open files */
	if (!err)
		fd = open(name, flags | O_CREAT | (is_in_proc(name) ? 0 : O_NOFOLLOW) | O_CLOEXEC, 0666);
	if (!err && fd < 0)
		err = -errno;
	free(name);
	return err ? err : fd;
}

FILE *file_create(const char *path)
{
	int fd = file_open_output(path, O_WRONLY | O_TRUNC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd < 0)
		errno = -fd;
	else if (!f)
		close(fd);
	return f;
}

int file_replace(const char *path, const char *text)
{
	struct output o = { .f = NULL };
	int err = output_open(&o, path);

	if (!err) {
		fputs(text, o.f);
		err = output_commit(&o);
	}
	output_discard(&o);
	return err;
}

int file_write_error(FILE *f)
{
	if (fflush(f))
		return -errno;
	if (!ferror(f))
		return 0;
	return fputc(' ', f) == EOF || fflush(f) ? -errno : -EIO;
}

int output_failed(FILE *f, const char *what, int err)
{
	int why = err == -EIO ? file_write_error(f) : 0;

	if (why)
		err = why;
	return fail(err, "cannot write %s: %s", name_of(f) ?: what, strerror(-err));
}

int output_commit(struct output *o)
{
	int err;

	if (!o->f)
		return 0;
	err = file_write_error(o->f);
	if (!err && o->tmp && fsync(fileno(o->f)))
		err = -errno;
	if (!err && o->unnamed)
		err = give_name(fileno(o->f), o->tmp);
	if (o->f != stdout && fclose(o->f) && !err)
		err = -errno;
	o->f = NULL;
	if (!err && o->tmp && rename(o->tmp, o->path))
		err = -errno;
	if (err) {
		if (strcmp(o->path, "-"))
			fail(err, "cannot write %s: %s", o->path, strerror(-err));
		else if (!broken_pipe_seen())
			fail(err, "cannot write stdout: %s", strerror(-err));
		return err;
	}
	free(o->tmp);
	o->tmp = NULL;
	output_discard(o);
	return 0;
}

void output_discard(struct output *o)
{
	if (o->f && o->f != stdout)
		fclose(o->f);
	if (o->tmp)
		unlink(o->tmp);
	name_stream(o->path, NULL, NULL);
	free(o->tmp);
	free(o->path);
	*o = (struct output){ 0 };
}

const char *file_temporary_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

int file_temporary(FILE **f)
{
	char path[PATH_MAX];
	int fd, err;

	if (snprintf(path, sizeof(path), "%s/tlob-load.XXXXXX",
		     file_temporary_dir()) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	*f = fdopen(fd, "w+");
	if (*f)
		return 0;
	err = -errno;
	close(fd);
	return err;
}

uint64_t file_fingerprint(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
	return hash;
}

int outputs_open(struct output o[], const char *const path[], size_t n)
{
	size_t i, k;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		err = output_open(&o[i], path[i]);
		for (k = 0; k < i && !err; k++)
			if (output_same(&o[i], &o[k]))
				err = fail(-EUSAGE, "two outputs write to %s: give each its own file",
					   path[i]);
	}
	return err;
}

void outputs_discard(struct output o[], size_t n)
{
	while (n--)
		output_discard(&o[n]);
}

void outputs_remove(const struct output o[], size_t n)
{
	while (n--)
		if (o[n].tmp)
			unlink(o[n].path);
}

void outputs_drop(struct output o[], size_t n, int err)
{
	if (err && err != -EUSAGE)
		outputs_remove(o, n);
	outputs_discard(o, n);
}

FILE *outputs_people(const struct output o[], size_t n)
{
	while (n--)
		if (o[n].f == stdout)
			return stderr;
	return stdout;
}

int outputs_end(struct output o[], size_t n, int err)
{
	int why = file_write_error(stdout), said = 0;
	size_t i;

	for (i = 0; i < n; i++)
		keep_error(&said, output_commit(&o[i]));
	if (said && (!err || err == -EIO))
		return said;
	if (why && (!err || err == -EIO))
		err = why;
	return err ? fail(err, "cannot write what was found: %s", strerror(-err)) : 0;
}
