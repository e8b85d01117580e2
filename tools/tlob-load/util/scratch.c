// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/scratch.h"

#define SCRATCH_DIR	"tlob-search."

/* A sweep of another process may come first: it holds the lock, and removes the directory. */
static int claim(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	/* some file systems have no locks: no sweep removes anything there */
	flock(fd, LOCK_EX);
	if (!access(dir, F_OK))
		return fd;
	close(fd);
	return -ENOENT;
}

int scratch_make(char dir[PATH_MAX])
{
	int fd;

	do {
		if (snprintf(dir, PATH_MAX, "%s/" SCRATCH_DIR "XXXXXX", file_temporary_dir()) >= PATH_MAX)
			return -ENAMETOOLONG;
		if (!mkdtemp(dir))
			return -errno;
		fd = claim(dir);
	} while (fd == -ENOENT);
	return fd;
}

/* Returns whether a killed search left the directory @fd behind. Claims it. */
static bool is_left(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_uid == geteuid() && !flock(fd, LOCK_EX | LOCK_NB);
}

/* Removes the files of @fd, which the descriptor belongs to then. */
static void remove_files(int fd)
{
	DIR *d = fdopendir(fd);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (*e->d_name != '.')
			unlinkat(fd, e->d_name, 0);
	if (d)
		closedir(d);
	else
		close(fd);
}

void scratch_sweep(void)
{
	DIR *d = opendir(file_temporary_dir());
	struct dirent *e;
	int fd;

	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, SCRATCH_DIR, strlen(SCRATCH_DIR)))
			continue;
		/* another user's link must not lead elsewhere */
		fd = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!is_left(fd)) {
			close(fd);
			continue;
		}
		remove_files(fd);
		unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
	}
	if (d)
		closedir(d);
}
