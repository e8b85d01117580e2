// SPDX-License-Identifier: GPL-2.0
/* Helpers for the tests of bindings: programs to bind, the list, the counters. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bound.h"
#include "guest.h"
#include "region.h"

/* 256 lines with the longest paths */
static char text[256 * 4300];

static void find(void (*code)(void), char path[4096], uint64_t *offset)
{
	*offset = file_offset((void *)code, path);
	if (!*offset)
		fail("no file is mapped where the code is");
}

void this_program(struct program *p)
{
	p->outer_start = outer_start;
	p->outer_stop = outer_stop;
	p->inner_start = inner_start;
	p->inner_stop = inner_stop;
	find(outer_start, p->path, &p->outer[0]);
	find(outer_stop, p->path, &p->outer[1]);
	find(inner_start, p->path, &p->inner[0]);
	find(inner_stop, p->path, &p->inner[1]);
}

static void copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	struct stat st;

	if (in < 0 || out < 0)
		fail("%s: %s", to, strerror(errno));
	check(!fstat(in, &st));
	while (st.st_size) {
		ssize_t n = sendfile(out, in, NULL, st.st_size);

		check(n > 0);
		st.st_size -= n;
	}
	close(in);
	close(out);
}

void copy_program(struct program *p, const char *path)
{
	this_program(p);
	copy_file(p->path, path);
	snprintf(p->path, sizeof(p->path), "%s", path);
}

void map_program(struct program *p)
{
	int fd = open(p->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *code;

	check(fd >= 0 && !fstat(fd, &st));
	/* functions that call nothing run at any address */
	code = mmap(NULL, st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
		    0);
	check(code != MAP_FAILED);
	close(fd);
	p->outer_start = (void (*)(void))(code + p->outer[0]);
	p->outer_stop = (void (*)(void))(code + p->outer[1]);
	p->inner_start = (void (*)(void))(code + p->inner[0]);
	p->inner_stop = (void (*)(void))(code + p->inner[1]);
}

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void fresh_dir(void)
{
	mkdir("/tmp", 01777);
	nftw(BOUND_DIR, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	if (mkdir(BOUND_DIR, 0700))
		fail(BOUND_DIR ": %s", strerror(errno));
}

void bind_region(const char *name, const struct program *p,
		 const uint64_t region[2], uint64_t threshold_ns)
{
	set("monitor", "p%s%s %s:%" PRIu64 " %" PRIu64 " threshold=%" PRIu64,
	    *name ? ":" : "", name, p->path, region[0], region[1],
	    threshold_ns);
}

const char *monitor_bindings(void)
{
	read_file(tlob_path("monitor"), text, sizeof(text));
	return text;
}

unsigned int nr_bindings(void)
{
	const char *p = monitor_bindings();
	unsigned int n = 0;

	while ((p = strchr(p, '\n'))) {
		p++;
		n++;
	}
	return n;
}

uint64_t bound(const char *binding, const char *field)
{
	char key[64], *line = text, *end, *p;
	size_t len = strlen(binding);

	read_file(tlob_path("monitor_stat"), text, sizeof(text));
	while (strncmp(line, binding, len) || line[len] != ' ') {
		line = strchr(line, '\n');
		if (!line)
			fail("monitor_stat has no %s", binding);
		line++;
	}
	end = strchr(line, '\n');
	check(end);
	*end = 0;
	snprintf(key, sizeof(key), " %s=", field);
	p = strstr(line + len, key);
	if (!p)
		fail("monitor_stat has no %s for %s", field, binding);
	return strtoull(p + strlen(key), NULL, 10);
}

void check_bound(const char *binding, uint64_t windows, uint64_t nested,
		 uint64_t unmatched)
{
	check_eq(bound(binding, "windows"), windows);
	check_eq(bound(binding, "nested"), nested);
	check_eq(bound(binding, "unmatched"), unmatched);
	check_eq(bound(binding, "no_slot"), 0);
	check_eq(bound(binding, "off"), 0);
	check_eq(bound(binding, "hits"), windows + nested);
}

/* Removes what the list shows, as a user would. */
void unbind_all(void)
{
	char *line, *next, *start, *comma;

	if (access(tlob_path("monitor"), F_OK))
		return;
	monitor_bindings();
	for (line = text; *line; line = next) {
		next = strchr(line, '\n');
		check(next);
		*next++ = 0;
		/* p[:NAME] PATH:START[,START]... STOP[,STOP]... threshold=NS */
		*strrchr(line, ' ') = 0;
		*strrchr(line, ' ') = 0;
		start = strchr(line, ' ');
		if (line[1] == ':') {
			*start = 0;
			set("monitor", "-%s", line + 1);
		} else {
			comma = strchr(strrchr(start, ':'), ',');
			if (comma)
				*comma = 0;
			set("monitor", "-%s", start + 1);
		}
	}
	check(!*monitor_bindings());
}
