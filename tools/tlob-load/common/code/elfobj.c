// SPDX-License-Identifier: GPL-2.0
/* Opening an ELF file, its sections, and where its code lies. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "code/elfobj.h"
#include "util/file.h"
#include "util/usage.h"

#define refuse(...) usage_error(why, size, __VA_ARGS__)

static int check_kind(struct elfobj *o, char *why, unsigned int size)
{
	char magic[2] = "";
	GElf_Ehdr ehdr;

	if (pread(o->fd, magic, 2, 0) == 2 && !memcmp(magic, "#!", 2))
		return refuse("%s is a script, not an ELF program: give --library the file that has the symbols",
			    o->path);
	elf_version(EV_CURRENT);
	/* Read, not mapped: a file that shrinks meanwhile must not raise SIGBUS. */
	o->elf = elf_begin(o->fd, ELF_C_READ, NULL);
	if (!o->elf || elf_kind(o->elf) != ELF_K_ELF ||
	    !gelf_getehdr(o->elf, &ehdr))
		return refuse("%s is not an ELF file", o->path);
	if (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN)
		return refuse("%s is an ELF file, but neither a program nor a shared library",
			    o->path);
	return 0;
}

/*
 * The name of the open file without links, or @path itself if that name leads to
 * another file: /proc/PID/exe and /proc/PID/root/... may have no name here.
 */
static char *real_path(const char *path, const struct stat *file)
{
	char *real = realpath(path, NULL);
	struct stat st;

	if (real && !stat(real, &st) && st.st_dev == file->st_dev &&
	    st.st_ino == file->st_ino)
		return real;
	free(real);
	return strdup(path);
}

int elfobj_open(struct elfobj *o, const char *path, char *why,
		unsigned int size)
{
	struct stat st = { .st_size = 0 };
	int err = 0;

	*o = (struct elfobj){ .fd = file_open_regular(path) };
	if (o->fd == -EINVAL)
		err = refuse("%s is not a regular file, or is empty", path);
	else if (o->fd == -ENOSYS)
		err = refuse("%s cannot be opened, because /proc is not mounted: mount it", path);
	else if (o->fd < 0)
		err = refuse("%s: %s", path, strerror(-o->fd));
	else if (fstat(o->fd, &st))
		err = refuse("%s: %s", path, strerror(errno));
	o->path = err ? strdup(path) : real_path(path, &st);
	o->size = (uint64_t)st.st_size;
	if (!err)
		err = o->path ? check_kind(o, why, size) : refuse("out of memory");
	if (err)
		elfobj_close(o);
	return err;
}

void elfobj_close(struct elfobj *o)
{
	elf_end(o->elf);
	/* A zeroed struct has fd 0, which is not ours. */
	if (o->path && o->fd >= 0)
		close(o->fd);
	free(o->path);
	*o = (struct elfobj){ .fd = -1 };
}

Elf_Scn *elfobj_section(const struct elfobj *o, uint32_t type, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(o->elf, scn)))
		if (gelf_getshdr(scn, sh) && sh->sh_type == type)
			return scn;
	return NULL;
}

Elf_Scn *elfobj_named(const struct elfobj *o, const char *name, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	const char *found;
	size_t names;

	if (elf_getshdrstrndx(o->elf, &names))
		return NULL;
	while ((scn = elf_nextscn(o->elf, scn))) {
		found = gelf_getshdr(scn, sh) ? elf_strptr(o->elf, names, sh->sh_name) : NULL;
		if (found && !strcmp(found, name))
			return scn;
	}
	return NULL;
}

/* Reads program header @i. False unless it is a sane PT_LOAD. */
static bool get_load(const struct elfobj *o, size_t i, GElf_Phdr *ph)
{
	return gelf_getphdr(o->elf, (int)i, ph) && ph->p_type == PT_LOAD &&
	       ph->p_offset <= INT64_MAX && ph->p_filesz <= INT64_MAX;
}

static size_t nr_phdrs(const struct elfobj *o)
{
	size_t n;

	return elf_getphdrnum(o->elf, &n) || n > INT_MAX ? 0 : n;
}

int elfobj_offset(const struct elfobj *o, uint64_t address, uint64_t *offset)
{
	size_t i, n = nr_phdrs(o);
	GElf_Phdr ph;

	for (i = 0; i < n; i++) {
		if (!get_load(o, i, &ph) || address < ph.p_vaddr ||
		    address - ph.p_vaddr >= ph.p_filesz)
			continue;
		if (!(ph.p_flags & PF_X))
			return -EACCES;
		*offset = address - ph.p_vaddr + ph.p_offset;
		return *offset < o->size ? 0 : -ENOENT;
	}
	return -ENOENT;
}

bool elfobj_is_code(const struct elfobj *o, uint64_t offset)
{
	size_t i, n = nr_phdrs(o);
	GElf_Phdr ph;

	for (i = 0; offset < o->size && i < n; i++)
		if (get_load(o, i, &ph) && ph.p_flags & PF_X &&
		    offset >= ph.p_offset && offset - ph.p_offset < ph.p_filesz)
			return true;
	return false;
}
