// SPDX-License-Identifier: GPL-2.0
/* The control file `monitor`: what it accepts, lists, removes and refuses. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bound.h"
#include "guest.h"

#define GROUP	"binding"

#define BINDINGS_MAX	256
#define PROBES_MAX	1024	/* of all bindings */
#define PLACES_MAX	16	/* of one kind in a binding */
#define STEP	4U	/* where an instruction of arm64 may begin */

static struct program copy;
static char longest[4096 + 1];

static void expect_list(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

static void expect_list(const char *fmt, ...)
{
	char want[3 * 4400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(want, sizeof(want), fmt, ap);
	va_end(ap);
	if (strcmp(monitor_bindings(), want))
		fail("monitor reads\n%swanted\n%s", monitor_bindings(), want);
}

static void expect_no_binding(void)
{
	check(!*monitor_bindings());
}

/* A listed line can be written again. */
TEST(round_trip)
{
	static char list[3 * 4400];
	char *line, *next;

	fresh_dir();
	copy_program(&copy, BOUND_DIR "/copy");
	set("monitor", "p:one  %s:16\t0x20 threshold=001000\n", copy.path);
	set("monitor", "p %s:0x20 48 threshold=2000", copy.path);
	set("monitor", "p %s:64 0x50 threshold=3000", copy.path);
	set("monitor", "p %s:0x80,112,0x60 0x90,0x20 threshold=4000", copy.path);
	snprintf(list, sizeof(list), "%s", monitor_bindings());
	expect_list("p:one %s:0x10 0x20 threshold=1000\n"
		    "p %s:0x20 0x30 threshold=2000\n"
		    "p %s:0x40 0x50 threshold=3000\n"
		    "p %s:0x80,0x70,0x60 0x90,0x20 threshold=4000\n", copy.path, copy.path,
		    copy.path, copy.path);

	set("monitor", "-:one");
	set("monitor", "-%s:32", copy.path);
	set("monitor", "-%s:0x40\n", copy.path);
	/* each of its starts names a binding */
	set("monitor", "-%s:0x70", copy.path);
	expect_no_binding();

	for (line = list; *line; line = next) {
		next = strchr(line, '\n') + 1;
		set("monitor", "%.*s", (int)(next - line), line);
	}
	check(!strcmp(monitor_bindings(), list));
}

static void refuse(int err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void refuse(int err, const char *fmt, ...)
{
	char line[5000];
	va_list ap;
	int got;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	got = put("monitor", "%s", line);
	if (got != -err)
		fail("'%s': %d (%s), expected %d", line, got, strerror(-got),
		     err);
}

/* No error changes the list. Of the grammar, which the unit test has, one stands here. */
TEST(errors)
{
	unsigned long long size;
	struct stat st;

	fresh_dir();
	copy_program(&copy, BOUND_DIR "/copy");
	check(!stat(copy.path, &st));
	check(!symlink(copy.path, BOUND_DIR "/symlink"));
	set("monitor", "p:one %s:16 32 threshold=1000", copy.path);

	refuse(EINVAL, "p /:48 64 threshold=1000");
	refuse(EINVAL, "p " BOUND_DIR ":48 64 threshold=1000");
	refuse(EINVAL, "p /dev/null:48 64 threshold=1000");
	/* the first byte beyond the file */
	size = st.st_size;
	refuse(EINVAL, "p %s:%llu 48 threshold=1000", copy.path, size);
	refuse(EINVAL, "p %s:48 %llu threshold=1000", copy.path, size);
	refuse(EINVAL, "p %s:48 0x7fffffffffffffff threshold=1000", copy.path);
	refuse(ERANGE, "p %s:48 64 threshold=999", copy.path);
	/* within PATH_MAX, but its only component is beyond NAME_MAX */
	memset(longest, 'x', 4095);
	longest[0] = '/';
	refuse(ENAMETOOLONG, "p %s:48 64 threshold=1000", longest);
	refuse(ENOENT, "p " BOUND_DIR "/none:48 64 threshold=1000");
	refuse(ENOTDIR, "p /dev/null/none:48 64 threshold=1000");

	refuse(EEXIST, "p:one %s:48 64 threshold=1000", copy.path);
	refuse(EEXIST, "p:two %s:16 64 threshold=1000", copy.path);
	refuse(EEXIST, "p " BOUND_DIR "/symlink:16 32 threshold=1000");
	refuse(EEXIST, "p %s:48,16 64 threshold=1000", copy.path);
	refuse(EINVAL, "p %s:48 64,%llu threshold=1000", copy.path, size);
	refuse(EINVAL, "p %s:48,%llu 64 threshold=1000", copy.path, size);

	refuse(ENOENT, "-:two");
	refuse(ENOENT, "-%s:48", copy.path);
	refuse(ENOENT, "-" BOUND_DIR "/none:16");
	expect_list("p:one %s:0x10 0x20 threshold=1000\n", copy.path);

	check(put("monitor_stat", "-:one") < 0);
	/* another name of the file is accepted */
	set("monitor", "-" BOUND_DIR "/symlink:16");
	expect_no_binding();
}

TEST(too_long)
{
	static char line[8000];
	int fd = open(tlob_path("monitor"), O_WRONLY | O_CLOEXEC);

	check(fd >= 0);
	memset(line, ' ', sizeof(line));
	check_errno(write(fd, line, sizeof(line)), EINVAL);
	check_errno(write(fd, line, 0), EINVAL);
	close(fd);
}

/*
 * The kernel checks the instruction in each process that maps the file. It refuses an offset
 * with a breakpoint, since it cannot replace that with its own.
 */
TEST(no_instruction)
{
#ifdef __x86_64__
	uint8_t code[4096];
	void *mapped;
	int fd;

	fresh_dir();
	memset(code, 0x90, sizeof(code));
	code[256] = 0xcc;
	fd = open(BOUND_DIR "/code", O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	check_eq(write(fd, code, sizeof(code)), sizeof(code));
	close(fd);
	fd = open(BOUND_DIR "/code", O_RDONLY | O_CLOEXEC);
	mapped = mmap(NULL, sizeof(code), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	check(mapped != MAP_FAILED);
	refuse(EOPNOTSUPP, "p " BOUND_DIR "/code:16 256 threshold=1000");
	refuse(EOPNOTSUPP, "p " BOUND_DIR "/code:256 16 threshold=1000");
	/* the probes that it had already are gone */
	refuse(EOPNOTSUPP, "p " BOUND_DIR "/code:16,32 48,64,256 threshold=1000");
	refuse(EOPNOTSUPP, "p " BOUND_DIR "/code:16,32,256,48 64,80 threshold=1000");
	check(!memcmp(mapped, code, sizeof(code)));
	expect_no_binding();
	set("monitor", "p " BOUND_DIR "/code:16,32 48,64 threshold=1000");
	check(memcmp(mapped, code, sizeof(code)));
	unbind_all();
	check(!memcmp(mapped, code, sizeof(code)));
	set("monitor", "p " BOUND_DIR "/code:16 32 threshold=1000");
#else
	skip("knows the breakpoint of x86 only");
#endif
}

TEST(full)
{
	unsigned int i;

	if (debug_kernel)
		skip("adds more than such a kernel can in a minute");
	fresh_dir();
	copy_program(&copy, BOUND_DIR "/copy");
	for (i = 0; i < BINDINGS_MAX; i++)
		set("monitor", "p %s:%u 0x2000 threshold=1000", copy.path, STEP * i);
	check_eq(put("monitor", "p %s:0x1000 0x2000 threshold=1000", copy.path),
		 -ENOSPC);
	/* an error in the line comes before the limit */
	check_eq(put("monitor", "p %s:%u 0x2000 threshold=1000", copy.path, STEP),
		 -EEXIST);
	check_eq(nr_bindings(), BINDINGS_MAX);
	set("monitor", "-%s:%u", copy.path, 7 * STEP);
	set("monitor", "p %s:0x1000 0x2000 threshold=1000", copy.path);
	check_eq(nr_bindings(), BINDINGS_MAX);
}

/* A line with the most places, from @start on and with the same stops as every other. */
static int put_widest(unsigned int start)
{
	char starts[400], stops[400];
	unsigned int i, m = 0, n = 0;

	for (i = 0; i < PLACES_MAX; i++) {
		m += snprintf(starts + m, sizeof(starts) - m, ",%u", start + STEP * i);
		n += snprintf(stops + n, sizeof(stops) - n, ",%u", 0x4000 + STEP * i);
	}
	return put("monitor", "p %s:%s %s threshold=1000", copy.path, starts + 1, stops + 1);
}

/* The places of all bindings have a limit of their own. */
TEST(many_places)
{
	unsigned int i, most = PROBES_MAX / (2 * PLACES_MAX), step = STEP * PLACES_MAX;

	if (debug_kernel)
		skip("adds more than such a kernel can in a minute");
	fresh_dir();
	copy_program(&copy, BOUND_DIR "/copy");
	for (i = 0; i < most; i++)
		check_eq(put_widest(step * i), 0);
	check_eq(nr_bindings(), most);
	check_eq(put("monitor", "p %s:0x3000 0x3004 threshold=1000", copy.path), -ENOSPC);
	set("monitor", "-%s:%u", copy.path, step);
	set("monitor", "p %s:0x3000 0x3004 threshold=1000", copy.path);
	check_eq(put_widest(step), -ENOSPC);
	set("monitor", "-%s:0x3000", copy.path);
	check_eq(put_widest(step), 0);
}

/* Lines of a page each are the same when they are read in small pieces. */
TEST(long_list)
{
	static char whole[8 * 4400], part[8 * 4400];
	char path[4096] = BOUND_DIR, dir[200];
	size_t end = strlen(path), len = 0;
	ssize_t n;
	int fd, i;

	fresh_dir();
	memset(dir, 'd', sizeof(dir) - 1);
	dir[sizeof(dir) - 1] = 0;
	while (end < 3700) {
		end += snprintf(path + end, sizeof(path) - end, "/%s", dir);
		check(!mkdir(path, 0700));
	}
	snprintf(path + end, sizeof(path) - end, "/copy");
	copy_program(&copy, path);
	for (i = 0; i < 8; i++)
		set("monitor", "p:n%d %s:%d 0x200 threshold=1000", i, path, (int)STEP * i);
	snprintf(whole, sizeof(whole), "%s", monitor_bindings());
	check(strlen(whole) > sizeof(whole) / 2);

	fd = open(tlob_path("monitor"), O_RDONLY | O_CLOEXEC);
	while ((n = read(fd, part + len, 37)) > 0)
		len += n;
	check_eq(n, 0);
	close(fd);
	check(!strcmp(whole, part));
	check_eq(bound("n7", "hits"), 0);
}

/* A binding belongs to an inode, even when its path leads to another file later. */
TEST(deleted)
{
	char line[5000];

	fresh_dir();
	copy_program(&copy, BOUND_DIR "/copy");
	bind_region("", &copy, copy.outer, HOUR);
	snprintf(line, sizeof(line), "%s", monitor_bindings());
	check(!unlink(BOUND_DIR "/copy"));
	check(!strcmp(monitor_bindings(), line));
	check_eq(put("monitor", "-%s:%llu", copy.path,
		     (unsigned long long)copy.outer[0] + 1), -ENOENT);
	set("monitor", "-%s:%llu", copy.path,
	    (unsigned long long)copy.outer[0]);
	expect_no_binding();
}

TEST(replaced)
{
	static struct program new;
	char line[5000];

	fresh_dir();
	copy_program(&copy, BOUND_DIR "/copy");
	bind_region("old", &copy, copy.outer, HOUR);
	copy_program(&new, BOUND_DIR "/new");
	check(!rename(BOUND_DIR "/new", BOUND_DIR "/copy"));
	/* the same path, but another file */
	bind_region("new", &copy, copy.outer, HOUR);
	check_eq(nr_bindings(), 2);

	snprintf(line, sizeof(line), "-%s:%llu", copy.path,
		 (unsigned long long)copy.outer[0]);
	set("monitor", "%s", line);
	check_eq(nr_bindings(), 1);
	check(!strncmp(monitor_bindings(), "p:old ", 6));
	set("monitor", "%s", line);
	check_eq(nr_bindings(), 0);
	check_eq(put("monitor", "%s", line), -ENOENT);
}

/* A binding keeps the mount of its file busy until it is removed. */
TEST(unmount)
{
	fresh_dir();
	check(!mount("none", BOUND_DIR, "tmpfs", 0, NULL));
	copy_program(&copy, BOUND_DIR "/copy");
	bind_region("", &copy, copy.outer, HOUR);
	check_errno(umount(BOUND_DIR), EBUSY);
	unbind_all();
	check(!umount(BOUND_DIR));

	check(!mount("none", BOUND_DIR, "tmpfs", 0, NULL));
	copy_program(&copy, BOUND_DIR "/copy");
	bind_region("", &copy, copy.outer, HOUR);
	check(!umount2(BOUND_DIR, MNT_DETACH));
	set("monitor", "-%s:%llu", copy.path,
	    (unsigned long long)copy.outer[0]);
	expect_no_binding();
}
