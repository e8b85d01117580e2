// SPDX-License-Identifier: GPL-2.0
/* The module's init fails in its last step, when its files are there already. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

#define GROUP	"life"

#define INJECT	"/sys/kernel/debug/tlob_inject/load"

static unsigned int files, opened;
static char an_opened[256];

/* Counts @path, and whether its open says anything but ENODEV. */
static int try_file(const char *path, const struct stat *st, int type, struct FTW *unused)
{
	int fd;

	(void)unused;
	if (type != FTW_F)
		return 0;
	files++;
	fd = open(path, (st->st_mode & 0400 ? O_RDONLY : O_WRONLY) | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ENODEV)
		return 0;
	opened++;
	snprintf(an_opened, sizeof(an_opened), "%s (%s)", path, fd < 0 ? strerror(errno) : "open");
	if (fd >= 0)
		close(fd);
	return 0;
}

static void try_files(void)
{
	files = 0;
	opened = 0;
	nftw(tlob_path(""), try_file, 16, FTW_PHYS);
}

static void *loads(void *err)
{
	*(int *)err = load_module();
	return NULL;
}

/*
 * A file holds a module only when its init has succeeded. So none can be opened before: the
 * functions of the file would be gone with the module.
 */
TEST(init_fails)
{
	unsigned int present, early;
	pthread_t thread;
	int err, inject;

	if (access(INJECT, F_OK))
		skip("tlob_inject is not loaded");
	needs_module();
	inject = open(INJECT, O_WRONLY | O_CLOEXEC);
	check(inject >= 0);
	check_eq(unload_module(), 0);
	check_eq(write(inject, "fail", 4), 4);
	check_eq(pthread_create(&thread, NULL, loads, &err), 0);
	check_eq(write(inject, "await", 5), 5);
	try_files();
	present = files;
	early = opened;
	check(access("/dev/tlob", F_OK));
	check_eq(write(inject, "go", 2), 2);
	check_eq(pthread_join(thread, NULL), 0);
	check_eq(err, -ENOMEM);
	check(access(tlob_path(""), F_OK));
	close(inject);

	check_eq(load_module(), 0);
	if (early)
		fail("%u of %u files could be opened, as %s", early, present, an_opened);
	/* and they were those of the module */
	try_files();
	check_eq(files, present);
	check(opened);
	note("%u files, %u of them open after loading", files, opened);
}
