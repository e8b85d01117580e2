// SPDX-License-Identifier: GPL-2.0
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "code/elfobj.h"
#include "code/program_files.h"
#include "util/file.h"

#define DELETED	" (deleted)"

static pid_t looking_for;
static bool has_our_names;

void program_files_of(pid_t pid, bool ours)
{
	looking_for = pid;
	has_our_names = ours;
}

/* Returns whether @theirs, of the process, is the same file as @ours. */
static bool is_same(pid_t pid, const char *theirs, const char *ours)
{
	struct stat a, b;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, theirs);
	return !stat(path, &a) && !stat(ours, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool program_files_are_ours(pid_t pid)
{
	return is_same(pid, "ns/mnt", "/proc/self/ns/mnt") && is_same(pid, "root", "/");
}

/*
 * Finds the file @name as the process sees it, which may be in another mount namespace. Once the
 * process is gone, only the name is left. NULL: it meant another file there.
 */
static const char *seen_as(char path[PATH_MAX], const char *name)
{
	snprintf(path, PATH_MAX, "/proc/%d/root", looking_for);
	if (!access(path, F_OK))
		snprintf(path, PATH_MAX, "/proc/%d/root%s", looking_for, name);
	else if (has_our_names)
		snprintf(path, PATH_MAX, "%s", name);
	else
		return NULL;
	return path;
}

static bool is_deleted(const char *name)
{
	size_t n = strlen(name), end = strlen(DELETED);

	return n > end && !strcmp(name + n - end, DELETED);
}

/*
 * Notes in *@data which file it is, whatever name or build-id it has: those a user chooses. Bit 0
 * is that of program_file_dwarf().
 */
static void note_file(void **data, int fd)
{
	struct stat st;
	char text[128];
	uintptr_t id;

	if (fstat(fd, &st))
		return;
	snprintf(text, sizeof(text), "%ju %ju %jd %ld", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino,
		 (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
	id = file_fingerprint(text) & ~1ULL;
	memcpy(data, &id, sizeof(id));
}

static int find_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
		    char **file, Elf **elf)
{
	char path[PATH_MAX];
	int fd;

	if (name[0] != '/')
		return dwfl_linux_proc_find_elf(module, data, name, base, file, elf);
	fd = seen_as(path, name) ? file_open_regular(path) : -1;
	if (fd >= 0) {
		*file = strdup(name);
		note_file(data, fd);
		return fd;
	}
	/* from the memory of the process; libdwfl would open what has this name, whatever it is */
	return is_deleted(name) ?
	       dwfl_linux_proc_find_elf(module, data, "/" DELETED, base, file, elf) : -1;
}

/* Takes over the file that @o is, if there is one. */
static int take(struct elfobj *o, char **name)
{
	int fd = dup(o->fd);

	*name = fd >= 0 ? strdup(o->path) : NULL;
	elfobj_close(o);
	return fd;
}

static int find_symbols(const char *file, char **name)
{
	struct elfobj program, debug;
	char path[PATH_MAX], why[1];
	int fd = -1;

	if (!seen_as(path, file) || elfobj_open(&program, path, why, 0))
		return -1;
	if (!elfobj_find_debug(&program, ELFOBJ_DEBUG_ROOT, &debug))
		fd = take(&debug, name);
	elfobj_close(&program);
	return fd;
}

/* Opens the file that dwz has made for several debug files, in the folder of @file. */
static int find_shared(Dwarf *dwarf, const char *file, char **name)
{
	const char *link, *end = strrchr(file, '/');
	const void *id;
	ssize_t n = dwelf_dwarf_gnu_debugaltlink(dwarf, &link, &id);
	char path[PATH_MAX];
	bool same;
	Elf *elf;
	int fd;

	if (n <= 0)
		return -1;
	snprintf(path, sizeof(path), "%.*s%s", link[0] != '/' && end ? (int)(end + 1 - file) : 0,
		 file, link);
	fd = file_open_regular(path);
	if (fd < 0)
		return -1;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	same = elfobj_has_build_id(elf, id, n);
	elf_end(elf);
	if (same) {
		*name = strdup(path);
		return fd;
	}
	close(fd);
	return -1;
}

/* libdwfl asks for a module's debug file, and then for what that one shares, without a CRC. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *module_name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **name)
{
	static bool asking;	/* libdwfl came here to find what it is asked for */
	Dwarf *dwarf = NULL;
	Dwarf_Addr bias;

	(void)data;
	(void)module_name;
	(void)base;
	if (!file || asking)
		return -1;
	if (link && !crc) {
		asking = true;
		dwarf = dwfl_module_getdwarf(module, &bias);
		asking = false;
	}
	return dwarf ? find_shared(dwarf, file, name) : find_symbols(file, name);
}

/* What note_file() has noted, in *@data too. */
static uintptr_t note_of(Dwfl_Module *module, void ***data)
{
	uintptr_t note;

	dwfl_module_info(module, data, NULL, NULL, NULL, NULL, NULL, NULL);
	memcpy(&note, *data, sizeof(note));
	return note;
}

uint64_t program_file_id(Dwfl_Module *module)
{
	void **data;

	return note_of(module, &data) & ~(uintptr_t)1;
}

size_t program_file_dwarf(Dwfl_Module *module)
{
	void **data;
	uintptr_t note = note_of(module, &data) | 1;
	Elf_Scn *section = NULL;
	Dwarf_Addr bias;
	size_t bytes = 0;
	GElf_Shdr h;
	Dwarf *dwarf;
	Elf *elf;

	if (!memcmp(data, &note, sizeof(note)))
		return 0;
	memcpy(data, &note, sizeof(note));
	dwarf = dwfl_module_getdwarf(module, &bias);
	elf = dwarf ? dwarf_getelf(dwarf) : NULL;
	/* libdw has unpacked all sections */
	while (elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &h) && h.sh_type != SHT_NOBITS && !(h.sh_flags & SHF_ALLOC))
			bytes += h.sh_size;
	return bytes;
}

const Dwfl_Callbacks program_files = {
	.find_elf = find_elf,
	.find_debuginfo = find_debuginfo,
};
