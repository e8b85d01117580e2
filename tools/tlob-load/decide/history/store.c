// SPDX-License-Identifier: GPL-2.0
/* Writing a history: a session appears, changes and goes in one step each. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "history/history.h"
#include "util/error.h"
#include "util/file.h"
#include "util/random.h"

/* Names that readers skip. */
#define NEW	".new-%08" PRIx64
#define OLD	".old-%08" PRIx64

/* Also its name is on the disk when this returns. */
static int sync_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = fd < 0 || (fsync(fd) && errno != EINVAL) ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

static int copy_into(FILE *f, const char *from)
{
	char buf[65536];
	FILE *in = fopen(from, "re");
	size_t n;
	int err;

	if (!in)
		return -errno;
	errno = 0;
	while ((n = fread(buf, 1, sizeof(buf), in)) > 0 && fwrite(buf, 1, n, f) == n)
		;
	err = ferror(in) || ferror(f) ? -errno : 0;
	fclose(in);
	return err;
}

/* A file of @from's bytes, or of the session. 0 or -errno. */
static int write_file(const char *path, const char *from, const struct session *s)
{
	FILE *f = file_create(path);
	int err;

	if (!f)
		return -errno;
	err = from ? copy_into(f, from) : session_write(f, s);
	if (!err && (fflush(f) || fsync(fileno(f))))
		err = -errno;
	if (fclose(f) && !err)
		err = -errno;
	return err;
}

static int fill(const char *folder, const struct session *s, char *const files[])
{
	char path[HISTORY_PATH + 32];
	size_t i;
	int err = 0;

	for (i = 0; i < s->nruns && !err; i++) {
		snprintf(path, sizeof(path), "%s/%03zu.json", folder, i + 1);
		err = write_file(path, files[i], NULL);
	}
	snprintf(path, sizeof(path), "%s/session.json", folder);
	if (!err)
		err = write_file(path, NULL, s);
	return err ? err : sync_folder(folder);
}

/* The largest number of any entry, also of one that is no session. 0 or -errno. */
static int largest(const char *dir, unsigned int *number)
{
	struct dirent *entry;
	unsigned long n;
	DIR *d = opendir(dir);

	if (!d)
		return -errno;
	for (*number = 0; (entry = readdir(d)); ) {
		n = strtoul(entry->d_name, NULL, 10);
		if (n > *number && n < UINT32_MAX)
			*number = (unsigned int)n;
	}
	closedir(d);
	return 0;
}

/* rename() refuses a number that another writer has taken meanwhile: its folder is not empty. */
static int take_number(const char *dir, const char *folder, struct session *s)
{
	char path[HISTORY_PATH];
	int err = largest(dir, &s->number);

	while (!err) {
		s->number++;
		if (!rename(folder, history_path(path, dir, s, SIZE_MAX)))
			return sync_folder(dir);
		if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
			err = -errno;
	}
	return err;
}

/* Some file systems do not say of what type an entry is. */
static bool is_folder(const char *path, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return !lstat(path, &st) && S_ISDIR(st.st_mode);
}

/* Removes the folder with the files in it, and in the folders in it. */
static int remove_tree(const char *path)
{
	char name[HISTORY_PATH + NAME_MAX + 2];
	struct dirent *entry;
	DIR *d = opendir(path);
	int err = 0;

	if (!d)
		return -errno;
	while ((entry = readdir(d))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(name, sizeof(name), "%.*s/%s", HISTORY_PATH, path, entry->d_name);
		if (is_folder(name, entry))
			keep_error(&err, remove_tree(name));
		else if (unlink(name))
			keep_error(&err, -errno);
	}
	closedir(d);
	if (rmdir(path))
		keep_error(&err, -errno);
	return err;
}

int history_add(const char *dir, struct session *s, char *const files[])
{
	char folder[HISTORY_PATH];
	int err;

	snprintf(folder, sizeof(folder), "%.*s/" NEW, PATH_MAX, dir, random_seed());
	if (mkdir(folder, 0777))
		return fail(-errno, "%s: %s", dir, strerror(errno));
	s->added = time(NULL);
	err = fill(folder, s, files);
	if (!err)
		err = take_number(dir, folder, s);
	if (err)
		remove_tree(folder);
	return err ? fail(err, "%s: the session was not added: %s", dir, strerror(-err)) : 0;
}

int history_update(const char *dir, const struct session *s)
{
	char folder[HISTORY_PATH], path[HISTORY_PATH + 16];
	struct output out = { 0 };
	int err;

	snprintf(path, sizeof(path), "%s/session.json", history_path(folder, dir, s, SIZE_MAX));
	err = output_open(&out, path);
	if (err)
		return err;
	err = session_write(out.f, s);
	err = err ? fail(err, "%s: %s", path, strerror(-err)) : output_commit(&out);
	output_discard(&out);
	return err;
}

int history_remove(const char *dir, const struct session *s)
{
	char folder[HISTORY_PATH], gone[HISTORY_PATH];
	int err;

	snprintf(gone, sizeof(gone), "%.*s/" OLD, PATH_MAX, dir, random_seed());
	err = rename(history_path(folder, dir, s, SIZE_MAX), gone) ? -errno : remove_tree(gone);
	return err ? fail(err, "%s: %s", folder, strerror(-err)) : 0;
}
