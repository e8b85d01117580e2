// SPDX-License-Identifier: GPL-2.0
/* Finds the separate file with the debug symbols of a stripped file. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "code/elfobj.h"

/* bytes that are read for a CRC: a file of any size may stand where a link leads */
#define CRC_MAX		(1ULL << 30)
#define BUILD_ID_MAX	64	/* bytes; SHA-1 has 20 */

struct build_id {
	size_t n;			/* 0: no build-id */
	unsigned char id[BUILD_ID_MAX];
};

/* The build-id in the notes of one section. */
static bool note_build_id(Elf_Data *data, struct build_id *b)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while ((at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		const unsigned char *id = (unsigned char *)data->d_buf + desc;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp((char *)data->d_buf + name, "GNU", 4) ||
		    note.n_descsz < 2 || note.n_descsz > BUILD_ID_MAX)
			continue;
		b->n = note.n_descsz;
		memcpy(b->id, id, b->n);
		return true;
	}
	return false;
}

static struct build_id build_id(const struct elfobj *o)
{
	struct build_id b = { .n = 0 };
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(o->elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(scn, NULL);
		if (data && note_build_id(data, &b))
			break;
	}
	return b;
}

static bool same_build_id(const struct build_id *a, const struct build_id *b)
{
	return a->n == b->n && !memcmp(a->id, b->id, a->n);
}

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

/* ROOT/.build-id/12/3456....debug */
static int find_by_id(const char *root, const struct build_id *b,
		      struct elfobj *debug)
{
	char hex[2 * BUILD_ID_MAX + 1], *path;
	struct build_id found;
	size_t i;

	if (!b->n)
		return -ENOENT;
	for (i = 0; i < b->n; i++)
		sprintf(hex + 2 * i, "%02x", b->id[i]);
	if (asprintf(&path, "%s/.build-id/%.2s/%s.debug", root, hex,
		     hex + 2) < 0)
		return -ENOENT;
	if (open_debug(debug, path)) {
		free(path);
		return -ENOENT;
	}
	free(path);
	found = build_id(debug);
	if (same_build_id(&found, b))
		return 0;
	elfobj_close(debug);
	return -ENOENT;
}

/* .gnu_debuglink: a file's name, NUL, padding to 4 bytes, its CRC. */
static bool read_link(const struct elfobj *o, char name[NAME_MAX + 1],
		      uint32_t *crc)
{
	Elf_Scn *scn = NULL;
	const char *section;
	Elf_Data *data;
	size_t strings, n;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(o->elf, &strings))
		return false;
	while ((scn = elf_nextscn(o->elf, scn))) {
		if (!gelf_getshdr(scn, &sh))
			continue;
		section = elf_strptr(o->elf, strings, sh.sh_name);
		if (section && !strcmp(section, ".gnu_debuglink"))
			break;
	}
	data = scn ? elf_rawdata(scn, NULL) : NULL;
	if (!data || !data->d_buf || data->d_size < 8)
		return false;
	n = strnlen(data->d_buf, data->d_size - 4);
	if (!n || n > NAME_MAX || ((n + 4) & ~3UL) + 4 > data->d_size)
		return false;
	memcpy(name, data->d_buf, n);
	name[n] = '\0';
	memcpy(crc, (char *)data->d_buf + ((n + 4) & ~3UL), 4);
	/* The directory is ours to choose, so the name must not contain one. */
	return !strchr(name, '/');
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
	char name[NAME_MAX + 1], *path;
	const char *slash;
	uint32_t crc;
	size_t i;
	int dir, err;

	if (!read_link(o, name, &crc))
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
	struct build_id b = build_id(o);
	int err = find_by_id(root, &b, debug);

	return err ? find_by_link(o, root, debug) : 0;
}
