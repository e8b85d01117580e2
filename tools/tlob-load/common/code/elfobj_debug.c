// SPDX-License-Identifier: GPL-2.0
/* Finds the separate file with the debug symbols of a stripped file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <zlib.h>

#include "code/elfobj.h"

/* bytes that are read for a CRC: a link may lead to a file of any size */
#define CRC_MAX		(1ULL << 30)
#define BUILD_ID_MAX	64	/* bytes; SHA-1 has 20 */

/* Prints nothing: a missing debug file is no error. */
static int open_debug(struct elfobj *debug, const char *path)
{
	GElf_Shdr sh;
	char why[1];

	if (elfobj_open(debug, path, why, 0))
		return -ENOENT;
	if (elfobj_section(debug, SHT_SYMTAB, &sh))
		return 0;
	elfobj_close(debug);
	return -ENOENT;
}

bool elfobj_has_build_id(Elf *elf, const void *wanted, ssize_t n)
{
	const void *id;

	return elf && dwelf_elf_gnu_build_id(elf, &id) == n && !memcmp(id, wanted, (size_t)n);
}

/* ROOT/.build-id/12/3456....debug */
static int find_by_id(const struct elfobj *o, const char *root, struct elfobj *debug)
{
	char hex[2 * BUILD_ID_MAX + 1], *path;
	const unsigned char *id;
	const void *note;
	ssize_t n = dwelf_elf_gnu_build_id(o->elf, &note), i;
	int err;

	if (n < 2 || n > BUILD_ID_MAX)
		return -ENOENT;
	for (id = note, i = 0; i < n; i++)
		sprintf(hex + 2 * i, "%02x", id[i]);
	if (asprintf(&path, "%s/.build-id/%.2s/%s.debug", root, hex, hex + 2) < 0)
		return -ENOENT;
	err = open_debug(debug, path);
	free(path);
	if (err || elfobj_has_build_id(debug->elf, note, n))
		return err;
	elfobj_close(debug);
	return -ENOENT;
}

static bool has_crc(int fd, uint32_t wanted)
{
	unsigned char buf[65536];
	uLong crc = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, buf, sizeof(buf), at)) > 0) {
		crc = crc32(crc, buf, (uInt)n);
		at += n;
	}
	return !n && crc == wanted;
}

/* DIR/NAME, DIR/.debug/NAME, ROOT/DIR/NAME */
static int find_by_link(const struct elfobj *o, const char *root,
			struct elfobj *debug)
{
	const char *before[] = { "", "", root };
	const char *after[] = { "", ".debug/", "" };
	const char *name, *slash;
	GElf_Word crc;
	char *path;
	size_t i;
	int dir, err;

	name = dwelf_elf_gnu_debuglink(o->elf, &crc);
	/* the name must not lead out of these directories */
	if (!name || !*name || strchr(name, '/'))
		return -ENOENT;
	slash = strrchr(o->path, '/');
	dir = slash ? (int)(slash + 1 - o->path) : 0;
	for (i = 0; i < 3; i++) {
		if (asprintf(&path, "%s%.*s%s%s", before[i], dir, o->path,
			     after[i], name) < 0)
			return -ENOENT;
		err = open_debug(debug, path);
		free(path);
		if (err)
			continue;
		if (debug->size <= CRC_MAX && has_crc(debug->fd, crc))
			return 0;
		elfobj_close(debug);
	}
	return -ENOENT;
}

int elfobj_find_debug(const struct elfobj *o, const char *root,
		      struct elfobj *debug)
{
	int err = find_by_id(o, root, debug);

	return err ? find_by_link(o, root, debug) : 0;
}
